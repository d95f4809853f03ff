"""Operating characteristics: the simulator's figures, saved as JSON and written as a page beside those of the specification."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from probatio.code_digest import package_digest
from probatio.simulate.causes import KINDS, SCENARIOS, Named, named
from probatio.simulate.causes_page import causes_part
from probatio.simulate.compared import (
    ALL_PROFILES,
    DELAYS,
    Delay,
    FalseConfirmed,
    delay,
    false_confirmed,
    plan_for,
)
from probatio.simulate.compared_page import evidence_part
from probatio.simulate.faults import FAULTS
from probatio.simulate.parts import KeptParts, Part, results
from probatio.simulate.parts import Result as Result
from probatio.simulate.profiles import JUDGED, PROFILES
from probatio.simulate.promise import PROMISED, Promise, promise
from probatio.simulate.simulator import (
    AfterFault,
    Measured,
    QuietYears,
    RuleFacts,
    after_fault,
    quiet_years,
    rule_facts,
)
from probatio.simulate.specification import SPECIFIED
from probatio.simulate.specification import (
    Characteristics as Characteristics,  # the saved file's shape, read by the site
)
from probatio.study.markdown import table
from probatio.suite.daily_suite import DailyManifest
from probatio.workers import Checks

PACKAGED = Path(__file__).parent / "operating_characteristics.json"
JSON, MARKDOWN = "operating_characteristics.json", "operating-characteristics.md"
PER_FAULT = 4  # a fault needs a quarter of the models a false-alarm rate does
PER_PROMISE, FUTURES = (
    5,
    20,
)  # a reference for every so many models, and futures of each: references differ more than futures

QUIET = [*((profile, "gaussian") for profile in PROFILES), ("partial", "autocorrelated")]
"""Noise profiles of a full run: deterministic cases, judged use cases."""


def constants_digest(manifest: DailyManifest) -> str:
    """Changes when a number does that the figures depend on, and not when the suite's cases do."""
    numbers = (manifest.rule, manifest.evidence, manifest.attribution, manifest.samples, manifest.judge.bar)
    return hashlib.sha256(msgspec.json.encode(numbers)).hexdigest()[:16]


def made_with(manifest: DailyManifest, models: int, days: int, seed: int) -> str:
    """What the figures of a run depend on: parts made with the same can be put together."""
    shape = [each.grading for each in manifest.use_cases]
    code = [package_digest(f"probatio.{package}") for package in ("verdict", "simulate")]
    numbers = (manifest.version, constants_digest(manifest), shape, models, days, seed, code)
    return hashlib.sha256(msgspec.json.encode(numbers)).hexdigest()[:16]


def measured(
    manifest: DailyManifest,
    *,
    models: int,
    days: int,
    seed: int,
    profiles: Sequence[str] = (),
    faults: Sequence[str] | None = None,
    report: Callable[[Result], None] = lambda result: None,
    kept: KeptParts | None = None,
    pool: Checks | None = None,
) -> Characteristics:
    """Run the simulator; `report` is called with each result as it comes. Empty `profiles` are all, `faults` None are all.
    Parts that are in `kept` are taken from there, the others put there. With a pool its workers make them side by side."""
    found: list[Result] = []
    seconds = 0.0
    for result, cpu in results(parts_of(manifest, models, days, seed, profiles, faults), kept, pool):
        seconds += cpu
        found.append(result)
        report(result)

    def of(kind: type[Made]) -> tuple[Made, ...]:
        return tuple(each for each in found if isinstance(each, kind))

    return Characteristics(
        manifest.version,
        seed,
        models,
        days,
        of(QuietYears),
        of(AfterFault),
        next(iter(of(RuleFacts)), None),
        constants_digest(manifest),
        of(FalseConfirmed),
        of(Delay),
        of(Promise),
        of(Named),
        None if kept is None else round(seconds, 1),  # else equal seeds would not give equal figures
    )


Made = TypeVar("Made", bound=Result)


def parts_of(
    manifest: DailyManifest, models: int, days: int, seed: int, profiles: Sequence[str], faults: Sequence[str] | None
) -> Iterator[Part]:
    """What a run consists of, in order. A part is a function of its own seed: it does not matter which ones ran before."""

    def chosen(names: Iterable[str]) -> list[str]:
        return [name for name in names if not profiles or name in profiles]

    few = max(models // PER_FAULT, 1)
    for profile, noise in QUIET:
        if not profiles or profile in profiles:
            yield Part(f"quiet {profile} {noise}", QuietYears, partial(quiet_years, manifest, profile, noise, models, days, seed))  # fmt: skip # noqa: E501
    for fault in FAULTS if faults is None else faults:
        for profile in chosen(PROFILES):
            yield Part(f"fault {fault} {profile}", AfterFault, partial(after_fault, manifest, fault, profile, "gaussian", few, seed))  # fmt: skip # noqa: E501
    for profile in profiles or ALL_PROFILES:
        for whole_suite in (False, True):
            some = max(models // 2, 1) if whole_suite else models
            work = partial(false_confirmed, manifest, profile, some, days, seed, whole_suite=whole_suite)
            yield Part(f"false {profile} {whole_suite}", FalseConfirmed, work)
    if faults is not None:
        return
    for profile, fall in DELAYS:
        if not profiles or profile in profiles:
            yield Part(f"delay {profile} {fall}", Delay, partial(delay, manifest, profile, fall, 2 * models, seed))
    for whole_suite in (False, True):
        for profile in chosen(PROMISED):
            plan, references = plan_for(manifest, whole_suite), max(models // PER_PROMISE, 2)
            yield Part(f"promise {profile} {whole_suite}", Promise, partial(promise, plan, profile, references, FUTURES, seed))  # fmt: skip # noqa: E501
    if not profiles:
        for kind in KINDS:
            for scenario in SCENARIOS:
                yield Part(f"cause {kind} {scenario}", Named, partial(named, manifest, scenario, kind, models, seed))
        yield Part("facts", RuleFacts, partial(rule_facts, manifest, few, seed))


def write(characteristics: Characteristics, folder: Path) -> tuple[Path, Path]:
    """`operating_characteristics.json` (shape: `Characteristics`) and `operating-characteristics.md`, made from it."""
    folder.mkdir(parents=True, exist_ok=True)
    data, page = folder / JSON, folder / MARKDOWN
    data.write_bytes(msgspec.json.format(msgspec.json.encode(characteristics), indent=1) + b"\n")
    page.write_text(markdown(read(data)), encoding="utf-8")
    return data, page


def read(path: Path = PACKAGED) -> Characteristics:
    """The saved figures: those of this version of the package, unless another file is named."""
    return msgspec.json.decode(path.read_bytes(), type=Characteristics)


def markdown(figures: Characteristics) -> str:
    """The page, from the saved figures alone."""
    parts = [
        "# Operating characteristics of the verdict\n",
        f"Made by `probatio simulate --models {figures.models} --days {figures.days} --seed {figures.seed} --out DIR`, which "
        "runs the real rule and the real evidence over synthetic models "
        f"(suite {figures.suite_version}: ten use cases, five cases each). Do not edit: the figures are in "
        "`src/probatio/simulate/operating_characteristics.json`, where the command's JSON belongs. "
        "Brackets are 95 % intervals over models. A model's first 28 days "
        f"are its reference and are not counted.{_cpu(figures.cpu_seconds)}\n",
    ]
    if figures.facts is not None:
        parts += ["## Beside the figures of the specification\n", _beside_specification(figures)]
    parts += evidence_part(figures.false_confirmed, figures.delays, figures.promises)
    parts += causes_part(figures.causes)
    if figures.quiet:
        parts += ["## False alarms: nothing is wrong\n", _quiet_table(figures.quiet), QUIET_NOTES]
    real = [each for each in figures.faults if not each.harmless]
    harmless = [each for each in figures.faults if each.harmless]
    if real:
        parts += ["## Which faults are detected, and how soon\n", FAULT_NOTES]
        parts += [_fault_table(name, real) for name in dict.fromkeys(each.fault for each in real)]
    if harmless:
        parts += ["## Not caused by the model: every alarm is false\n", HARMLESS_NOTES]
        parts += [_fault_table(name, harmless) for name in dict.fromkeys(each.fault for each in harmless)]
    return "\n".join(parts)


def _cpu(seconds: float | None) -> str:
    return "" if seconds is None else f" All parts together took {seconds / 60:.0f} minutes of CPU."


QUIET_NOTES = """\
Columns of the rule: use-case-days flagged SUSPICIOUS or worse (deterministic use cases), models that were ever COOKED, COOKED
episodes per model-year. Columns of the evidence: models that were ever SUSPECTED or CONFIRMED in the time watched. The last
columns are the share of use-case-days asked at full count, and the mean length of low spells in the references.
"""

FAULT_NOTES = """\
A fault begins 30 days after the reference. Per layer: the share of models that got the alarm in the days watched, and its
median day; the fault's first day is day 1. "By day" is when nine in ten had it. Models already at the alarm when the fault
began are left out. Compare the rule's columns with its false alarms above: noise that brings several COOKED in a healthy year
also brings them in 90 days of a fault that the rule can't detect.

One dead case alone is beyond the evidence: it is 4 % of one pool. The rule flags its use case on the first day, and has
forgotten it by the tenth.
"""

HARMLESS_NOTES = """\
The calibration set shows a shift of the judge: beyond the gate of 0.3 judged scores place no bet; under it the evidence reads
them with the shift taken off. A new route is
held for three days and then starts a new series; an outage is a gap. The COOKED that remain come from the noise of the first
table: compare the rows of the outage there, and those of the new route, which fails more often, with the next noisier ones.
"""


def _quiet_table(results: Sequence[QuietYears]) -> str:
    rows = [
        [
            PROFILES[each.profile].title,
            JUDGED[each.noise].title,
            _percent(each.suspicious),
            _percent(each.cooked),
            _number(each.cooked_episodes),
            _percent(each.suspected),
            _percent(each.confirmed),
            f"{each.rerun.value:.1%}",
            "–" if each.spell_mean is None else f"{each.spell_mean:g}",
        ]
        for each in results
    ]
    head = "noise of the cases | judged | SUSPICIOUS | COOKED | episodes | SUSPECTED | CONFIRMED | full count | spells"
    return _lines(head.split(" | "), rows)


def _fault_table(fault: str, results: Sequence[AfterFault]) -> str:
    chosen = [each for each in results if each.fault == fault]
    rows = [
        [
            PROFILES[each.profile].title,
            _percent(each.cooked.share),
            _day(each.cooked.median),
            _day(each.cooked.late),
            _percent(each.confirmed.share),
            _day(each.confirmed.median),
            _day(each.confirmed.late),
        ]
        for each in chosen
    ]
    title = f"### {FAULTS[fault].title[0].upper()}{FAULTS[fault].title[1:]}\n\nWatched for {chosen[0].days} days.\n"
    return title + "\n" + _lines(["noise", "COOKED", "median day", "by day", "CONFIRMED", "median day", "by day"], rows)


def _beside_specification(figures: Characteristics) -> str:
    rows, reasons = [], []
    for specified in SPECIFIED:
        ours = list(specified.ours(figures))
        outside = [each for each in ours if each[2] > specified.high or each[3] < specified.low]
        shown = "; ".join(f"{where} {_in_unit(value, specified.unit)}".strip() for where, value, _, _ in ours)
        said = "differs" if outside else "agrees" if ours else "too few models to say"
        rows.append([specified.claim, specified.text, shown or "–", said])
        if outside:
            reasons.append(f"- **{specified.claim}**: {specified.why}")
    compared = _lines(["claim", "specification", "here", ""], rows)
    return compared + (
        "\nWhere they differ by more than the interval:\n\n" + "\n".join(reasons) + "\n" if reasons else ""
    )


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(table(head, rows)) + "\n"


def _percent(part: Measured) -> str:
    return f"{part.value:.1%} [{part.low:.1%}, {part.high:.1%}]"


def _number(part: Measured) -> str:
    return f"{part.value:.2f} [{part.low:.2f}, {part.high:.2f}]"


def _day(day: float | None) -> str:
    return "–" if day is None else f"{day:g}"


def _in_unit(value: float, unit: str) -> str:
    return {"%": f"{value:.1%}", "z": f"{value:.2f}".replace("-", "−"), "days": f"{value:g}"}.get(unit, f"{value:.1f}")

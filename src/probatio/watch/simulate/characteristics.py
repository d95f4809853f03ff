"""Operating characteristics: the simulator's figures, saved as JSON and written as a page."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from probatio.core.code_digest import code_digest
from probatio.core.files import put
from probatio.core.jsonfile import read_json
from probatio.jail.workers import Checks
from probatio.suites.daily_suite import DailyManifest
from probatio.watch.simulate.causes import KINDS, SCENARIOS, NamedCauses, name_causes
from probatio.watch.simulate.evidence_alone import (
    ALL_PROFILES,
    DELAYS,
    Delay,
    FalseConfirmed,
    delay,
    false_confirmed,
    plan_for,
)
from probatio.watch.simulate.faults import FAULTS
from probatio.watch.simulate.page import render_page
from probatio.watch.simulate.parts import Characteristics, KeptParts, Result, SimulationPart, results
from probatio.watch.simulate.profiles import FROZEN_PROFILES, JUDGED, PROFILES
from probatio.watch.simulate.promise import PROMISED, PromiseKept, promise
from probatio.watch.simulate.simulator import (
    AfterFault,
    QuietYears,
    RuleFacts,
    after_fault,
    quiet_years,
    rule_facts,
)

PACKAGED = Path(__file__).parent / "operating_characteristics.json"
JSON, MARKDOWN = "operating_characteristics.json", "operating-characteristics.md"
PER_FAULT = 4  # a fault needs a quarter of the models a false-alarm rate does
PER_FROZEN = 5  # the rarest of what is promised here
PER_PROMISE = 5  # a reference for every so many models …
FUTURES = 20  # … and futures of each: references differ more than futures

QUIET = [*((profile, "gaussian") for profile in PROFILES), ("partial", "autocorrelated")]
"""Noise profiles of a full run: deterministic cases, judged use cases."""


def constants_digest(manifest: DailyManifest) -> str:
    """Changes when a number does that the figures depend on, and not when the suite's cases do."""
    numbers = (manifest.rule, manifest.evidence, manifest.attribution, manifest.samples, manifest.judge.bar)
    return hashlib.sha256(msgspec.json.encode(numbers)).hexdigest()[:16]


def digest_inputs(manifest: DailyManifest, models: int, days: int, seed: int) -> str:
    """What the figures of a run depend on: parts made with the same can be put together."""
    shape = [each.grading for each in manifest.use_cases]
    code = code_digest("probatio.watch.verdict", "probatio.watch.simulate")
    numbers = (manifest.version, constants_digest(manifest), shape, models, days, seed, code)
    return hashlib.sha256(msgspec.json.encode(numbers)).hexdigest()[:16]


def measure(
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
    """Run the simulator; `report` gets each result as it comes.

    Empty `profiles` mean all, and so does `faults` None. Parts found in `kept` are reused, the others are
    added to it. With a pool, its workers compute parts in parallel.
    """
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
        of(PromiseKept),
        of(NamedCauses),
        None if kept is None else round(seconds, 1),  # else equal seeds would not give equal figures
    )


Made = TypeVar("Made", bound=Result)


def parts_of(
    manifest: DailyManifest,
    models: int,
    days: int,
    seed: int,
    profiles: Sequence[str],
    faults: Sequence[str] | None,
) -> Iterator[SimulationPart]:
    """The parts of a run, in order. Each part depends on its own seed only, so the order does not matter."""

    def choose(names: Iterable[str]) -> list[str]:
        return [name for name in names if not profiles or name in profiles]

    few = max(models // PER_FAULT, 1)
    for profile, noise in QUIET:
        if not profiles or profile in profiles:
            work: Callable[[], Result] = partial(quiet_years, manifest, profile, noise, models, days, seed)
            yield SimulationPart(f"quiet {profile} {noise}", QuietYears, work)
    for fault in FAULTS if faults is None else faults:
        for profile in choose(PROFILES):
            work = partial(after_fault, manifest, fault, profile, "gaussian", few, seed)
            yield SimulationPart(f"fault {fault} {profile}", AfterFault, work)
    for profile in profiles or ALL_PROFILES:
        for whole_suite in _shapes(profile):
            some = max(models // 2, 1) if whole_suite else models
            if profile in FROZEN_PROFILES:
                some = PER_FROZEN * models
            work = partial(false_confirmed, manifest, profile, some, days, seed, whole_suite=whole_suite)
            yield SimulationPart(f"false {profile} {whole_suite}", FalseConfirmed, work)
    if faults is not None:
        return
    for profile, fall in DELAYS:
        if not profiles or profile in profiles:
            work = partial(delay, manifest, profile, fall, 2 * models, seed)
            yield SimulationPart(f"delay {profile} {fall}", Delay, work)
    for whole_suite in (False, True):
        for profile in choose(PROMISED):
            plan = plan_for(manifest, whole_suite, PROMISED[profile])
            references = max(models // PER_PROMISE, 2)
            work = partial(promise, plan, profile, references, FUTURES, seed)
            yield SimulationPart(f"promise {profile} {whole_suite}", PromiseKept, work)
    if not profiles:
        for kind in KINDS:
            for scenario in SCENARIOS:
                work = partial(name_causes, manifest, scenario, kind, models, seed)
                yield SimulationPart(f"cause {kind} {scenario}", NamedCauses, work)
        yield SimulationPart("facts", RuleFacts, partial(rule_facts, manifest, few, seed))


def _shapes(profile: str) -> tuple[bool, ...]:
    """Whether the whole suite, or not: frozen answers are measured on 25 cases, and once on both kinds."""
    if profile not in FROZEN_PROFILES:
        return False, True
    return (JUDGED[FROZEN_PROFILES[profile].judged].cases > 0,)


def write(characteristics: Characteristics, folder: Path) -> tuple[Path, Path]:
    """Write `operating_characteristics.json` (shape: `Characteristics`) and the page made from it."""
    folder.mkdir(parents=True, exist_ok=True)
    data, page = folder / JSON, folder / MARKDOWN
    put(data, msgspec.json.format(msgspec.json.encode(characteristics), indent=1) + b"\n")
    put(page, render_page(read(data)).encode())
    return data, page


def read(path: Path = PACKAGED) -> Characteristics:
    """The saved figures: those of this version of the package, unless another file is named."""
    return read_json(path, Characteristics, "a file of simulated figures")

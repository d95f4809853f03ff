"""Operating characteristics of the verdict: the figures of the built-in suite and the page made from them.

    python tools/characteristics/measure.py FOLDER
    python tools/characteristics/measure.py FOLDER --models 500 --publish
    python tools/characteristics/measure.py FOLDER --profile partial --fault drop-10-all --fault outage

Runs the real rule and the real evidence over synthetic models, on all cores: about 25 minutes of CPU, with
500 models an hour. FOLDER gets the figures, the page, and every part as soon as it is ready: a stopped run
goes on from there. `--publish` puts both files where the package and its docs have them.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
from causes import KINDS, SCENARIOS, NamedCauses, name_causes
from evidence_alone import ALL_PROFILES, DELAYS, Delay, delay, false_confirmed, plan_for
from measurements import KeptParts, Measurements, Result, SimulationPart, read
from page import render_page
from promise import PROMISED, PromiseKept, promise
from rule_limits import rule_facts

from probatio.core.code_digest import code_digest
from probatio.core.machine import count_cores
from probatio.suites.daily_suite import DailyManifest, read_manifest
from probatio.watch.simulate.faults import FAULTS
from probatio.watch.simulate.figures import (
    FIGURES,
    PACKAGED,
    AfterFault,
    FalseConfirmed,
    QuietYears,
    RuleFacts,
    constants_digest,
)
from probatio.watch.simulate.profiles import FROZEN_PROFILES, JUDGED, PROFILES
from probatio.watch.simulate.simulator import after_fault, quiet_years

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "operating-characteristics.md"
PER_FAULT = 4  # a fault needs a quarter of the models a false-alarm rate does
PER_FROZEN = 5  # the rarest of what is promised here
PER_PROMISE = 5  # a reference for every so many models …
FUTURES = 20  # … and futures of each: references differ more than futures

QUIET = [*((profile, "gaussian") for profile in PROFILES), ("partial", "autocorrelated")]
"""Noise profiles of a full run: deterministic cases, judged use cases."""


def digest_inputs(manifest: DailyManifest, models: int, days: int, seed: int) -> str:
    """What the figures of a run depend on: parts made with the same can be put together."""
    shape = [each.grading for each in manifest.use_cases]
    code = [
        code_digest("probatio.watch.verdict", "probatio.watch.simulate"),
        *(path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.py"))),
    ]
    numbers = (manifest.version, constants_digest(manifest), shape, models, days, seed, code)
    return hashlib.sha256(msgspec.json.encode(numbers)).hexdigest()[:16]


def measure(
    folder: Path,
    manifest: DailyManifest,
    *,
    models: int,
    days: int,
    seed: int,
    profiles: Sequence[str] = (),
    faults: Sequence[str] | None = None,
    workers: int = 1,
) -> Measurements:
    """Run the simulator. Empty `profiles` mean all, and so does `faults` None. Parts found in `folder` are
    reused, the others are added to it."""
    kept = KeptParts(folder, digest_inputs(manifest, models, days, seed))
    if len(kept):
        print(f"{len(kept)} parts are there already.", flush=True)
    parts = list(parts_of(manifest, models, days, seed, profiles, faults))
    with ProcessPoolExecutor(workers) as pool:
        waiting = {pool.submit(compute, part): part for part in parts if part not in kept}
        for made in as_completed(waiting):
            part, (result, cpu) = waiting[made], made.result()
            kept.put(part, result, cpu)
            print(f"{part.name}: {cpu:.1f} s", flush=True)
    found = [kept.get(part) for part in parts]

    def of(kind: type[Made]) -> tuple[Made, ...]:
        return tuple(result for result, _ in found if isinstance(result, kind))

    return Measurements(
        suite_version=manifest.version,
        seed=seed,
        models=models,
        days=days,
        quiet=of(QuietYears),
        faults=of(AfterFault),
        facts=next(iter(of(RuleFacts)), None),
        constants=constants_digest(manifest),
        false_confirmed=of(FalseConfirmed),
        delays=of(Delay),
        promises=of(PromiseKept),
        causes=of(NamedCauses),
        cpu_seconds=round(sum(cpu for _, cpu in found), 1),
    )


Made = TypeVar("Made", bound=Result)


def compute(part: SimulationPart) -> tuple[Result, float]:
    """The figures of a part and its CPU seconds."""
    began = time.process_time()
    return part.work(), time.process_time() - began


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


def write(figures: Measurements, folder: Path) -> tuple[Path, Path]:
    """Write the figures and the page made from them."""
    folder.mkdir(parents=True, exist_ok=True)
    data, page = folder / FIGURES, folder / PAGE.name
    data.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n")
    page.write_text(render_page(read(data)), encoding="utf-8")
    return data, page


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="for the figures, the page and the parts of a run")
    parser.add_argument("--models", type=int, default=200, help="per noise profile; a fault has a quarter")
    parser.add_argument("--days", type=int, default=365, help="that each healthy model is watched")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profile", action="append", default=[], choices=ALL_PROFILES, metavar="NAME")
    parser.add_argument(
        "--fault", action="append", choices=[*FAULTS, "none"], metavar="NAME", help="`none`: false alarms"
    )
    parser.add_argument("--workers", type=int, default=count_cores())
    parser.add_argument("--publish", action="store_true", help="put both files in their places, too")
    given = parser.parse_args()
    if given.publish and (given.profile or given.fault):
        parser.error("--publish needs all profiles and faults.")
    figures = measure(
        given.folder,
        read_manifest(),
        models=given.models,
        days=given.days,
        seed=given.seed,
        profiles=given.profile,
        faults=None if given.fault is None else [name for name in given.fault if name != "none"],
        workers=given.workers,
    )
    for made, place in zip(write(figures, given.folder), (PACKAGED, PAGE), strict=True):
        print(f"Written: {shutil.copyfile(made, place) if given.publish else made}")


if __name__ == "__main__":
    main()

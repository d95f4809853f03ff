"""CPU of the simulator, of the evidence over a recorded year, and of the minimum detectable effect. Prints a
Markdown table.

OMP_NUM_THREADS=1 python bench/simulate.py
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from probatio.runs.store.detectable import DetectableCache
from probatio.suites.daily_suite import read_manifest
from probatio.watch.simulate.noise import Population
from probatio.watch.simulate.profiles import JUDGED, PROFILES
from probatio.watch.simulate.simulator import quiet_years
from probatio.watch.simulate.synthetic import bets, plan_of, run_days, watch
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.detectable import smallest_drops
from probatio.watch.verdict.evidence.evidence import EvidenceDay, EvidenceState

MODELS, YEAR, WATCHED = 2000, 365, 30
MANIFEST = read_manifest()
PLAN = plan_of(MANIFEST)


def cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def population(models: int) -> Population:
    return Population(
        PROFILES["binomial-0.9"], JUDGED["gaussian"], PLAN.streams, models, np.random.default_rng(0)
    )


def days_of_a_year(models: int) -> list[EvidenceDay]:
    return [bets(PLAN, day) for day, _, _ in watch(PLAN, population(models), YEAR)]


def folded(days: list[EvidenceDay], models: int) -> EvidenceState:
    state = evidence.start(models, PLAN.streams, MANIFEST.evidence)
    for day in days:
        state, _ = evidence.step(state, day)
    return state


def main() -> None:
    both = cpu(lambda: quiet_years(MANIFEST, "binomial-0.9", "gaussian", MODELS, YEAR, 0))
    rule_alone = 4 * cpu(lambda: [None for _ in run_days(PLAN, population(MODELS // 4), YEAR + 28)])
    year = days_of_a_year(WATCHED)
    evidence_year = cpu(lambda: folded(year, WATCHED))
    state = folded(year, WATCHED)
    with tempfile.TemporaryDirectory() as folder:
        cache = DetectableCache(Path(folder))
        cold = cpu(lambda: [smallest_drops(state, model, cache) for model in range(WATCHED)])
        warm = cpu(lambda: [smallest_drops(state, model, cache) for model in range(WATCHED)])
    print("| what | CPU |\n|---|---|")
    print(f"| {MODELS:,} model-years, 10 use cases × 5 cases, both layers | {both:.1f} s |")
    print(f"| of that: drawing samples and the rule | {rule_alone:.1f} s |")
    print(f"| evidence in both directions over a year of {WATCHED} models | {evidence_year:.2f} s |")
    print(f"| minimum detectable effect of {WATCHED} models, nothing kept yet | {cold:.1f} s |")
    print(f"| the same, kept | {warm:.3f} s |")


if __name__ == "__main__":
    main()

"""The evidence of today and edition 2 (`bench/edition_2/`) on the same simulated days: how often each
confirms a healthy model within a year where answers repeat, and how soon a fall.

    python bench/editions.py [MODELS]

A line for each noise of answers at temperature 0: the share of healthy model-years with a false CONFIRMED.
Then one for each noise and fall: the median day of CONFIRMED and the share within 14 days. The two may ask
for more samples on different days, so each has its own days of the same models.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import edition_2.constants
import edition_2.evidence
import edition_2.streams
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tools" / "characteristics"))

from evidence_alone import ALL_PROFILES, DELAYS, FALLS, IN_TIME, plan_for, watch_evidence

from probatio.suites.daily_suite import read_manifest
from probatio.watch.simulate.figures import Detection
from probatio.watch.simulate.noise import Population
from probatio.watch.simulate.profiles import FROZEN_PROFILES, JUDGED, PROFILES
from probatio.watch.simulate.simulator import SETTLED, measure_detection, measure_share
from probatio.watch.simulate.synthetic import SuitePlan
from probatio.watch.verdict.evidence import evidence

SEED = 5


def measure(code: ModuleType, streams: Any, constants: Any, plan: SuitePlan, profile: str, fall: str, models: int) -> tuple[Detection, float]:  # fmt: skip # noqa: E501
    """When `code`, an edition of the evidence, confirms this fall, and the share within 14 days."""
    fault, chosen = FALLS[fall], ALL_PROFILES[profile]
    begin = constants.reference_days + SETTLED
    population = Population(chosen, JUDGED[chosen.judged], plan.streams, models, np.random.default_rng(SEED))
    state = code.start(models, streams, constants, improvement=False)
    first = np.full(models, np.inf)
    days = watch_evidence(plan, population, begin + fault.watched, lambda: code.asks_full(state), fault=fault, fault_day=begin)  # fmt: skip # noqa: E501
    for count, day in enumerate(days):
        state, outcome = code.step(state, day)
        first[(outcome.status == code.CONFIRMED) & np.isinf(first)] = count - begin + 1
    first = first[first > 0]
    return measure_detection(first), measure_share(first <= IN_TIME).value


def count_false(code: ModuleType, streams: Any, constants: Any, plan: SuitePlan, profile: str, models: int) -> float:  # fmt: skip # noqa: E501
    """The share of healthy model-years in which `code` says CONFIRMED."""
    chosen = ALL_PROFILES[profile]
    population = Population(chosen, JUDGED[chosen.judged], plan.streams, models, np.random.default_rng(SEED))
    state = code.start(models, streams, constants, improvement=False)
    false = np.zeros(models, dtype=bool)
    days = watch_evidence(plan, population, constants.reference_days + 365, lambda: code.asks_full(state))
    for day in days:
        state, outcome = code.step(state, day)
        false |= outcome.status == code.CONFIRMED
    return float(false.mean())


def main(models: int) -> None:
    manifest = read_manifest(None)
    plan = plan_for(manifest, whole_suite=False, profile=PROFILES["flips"])
    names = {name: plan.streams.cases[start : start + count] for name, start, count in zip(plan.streams.use_cases, plan.streams.starts.tolist(), plan.streams.case_counts.tolist(), strict=True)}  # fmt: skip # noqa: E501
    old = edition_2.streams.streams_of(names)
    frozen = edition_2.constants.EvidenceConstants()
    print(f"{'healthy years with a false CONFIRMED':77}{'edition 2':>18}{'today':>18}")
    for profile, noise in FROZEN_PROFILES.items():
        if JUDGED[noise.judged].cases:
            continue
        ladders = plan_for(manifest, whole_suite=False, profile=noise)
        shares = [
            count_false(edition_2.evidence, old, frozen, ladders, profile, models),
            count_false(evidence, ladders.streams, manifest.evidence, ladders, profile, models),
        ]
        print(f"{noise.title:77}{shares[0]:>18.1%}{shares[1]:>18.1%}", flush=True)
    print(f"{'noise':53}{'fall':32}{'edition 2':>18}{'today':>18}")
    for profile, fall in DELAYS:
        plan, cells = plan_for(manifest, whole_suite=False, profile=ALL_PROFILES[profile]), []
        for code, streams, constants in (
            (edition_2.evidence, old, frozen),
            (evidence, plan.streams, manifest.evidence),
        ):
            found, in_time = measure(code, streams, constants, plan, profile, fall, models)
            day = "–" if found.median is None else f"{found.median:g}"
            cells.append(f"day {day}, {in_time:.0%}")
        print(
            f"{ALL_PROFILES[profile].title:53}{FALLS[fall].title:32}{cells[0]:>18}{cells[1]:>18}", flush=True
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 60)

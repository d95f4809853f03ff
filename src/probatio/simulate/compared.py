"""The second edition of the evidence beside the first, on the same days: false CONFIRMED per model-year, and delays after a fall.

The evidence alone, without the rule: on 25 deterministic cases, or on the whole suite. The first edition reads base samples only
and the judge's marks as they are, as it did.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import msgspec
import numpy as np

from probatio.simulate.faults import FALLS, Fault
from probatio.simulate.first_edition.detector import FirstEditionWatch
from probatio.simulate.noise import Population
from probatio.simulate.profiles import HARD_PROFILES, JUDGED, PROFILES
from probatio.simulate.simulator import SETTLED, TOGETHER, Detection, Measured, detection_of, share_of
from probatio.simulate.synthetic import Plan, plan_of
from probatio.simulate.watched import watched_days
from probatio.suite.daily_suite import DailyManifest
from probatio.verdict import evidence
from probatio.verdict.evidence import CONFIRMED
from probatio.verdict.streams import Bools, Floats

DETERMINISTIC_USE_CASES = 5
IN_TIME = 14
ALL_PROFILES = {**PROFILES, **HARD_PROFILES}

DELAYS: tuple[tuple[str, str], ...] = (
    *(("flips", f"fall-{points}") for points in ("5", "10", "20", "40", "10-uneven")),
    ("flips", "quarter-dead"),
    *(("binomial-0.9", fall) for fall in ("fall-10", "fall-20", "quarter-dead")),
    *(("partial", fall) for fall in ("fall-5", "fall-40", "quarter-dead")),
    *(("sticky", fall) for fall in ("fall-10", "quarter-dead")),
    *(("ladders", fall) for fall in ("fall-5", "fall-10", "quarter-dead")),
    ("flips", "fall-decline"),
    ("flips", "one-dead"),
)
"""The rows of VERDICT.md's table, and ladders: noise and fall."""


class FalseConfirmed(msgspec.Struct, frozen=True):
    """Models that never change and were CONFIRMED all the same."""

    profile: str
    whole_suite: bool  # else 25 deterministic cases
    models: int
    days: int
    first: Measured
    second: Measured
    full_days: float  # days a model was asked at full count by the second edition


class Delay(msgspec.Struct, frozen=True):
    """How soon a fall is CONFIRMED on 25 deterministic cases; models CONFIRMED before it are left out."""

    profile: str
    fall: str
    models: int
    days: int
    first: Detection
    second: Detection
    first_in_time: Measured  # within 14 days
    second_in_time: Measured


def plan_for(manifest: DailyManifest, whole_suite: bool) -> Plan:
    return plan_of(manifest) if whole_suite else plan_of(manifest, gradings=["deterministic"] * DETERMINISTIC_USE_CASES)


def false_confirmed(
    manifest: DailyManifest, profile: str, models: int, days: int, seed: int, *, whole_suite: bool
) -> FalseConfirmed:
    plan = plan_for(manifest, whole_suite)
    reference = manifest.evidence.reference_days
    ever: list[tuple[Floats, Floats]] = []
    asked = 0.0
    for population in _populations(plan, profile, models, seed, f"false {whole_suite}"):
        first, second, full = _first_days(plan, population, reference + days)
        ever.append((first, second))
        asked += full
    firsts, seconds = (np.concatenate([part[at] for part in ever]) for at in (0, 1))
    return FalseConfirmed(
        profile,
        whole_suite,
        models,
        days,
        share_of(np.isfinite(firsts)),
        share_of(np.isfinite(seconds)),
        round(asked / models, 2),
    )


def delay(manifest: DailyManifest, profile: str, fall: str, models: int, seed: int) -> Delay:
    plan, fault = plan_for(manifest, whole_suite=False), FALLS[fall]
    begin = manifest.evidence.reference_days + SETTLED
    parts = [
        _first_days(plan, population, begin + fault.watched, fault, begin)
        for population in _populations(plan, profile, models, seed, fall)
    ]
    first, second = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    first, second = first[first > 0], second[second > 0]
    return Delay(
        profile,
        fall,
        models,
        fault.watched,
        detection_of(first),
        detection_of(second),
        share_of(first <= IN_TIME),
        share_of(second <= IN_TIME),
    )


def _first_days(
    plan: Plan, population: Population, days: int, fault: Fault | None = None, begin: int = 0
) -> tuple[Floats, Floats, float]:
    """[m] the first day of CONFIRMED in either edition, 1 on the fault's first day; and how often full count was asked."""
    models = len(population.level)
    state = evidence.start(models, plan.streams, plan.manifest.evidence, improvement=False)
    before = FirstEditionWatch(models, plan.streams)
    first, second = np.full(models, np.inf), np.full(models, np.inf)
    asked = 0.0

    def asks() -> Bools:
        return evidence.asks_full(state)

    for count, day in enumerate(watched_days(plan, population, days, asks, fault=fault, fault_day=begin)):
        state, outcome = evidence.step(state, day.read)
        asked += 0 if day.read.full is None else int(day.read.full.sum())
        for firsts, there in ((first, before.step(day.base)), (second, outcome.status == CONFIRMED)):
            firsts[there & np.isinf(firsts)] = count - begin + 1
    return first, second, asked


def _populations(plan: Plan, profile: str, models: int, seed: int, purpose: str) -> Iterator[Population]:
    chosen = ALL_PROFILES[profile]
    named = zlib.crc32(f"compared/{purpose}/{profile}".encode())
    sizes = [min(TOGETHER, models - begin) for begin in range(0, models, TOGETHER)]
    for size, rng in zip(sizes, np.random.default_rng([seed, named]).spawn(len(sizes)), strict=True):
        yield Population(chosen, JUDGED[chosen.judged], plan.streams, size, rng)

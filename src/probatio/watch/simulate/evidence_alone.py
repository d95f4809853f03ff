"""The evidence alone, without the rule: false CONFIRMED per model-year, and how soon a fall is CONFIRMED.

On 25 deterministic cases, or on the whole suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import numpy as np

from probatio.suites.daily_suite import DailyManifest
from probatio.watch.simulate.faults import FALLS, POINTS_PER_MARK, SimulatedFault
from probatio.watch.simulate.noise import Population, Quality, populations
from probatio.watch.simulate.profiles import HARD_PROFILES, JUDGED, PROFILES
from probatio.watch.simulate.simulator import (
    SETTLED,
    Detection,
    Measured,
    measure_detection,
    measure_share,
)
from probatio.watch.simulate.synthetic import SuitePlan, judge_days, plan_of, sample_counts
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.evidence import CONFIRMED, EvidenceDay
from probatio.watch.verdict.evidence.streams import Bools, Floats

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
"""The rows of the table of delays: noise and fall."""


class FalseConfirmed(msgspec.Struct, frozen=True):
    """Models that never change and were CONFIRMED all the same."""

    profile: str
    whole_suite: bool  # else 25 deterministic cases
    models: int
    days: int
    confirmed: Measured
    full_days: float  # days on which a model was asked at full count


class Delay(msgspec.Struct, frozen=True):
    """How soon a fall is CONFIRMED on 25 deterministic cases; models CONFIRMED before it are left out."""

    profile: str
    fall: str
    models: int
    days: int
    confirmed: Detection
    in_time: Measured  # within 14 days


def plan_for(manifest: DailyManifest, whole_suite: bool) -> SuitePlan:
    return (
        plan_of(manifest)
        if whole_suite
        else plan_of(manifest, gradings=["deterministic"] * DETERMINISTIC_USE_CASES)
    )


def false_confirmed(
    manifest: DailyManifest, profile: str, models: int, days: int, seed: int, *, whole_suite: bool
) -> FalseConfirmed:
    plan, chosen = plan_for(manifest, whole_suite), ALL_PROFILES[profile]
    reference, purpose = manifest.evidence.reference_days, f"compared/false {whole_suite}/{profile}"
    every = populations(chosen, JUDGED[chosen.judged], plan.streams, models, seed, purpose)
    parts = [_first_days(plan, population, reference + days) for population in every]
    firsts = np.concatenate([first for first, _ in parts])
    full_days = sum(asked for _, asked in parts) / models
    return FalseConfirmed(
        profile, whole_suite, models, days, measure_share(np.isfinite(firsts)), round(full_days, 2)
    )


def delay(manifest: DailyManifest, profile: str, fall: str, models: int, seed: int) -> Delay:
    plan, fault, chosen = plan_for(manifest, whole_suite=False), FALLS[fall], ALL_PROFILES[profile]
    begin, purpose = manifest.evidence.reference_days + SETTLED, f"compared/{fall}/{profile}"
    every = populations(chosen, JUDGED[chosen.judged], plan.streams, models, seed, purpose)
    days = begin + fault.watched
    firsts = np.concatenate([_first_days(plan, each, days, fault, begin)[0] for each in every])
    firsts = firsts[firsts > 0]
    return Delay(
        profile, fall, models, fault.watched, measure_detection(firsts), measure_share(firsts <= IN_TIME)
    )


def watch_evidence(
    plan: SuitePlan,
    population: Population,
    days: int,
    asks: Callable[[], Bools],
    *,
    fault: SimulatedFault | None = None,
    fault_day: int = 0,
) -> Iterator[EvidenceDay]:
    """Day by day what the evidence reads: all samples if asked at full count, and judged scores less the
    judge's shift. `asks` is called before each day and says which models are asked for all samples."""
    for day, (shift, beyond_gate, judge) in enumerate(judge_days(plan, population, days, fault, fault_day)):
        full = asks()
        quality = population.day(fault, day - fault_day)
        cases, judged = _draw(plan, population, quality, full)
        if quality.absent.any():
            cases, judged = (np.where(quality.absent[:, None], np.nan, part) for part in (cases, judged))
        if beyond_gate or judge.drifted:
            judged = np.full_like(judged, np.nan)
        yield EvidenceDay(day, cases, judged - POINTS_PER_MARK * shift, full=full)


def _draw(plan: SuitePlan, population: Population, quality: Quality, full: Bools) -> tuple[Floats, Floats]:
    """The day's mean scores of cases and judged use cases: of base samples, or of all samples if more were
    asked."""
    base, most = sample_counts(plan, plan.streams.deterministic)
    base_judged, most_judged = sample_counts(plan, plan.streams.judged)
    cases = population.case_samples(quality, base)
    judged = population.draw_judged(quality, base_judged)
    if not full.any():
        return cases, judged
    rest = population.case_samples(quality, most - base, np.broadcast_to(full[:, None], cases.shape))
    others = population.draw_judged(quality, most_judged - base_judged)
    return (
        np.where(full[:, None], (base * cases + (most - base) * rest) / most, cases),
        np.where(
            full[:, None], (base_judged * judged + (most_judged - base_judged) * others) / most_judged, judged
        ),
    )


def _first_days(
    plan: SuitePlan, population: Population, days: int, fault: SimulatedFault | None = None, begin: int = 0
) -> tuple[Floats, float]:
    """[m] the first day of CONFIRMED, 1 on the fault's first day; and how often full count was asked."""
    models = len(population.level)
    state = evidence.start(models, plan.streams, plan.manifest.evidence, improvement=False)
    first = np.full(models, np.inf)
    asked = 0.0

    def asks() -> Bools:
        return evidence.asks_full(state)

    for count, day in enumerate(watch_evidence(plan, population, days, asks, fault=fault, fault_day=begin)):
        state, outcome = evidence.step(state, day)
        asked += 0 if day.full is None else int(day.full.sum())
        first[(outcome.status == CONFIRMED) & np.isinf(first)] = count - begin + 1
    return first, asked

"""The evidence alone, without the rule: false CONFIRMED per model-year, and how soon a fall is CONFIRMED.

On 25 deterministic cases, or on the whole suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec
import numpy as np

from probatio.core.records import Grading
from probatio.suites.daily_suite import DailyManifest
from probatio.watch.simulate.faults import POINTS_PER_MARK, SimulatedFault
from probatio.watch.simulate.figures import Detection, FalseConfirmed, Measured
from probatio.watch.simulate.noise import Population, Quality, populations
from probatio.watch.simulate.profiles import FROZEN_PROFILES, HARD_PROFILES, JUDGED, PROFILES, Profile
from probatio.watch.simulate.simulator import (
    SETTLED,
    measure_detection,
    measure_share,
)
from probatio.watch.simulate.synthetic import SuitePlan, draw_samples, judge_days, plan_of, start_evidence
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.answered_days import NONE
from probatio.watch.verdict.evidence.evidence import CONFIRMED, DayAnswers, EvidenceDay
from probatio.watch.verdict.evidence.streams import Bools, Floats

DETERMINISTIC_USE_CASES = 5
IN_TIME = 14
ALL_PROFILES = {**PROFILES, **HARD_PROFILES, **FROZEN_PROFILES}

FALLS: dict[str, SimulatedFault] = {
    "fall-3": SimulatedFault("−3", reach=None, points=3.0),
    "fall-5": SimulatedFault("−5", reach=None, points=5.0),
    "fall-5-uneven": SimulatedFault("−5 unevenly", reach=None, points=5.0, uneven=True),
    "fall-10": SimulatedFault("−10", reach=None, points=10.0),
    "fall-20": SimulatedFault("−20", reach=None, points=20.0),
    "fall-40": SimulatedFault("−40", reach=None, points=40.0),
    "fall-10-uneven": SimulatedFault("−10 unevenly", reach=None, points=10.0, uneven=True),
    "quarter-dead": SimulatedFault("a quarter of the cases dead", reach=None, dead_share=0.25),
    "fall-slow": SimulatedFault("−10 over 60 days", reach=None, decline=1 / 6, most=10.0),
    "fall-decline": SimulatedFault("decline of 0.3 points a day", reach=None, decline=0.3),
    "one-dead": SimulatedFault("one dead case", dead_cases=1),
}
"""What is lost on the 25 deterministic cases."""

DELAYS: tuple[tuple[str, str], ...] = (
    *(("flips", f"fall-{points}") for points in ("5", "10", "20", "40", "10-uneven")),
    ("flips", "quarter-dead"),
    *(("binomial-0.9", fall) for fall in ("fall-10", "fall-20", "quarter-dead")),
    *(("partial", fall) for fall in ("fall-5", "fall-40", "quarter-dead")),
    *(("sticky", fall) for fall in ("fall-10", "quarter-dead")),
    *(("ladders", fall) for fall in ("fall-5", "fall-10", "quarter-dead")),
    *(
        (profile, fall)
        for profile in ("fresh-.041", "fresh-.069", "frozen-.041", "frozen-.069")
        for fall in ("fall-3", "fall-5", "fall-5-uneven", "fall-10", "quarter-dead", "fall-slow")
    ),
    *(("flips-texts", fall) for fall in ("fall-5", "fall-10", "quarter-dead")),
    ("flips", "fall-decline"),
    ("flips", "one-dead"),
)
"""The rows of the table of delays: noise and fall."""


class Delay(msgspec.Struct, frozen=True):
    """How soon a fall is CONFIRMED on 25 deterministic cases; models CONFIRMED before it are left out."""

    profile: str
    fall: str
    models: int
    days: int
    confirmed: Detection
    in_time: Measured  # within 14 days


def plan_for(manifest: DailyManifest, whole_suite: bool, profile: Profile) -> SuitePlan:
    """The whole suite, or 25 deterministic cases, with the rungs of this profile."""
    gradings: list[Grading] | None = None if whole_suite else ["deterministic"] * DETERMINISTIC_USE_CASES
    return plan_of(
        manifest, gradings=gradings, rungs=profile.rungs, judged_cases=JUDGED[profile.judged].cases
    )


def false_confirmed(
    manifest: DailyManifest, profile: str, models: int, days: int, seed: int, *, whole_suite: bool
) -> FalseConfirmed:
    chosen = ALL_PROFILES[profile]
    plan = plan_for(manifest, whole_suite, chosen)
    reference, purpose = manifest.evidence.reference_days, f"compared/false {whole_suite}/{profile}"
    every = populations(chosen, JUDGED[chosen.judged], plan.streams, models, seed, purpose)
    parts = [_first_days(plan, population, reference + days) for population in every]
    firsts = np.concatenate([first for first, _ in parts])
    full_days = sum(asked for _, asked in parts) / models
    return FalseConfirmed(
        profile, whole_suite, models, days, measure_share(np.isfinite(firsts)), round(full_days, 2)
    )


def delay(manifest: DailyManifest, profile: str, fall: str, models: int, seed: int) -> Delay:
    fault, chosen = FALLS[fall], ALL_PROFILES[profile]
    plan = plan_for(manifest, whole_suite=False, profile=chosen)
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
        cases, judged, answers = _draw(plan, population, quality, full)
        if quality.absent.any():
            gone = quality.absent[:, None]
            cases, judged = (np.where(gone, np.nan, part) for part in (cases, judged))
            answers = replace(answers, codes=np.where(gone, NONE, answers.codes))
        if beyond_gate or judge.drifted:
            judged = np.full_like(judged, np.nan)
            barred = plan.units.judged[plan.units.home]
            answers = replace(answers, codes=np.where(barred, NONE, answers.codes))
        yield EvidenceDay(day, cases, judged - POINTS_PER_MARK * shift, full=full, answers=answers)


def _draw(
    plan: SuitePlan, population: Population, quality: Quality, full: Bools
) -> tuple[Floats, Floats, DayAnswers]:
    """The day's mean scores of cases and judged use cases: of base samples, or of all samples if more were
    asked; and the answers of the base samples."""
    more = np.broadcast_to(full[:, None], (len(full), len(plan.streams.cases)))
    base, every, judged, whole, answers = draw_samples(plan, population, quality, more)
    return np.where(full[:, None], every, base), np.where(full[:, None], whole, judged), answers


def _first_days(
    plan: SuitePlan, population: Population, days: int, fault: SimulatedFault | None = None, begin: int = 0
) -> tuple[Floats, float]:
    """[m] the first day of CONFIRMED, 1 on the fault's first day; and how often full count was asked."""
    models = len(population.level)
    state = start_evidence(plan, models)
    first = np.full(models, np.inf)
    asked = 0.0

    def asks() -> Bools:
        return evidence.asks_full(state)

    for count, day in enumerate(watch_evidence(plan, population, days, asks, fault=fault, fault_day=begin)):
        state, outcome = evidence.step(state, day)
        asked += 0 if day.full is None else int(day.full.sum())
        first[(outcome.status == CONFIRMED) & np.isinf(first)] = count - begin + 1
    return first, asked

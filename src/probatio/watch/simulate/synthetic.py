"""Synthetic days: what the daily run would have recorded of synthetic models, with its own adaptive sampling.

`run_days` yields one `SyntheticDay` of arrays after the other and steps the real rule with it.
`verdict/rule/sampling.py` decides what is asked at full count, as it does for a real day. `days.py` gives the
same as records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probatio.core.records import Grading
from probatio.suites.daily_suite import DailyManifest
from probatio.watch.simulate.faults import POINTS_PER_MARK, SimulatedFault
from probatio.watch.simulate.noise import Population, Quality
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.evidence import EvidenceDay, EvidenceOutcome, EvidenceState
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, Streams, streams_of
from probatio.watch.verdict.fold import evidence_day
from probatio.watch.verdict.rule import baseline, rule
from probatio.watch.verdict.rule.fold import step_with_judge
from probatio.watch.verdict.rule.judge_drift import JudgeDrift, judge_drifts
from probatio.watch.verdict.rule.model_status import Codes, is_flagged
from probatio.watch.verdict.rule.sampling import full_round_follows, start_triggers

HOME, AWAY = 0, 1
ROUTES = ("usual", "elsewhere")
JUDGED_SHARE: dict[Grading, float] = {"deterministic": 0.0, "hybrid": 1.0, "judge": 1.0}
"""What the judge gives of a synthetic score: of hybrid ones everything, as if nothing were checked."""


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """What the verdict needs of the suite: which use cases, how graded, how often sampled."""

    streams: Streams
    rule: baseline.Rule
    manifest: DailyManifest
    gradings: tuple[Grading, ...]
    samples: tuple[tuple[int, int], ...]  # base and full count of each use case


@dataclass(frozen=True, slots=True)
class SyntheticDay:
    """A recorded day: arrays are [models, use_cases] unless said otherwise."""

    number: int
    cases: Floats  # [m, C] base scores 0–1; means of all samples where the evidence asked for them
    base: Floats  # base score 0–100
    score: Floats  # the score that counts; NaN is a gap
    full_power: Bools
    trigger: Codes  # why it was asked at full count from the start, index into TRIGGERS
    rerun: Bools  # a fresh round followed a suspicious base score
    barred: bool  # the judge: beyond its gate, or drifted
    route: int
    verdict: rule.RuleOutcome
    all_samples: Bools  # [m] the evidence asked for full count
    shift: float  # of the judge's calibration set


def plan_of(
    manifest: DailyManifest, cases: int | Mapping[str, int] = 5, gradings: Sequence[Grading] | None = None
) -> SuitePlan:
    """The manifest's use cases with `cases` cases each, or each with its own number. `gradings` replaces
    theirs, for what-ifs."""
    chosen = tuple(gradings or [entry.grading for entry in manifest.use_cases])
    names = [entry.id for entry in manifest.use_cases][: len(chosen)]
    streams = streams_of(
        {
            name: [
                f"{name}_{number}"
                for number in range(1, (cases if isinstance(cases, int) else cases[name]) + 1)
            ]
            if grading == "deterministic"
            else None
            for name, grading in zip(names, chosen, strict=True)
        }
    )
    samples = tuple(getattr(manifest.samples, grading) for grading in chosen)
    return SuitePlan(streams, baseline.rule_for(manifest.rule, chosen), manifest, chosen, samples)


def run_days(
    plan: SuitePlan,
    population: Population,
    days: int,
    *,
    first: int = 1,
    fault: SimulatedFault | None = None,
    fault_day: int = 0,
    pooled: bool = False,
    forget_flagged: bool = False,
    asks: Callable[[], Bools] | None = None,
) -> Iterator[SyntheticDay]:
    """Day after day of the population, verdict of the rule included. `fault_day` counts from 0. `asks` is
    called before each day and says of which models the evidence wants full count.

    Two what-ifs of decisions in the rule: `pooled` counts the triggering base samples into the re-run's
    score, and `forget_flagged` leaves flagged days out of the baseline.
    """
    state = rule.start(plan.rule, len(population.level))
    for day, (shift, beyond_gate, judge) in enumerate(judge_days(plan, population, days, fault, fault_day)):
        number = first + day
        quality = population.day(fault, day - fault_day)
        expected = rule.expect(plan.rule, state, number, version=state.version)
        more = np.zeros(len(population.level), dtype=bool) if asks is None else asks()
        trigger = start_triggers(plan.rule, state, expected, number, more)
        asked_full = trigger > 0
        cases, base, score = _draw_scores(plan, population, quality, asked_full, more)
        rerun = full_round_follows(plan.rule, base, expected, barred=beyond_gate) & ~asked_full
        if rerun.any():
            fresh = _draw_fresh(plan, population, quality, rerun)
            if pooled:
                counts = np.array(plan.samples, dtype=np.float64)
                fresh = (base * counts[:, 0] + fresh * counts[:, 1]) / counts.sum(axis=1)
            score = np.where(rerun, fresh, score)
        if quality.absent.any():
            gone = quality.absent[:, None]
            cases, base, score = (np.where(gone, np.nan, part) for part in (cases, base, score))
        now = rule.rule_day(
            number,
            score,
            full_power=asked_full | rerun,
            barred=beyond_gate,
            route=np.full(len(score), AWAY if quality.rerouted else HOME),
        )
        state, verdict = step_with_judge(plan.rule, state, now, judge)
        if forget_flagged:
            slot = number % plan.rule.constants.baseline_days
            counted = state.counted.copy()
            counted[slot] &= ~is_flagged(verdict.status)
            state = replace(state, counted=counted)
        yield SyntheticDay(
            number=number,
            cases=cases,
            base=base,
            score=score,
            full_power=asked_full | rerun,
            trigger=trigger,
            rerun=rerun,
            barred=beyond_gate or judge.drifted,
            route=AWAY if quality.rerouted else HOME,
            verdict=verdict,
            all_samples=more,
            shift=shift,
        )


def watch(
    plan: SuitePlan, population: Population, days: int, *, anchored: bool = True, **how: Any
) -> Iterator[tuple[SyntheticDay, EvidenceOutcome, EvidenceState]]:
    """`run_days` with the evidence: it reads every day and says how the next day is asked."""
    state = evidence.start(len(population.level), plan.streams, plan.manifest.evidence, improvement=False)

    def asks() -> Bools:
        return evidence.asks_full(state)

    for day in run_days(plan, population, days, asks=asks, **how):
        state, outcome = evidence.step(state, bets(plan, day, anchored=anchored))
        yield day, outcome, state


def bets(plan: SuitePlan, day: SyntheticDay, *, anchored: bool = True) -> EvidenceDay:
    """What the evidence may bet on. Records that keep no calibration can't be anchored by it."""
    read = np.where(day.all_samples[:, None], day.score, day.base)
    share = np.array([JUDGED_SHARE[grading] for grading in plan.gradings])
    shift = POINTS_PER_MARK * day.shift * share if anchored else 0.0
    return evidence_day(day.verdict, day.cases, read - shift, plan.streams, day.all_samples)


def judge_days(
    plan: SuitePlan, population: Population, days: int, fault: SimulatedFault | None, fault_day: int
) -> Iterator[tuple[float, bool, JudgeDrift]]:
    """Of each day the judge's shift, whether it is beyond its gate, and its drift."""
    shifts = population.calibrations(fault, fault_day, days)
    gate = [abs(shift) > plan.manifest.judge.bar for shift in shifts]
    drifts = judge_drifts(zip(shifts, gate, strict=True), plan.manifest.evidence, plan.manifest.attribution)
    return zip(shifts, gate, drifts, strict=True)


def _draw_scores(
    plan: SuitePlan, population: Population, quality: Quality, asked_full: Bools, all_samples: Bools
) -> tuple[Floats, Floats, Floats]:
    """What the evidence reads of the cases, base score and score of each use case before any re-run."""
    streams = plan.streams
    base_count, full_count = sample_counts(plan, streams.deterministic)
    cases = population.case_samples(quality, base_count)
    more = asked_full[:, streams.deterministic][:, streams.home]
    rest = population.case_samples(quality, full_count - base_count, more)
    full = (base_count * cases + (full_count - base_count) * rest) / full_count
    base_judged, full_judged = sample_counts(plan, streams.judged)
    judged = population.draw_judged(quality, base_judged)
    others = population.draw_judged(quality, full_judged - base_judged)
    whole = (base_judged * judged + (full_judged - base_judged) * others) / full_judged
    base = _together(streams, cases, judged)
    score = np.where(asked_full, _together(streams, full, whole), base)
    return np.where(all_samples[:, None], full, cases), base, score


def _draw_fresh(plan: SuitePlan, population: Population, quality: Quality, rerun: Bools) -> Floats:
    """A round at full count that shares no sample with the one that raised the alarm."""
    streams = plan.streams
    wanted = rerun[:, streams.deterministic][:, streams.home]
    cases = population.case_samples(quality, sample_counts(plan, streams.deterministic)[1], wanted)
    return _together(streams, cases, population.draw_judged(quality, sample_counts(plan, streams.judged)[1]))


def sample_counts(plan: SuitePlan, places: Ints) -> tuple[int, int]:
    """Base and full count of these use cases."""
    return plan.samples[int(places[0])] if len(places) else (1, 2)


def _together(streams: Streams, cases: Floats, judged: Floats) -> Floats:
    """[m, U] scores 0–100."""
    scores = np.empty((len(cases), len(streams.use_cases)))
    scores[:, streams.deterministic] = 100 * streams.mean_of_cases(cases)
    scores[:, streams.judged] = judged
    return scores

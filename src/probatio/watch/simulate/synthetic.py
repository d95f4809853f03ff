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
from probatio.watch.verdict.evidence.answered_days import NONE, Units, units_of
from probatio.watch.verdict.evidence.evidence import DayAnswers, EvidenceDay, EvidenceOutcome, EvidenceState
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
    units: Units


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
    answers: DayAnswers


def plan_of(
    manifest: DailyManifest,
    cases: int | Mapping[str, int] = 5,
    gradings: Sequence[Grading] | None = None,
    *,
    rungs: int = 0,
    judged_cases: int = 0,
) -> SuitePlan:
    """The manifest's use cases with `cases` cases each, or each with its own number. `gradings` replaces
    theirs, for what-ifs. `rungs`: of every deterministic case; `judged_cases`: of a use case, where their
    answers are known."""
    chosen = tuple(gradings or [entry.grading for entry in manifest.use_cases])
    names = [entry.id for entry in manifest.use_cases][: len(chosen)]
    counts = {name: cases if isinstance(cases, int) else cases[name] for name in names}
    ids = {name: [f"{name}_{number}" for number in range(1, counts[name] + 1)] for name in names}
    of_kind = dict(zip(names, chosen, strict=True))
    streams = streams_of(
        {name: ids[name] if of_kind[name] == "deterministic" else None for name in names},
        {case: rungs for each in ids.values() for case in each},
    )
    samples = tuple(getattr(manifest.samples, grading) for grading in chosen)
    judged = {name: ids[name][:judged_cases] for name in names if of_kind[name] != "deterministic"}
    base = {name: counts[0] for name, counts in zip(names, samples, strict=True)}
    units = units_of(streams, manifest.evidence, judged, base)
    rule = baseline.rule_for(manifest.rule, chosen)
    return SuitePlan(streams, rule, manifest, chosen, samples, units)


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
        cases, base, score, answers = _draw_scores(plan, population, quality, asked_full, more)
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
            answers = replace(answers, codes=np.where(gone, NONE, answers.codes))
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
            answers=answers,
        )


def watch(
    plan: SuitePlan, population: Population, days: int, *, anchored: bool = True, **how: Any
) -> Iterator[tuple[SyntheticDay, EvidenceOutcome, EvidenceState]]:
    """`run_days` with the evidence: it reads every day and says how the next day is asked."""
    state = start_evidence(plan, len(population.level))

    def asks() -> Bools:
        return evidence.asks_full(state)

    for day in run_days(plan, population, days, asks=asks, **how):
        state, outcome = evidence.step(state, bets(plan, day, anchored=anchored))
        yield day, outcome, state


def start_evidence(plan: SuitePlan, models: int) -> EvidenceState:
    return evidence.start(models, plan.streams, plan.manifest.evidence, plan.units, improvement=False)


def bets(plan: SuitePlan, day: SyntheticDay, *, anchored: bool = True) -> EvidenceDay:
    """What the evidence may bet on. Records that keep no calibration can't be anchored by it."""
    read = np.where(day.all_samples[:, None], day.score, day.base)
    share = np.array([JUDGED_SHARE[grading] for grading in plan.gradings])
    shift = POINTS_PER_MARK * day.shift * share if anchored else 0.0
    made = evidence_day(day.verdict, day.cases, read - shift, plan.streams, day.all_samples)
    return replace(made, answers=day.answers)


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
) -> tuple[Floats, Floats, Floats, DayAnswers]:
    """What the evidence reads of the cases, base score and score of each use case before any re-run, and the
    answers of the base samples."""
    streams = plan.streams
    more = asked_full[:, streams.deterministic][:, streams.home]
    cases, full, judged, whole, answers = draw_samples(plan, population, quality, more)
    base = _together(streams, cases, judged)
    score = np.where(asked_full, _together(streams, full, whole), base)
    return np.where(all_samples[:, None], full, cases), base, score, answers


def draw_samples(
    plan: SuitePlan, population: Population, quality: Quality, more: Bools
) -> tuple[Floats, Floats, Floats, Floats, DayAnswers]:
    """Means of the base samples and of all samples, of cases (where `more` [m, C] is asked) and of judged use
    cases; and the answers of the base samples."""
    base_count, full_count = sample_counts(plan, plan.streams.deterministic)
    cases = population.case_samples(quality, base_count)
    known = population.known_answers(cases) if base_count == 1 else np.full(cases.shape, NONE)
    full, other = base_count * cases, np.zeros(len(cases))
    for _ in range(full_count - base_count):
        further = population.case_samples(quality, 1, more)
        full = full + further
        other += (more & (further != cases)).sum(axis=1)
    asked = (full_count - base_count) * more.sum(axis=1) * (population.profile.rungs > 0)
    others = np.divide(other, asked, out=np.full(len(cases), np.nan), where=asked > 0)
    base_judged, full_judged = sample_counts(plan, plan.streams.judged)
    if len(plan.units.cases) > cases.shape[1]:
        marks, texts = population.judged_answers(quality, base_judged)
        judged = marks.reshape(len(cases), len(plan.streams.judged), -1).mean(axis=2)
        rest, _ = population.judged_answers(quality, full_judged - base_judged)
        further = rest.reshape(judged.shape[0], judged.shape[1], -1).mean(axis=2)
        known, scores = np.concatenate([known, texts], axis=1), np.concatenate([cases, marks / 100], axis=1)
    else:
        judged = population.draw_judged(quality, base_judged)
        further = population.draw_judged(quality, full_judged - base_judged)
        scores = cases
    whole = (base_judged * judged + (full_judged - base_judged) * further) / full_judged
    return cases, full / full_count, judged, whole, DayAnswers(scores, known, others)


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

"""Both layers over the days of one suite version: what each says on each day, as arrays. A fold can't see the future."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from probatio.errors import UsageError
from probatio.records import Constants, Day
from probatio.verdict import evidence
from probatio.verdict.baseline import Bools, Floats, Ints, Rule, rule_for
from probatio.verdict.days import Arrays, Columns, Days
from probatio.verdict.evidence import EvidenceDay, EvidenceOutcome, EvidenceState
from probatio.verdict.headline import headlines
from probatio.verdict.judge_drift import JudgeDrift
from probatio.verdict.model_status import NEVER, Codes, flagged
from probatio.verdict.rule import RuleOutcome
from probatio.verdict.rule_fold import RuleFold, fold_rule
from probatio.verdict.streams import Streams, streams_of

POINTS_PER_MARK = 25.0  # marks of 1–5 become scores of 0–100


@dataclass(frozen=True, slots=True)
class Folded:
    """One day after both layers have read it. Arrays are [models, use_cases]."""

    day: Day
    columns: Columns
    rule: RuleOutcome
    bets: EvidenceDay  # what the evidence read
    evidence: EvidenceOutcome
    state: EvidenceState  # after the day
    judge: JudgeDrift
    flagged_since: Ints  # first day of the present run of flagged days; NEVER where not flagged
    fallen: Bools  # flagged today, and not before
    tested: Bools
    headline: Codes  # [models]
    headline_since: Ints  # [models]: first day of the present headline
    kept: dict[Any, Any] = field(default_factory=dict)  # what is computed of the day for one verdict and asked by many


@dataclass(frozen=True, slots=True)
class BothFolds:
    """One recorded day after the rule and the evidence have read it."""

    rule: RuleFold
    bets: EvidenceDay  # what the evidence read
    outcome: EvidenceOutcome
    state: EvidenceState  # after the day


def fold(series: Days, constants: Constants) -> Iterator[Folded]:
    """The days of one suite version, one by one."""
    columns = series.columns
    if not graded_in_one_way(columns):
        raise UsageError(
            f"A use case is graded in two ways under suite version {series.days[0].record.suite_version} "
            f"({', '.join(' as '.join(each) for each in columns.use_cases)}); such a change bumps the version."
        )
    flagged_since = np.full((len(columns.models), len(columns.use_cases)), NEVER, dtype=np.int64)
    shown = np.full(len(columns.models), -1, dtype=np.int8)
    shown_since = np.full(len(columns.models), NEVER, dtype=np.int64)
    for both in fold_both(rule_for(constants.rule, columns.gradings), series, constants):
        each, outcome = both.rule, both.rule.outcome
        flags = flagged(each.state.status)
        fallen = flags & (flagged_since == NEVER)
        flagged_since = np.where(flags, np.where(fallen, outcome.day, flagged_since), NEVER)
        tested = ~np.isnan(outcome.score) & (outcome.held == 0) & (outcome.expected.days >= constants.rule.baseline_min)
        today = headlines(outcome.model, both.outcome.status)
        # a status that comes back after a gap keeps the rule's own date
        begun = np.where(today == outcome.model, outcome.model_since, outcome.day)
        shown_since = np.where((today == shown) & (shown_since != NEVER), shown_since, begun)
        shown = today
        yield Folded(
            day=each.day,
            columns=columns,
            rule=outcome,
            bets=both.bets,
            evidence=both.outcome,
            state=both.state,
            judge=each.judge,
            flagged_since=flagged_since,
            fallen=fallen,
            tested=tested,
            headline=shown,
            headline_since=shown_since,
        )


def fold_both(rule: Rule, series: Days, constants: Constants, *, improvement: bool = True) -> Iterator[BothFolds]:
    """Both layers, day by day. `rule` is made for the columns of `series`, which are comparable."""
    streams = streams_of_columns(series.columns)
    state = evidence.start(len(series.columns.models), streams, constants.evidence, improvement=improvement)
    shift = 0.0
    for each in fold_rule(rule, series, constants):
        if each.judge.shift is not None:  # a day without a calibration is read by the last one
            shift = each.judge.shift
        bets = evidence_day(
            each.outcome,
            each.arrays.cases,
            anchored(each.arrays, each.outcome.score, shift),
            streams,
            np.asarray(each.arrays.all_samples.any(axis=1)),
        )
        state, outcome = evidence.step(state, bets)
        yield BothFolds(each, bets, outcome, state)


def graded_in_one_way(columns: Columns) -> bool:
    """Whether every use case is graded in one way."""
    return len({use_case for use_case, _ in columns.use_cases}) == len(columns.use_cases)


def anchored(arrays: Arrays, score: Floats, shift: float) -> Floats:
    """[models, use_cases] what the evidence reads: base scores, or those of all samples where it asked for them, with the
    judge's shift taken off the part that it gave."""
    read = np.where(arrays.all_samples, score, arrays.base_score)
    return np.asarray(read - POINTS_PER_MARK * shift * arrays.judged_share)


def evidence_day(
    outcome: RuleOutcome, cases: Floats, scores: Floats, streams: Streams, full: Bools | None = None
) -> EvidenceDay:
    """What the evidence may bet on: none of a gap, of a held day, or of a barred judge."""
    silent = np.isnan(outcome.score) | (outcome.held > 0)
    of_case = streams.deterministic[streams.home] if len(streams.home) else np.zeros(0, dtype=np.int64)
    judged = np.where(silent, np.nan, scores)[:, streams.judged]
    return EvidenceDay(outcome.day, np.where(silent[:, of_case], np.nan, cases), judged, outcome.new_series, full)


def streams_of_columns(columns: Columns) -> Streams:
    """The evidence's streams in the order of the columns."""
    return streams_of(
        {
            use_case: list(columns.cases.get(use_case, ()))
            or None  # with no case ever scored there is nothing to bet on
            for use_case, _ in columns.use_cases
        }
    )

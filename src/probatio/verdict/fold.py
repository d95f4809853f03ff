"""Both layers over the days of one suite version: what each says on each day, as arrays. A fold can't see the future."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from probatio.errors import UsageError
from probatio.records import Constants, Day
from probatio.verdict import evidence
from probatio.verdict.baseline import Bools, Floats, Ints, rule_for
from probatio.verdict.days import Columns, Days
from probatio.verdict.evidence import EvidenceDay, EvidenceOutcome, EvidenceState
from probatio.verdict.headline import headlines
from probatio.verdict.judge_drift import JudgeDrift
from probatio.verdict.model_status import NEVER, Codes, flagged
from probatio.verdict.rule import RuleOutcome
from probatio.verdict.rule_fold import fold_rule
from probatio.verdict.streams import Streams, streams_of


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


def fold(series: Days, constants: Constants) -> Iterator[Folded]:
    """The days of one suite version, one by one."""
    columns = series.columns
    streams = streams_of_columns(columns)
    if len(streams.use_cases) != len(columns.use_cases):
        raise UsageError(
            f"A use case is graded in two ways under suite version {series.days[0].record.suite_version} "
            f"({', '.join(' as '.join(each) for each in columns.use_cases)}); such a change bumps the version."
        )
    state = evidence.start(len(columns.models), streams, constants.evidence)
    flagged_since = np.full((len(columns.models), len(columns.use_cases)), NEVER, dtype=np.int64)
    shown = np.full(len(columns.models), -1, dtype=np.int8)
    shown_since = np.full(len(columns.models), NEVER, dtype=np.int64)
    for each in fold_rule(rule_for(constants.rule, columns.gradings), series, constants):
        outcome = each.outcome
        bets = evidence_day(outcome, each.arrays.cases, each.arrays.base_score, streams)
        state, evidence_outcome = evidence.step(state, bets)
        flags = flagged(each.state.status)
        fallen = flags & (flagged_since == NEVER)
        flagged_since = np.where(flags, np.where(fallen, outcome.day, flagged_since), NEVER)
        tested = ~np.isnan(outcome.score) & (outcome.held == 0) & (outcome.expected.days >= constants.rule.baseline_min)
        today = headlines(outcome.model, evidence_outcome.status)
        # a status that comes back after a gap keeps the rule's own date
        begun = np.where(today == outcome.model, outcome.model_since, outcome.day)
        shown_since = np.where((today == shown) & (shown_since != NEVER), shown_since, begun)
        shown = today
        yield Folded(
            day=each.day,
            columns=columns,
            rule=outcome,
            bets=bets,
            evidence=evidence_outcome,
            state=state,
            judge=each.judge,
            flagged_since=flagged_since,
            fallen=fallen,
            tested=tested,
            headline=shown,
            headline_since=shown_since,
        )


def evidence_day(outcome: RuleOutcome, cases: Floats, base_score: Floats, streams: Streams) -> EvidenceDay:
    """What the evidence may bet on: base samples, none of a gap, of a held day, or of a barred judge."""
    silent = np.isnan(outcome.score) | (outcome.held > 0)
    of_case = streams.deterministic[streams.home] if len(streams.home) else np.zeros(0, dtype=np.int64)
    judged = np.where(silent, np.nan, base_score)[:, streams.judged]
    return EvidenceDay(outcome.day, np.where(silent[:, of_case], np.nan, cases), judged, outcome.new_series)


def streams_of_columns(columns: Columns) -> Streams:
    """The evidence's streams in the order of the columns."""
    return streams_of(
        {
            use_case: list(columns.cases.get(use_case, ()))
            or None  # with no case ever scored there is nothing to bet on
            for use_case, _ in columns.use_cases
        }
    )

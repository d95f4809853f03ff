"""Both layers over the days of one suite version: what each says on each day, as arrays. A fold can't see the
future."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from probatio.core.errors import UsageError
from probatio.core.records import Constants, Day
from probatio.watch.verdict.answers import AnswerNumbers
from probatio.watch.verdict.days import Columns, Days
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.answered_days import NONE, Units, units_of
from probatio.watch.verdict.evidence.evidence import DayAnswers, EvidenceDay, EvidenceOutcome, EvidenceState
from probatio.watch.verdict.evidence.streams import Streams, streams_of
from probatio.watch.verdict.headline import headlines
from probatio.watch.verdict.rule.baseline import Bools, Floats, Ints, Rule, rule_for
from probatio.watch.verdict.rule.fold import RuleFold, fold_rule
from probatio.watch.verdict.rule.judge_drift import JudgeDrift
from probatio.watch.verdict.rule.model_status import GAP, NEVER, Codes, is_flagged
from probatio.watch.verdict.rule.rule import RuleOutcome

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
    # What `attribution` computes of the day once, and asks for each model that fell within a month.
    depths: dict[tuple[int, tuple[int, ...]], Floats] = field(default_factory=dict)


def fold(series: Days, constants: Constants) -> Iterator[Folded]:
    """The days of one suite version, one by one."""
    columns = series.columns
    if not has_one_grading_each(columns):
        raise UsageError(
            f"A use case is graded in two ways under suite version {series.days[0].record.suite_version} "
            f"({', '.join(' as '.join(each) for each in columns.use_cases)}); such a change bumps the "
            "version."
        )
    flagged_since = np.full((len(columns.models), len(columns.use_cases)), NEVER, dtype=np.int64)
    shown = np.full(len(columns.models), -1, dtype=np.int8)
    shown_since = np.full(len(columns.models), NEVER, dtype=np.int64)
    rule = rule_for(constants.rule, columns.gradings)
    for each, bets, proven, state in fold_both(rule, series, constants):
        outcome, flags = each.outcome, is_flagged(each.state.status)
        fallen = flags & (flagged_since == NEVER)
        flagged_since = np.where(flags, np.where(fallen, outcome.day, flagged_since), NEVER)
        tested = (
            ~np.isnan(outcome.score)
            & (outcome.held == 0)
            & (outcome.expected.days >= constants.rule.baseline_min)
        )
        today = headlines(outcome.model, proven.status)
        # a status that comes back after a gap keeps the rule's own date; where the evidence held another one,
        # it begins today
        after_gap = (today == outcome.model) & ((shown == GAP) | (shown_since == NEVER))
        begun = np.where(after_gap, outcome.model_since, outcome.day)
        shown_since = np.where((today == shown) & (shown_since != NEVER), shown_since, begun)
        shown = today
        yield Folded(
            day=each.day,
            columns=columns,
            rule=outcome,
            bets=bets,
            evidence=proven,
            state=state,
            judge=each.judge,
            flagged_since=flagged_since,
            fallen=fallen,
            tested=tested,
            headline=shown,
            headline_since=shown_since,
        )


def fold_both(
    rule: Rule, series: Days, constants: Constants, *, improvement: bool = True
) -> Iterator[tuple[RuleFold, EvidenceDay, EvidenceOutcome, EvidenceState]]:
    """Both layers, day by day: what the rule says, what the evidence read and says, and its state after the
    day. `rule` is made for the columns of `series`, which are comparable."""
    columns = series.columns
    # with no case ever scored there is nothing to bet on
    cases = {use_case: list(columns.cases.get(use_case, ())) or None for use_case, _ in columns.use_cases}
    streams = streams_of(cases, dict(constants.rungs))
    judged = {use_case: list(theirs) for use_case, theirs in columns.judged_cases.items()}
    units = units_of(streams, constants.evidence, judged, columns.samples)
    answers = AnswerNumbers(columns.models, units)
    state = evidence.start(len(columns.models), streams, constants.evidence, units, improvement=improvement)
    shift = 0.0
    for each in fold_rule(rule, series, constants):
        if each.judge.shift is not None:  # a day without a calibration is read by the last one
            shift = each.judge.shift
        arrays = each.arrays
        # base scores, or those of all samples if the evidence asked for them, without the judge's shift
        scores = np.where(arrays.all_samples, each.outcome.score, arrays.base_score)
        anchor = POINTS_PER_MARK * shift * arrays.judged_share
        full = np.asarray(arrays.all_samples.any(axis=1))
        bets = evidence_day(each.outcome, arrays.cases, scores - anchor, streams, full)
        bets = replace(
            bets, answers=_known_answers(each.outcome, answers.read(each.day), units, streams, anchor)
        )
        state, outcome = evidence.step(state, bets)
        yield each, bets, outcome, state


def _known_answers(
    outcome: RuleOutcome, read: DayAnswers, units: Units, streams: Streams, anchor: Floats
) -> DayAnswers:
    """What the proof may read: nothing of a gap, of a held day, or of a barred judge; judged scores without
    the judge's shift."""
    at = {name: place for place, name in enumerate(streams.use_cases)}
    home = np.array([at[name] for name, _ in units.cases], dtype=np.int64)[units.home]
    silent = _is_silent(outcome)[:, home]
    return replace(read, scores=read.scores - anchor[:, home] / 100, codes=np.where(silent, NONE, read.codes))


def has_one_grading_each(columns: Columns) -> bool:
    """Whether every use case is graded in one way."""
    return len({use_case for use_case, _ in columns.use_cases}) == len(columns.use_cases)


def evidence_day(
    outcome: RuleOutcome, cases: Floats, scores: Floats, streams: Streams, full: Bools | None = None
) -> EvidenceDay:
    """What the evidence may bet on: none of a gap, of a held day, or of a barred judge."""
    silent = _is_silent(outcome)
    of_case = streams.deterministic[streams.home] if len(streams.home) else np.zeros(0, dtype=np.int64)
    judged = np.where(silent, np.nan, scores)[:, streams.judged]
    return EvidenceDay(
        outcome.day, np.where(silent[:, of_case], np.nan, cases), judged, outcome.new_series, full
    )


def _is_silent(outcome: RuleOutcome) -> Bools:
    """[models, use cases]"""
    return np.asarray(np.isnan(outcome.score) | (outcome.held > 0))

"""Both layers over the days of one suite version: what each said on each day, kept as arrays. A fold can't see the future."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from probatio.errors import UsageError
from probatio.records import AttributionConstants, EvidenceConstants, RuleConstants
from probatio.suite.daily_suite import DailyManifest
from probatio.verdict import evidence, rule
from probatio.verdict.baseline import Bools, Ints, rule_for
from probatio.verdict.days import Arrays, Columns, Day, Days
from probatio.verdict.evidence import EvidenceDay, EvidenceOutcome, EvidenceState
from probatio.verdict.judge_drift import JudgeStanding, judge_standings
from probatio.verdict.model_status import COOKED, NEVER, SUSPICIOUS
from probatio.verdict.rule import Outcome
from probatio.verdict.streams import Streams, streams_of


class Constants(msgspec.Struct, frozen=True):
    """Every number a verdict depends on; the ledger keeps them beside it."""

    rule: RuleConstants
    evidence: EvidenceConstants
    attribution: AttributionConstants


def constants_of(manifest: DailyManifest) -> Constants:
    return Constants(manifest.rule, manifest.evidence, manifest.attribution)


@dataclass(frozen=True, slots=True)
class Folded:
    """One day after both layers have read it. Arrays are [models, use_cases] unless said otherwise."""

    day: Day
    columns: Columns
    arrays: Arrays
    rule: Outcome
    bets: EvidenceDay  # what the evidence read
    evidence: EvidenceOutcome
    state: EvidenceState  # after the day
    judge: JudgeStanding
    flagged_since: Ints  # first day of the present run of flagged days; NEVER where not flagged
    fallen: Bools  # flagged today, and not before
    tested: Bools


def fold(series: Days, constants: Constants) -> Iterator[Folded]:
    """The days of one suite version, one by one."""
    columns = series.columns
    rules = rule_for(constants.rule, columns.gradings)
    streams = streams_of_columns(columns)
    if len(streams.use_cases) != len(columns.use_cases):
        raise UsageError(
            f"A use case is graded in two ways under suite version {series.days[0].record.suite_version} "
            f"({', '.join(' as '.join(each) for each in columns.use_cases)}); such a change bumps the version."
        )
    models = len(columns.models)
    state = rule.start(rules, models)
    wealth = evidence.start(models, streams, constants.evidence)
    flagged_since = np.full((models, len(columns.use_cases)), NEVER, dtype=np.int64)
    calibrations = [day.record.calibration for day in series.days]
    shifts = [(None, False) if each is None else (each.shift, each.barred) for each in calibrations]
    standings = judge_standings(shifts, constants.evidence, constants.attribution)
    for day, judge in zip(series.days, standings, strict=True):
        arrays = series.arrays(day)
        if judge.drifted:
            arrays = arrays.barred_by_judge(rules.judged)
        state, said = rule.step(rules, state, arrays.rule)
        bets = _bets(arrays, said, streams)
        wealth, told = evidence.step(wealth, bets)
        flagged = (state.status == SUSPICIOUS) | (state.status == COOKED)
        fallen = flagged & (flagged_since == NEVER)
        flagged_since = np.where(flagged, np.where(fallen, said.day, flagged_since), NEVER)
        tested = ~np.isnan(said.score) & (said.held == 0) & (said.expected.days >= constants.rule.baseline_min)
        yield Folded(day, columns, arrays, said, bets, told, wealth, judge, flagged_since, fallen, tested)


def streams_of_columns(columns: Columns) -> Streams:
    """The evidence's streams in the order of the columns."""
    return streams_of(
        {
            use_case: list(columns.cases.get(use_case, ()))
            or None  # with no case ever scored there is nothing to bet on
            for use_case, _ in columns.use_cases
        }
    )


def _bets(arrays: Arrays, said: Outcome, streams: Streams) -> EvidenceDay:
    """What the evidence may bet on: base samples, none of a gap, of a held day, or of a barred judge."""
    silent = np.isnan(said.score) | (said.held > 0)
    of_case = streams.deterministic[streams.home] if len(streams.home) else np.zeros(0, dtype=np.int64)
    cases = np.where(silent[:, of_case], np.nan, arrays.cases)
    judged = np.where(silent, np.nan, arrays.base_score)[:, streams.judged]
    return EvidenceDay(said.day, cases, judged, said.new_series)

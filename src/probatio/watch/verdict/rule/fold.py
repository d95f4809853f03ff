"""The rule folded over the recorded days of one suite version. The verdict and the day read the same fold.

`step_with_judge` is one day of it; the simulator makes its days while it folds, and so it takes them one by
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from probatio.core.records import Constants, Day
from probatio.watch.verdict.days import Arrays, Days
from probatio.watch.verdict.rule.baseline import Rule
from probatio.watch.verdict.rule.judge_drift import JudgeDrift, judge_drifts
from probatio.watch.verdict.rule.rule import RuleDay, RuleOutcome, RuleState, start, step


@dataclass(frozen=True, slots=True)
class RuleFold:
    """One recorded day after the rule has read it."""

    day: Day
    arrays: Arrays
    judge: JudgeDrift
    outcome: RuleOutcome
    state: RuleState  # after the day


def fold_rule(rule: Rule, series: Days, constants: Constants) -> Iterator[RuleFold]:
    """The days of one suite version, one by one. `rule` is made for the columns of `series`."""
    state = start(rule, len(series.columns.models))
    # the judge of a day that was asked late was calibrated on another date, too
    calibrations = (None if day.late else day.record.calibration for day in series.days)
    shifts = ((None, False) if each is None else (each.shift, each.barred) for each in calibrations)
    drifts = judge_drifts(shifts, constants.evidence, constants.attribution)
    for day, judge in zip(series.days, drifts, strict=True):
        arrays = series.arrays(day)
        state, outcome = step_with_judge(rule, state, arrays.rule, judge)
        yield RuleFold(day, arrays, judge, outcome, state)


def step_with_judge(
    rule: Rule, state: RuleState, now: RuleDay, judge: JudgeDrift
) -> tuple[RuleState, RuleOutcome]:
    """One day further. A judge that has drifted bars the judged use cases, as one beyond its gate does."""
    if judge.drifted:
        now = replace(now, barred=now.barred | rule.judged)
    return step(rule, state, now)

"""The gate of a build: is NEW worse than BASE? What can't answer the question passes no gate.

Worse is shown by the paired interval of NEW less BASE: all of it lies below zero, or below −N with a
tolerance of N points. That nothing is shown says little where there are few tasks, so a gate passes only if
the same interval rules out a loss of a stated size.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from math import ceil
from pathlib import Path
from typing import Literal

import msgspec

from probatio.core.errors import UsageError
from probatio.learn.alike import Unlike
from probatio.learn.compare import Comparison, PairedSides, measure, pair_sides
from probatio.learn.planning import count_tasks_to_see
from probatio.learn.report.comparison import describe_difference
from probatio.learn.selection import Side, locate, parse_selection
from probatio.learn.statistics.power import FEWEST_TASKS
from probatio.learn.trials import describe_run
from probatio.runs.store.layout import RUN_FILE

RULE_OUT = 20.0
"""Points beyond the tolerance. 14 tasks answered alike rule out such a loss, and 36 with three lost."""

Answer = Literal[
    "better", "not worse", "worse", "too few tasks", "incomplete", "unlike", "changed", "too old"
]
PASSING = ("better", "not worse")


class GateRule(msgspec.Struct, frozen=True):
    """What fails a build. Percentage points and days."""

    by: float = 0.0  # a loss of so many points is tolerated
    rule_out: float = RULE_OUT  # a loss of so many points must be ruled out
    max_age: int | None = None  # of BASE, in days


class Gate(msgspec.Struct, frozen=True):
    """Whether a build passes, and the sentence that says why."""

    answer: Answer
    sentence: str
    rule: GateRule
    passed: bool


def make_rule(by: float = 0.0, rule_out: float | None = None, max_age: int | None = None) -> GateRule:
    rule_out = by + RULE_OUT if rule_out is None else rule_out
    if rule_out <= by:
        raise UsageError(
            f"--rule-out {rule_out:g} has to be more than --by {by:g}: the loss to rule out is larger than "
            "the one tolerated."
        )
    return GateRule(by, rule_out, max_age)


def judge_build(
    sides: Sequence[str],
    results: Path,
    suite: Path | None,
    rule: GateRule,
    today: str,
    *,
    across_versions: bool = False,
) -> tuple[Comparison | None, Gate]:
    """Compare NEW with BASE and judge. There is no comparison where the two are unlike."""
    base = locate(parse_selection(sides[0]), results)
    try:
        (pairing,) = pair_sides(sides, results, suite, versions="any" if across_versions else "same")
    except Unlike as error:
        return None, _make("unlike", f"It can't be told whether {sides[1]} is worse: {error}", rule)
    compared = measure(pairing)
    refused = _check_change(base, rule) or _check_age(base, rule, today)
    return compared, refused or judge(compared, pairing, rule)


def judge(one: Comparison, pairing: PairedSides, rule: GateRule) -> Gate:
    """What the interval says."""
    found, by, rule_out = describe_difference(one), rule.by, rule.rule_out
    passes = 100 * (one.rate_a.share or 0)
    if one.high < -by:
        more = f" by more than {by:g} points" if by else ""
        return _make("worse", f"Worse{more}: {found}.", rule)
    if one.missing:
        what = "cases" if one.days_a else "trials"
        return _make(
            "incomplete",
            f"It can't be told whether it is worse: {one.missing} answered {what} of {one.a} have no "
            f"answered partner in {one.b}. Complete it, or narrow {one.a} to what both were asked.",
            rule,
        )
    if one.low > 0 and one.tasks >= FEWEST_TASKS:
        return _make("better", f"Better: {found}.", rule)
    if passes <= rule_out:
        return _make(
            "too few tasks",
            f"It can't be told whether it is worse: {one.a} passes {passes:.1f} %, so a loss of {rule_out:g} "
            "points can't happen. Rule out less with --rule-out, or ask tasks that pass more often.",
            rule,
        )
    if one.tasks < FEWEST_TASKS or one.low <= -rule_out:
        return _make(
            "too few tasks",
            f"It can't be told whether it is worse: {found}, so a loss of {rule_out:g} points is not ruled "
            f"out. {_describe_needed(one, pairing, rule_out)}",
            rule,
        )
    loss = f"No loss of more than {by:g} points is" if by else "No loss is"
    return _make(
        "not worse", f"{loss} shown, and one of {rule_out:g} points or more is ruled out: {found}.", rule
    )


def _describe_needed(one: Comparison, pairing: PairedSides, rule_out: float) -> str:
    if one.tasks < FEWEST_TASKS:
        needed: int | None = FEWEST_TASKS
    else:
        needed = count_tasks_to_see(pairing, rule_out)
    here = f"there {'is' if one.tasks == 1 else 'are'} {one.tasks}"
    if needed is not None and needed <= one.tasks:  # enough for sides that are equal, and these are not
        room = one.difference + rule_out
        needed = ceil(one.tasks * ((one.difference - one.low) / room) ** 2) + 1 if room > 0 else None
    if needed is None:
        return f"A loss of that size may well be there; {here} tasks."
    return f"That takes about {needed:,} tasks; {here}."


def _check_change(base: Side, rule: GateRule) -> Gate | None:
    """Why BASE is not what was pinned; None if it is, or if it was not pinned."""
    change = base.describe_change()
    return _make("changed", f"It can't be told whether it is worse: {change}", rule) if change else None


def _check_age(base: Side, rule: GateRule, today: str) -> Gate | None:
    """Why BASE is too old, by its newest answers; None if it is not."""
    if rule.max_age is None:
        return None
    newest = max(_date_of(base, folder) for folder in base.folders)
    if newest and (age := (date.fromisoformat(today) - date.fromisoformat(newest)).days) <= rule.max_age:
        return None
    how_old = f"is {age} days old ({newest})" if newest else "has no date"
    return _make(
        "too old",
        f"It can't be told whether it is worse: {base.text} {how_old}, and --max-age is {rule.max_age} days. "
        "Ask the baseline again and pin it.",
        rule,
    )


def _date_of(base: Side, folder: Path) -> str:
    """The day of the answers; empty for a run of another harness."""
    if base.kind == "days":
        return folder.name
    return (describe_run(folder).created or "")[:10] if (folder / RUN_FILE).exists() else ""


def _make(answer: Answer, sentence: str, rule: GateRule) -> Gate:
    return Gate(answer, sentence, rule, answer in PASSING)

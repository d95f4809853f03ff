"""CHANGED ROUTE: what a new provider did to a model's level. A note beside the state, which stays as it is.

A new route begins a new series, so neither layer compares it with the former one. The note does: the mean of
the first days on the new route against all days of the series on the former one. It stands for four weeks.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

import numpy as np

from probatio.core.records import Day, Grading, RouteChange, RuleConstants
from probatio.watch.verdict.days import find_mixed
from probatio.watch.verdict.level import collect_scores, compare_levels
from probatio.watch.verdict.rule.model_status import COOKED, OK, STATUSES, SUSPICIOUS, compose_day

SHOWN_DAYS = 28
"""How long the note stands, from the first day of the new route on."""


class RouteHistory:
    """A model's days on the route of its series, and those on another one since. One day at a time."""

    def __init__(self) -> None:
        self._former: list[Day] = []  # of the last route that had enough days for a baseline
        self._here: list[Day] = []
        self._away: list[Day] = []

    def take(self, model: str, day: Day, *, away: bool) -> None:
        """One day further; `away`: it came from another route than the series'."""
        lines = day.lines.get(model, {}).values()
        if all(line.score is None or line.asked_late for line in lines):
            return
        if not away:
            self._here.append(day)
            self._away = []
        elif model not in find_mixed(lines):
            self._away.append(day)

    def move(self, model: str, day: Day, rule: RuleConstants) -> RouteChange | None:
        """The new route has stayed, and `day` is the last of the days that show it. None if the former one
        had too few days to compare with."""
        if len(self._here) >= rule.baseline_min:
            self._former = self._here
        route = _route_of(model, day)
        first = [each for each in self._away if _route_of(model, each) == route]
        self._here, self._away = [*first, day][-rule.new_route_days :], []
        return _measure(model, self._former, self._here, rule) if self._former else None


def _route_of(model: str, day: Day) -> str | None:
    return next((day.route_of(line) for line in day.lines[model].values() if line.route is not None), None)


def _measure(
    model: str, before: Sequence[Day], after: Sequence[Day], rule: RuleConstants
) -> RouteChange | None:
    old, new = collect_scores(model, before), collect_scores(model, after)
    levels = compare_levels(old, new)
    if levels is None:
        return None
    gradings = {line.use_case: line.grading for day in after for line in day.lines[model].values()}
    codes = [_read_limits(old[each], fmean(new[each]), gradings[each], rule) for each in old if each in new]
    status, every = np.array([codes], dtype=np.int8), np.ones((1, len(codes)), dtype=bool)
    return RouteChange(
        since=after[0].date,
        was=_route_of(model, before[-1]),
        now=_route_of(model, after[-1]),
        before=levels[0],
        after=levels[1],
        level=STATUSES[compose_day(rule, status, every, every.sum(axis=1))[0]],
    )


def _read_limits(before: Sequence[float], after: float, grading: Grading, rule: RuleConstants) -> int:
    """What the rule's limits say of one use case, as a code."""
    limits, mean = rule.thresholds(grading), fmean(before)
    z = (after - mean) / max(stdev(before) if len(before) > 1 else 0.0, limits.sd_floor)
    drop = (mean - after) / mean if mean else 0.0
    for code, limit in ((COOKED, limits.cooked), (SUSPICIOUS, limits.suspicious)):
        if z <= limit.z or drop >= limit.drop:
            return code
    return OK


def describe_change(change: RouteChange) -> str:
    """`CHANGED ROUTE −8: since 2026-02-05 it is served by B, before by A; its first days there score 82
    points, before 90`."""
    beyond = "" if change.level == "OK" else f". That is beyond the rule's limits for {change.level}"
    return (
        f"{change.note}: since {change.since} it is served by {change.now or 'another provider'}, before by "
        f"{change.was or 'one that was not named'}; its first days there score {change.after:.0f} points, "
        f"before {change.before:.0f}{beyond}"
    )

"""What the days before say about today: whose baseline there is, what is far from it, who was flagged, who usually serves."""

from __future__ import annotations

from collections import Counter
from datetime import date

import numpy as np

from probatio.records import Grading, RuleConstants
from probatio.suite.daily_suite import DailyManifest
from probatio.verdict.baseline import Baseline, compare, rule_for, suspicious
from probatio.verdict.days import Days
from probatio.verdict.judge_drift import judge_standings
from probatio.verdict.model_status import COOKED, SUSPICIOUS
from probatio.verdict.rule import RuleState, expect, start, step

CALIBRATING = "calibrating"
FLAGGED = "flagged yesterday"


class Past:
    """The rule's own fold over the days before `day` of the same suite version, asked one model and use case at a time."""

    def __init__(self, days: Days, manifest: DailyManifest, day: str) -> None:
        self._constants = manifest.rule
        self._today = date.fromisoformat(day).toordinal()
        self._routes = _routes(days, self._today, manifest.rule)
        series = days.series()
        comparable = bool(series) and series[-1].days[-1].record.suite_version == manifest.version
        same = series[-1] if comparable else Days(())
        self._columns = same.columns
        self._rule = rule_for(manifest.rule, self._columns.gradings)
        self._state: RuleState = start(self._rule, len(self._columns.models))
        shifts = [
            (None, False) if (c := each.record.calibration) is None else (c.shift, c.barred) for each in same.days
        ]
        standings = judge_standings(shifts, manifest.evidence, manifest.attribution)
        for earlier, judge in zip(same.days, standings, strict=True):
            arrays = same.arrays(earlier)
            if judge.drifted:
                arrays = arrays.barred_by_judge(self._rule.judged)
            self._state, _ = step(self._rule, self._state, arrays.rule)
        self._expected: Baseline = expect(self._rule, self._state, self._today)

    def trigger(self, model: str, use_case: str, grading: Grading) -> str | None:
        """Why this use case runs at full count from the start; None where base samples come first."""
        place = self._place(model, use_case, grading)
        if place is None or self._expected.days[place] < self._constants.baseline_min:
            return CALIBRATING
        recent = self._today - self._state.seen[place] <= self._constants.consecutive_within
        return FLAGGED if recent and self._state.status[place] in (SUSPICIOUS, COOKED) else None

    def suspicion(self, model: str, use_case: str, grading: Grading, score: float) -> str | None:
        """What makes a provisional score suspicious, as a sentence; None where it is not, or has no baseline."""
        place = self._place(model, use_case, grading)
        if place is None:
            return None
        scores = np.full(self._expected.mean.shape, np.nan)
        scores[place] = score
        if not suspicious(self._rule, scores, self._expected)[place]:
            return None
        z, drop = (values[place] for values in compare(scores, self._expected))
        fall = "" if np.isnan(drop) else f", drop {100 * drop:.1f} %"
        usual = f"{self._expected.mean[place]:.1f} ± {self._expected.sd[place]:.1f}"
        return f"base score {score:.1f} against {usual}: z {z:.2f}{fall}"

    def usual_route(self, model: str) -> str | None:
        """Who served the model before today; None where nobody said."""
        return self._routes.get(model)

    def _place(self, model: str, use_case: str, grading: Grading) -> tuple[int, int] | None:
        row, column = self._columns.models.get(model), self._columns.use_cases.get((use_case, grading))
        return None if row is None or column is None else (row, column)


def _routes(days: Days, today: int, constants: RuleConstants) -> dict[str, str]:
    """Model → its usual provider: of the baseline's days the most frequent, or the one that has stayed long enough to count
    as a new series."""
    served: dict[str, list[str]] = {}
    for day in days.days:
        if 0 < today - day.ordinal <= constants.baseline_days:
            for model, route in {score.model: score.route for score in day.scores}.items():
                if route is not None:
                    served.setdefault(model, []).append(route)
    return {model: _usual(routes, constants.new_route_days) for model, routes in served.items()}


def _usual(routes: list[str], stayed: int) -> str:
    if len(routes) >= stayed and len(set(routes[-stayed:])) == 1:
        return routes[-1]
    return Counter(routes).most_common(1)[0][0]

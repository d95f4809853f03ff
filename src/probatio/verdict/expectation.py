"""Expectation: what the days before say about today. Which use cases have a baseline, which scores are far from it, which use
cases were flagged, of which models the evidence wants more samples, and which provider usually serves a model."""

from __future__ import annotations

from collections import Counter
from datetime import date
from statistics import fmean

import numpy as np

from probatio.records import Constants, Grading, RuleConstants
from probatio.verdict.baseline import Bools, compare, rule_for
from probatio.verdict.days import Days, suite_of
from probatio.verdict.evidence import asks_full
from probatio.verdict.fold import fold_both, graded_in_one_way
from probatio.verdict.rule import expect, start
from probatio.verdict.rule_fold import fold_rule
from probatio.verdict.sampling import CALIBRATING, TRIGGERS, full_round_follows, start_triggers


class Expectation:
    """Both folds over the days before `day` of the same suite, read for one model and use case at a time."""

    def __init__(self, days: Days, constants: Constants, suite: tuple[str, str], day: str) -> None:
        """`days` are the days before `day`, of any suite; `suite` is the version and the fingerprint of today's."""
        today = date.fromisoformat(day).toordinal()
        self._routes = _usual_routes(days, today, constants.rule)
        series = days.series()
        comparable = bool(series) and suite_of(series[-1].days[-1].record) == suite
        same = series[-1] if comparable else Days(())
        self._columns = same.columns
        self._rule = rule_for(constants.rule, self._columns.gradings)
        state = start(self._rule, len(self._columns.models))
        asks: Bools | None = None
        if graded_in_one_way(self._columns):
            for both in fold_both(self._rule, same, constants, improvement=False):
                state, asks = both.rule.state, asks_full(both.state)
        else:  # no verdict can be given of such days
            for folded in fold_rule(self._rule, same, constants):
                state = folded.state
        self._expected = expect(self._rule, state, today)
        self._lines = {day.ordinal: day.lines for day in same.days}
        inside = (state.when < today) & (state.when >= today - constants.rule.baseline_days)
        self._counted = {int(when): state.counted[slot] for slot, when in enumerate(state.when) if inside[slot]}
        self._triggers = start_triggers(self._rule, state, self._expected, today, asks)

    def trigger(self, model: str, use_case: str, grading: Grading) -> str | None:
        """Why this use case runs at full count from the start; None where base samples come first."""
        place = self._place(model, use_case, grading)
        return CALIBRATING if place is None else TRIGGERS[self._triggers[place]]

    def suspicion(
        self, model: str, use_case: str, grading: Grading, score: float, *, barred: bool = False
    ) -> str | None:
        """Why a full round follows this base score, as a sentence; None where none follows. `barred`: the judge is, today."""
        place = self._place(model, use_case, grading)
        if place is None:
            return None
        scores = np.full(self._expected.mean.shape, np.nan)
        scores[place] = score
        if not full_round_follows(self._rule, scores, self._expected, barred=barred)[place]:
            return None
        z, drop = (values[place] for values in compare(scores, self._expected))
        fall = "" if np.isnan(drop) else f", drop {100 * drop:.1f} %"
        usual = f"{self._expected.mean[place]:.1f} ± {self._expected.sd[place]:.1f}"
        return f"base score {score:.1f} against {usual}: z {z:.2f}{fall}"

    def usual_cases(self, model: str, use_case: str, grading: Grading) -> dict[str, float]:
        """Case → its mean over the days of the baseline, 0–1; without a case that none of them scored."""
        place = self._place(model, use_case, grading)
        if place is None:
            return {}
        values: dict[str, list[float]] = {}
        for when, counted in self._counted.items():
            line = self._lines[when].get(model, {}).get(use_case) if counted[place] else None
            for case, value in line.cases.items() if line is not None else ():
                values.setdefault(case, []).append(value)
        return {case: fmean(each) for case, each in values.items()}

    def usual_route(self, model: str) -> str | None:
        """The provider that served the model before today; None where none was named."""
        return self._routes.get(model)

    def _place(self, model: str, use_case: str, grading: Grading) -> tuple[int, int] | None:
        row, column = self._columns.models.get(model), self._columns.use_cases.get((use_case, grading))
        return None if row is None or column is None else (row, column)


def _usual_routes(days: Days, today: int, constants: RuleConstants) -> dict[str, str]:
    """Model → its usual provider: the most frequent of the baseline's days, or the one that has stayed long enough to count
    as a new series."""
    served: dict[str, list[str]] = {}
    for day in days.days:
        if 0 < today - day.ordinal <= constants.baseline_days:
            on_time = (score for score in day.scores if not score.asked_late)
            for model, route in {score.model: score.route for score in on_time}.items():
                if route is not None:
                    served.setdefault(model, []).append(route)
    return {model: _usual(routes, constants.new_route_days) for model, routes in served.items()}


def _usual(routes: list[str], stayed: int) -> str:
    if len(routes) >= stayed and len(set(routes[-stayed:])) == 1:
        return routes[-1]
    return Counter(routes).most_common(1)[0][0]

"""Expectation: what the days before say about today.

Which use cases have a baseline, which scores are far from it, which use cases were flagged, which models need
more samples for the evidence, and which provider usually serves a model.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from functools import cached_property
from statistics import fmean
from typing import NamedTuple

import numpy as np

from probatio.core.records import Constants, Day, Grading, RuleConstants
from probatio.watch.verdict.days import Columns, Days, suite_of
from probatio.watch.verdict.evidence.evidence import EDITION, asks_full
from probatio.watch.verdict.fold import fold_both, has_one_grading_each
from probatio.watch.verdict.rule.baseline import Bools, Rule, compare, rule_for
from probatio.watch.verdict.rule.fold import fold_rule
from probatio.watch.verdict.rule.rule import RuleState, expect, start
from probatio.watch.verdict.rule.sampling import (
    CALIBRATING,
    EVIDENCE,
    TRIGGERS,
    full_round_follows,
    start_triggers,
)


class Expectation:
    """Both folds over the days before `day` of the same suite, read for one model and use case at a time."""

    def __init__(
        self,
        days: Days,
        constants: Constants,
        suite: tuple[str, str],
        day: str,
        past: _Past | None = None,
        reformed: Collection[str] = (),
    ) -> None:
        """`days`: the days before `day`, of any suite. `suite`: version and fingerprint of today's suite.
        `past`: these days, where they are folded already; then `days` may be those of the baseline alone.
        `reformed`: models that are asked in another form today, of which the days before say nothing."""
        self._reformed = reformed
        if past is None:
            series = days.series()
            comparable = bool(series) and suite_of(series[-1].days[-1].record) == suite
            (past,) = deque(_fold(series[-1] if comparable else Days(()), constants), maxlen=1)
        today = date.fromisoformat(day).toordinal()
        state, window = past.state, constants.rule.baseline_days
        self._routes = _usual_routes(days.days, today, constants.rule)
        self._columns, self._rule = past.columns, past.rule
        self._expected = expect(past.rule, state, today)
        inside = (state.when < today) & (state.when >= today - window)
        self._counted = {
            int(when): state.counted[slot] for slot, when in enumerate(state.when) if inside[slot]
        }
        self._lines = {each.ordinal: each.lines for each in days.days if each.ordinal in self._counted}
        self._triggers = start_triggers(past.rule, state, self._expected, today, past.asks)

    def trigger(self, model: str, use_case: str, grading: Grading) -> str | None:
        """Why this use case runs at full count from the start; None where base samples come first."""
        place = self._place(model, use_case, grading)
        return CALIBRATING if place is None else TRIGGERS[self._triggers[place]]

    def suspicion(
        self, model: str, use_case: str, grading: Grading, score: float, *, barred: bool = False
    ) -> str | None:
        """Why a full round follows this base score, as a sentence, or None. `barred`: the judge is barred
        today."""
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

    def usual_cases(self, model: str, use_case: str, grading: Grading) -> Mapping[str, float]:
        """Case → its mean over the days of the baseline, 0–1, for cases with a score. Computed at the first
        look: most days have every case."""
        place = self._place(model, use_case, grading)
        return {} if place is None else _WhenNeeded(lambda: self._case_means(model, use_case, place))

    def _case_means(self, model: str, use_case: str, place: tuple[int, int]) -> dict[str, float]:
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
        return None if row is None or column is None or model in self._reformed else (row, column)


class _WhenNeeded(Mapping[str, float]):
    """A mapping that is computed when it is first looked into."""

    def __init__(self, compute: Callable[[], dict[str, float]]) -> None:
        self._compute = compute

    @cached_property
    def _values(self) -> dict[str, float]:
        return self._compute()

    def __getitem__(self, key: str) -> float:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class _Past(NamedTuple):
    """What both folds know before a day."""

    columns: Columns
    rule: Rule
    state: RuleState
    asks: Bools | None  # of whom the evidence wants all samples next


def _fold(same: Days, constants: Constants) -> Iterator[_Past]:
    """The past of the first of these days, of each later one, and of the day after them."""
    columns, rule = same.columns, rule_for(constants.rule, same.columns.gradings)
    yield _Past(columns, rule, start(rule, len(columns.models)), None)
    if has_one_grading_each(columns):
        for of_rule, _, _, state in fold_both(rule, same, constants, improvement=False):
            yield _Past(columns, rule, of_rule.state, asks_full(state))
    else:  # no verdict can be given of such days
        for folded in fold_rule(rule, same, constants):
            yield _Past(columns, rule, folded.state, None)


def expectations(
    days: Days, constants: Constants, suite: tuple[str, str]
) -> Iterator[tuple[str, Expectation]]:
    """Date → what the days before say, for all days of this suite, oldest first: they are folded once.

    For which models an earlier edition of the evidence wanted more samples stands in the day itself.
    """
    earlier = constants.evidence.edition < EDITION
    dates = days.dates
    for same in days.series():
        if suite_of(same.days[0].record) != suite:
            continue
        for day, past in zip(same.days, _fold(same, constants), strict=False):
            place = bisect_left(dates, day.date)
            before = days.days[max(0, place - constants.rule.baseline_days) : place]  # a day each at most
            if earlier:
                wanted = {line.model for line in day.scores if line.trigger == EVIDENCE}
                past = past._replace(asks=np.array([model in wanted for model in past.columns.models]))
            reformed = {model for date, model in same.reformed if date == day.date}
            yield day.date, Expectation(Days(before), constants, suite, day.date, past, reformed)


def _usual_routes(days: Iterable[Day], today: int, constants: RuleConstants) -> dict[str, str]:
    """Model → its usual provider: the most frequent one of the baseline's days, or the one that has stayed
    long enough for a new series."""
    served: dict[str, list[str]] = {}
    for day in days:
        if 0 < today - day.ordinal <= constants.baseline_days:
            on_time = (score for score in day.scores if not score.asked_late)
            for model, route in {score.model: score.route for score in on_time}.items():
                if route is not None:
                    served.setdefault(model, []).append(route)
    stayed, usual = constants.new_route_days, {}
    for model, routes in served.items():
        settled = len(routes) >= stayed and len(set(routes[-stayed:])) == 1
        usual[model] = routes[-1] if settled else Counter(routes).most_common(1)[0][0]
    return usual

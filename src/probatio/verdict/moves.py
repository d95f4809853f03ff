"""Moves: what of a model moved, and since when. Attribution asks of a move what caused it.

Where healthy scores jump, the rule flags use cases every few days. So of the flagged use cases those count that are lower, by one
standard deviation, than on any day of the month before, if there are such; and the move begins on the flagged day from which on
their mean differs most from the days before. On steady scores this is the first flagged day.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from probatio.records import Constants, DailyScore, Thresholds
from probatio.verdict.fold import Folded
from probatio.verdict.model_status import NEVER
from probatio.verdict.streams import Floats, Ints


def _ordinal(folded: Folded) -> int:
    return folded.rule.day


@dataclass(frozen=True, slots=True)
class Move:
    """One model that got worse, and everything known when it was noticed."""

    model: str
    place: int  # of the model in the arrays
    use_cases: tuple[str, ...]  # those that moved
    judged: frozenset[str]  # which of all use cases a judge marks
    columns: Mapping[str, int]  # use case → its place in the arrays
    onset: int  # ordinal of the day it began
    days: Sequence[Folded]  # up to and with the day of the verdict, oldest first
    constants: Constants
    regraded: Mapping[str, int]  # use case → frozen answers that are graded otherwise today

    @property
    def only_judged(self) -> bool:
        return all(use_case in self.judged for use_case in self.use_cases)

    def between(self, first: int, last: int) -> list[Folded]:
        """The days with ordinals from `first` to `last`, both included."""
        return between(self.days, first, last)

    def limits(self, use_case: str) -> Thresholds:
        return self.constants.rule.thresholds("judge" if use_case in self.judged else "deterministic")

    def moved_lines(self, folded: Folded) -> list[DailyScore]:
        lines = folded.day.lines.get(self.model, {})
        return [lines[each] for each in self.use_cases if each in lines and not lines[each].asked_late]


def move_of(
    model: str,
    columns: Mapping[str, int],
    days: Sequence[Folded],
    constants: Constants,
    regraded: Mapping[str, int],
    changed: int | None,
) -> Move:
    """What moved: the flagged use cases, else those the evidence names, else all. `changed`: the evidence's own date."""
    today = days[-1]
    place = today.columns.models[model]
    since = today.flagged_since[place]
    flagged = tuple(use_case for use_case, at in columns.items() if since[at] != NEVER)
    named = tuple(use_case for use_case, at in columns.items() if today.evidence.named[place, at])
    onset = changed or today.rule.day
    if flagged:
        flagged, onset = _moved(place, flagged, columns, days, constants.evidence.reference_days)
    return Move(
        model=model,
        place=place,
        use_cases=flagged or named or tuple(columns),
        judged=frozenset(use_case for use_case, grading in today.columns.use_cases if grading != "deterministic"),
        columns=columns,
        onset=onset,
        days=days,
        constants=constants,
        regraded=regraded,
    )


def between(days: Sequence[Folded], first: int, last: int) -> list[Folded]:
    """The days with ordinals from `first` to `last`, both included."""
    begin = bisect_left(days, first, key=_ordinal)
    return list(days[begin : bisect_right(days, last, key=_ordinal)])


def _moved(
    place: int, flagged: tuple[str, ...], columns: Mapping[str, int], days: Sequence[Folded], month: int
) -> tuple[tuple[str, ...], int]:
    """Which of the flagged use cases moved, and the first day of it."""
    at = np.array([columns[each] for each in flagged])
    since = days[-1].flagged_since[place, at]
    first = int(since.min())
    seen = between(days, first - month, days[-1].rule.day)
    numbers = np.array([folded.rule.day for folded in seen])
    scores = np.stack([np.where(folded.tested[place, at], folded.rule.score[place, at], np.nan) for folded in seen])
    before = numbers < first
    if not (~np.isnan(scores[before])).any():
        return flagged, first
    lowest = np.where(np.isnan(scores) | before[:, None], np.inf, scores).min(axis=0)
    usual = np.where(np.isnan(scores) | ~before[:, None], np.inf, scores).min(axis=0)
    began = next(folded for folded in seen if folded.rule.day == first)
    beyond = lowest < usual - began.rule.expected.sd[place, at]
    if beyond.any():
        at, scores, first = np.flatnonzero(beyond), scores[:, beyond], int(since[beyond].min())
        flagged = tuple(flagged[each] for each in at)
    return flagged, _began(numbers, scores, first)


def _began(numbers: Ints, scores: Floats, first: int) -> int:
    """The day from `first` on that parts the days' means [days, use cases] best into higher ones and lower ones."""
    there = ~np.isnan(scores)
    counts = there.sum(axis=1)
    means = np.where(there, scores, 0.0).sum(axis=1)[counts > 0] / counts[counts > 0]
    numbers = numbers[counts > 0]
    places = np.flatnonzero(numbers >= first)
    places = places[places > 0]
    if not len(places):
        return first
    sums, every = np.concatenate([[0.0], means.cumsum()]), len(means)
    fall = sums[places] / places - (sums[-1] - sums[places]) / (every - places)
    best = np.where(fall > 0, fall * np.sqrt(places * (every - places)), -1.0)
    return int(numbers[places[int(best.argmax())]]) if best.max() > 0 else first

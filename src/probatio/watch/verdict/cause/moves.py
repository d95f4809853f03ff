"""Moves: which use cases of a model moved, and since when. Attribution finds the cause of a move.

While a fall is CONFIRMED, the evidence says when it began and where, and so its cause stays the same: the
rule's baseline follows a fall down, and a flag of a later day would be explained instead.

Else the rule says it. Where healthy scores jump, it flags use cases every few days. So a flagged use case
counts only if it is lower, by one standard deviation, than on any day of the month before; if there is no
such use case, all flagged ones count. The move begins on the flagged day from which their mean differs most
from the days before. On steady scores this is the first flagged day.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from probatio.core.records import Constants, DailyScore, Thresholds
from probatio.watch.verdict.evidence.streams import Floats, Ints
from probatio.watch.verdict.fold import Folded
from probatio.watch.verdict.rule.model_status import NEVER

_ordinal = attrgetter("rule.day")


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

    def lines_of(self, folded: Folded) -> list[DailyScore]:
        lines = folded.day.lines.get(self.model, {})
        return [lines[each] for each in self.use_cases if each in lines and not lines[each].asked_late]


def find_move(
    model: str,
    columns: Mapping[str, int],
    days: Sequence[Folded],
    constants: Constants,
    regraded: Mapping[str, int],
    changed: int | None,
) -> Move:
    """The use cases that moved: while CONFIRMED those the evidence names that have been lower since; else the
    flagged ones, else all. `changed`: the date from the evidence, while CONFIRMED."""
    today = days[-1]
    place = today.columns.models[model]
    since = today.flagged_since[place]
    flagged = tuple(use_case for use_case, at in columns.items() if since[at] != NEVER)
    named = tuple(use_case for use_case, at in columns.items() if today.evidence.named[place, at])
    moved, onset = named, changed or today.rule.day
    if changed is not None:
        moved = _find_lower(place, named, columns, days, changed) or named
    elif flagged:
        moved, onset = _find_moved(place, flagged, columns, days, constants.evidence.reference_days)
    return Move(
        model=model,
        place=place,
        use_cases=moved or tuple(columns),
        judged=frozenset(
            use_case for use_case, grading in today.columns.use_cases if grading != "deterministic"
        ),
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


def _find_lower(
    place: int, named: tuple[str, ...], columns: Mapping[str, int], days: Sequence[Folded], changed: int
) -> tuple[str, ...]:
    """Which of these use cases have a lower mean score since the change than in the reference."""
    since = between(days, changed, days[-1].rule.day)
    usual = days[-1].state.worse.reference.stream_mean[place]
    lower = []
    for use_case in named:
        scores = np.array([folded.rule.score[place, columns[use_case]] for folded in since])
        scores = scores[~np.isnan(scores)]
        if len(scores) and scores.mean() < 100 * usual[columns[use_case]]:
            lower.append(use_case)
    return tuple(lower)


def _find_moved(
    place: int, flagged: tuple[str, ...], columns: Mapping[str, int], days: Sequence[Folded], month: int
) -> tuple[tuple[str, ...], int]:
    """Which of the flagged use cases moved, and the first day of it."""
    at = np.array([columns[each] for each in flagged])
    since = days[-1].flagged_since[place, at]
    first = int(since.min())
    seen = between(days, first - month, days[-1].rule.day)
    numbers = np.array([folded.rule.day for folded in seen])
    scores = np.stack(
        [np.where(folded.tested[place, at], folded.rule.score[place, at], np.nan) for folded in seen]
    )
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
    return flagged, _find_beginning(numbers, scores, first)


def _find_beginning(numbers: Ints, scores: Floats, first: int) -> int:
    """The day from `first` on that best divides the days' means [days, use cases] into higher and lower
    ones."""
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

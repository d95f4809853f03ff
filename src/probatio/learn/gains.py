"""What a model gains from being told more, in two languages between the same numbers of tokens.

Languages have tasks of their own, so their rates are not compared. A gain is: it is paired over the tasks of
its language. But a gain from 0 to 3,000 tokens is no rival of one from 1,000 to 2,000, so both begin and end
where both languages were asked; where they were not, there is nothing to compare.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

import msgspec

from probatio.charts.curves import Point
from probatio.core.statistics.intervals import estimate_paired_difference
from probatio.learn.findings import Condition, Curve, Place
from probatio.learn.trials import open_trials
from probatio.suites.language_suite import Suite

NEAR = 1.25
"""Conditions whose tokens differ by no more than this factor count as equal."""
LEAST = 2.0
"""Least factor by which the tokens must grow: a smaller step adds hardly anything."""

Answers = Mapping[Condition, Mapping[tuple[str, str, str, int], bool]]
"""Condition → (its cluster, task, run, sample) → right."""


class Gain(msgspec.Struct, frozen=True):
    """What a model passes more in one language, paired over tasks; percentage points."""

    language: str
    start: Place
    end: Place
    tasks: int
    points: float
    low: float
    high: float


class GainComparison(msgspec.Struct, frozen=True):
    """The gains of a model in two languages between the same numbers of tokens, and A's less B's."""

    model: str
    a: Gain
    b: Gain
    points: float
    low: float
    high: float

    @property
    def shown(self) -> bool:
        """Whether the gains differ."""
        return self.low > 0 or self.high < 0

    @property
    def start(self) -> int:
        """About so many tokens, between those of the two."""
        return round(sqrt(self.a.start.tokens * self.b.start.tokens))

    @property
    def end(self) -> int:
        return round(sqrt(self.a.end.tokens * self.b.end.tokens))


class TaughtCurve(NamedTuple):
    """A curve, its language, its name on a page, and the answers it was made from."""

    language: str
    name: str
    curve: Curve
    answers: Answers


def read_answers(folders: Sequence[Path], suite: Suite | None = None) -> Answers:
    """The graded answers to tasks about the language. `suite`: of the runs, where it was read before."""
    found: dict[Condition, dict[tuple[str, str, str, int], bool]] = defaultdict(dict)
    with open_trials(folders, suite) as trials:
        for model, dialect, context, n_shot, *key, correct in trials.rows(
            "select model, dialect, context, n_shot, cluster, task_id, run, sample, correct from trials "
            "where asked and not control order by all"
        ):
            found[Condition(model, dialect, context, n_shot)][tuple(key)] = correct
    return found


def compare_gains(curves: Sequence[TaughtCurve]) -> list[GainComparison]:
    """Every two languages of a model that were asked at two equal numbers of tokens."""
    pairs = (
        (one, two)
        for one, two in combinations(curves, 2)
        if one.curve.model == two.curve.model and one.language != two.language
    )
    return [found for one, two in pairs for found in _compare(one, two)]


def subtract(a: Gain, b: Gain) -> tuple[float, float, float]:
    """A's gain less B's, and its interval: tasks of two languages have nothing to do with each other, so the
    distances to the ends add up by their squares."""
    points = a.points - b.points
    return (
        points,
        points - sqrt((a.points - a.low) ** 2 + (b.high - b.points) ** 2),
        points + sqrt((a.high - a.points) ** 2 + (b.points - b.low) ** 2),
    )


def _compare(one: TaughtCurve, two: TaughtCurve) -> Iterator[GainComparison]:
    """From the first to the last number of tokens that both have; at most one."""
    shared = [
        (first, second)
        for first in one.curve.points
        for second in two.curve.points
        if _apart((first, second)) <= log(NEAR)
    ]
    if not shared:
        return
    starts = min(shared, key=lambda pair: (pair[0].tokens + pair[1].tokens, _apart(pair)))
    ends = max(shared, key=lambda pair: (pair[0].tokens + pair[1].tokens, -_apart(pair)))
    if any(
        end.tokens < LEAST * start.tokens or end is start for start, end in zip(starts, ends, strict=True)
    ):
        return
    gains = [_measure(*each) for each in zip((one, two), starts, ends, strict=True)]
    if gains[0] is not None and gains[1] is not None:
        yield GainComparison(one.curve.model, gains[0], gains[1], *subtract(gains[0], gains[1]))


def _measure(taught: TaughtCurve, start: Point, end: Point) -> Gain | None:
    curve = taught.curve
    before, after = (
        taught.answers.get(Condition(curve.model, curve.dialect, point.context, point.n_shot), {})
        for point in (start, end)
    )
    tasks: dict[str, tuple[int, int, int]] = {}
    for key, right in after.items():
        if key in before:
            gained, lost, pairs = tasks.get(key[0], (0, 0, 0))
            tasks[key[0]] = (
                gained + (right and not before[key]),
                lost + (before[key] and not right),
                pairs + 1,
            )
    if not tasks:
        return None
    found = estimate_paired_difference(tasks.values())
    return Gain(
        taught.name,
        Place(start.tokens, start.context, start.n_shot),
        Place(end.tokens, end.context, end.n_shot),
        len(tasks),
        100 * found.difference,
        100 * found.low,
        100 * found.high,
    )


def _apart(pair: tuple[Point, Point]) -> float:
    """How far the tokens of two conditions differ, as the logarithm of their ratio."""
    one, two = (max(1, point.tokens) for point in pair)
    return abs(log(one / two))

"""A slow decline: since when a proven fall went down, where it was no step.

For the words alone; the date in the verdict stays that of its best single step. The daily scores are fitted
twice: by one step between two levels, and by a line that leaves one level and comes to another. It is a drift
if the line takes weeks and fits far better than the step, so a step stays a step.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from statistics import fmean

import numpy as np

from probatio.core.records import Day
from probatio.watch.verdict.rule.baseline import Floats

LEAST_DAYS = 28
"""Scored days that a decline takes at least; a quicker one is dated well enough by its step."""
CLEARER = 30.0
"""How much nearer the line has to be, in variances of a day around it. By chance a step is missed by 4 in one
of 20, and by more where noise lasts for days."""
STRIDE = 7
"""Days between the beginnings and ends that are tried: a drift is dated to a month."""
MOST_DAYS = 400


def find_drift(model: str, days: Sequence[Day], use_cases: Collection[str]) -> str | None:
    """The day on which the scores of these use cases began to go down, or None if they fell at once. `days`:
    the scored ones of the series, oldest first."""
    dates: list[str] = []
    means: list[float] = []
    for day in days[-MOST_DAYS:]:
        lines = day.lines.get(model, {})
        scores = [lines[each].score for each in use_cases if each in lines and not lines[each].barred]
        known = [score for score in scores if score is not None]
        if known and len(known) == len(scores):
            dates.append(day.date)
            means.append(fmean(known))
    count = len(means)
    if count < 2 * LEAST_DAYS:
        return None
    values, at = np.array(means), np.arange(count)
    steps = [(at >= border).astype(float) for border in range(2, count - 1)]
    ends = [*range(0, count - 1, STRIDE), count - 1]
    spans = [(begin, end) for begin, end in combinations(ends, 2) if end - begin >= LEAST_DAYS]
    ramps = [np.clip((at - begin) / (end - begin), 0.0, 1.0) for begin, end in spans]
    step, _ = _fit(np.array(steps), values)
    left, slopes = _fit(np.array(ramps), values)
    best = int(np.argmin(left))
    noise = left[best] / (count - 4)
    if slopes[best] >= 0 or step.min() - left[best] < CLEARER * max(float(noise), 1e-9):
        return None
    began: str = dates[spans[best][0]]
    return began


def _fit(shapes: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Of each shape, fitted with a level and a height: the squared distance that is left, and the height."""
    centred = shapes - shapes.mean(axis=1, keepdims=True)
    heights = centred @ values / (centred**2).sum(axis=1)
    around = values - values.mean()
    return (around**2).sum() - heights**2 * (centred**2).sum(axis=1), heights

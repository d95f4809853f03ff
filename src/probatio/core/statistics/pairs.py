"""Pairs counted by task, and what they tell: the difference, its interval, and an exact p. Pure; power.py
draws such counts.

Answers to one task resemble each other, so p is that of swapping the two sides of whole tasks: if the sides
were alike, each task's difference could as well have the other sign. With one pair per task this is McNemar's
exact test. Worked: three tasks that only A passes and none that only B passes can come out so unevenly in 2
of 8 ways, p 0.25, also where each was asked ten times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from probatio.core.statistics.intervals import estimate_paired_difference


class TaskPairs(NamedTuple):
    """The pairs of one task, both sides asked."""

    task_id: str
    pairs: int
    passed_a: int
    passed_b: int
    gained: int  # pairs that only B passes
    lost: int  # pairs that only A passes


class Difference(NamedTuple):
    """B less A as a share, with its 95 % interval, and the exact p over tasks."""

    difference: float
    low: float
    high: float
    p: float

    @property
    def shown(self) -> bool:
        """Whether the interval keeps clear of zero: what power counts as a difference seen."""
        return self.low > 0 or self.high < 0


def measure_difference(tasks: Sequence[TaskPairs]) -> Difference:
    between = estimate_paired_difference((task.gained, task.lost, task.pairs) for task in tasks)
    return Difference(*between, swap_p([task.gained - task.lost for task in tasks]))


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided chance of so uneven a split of the flips, if either way had equal chance."""
    flips = gained + lost
    ways = tail = 1
    for fewer in range(min(gained, lost)):
        ways = ways * (flips - fewer) // (fewer + 1)
        tail += ways
    return min(1.0, tail / (1 << flips - 1)) if flips else 1.0


def swap_p(differences: Sequence[int]) -> float:
    """The exact two-sided chance of a sum so far from zero, if every difference had either sign equally."""
    flipped = [abs(difference) for difference in differences if difference]
    if max(flipped, default=1) == 1:
        ups = sum(difference > 0 for difference in differences)
        return mcnemar(ups, len(flipped) - ups)
    import numpy as np

    middle = sum(flipped)
    chances = np.zeros(2 * middle + 1)
    chances[middle] = 1.0
    for size in flipped:
        moved = np.zeros_like(chances)
        moved[size:] += chances[:-size]
        moved[:-size] += chances[size:]
        chances = moved / 2
    far = abs(sum(differences))
    return min(1.0, float(2 * chances[middle + far :].sum())) if far else 1.0


def holm(ps: Sequence[float]) -> list[float]:
    """Each p corrected for being one of several (Holm): the least counts for all, the next for one less."""
    corrected = [0.0] * len(ps)
    least = 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        least = corrected[place] = max(least, min(1.0, (len(ps) - rank) * ps[place]))
    return corrected

"""Two groups of tasks compared within strata, such as difficulties: how much less the first passes.

The rate of the others is weighed as the first group's tasks are spread over the strata. Each side has
Wilson's interval at the number of tasks it is worth; the ends of the difference add up by squares (Newcombe).
Worked: of four easy tasks that take a rule one passes, of eight other easy ones six: 50 points are lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from probatio.core.statistics.intervals import critical, wilson

Strata = Mapping[str, Sequence[float]]
"""Stratum → the rate of each of its tasks."""


class Lost(NamedTuple):
    """How much less the first group passes, as a share, with its 95 % interval."""

    share: float
    low: float
    high: float


def measure_loss(ours: Strata, others: Strata) -> Lost | None:
    """None where no stratum has tasks of both groups. Tasks of a stratum with one group are left out."""
    shared = [name for name in ours if ours[name] and others.get(name)]
    if not shared:
        return None
    of = sum(len(ours[name]) for name in shared)
    weights = [len(ours[name]) / of for name in shared]
    one, two = (_weigh([side[name] for name in shared], weights) for side in (ours, others))
    lost = two[0] - one[0]
    low = lost - sqrt((two[0] - two[1]) ** 2 + (one[2] - one[0]) ** 2)
    high = lost + sqrt((two[2] - two[0]) ** 2 + (one[0] - one[1]) ** 2)
    return Lost(lost, max(-1.0, low), min(1.0, high))


def _weigh(strata: Sequence[Sequence[float]], weights: Sequence[float]) -> tuple[float, float, float]:
    """The weighed rate and its interval."""
    means = [sum(rates) / len(rates) for rates in strata]
    rate = sum(weight * mean for weight, mean in zip(weights, means, strict=True))
    # What tasks are worth if each is right or wrong: Kish's number, that of equal weights.
    worth = 1 / sum(weight**2 / len(rates) for weight, rates in zip(weights, strata, strict=True))
    spread = sum((one - mean) ** 2 for rates, mean in zip(strata, means, strict=True) for one in rates)
    free = sum(map(len, strata)) - len(strata)
    if free and spread:  # tasks that differ less than right from wrong are worth more
        worth = max(worth, rate * (1 - rate) * worth * free / spread)
    return (rate, *wilson(rate * worth, worth, critical(free + 1)))

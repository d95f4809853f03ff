"""Likeness: how much the answers to one task resemble each other, as four correlations, and their estimate
from counted pairs.

Behind every answer stands a normal number; the answer is right where the number is above a line set by the
pass rate. The numbers of two answers to the same task are correlated, whichever model gives them and however
they are asked. Rates and these correlations say all there is to say about how wide the interval of a
comparison will be.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import msgspec

from probatio.learn.statistics.pairs import TaskPairs, join_variants

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NORMAL = NormalDist()
NODES = 40
"""Points of an integral over a normal number: exact to four digits for correlations up to `MOST`."""
MOST = 0.97
"""No correlation is taken to be larger: what has been answered alike so far may differ some day."""
_STEPS = 30


class Likeness(msgspec.Struct, frozen=True):
    """The correlations of the numbers behind two answers to the same task. A condition is all but task,
    side and sample."""

    paired: float  # other side, same condition: partners in a pair
    across: float  # other side, other condition
    within: float  # same side, other condition
    repeated: float  # same side, same condition, other sample


USUAL: dict[str, Likeness] = {
    "model": Likeness(0.60, 0.50, 0.65, 0.85),
    "context": Likeness(0.80, 0.65, 0.70, 0.85),
    "dialect": Likeness(0.80, 0.65, 0.70, 0.85),
}
"""What is taken where no pilot tells it, by what the sides differ in. Models: 3,859 pairs of 26 recorded
models gave 0.78, 0.63 and 0.64 for the first three, 400 pairs of two small embedded models 0.43, 0.36 and
0.66; between the two. Contexts: 1,888 pairs of six runs of embedded models gave 0.79, 0.64 and 0.68.
Dialects: 60 pairs of one run gave 0.82 for the first. `repeated` is assumed: a run with `--samples 2`
measures it."""


def make_sound(paired: float, across: float, within: float, repeated: float) -> Likeness:
    """The nearest that can be together: partners are no less alike than strangers, a side most so."""
    across = min(MOST, max(0.0, across))
    within = min(MOST, max(across, within))
    repeated = min(MOST, max(within, repeated))
    return Likeness(min(max(across, paired), across + repeated - within), across, within, repeated)


class Pilot(msgspec.Struct, frozen=True):
    """What counted pairs tell about the next comparison; a correlation is None where they can't tell it."""

    rate_a: float
    rate_b: float
    tasks: int
    pairs: int
    paired: float | None
    across: float | None
    within: float | None


def measure_pilot(tasks: Sequence[TaskPairs]) -> Pilot:
    """Rates and correlations by the method of moments: how often two answers to one task are both right."""
    tasks = join_variants(tasks)
    pairs = sum(task.pairs for task in tasks)
    rights = [task.passed_a for task in tasks], [task.passed_b for task in tasks]
    rate_a, rate_b = (sum(right) / pairs for right in rights)
    both = sum(task.passed_a - task.lost for task in tasks) / pairs
    others = sum(task.pairs * (task.pairs - 1) for task in tasks)
    across = within = None
    if others:
        crossed = sum(task.passed_a * task.passed_b - (task.passed_a - task.lost) for task in tasks)
        across = correlation(crossed / others, rate_a, rate_b)
        same = [
            correlation(sum(one * (one - 1) for one in right) / others, rate, rate)
            for right, rate in zip(rights, (rate_a, rate_b), strict=True)
        ]
        known = [one for one in same if one is not None]
        within = sum(known) / len(known) if known else None
    return Pilot(rate_a, rate_b, len(tasks), pairs, correlation(both, rate_a, rate_b), across, within)


def both_right(likeness: float, rate_a: float, rate_b: float) -> float:
    """How often two answers are both right whose numbers are so correlated."""
    lines, rest = (NORMAL.inv_cdf(rate_a), NORMAL.inv_cdf(rate_b)), sqrt(1 - likeness)
    points, weights = nodes()
    total = 0.0
    for point, weight in zip(points, weights, strict=True):
        moved = sqrt(likeness) * point
        total += weight * NORMAL.cdf((lines[0] + moved) / rest) * NORMAL.cdf((lines[1] + moved) / rest)
    return float(total)


def correlation(both: float, rate_a: float, rate_b: float) -> float | None:
    """The correlation that makes both right so often, from 0 to `MOST`; None where a side is always right
    or always wrong."""
    if not (0 < rate_a < 1 and 0 < rate_b < 1):
        return None
    low, high = 0.0, MOST
    if both <= both_right(low, rate_a, rate_b):
        return low
    if both >= both_right(high, rate_a, rate_b):
        return high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if both_right(middle, rate_a, rate_b) < both else (low, middle)
    return (low + high) / 2


@cache
def nodes() -> tuple[Floats, Floats]:
    """Points and weights of the integral over a normal number."""
    import numpy as np

    points, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return points, weights / weights.sum()

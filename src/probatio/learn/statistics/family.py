"""Comparisons that are corrected together: the chance that a difference is seen among several sides.

One side differs from the others, which are alike. Comparisons that share a side move together, so the sides
are drawn and not the comparisons; each comparison with the odd side then takes the place among its own exact
draws that its normal number has among normal numbers, and Holm's correction is done as `compare` does it.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from probatio.learn.statistics.likeness import NORMAL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ALPHA = 0.05
"""The level of every test, as the intervals are of 95 %."""
MOST_SIDES = 40
"""Sides that are compared with each other: 780 comparisons, corrected together, are more than anyone
reads."""

DRAWS = 10_000
SEED = 20260119
"""Any number will do; it only has to stay the same."""
_CELLS = 400_000
"""Comparisons drawn at most: with many sides each family counts for many, and fewer are enough."""


class SideSpread(NamedTuple):
    """How the sides' rates on one task vary, and vary together."""

    alike: float  # variance of an alike side
    odd: float  # of the odd one
    between: float  # covariance of two alike sides
    with_odd: float  # of an alike side and the odd one


def list_family(sides: int, *, to_first: bool) -> list[tuple[int, int]]:
    """The comparisons, as `compare` makes them: every two sides, or each with the first."""
    return [pair for pair in combinations(range(sides), 2) if not (to_first and pair[0])]


def first_threshold(comparisons: int) -> float:
    """The distance from zero, in standard errors, that the farthest of so many must keep."""
    return NORMAL.inv_cdf(1 - ALPHA / comparisons / 2)


def chance_in_family(distances: Floats, spread: SideSpread, sides: int, *, to_first: bool) -> float:
    """The chance that a comparison with the odd side is shown after Holm's correction.

    `distances` are draws of such a comparison, in standard errors from zero as a normal number has them,
    above zero on the right side. The odd side is the last one.
    """
    import numpy as np

    family = list_family(sides, to_first=to_first)
    rows = max(1000, min(DRAWS, _CELLS // len(family)))
    covariance = np.full((sides, sides), spread.between)
    covariance[-1, :] = covariance[:, -1] = spread.with_odd
    np.fill_diagonal(covariance, [*[spread.alike] * (sides - 1), spread.odd])
    values, vectors = np.linalg.eigh(covariance)
    numbers = np.random.default_rng(SEED).standard_normal((rows, sides))
    numbers = numbers @ (vectors * np.sqrt(np.clip(values, 0, None))).T
    one, two = np.array(family).T
    apart = numbers[:, two] - numbers[:, one]
    apart /= np.sqrt(np.diag(covariance)[one] + np.diag(covariance)[two] - 2 * covariance[one, two])
    with_odd = two == sides - 1
    apart[:, with_odd] = np.sort(distances)[
        (_ranks(apart[:, with_odd]) * (len(distances) / rows)).astype(int)
    ]
    return float((_shown(np.abs(apart))[:, with_odd] & (apart[:, with_odd] > 0)).mean())


def _ranks(columns: Floats) -> NDArray[np.int64]:
    import numpy as np

    places = np.empty(columns.shape, dtype=np.int64)
    np.put_along_axis(places, columns.argsort(0), np.arange(len(columns))[:, None], axis=0)
    return places


def _shown(distances: Floats) -> NDArray[np.bool_]:
    """Which comparisons of each row Holm's correction leaves: the farthest must pass the strictest line, the
    next one less strict, until one fails."""
    import numpy as np

    comparisons = distances.shape[1]
    lines = np.array([first_threshold(comparisons - passed) for passed in range(comparisons)])
    ordered = -np.sort(-distances, axis=1)
    passing = np.logical_and.accumulate(ordered > lines, axis=1).sum(1)
    last = np.take_along_axis(ordered, np.maximum(passing - 1, 0)[:, None], axis=1)
    shown: NDArray[np.bool_] = (distances >= last) & (passing > 0)[:, None]
    return shown

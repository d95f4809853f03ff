"""The isotonic fit: of all curves that never fall, the nearest to the rates; and the band around it.

The band is a Bayesian bootstrap over tasks: each draw gives the tasks new weights, adds one unseen task that
passes everywhere or nowhere with equal chance, and is fitted again. Without the unseen task ten tasks that
all pass would make a band of no width. The draws are seeded, so the same run gives the same band.

A band around a curve that never falls is wrong where the truth falls, so whether it does is tested first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 1000
SEED = 20260105
"""Any number will do; it only has to stay the same."""


def fit_with_band(passed: Floats, asked: Floats, resamples: int = RESAMPLES) -> tuple[Floats, Floats]:
    """The monotone fit over conditions (columns), and the fits of as many draws of the tasks (rows)."""
    import numpy as np

    fit = fit_isotonic(passed.sum(0)[None], asked.sum(0)[None])[0]
    chance = np.random.default_rng(SEED)
    weights = chance.standard_exponential((resamples, len(passed) + 1))
    unseen = weights[:, [-1]] * asked.mean(0)
    passes = chance.integers(2, size=(resamples, 1))
    return fit, fit_isotonic(weights[:, :-1] @ passed + passes * unseen, weights[:, :-1] @ asked + unseen)


class Fall(NamedTuple):
    """The largest fall between two conditions, and the chance of one as large if the curve never falls."""

    start: int  # places of the conditions
    end: int
    size: float
    p: float


def find_fall(passed: Floats, asked: Floats, resamples: int = RESAMPLES) -> Fall:
    """The largest fall from a condition to any later one, tasks held equal, with its p.

    A task's own mean is taken off its answers, so that tasks asked under some conditions only don't make a
    fall. The hardest case that never falls is a flat one. So each condition's own mean is taken off too, what
    is left of each task is turned around with even chance, again and again, and the largest fall of each draw
    is compared: one test for all pairs of conditions. If the mean stayed in, the rise of a curve would count
    as noise, and a dip of 13 points would hardly ever be found.

    Few tasks leave little after their mean is taken off: one task leaves nothing. So p is at least that of
    the exact test of these two conditions alone.
    """
    import numpy as np

    usual = passed.sum(1, keepdims=True) / np.maximum(1, asked.sum(1, keepdims=True))
    parts = (passed - usual * asked) / asked.sum(0)
    level = parts.sum(0)
    falls = np.triu(level[:, None] - level[None, :], 1)
    start, end = (int(place) for place in np.unravel_index(falls.argmax(), falls.shape))
    largest = float(falls[start, end])
    if largest <= 0:
        return Fall(start, end, 0.0, 1.0)
    tasks = len(passed)
    own = (parts - level * asked / asked.sum(0)) * (tasks / max(1, tasks - 1)) ** 0.5  # one mean is spent
    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], (resamples, tasks))
    turned = signs @ own
    of_curves = (np.maximum.accumulate(turned, axis=1) - turned).max(1)
    of_pair = signs @ (parts[:, start] - parts[:, end])
    as_large = max(int((by_chance >= largest * (1 - 1e-9)).sum()) for by_chance in (of_curves, of_pair))
    return Fall(start, end, largest, (1 + as_large) / (1 + resamples))


def fit_isotonic(passed: Floats, asked: Floats) -> Floats:
    """Weighted isotonic fits, one per row: at place i the largest over j ≤ i of the smallest over k ≥ i of
    the rate of j…k."""
    import numpy as np

    rows, places = passed.shape
    sums = np.concatenate([np.zeros((rows, 1)), passed.cumsum(1)], axis=1)
    weights = np.concatenate([np.zeros((rows, 1)), asked.cumsum(1)], axis=1)
    fits = np.zeros((rows, places))
    for j in range(places):
        rates = (sums[:, j + 1 :] - sums[:, [j]]) / (weights[:, j + 1 :] - weights[:, [j]])
        smallest = np.minimum.accumulate(rates[:, ::-1], axis=1)[:, ::-1]
        fits[:, j:] = np.maximum(fits[:, j:], smallest)
    return fits

"""A logistic model of grouped trials, with Firth's penalty against separation and errors clustered by task.

Trials are given as two tables, tasks by cells: how many passed and how many were asked. A cell is one
combination of factor levels, so the model is fitted over cells and its errors are summed by task.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probatio.core.statistics.distributions import chi2_above
from probatio.core.statistics.intervals import Z95

Floats = NDArray[np.float64]

MAX_STEPS = 100
TOLERANCE = 1e-9
LONGEST_STEP = 5.0
"""In log-odds; a longer Newton step leaps out of the region where the quadratic picture holds."""
FARTHEST = 12.0
"""In log-odds, an odds ratio of 160,000: an end of an interval beyond it is open."""
CLOSE = 1e-3
"""In log-odds: ends of intervals are found this closely, a thousandth of the odds."""


class Fit(NamedTuple):
    coefficients: Floats
    covariance: Floats  # clustered by task
    chances: Floats  # per cell


def fit(design: Floats, passed: Floats, asked: Floats) -> Fit:
    """Coefficients and covariance: `passed` and `asked` are tasks × cells, `design` cells × coefficients."""
    coefficients = _firth(design, passed.sum(0), asked.sum(0))
    chances = _chances(design @ coefficients)
    bread = np.linalg.inv(_information(design, chances, asked.sum(0)))
    scores = (passed - asked * chances) @ design
    tasks = len(passed)
    meat = scores.T @ scores * tasks / (tasks - 1)
    return Fit(coefficients, bread @ meat @ bread, chances)


def score_test(design: Floats, extra: Floats, passed: Floats, asked: Floats) -> tuple[float, int, float]:
    """Whether the extra columns are needed: statistic, degrees of freedom, p. Robust to clustering and to
    separation.

    The model is fitted without the extra columns only; each task's pull on them, cleared of what the fitted
    columns explain, is one independent observation.
    """
    chances = _chances(design @ _firth(design, passed.sum(0), asked.sum(0)))
    pulls = _pulls(design, extra, chances, passed, asked)
    total, spread = pulls.sum(0), pulls.T @ pulls
    df = int(np.linalg.matrix_rank(spread))
    if df == 0:
        return 0.0, 0, 1.0
    statistic = float(total @ np.linalg.pinv(spread, hermitian=True) @ total)
    return statistic, df, chi2_above(statistic, df)


def invert_score_test(
    design: Floats, column: int, passed: Floats, asked: Floats
) -> tuple[float | None, float | None]:
    """The 95 % interval of a coefficient: all values that the score test does not reject. It excludes zero
    exactly where the p of the test is below 0.05. An end is None if no value on that side is rejected.

    Both ends are looked for from zero on, so that a search can't step over it.
    """

    rest, extra = np.delete(design, column, axis=1), design[:, [column]]
    held = None

    def distance(value: float) -> float:
        """How far the trials pull away from this value, in standard errors; above zero if upward."""
        nonlocal held
        held = hold(design, column, value, passed, asked, held)
        pulls = _pulls(rest, extra, _chances(design @ held), passed, asked)
        spread = float((pulls**2).sum())
        return float(pulls.sum()) / sqrt(spread) if spread else 0.0

    here = distance(0.0)
    return _find(distance, Z95, here), _find(distance, -Z95, here)


def hold(
    design: Floats, column: int, value: float, passed: Floats, asked: Floats, near: Floats | None = None
) -> Floats:
    """The coefficients of the best fit with one of them held at a value; `near`: those of a similar fit."""
    rest, offset = np.delete(design, column, axis=1), value * design[:, column]
    start = None if near is None else np.delete(near, column)
    held: Floats = np.insert(_firth(rest, passed.sum(0), asked.sum(0), offset, start), column, value)
    return held


def _find(distance: Callable[[float], float], line: float, at_zero: float) -> float | None:
    """Where the distance falls to the line, from zero on: doubled steps until it is passed, then regula falsi
    (Illinois)."""
    toward = 1.0 if at_zero > line else -1.0
    near, near_gap, far = 0.0, at_zero - line, 0.5
    while (far_gap := distance(toward * far) - line) * near_gap > 0:
        if far >= FARTHEST:
            return None
        near, near_gap, far = far, far_gap, min(FARTHEST, 2 * far)
    for _ in range(MAX_STEPS):
        if abs(far - near) < CLOSE or not far_gap:
            break
        middle = (near * far_gap - far * near_gap) / (far_gap - near_gap)
        gap = distance(toward * middle) - line
        if gap * far_gap < 0:
            near, near_gap = far, far_gap
        else:
            near_gap /= 2
        far, far_gap = middle, gap
        if abs(gap) < CLOSE:
            break
    return toward * far


def _pulls(design: Floats, extra: Floats, chances: Floats, passed: Floats, asked: Floats) -> Floats:
    """Each task's pull on the extra columns, cleared of what the columns of the design explain."""
    residuals = passed - asked * chances
    weights = asked.sum(0) * chances * (1 - chances)
    across = np.linalg.solve(
        _information(design, chances, asked.sum(0)), design.T @ (weights[:, None] * extra)
    )
    pulls: Floats = residuals @ extra - (residuals @ design) @ across
    return pulls


def independent_columns(given: Floats, candidates: Floats) -> list[int]:
    """The candidates that add something to the given columns and to each other, first come first kept."""
    basis = np.linalg.qr(given)[0] if given.shape[1] else np.zeros((len(candidates), 0))
    kept = []
    for number, column in enumerate(candidates.T):
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        size = np.linalg.norm(rest)
        if size > 1e-8 * max(1.0, float(np.linalg.norm(column))):
            kept.append(number)
            basis = np.column_stack([basis, rest / size])
    return kept


def _firth(
    design: Floats,
    passed: Floats,
    asked: Floats,
    offset: Floats | float = 0.0,
    start: Floats | None = None,
) -> Floats:
    """Coefficients of largest penalised likelihood: finite even where a level passes always or never. The
    offset is added to the log-odds of each cell."""
    coefficients = np.zeros(design.shape[1]) if start is None else start
    reached = _penalise(design, offset, coefficients, passed, asked)
    for _ in range(MAX_STEPS):
        chances = _chances(offset + design @ coefficients)
        inverse = np.linalg.inv(_information(design, chances, asked))
        weights = asked * chances * (1 - chances)
        leverage = weights * ((design @ inverse) * design).sum(1)
        step = inverse @ (design.T @ (passed - asked * chances + leverage * (0.5 - chances)))
        step *= min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        for _ in range(30):
            likelihood = _penalise(design, offset, coefficients + step, passed, asked)
            if likelihood >= reached - 1e-12 * abs(reached):
                break
            step /= 2
        coefficients, reached = coefficients + step, likelihood
        if np.abs(step).max() < TOLERANCE:
            break
    return coefficients


def _penalise(
    design: Floats, offset: Floats | float, coefficients: Floats, passed: Floats, asked: Floats
) -> float:
    odds = offset + design @ coefficients
    likelihood = passed @ odds - asked @ np.logaddexp(0, odds)
    return float(likelihood + 0.5 * np.linalg.slogdet(_information(design, _chances(odds), asked))[1])


def _information(design: Floats, chances: Floats, asked: Floats) -> Floats:
    weighted: Floats = design.T @ ((asked * chances * (1 - chances))[:, None] * design)
    return weighted


def _chances(odds: Floats) -> Floats:
    chances: Floats = 0.5 * (1 + np.tanh(odds / 2))
    return chances

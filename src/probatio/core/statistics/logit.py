"""A logistic model of grouped trials, with Firth's penalty against separation and errors clustered by task.

Trials are given as two tables, tasks by cells: how many passed and how many were asked. A cell is one
combination of factor levels, so the model is fitted over cells and its errors are summed by task.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probatio.core.statistics.distributions import chi2_above

Floats = NDArray[np.float64]

MAX_STEPS = 100
TOLERANCE = 1e-9
LONGEST_STEP = 5.0
"""In log-odds; a longer Newton step leaps out of the region where the quadratic picture holds."""


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
    residuals = passed - asked * chances
    weights = asked.sum(0) * chances * (1 - chances)
    across = np.linalg.solve(
        _information(design, chances, asked.sum(0)), design.T @ (weights[:, None] * extra)
    )
    pulls = residuals @ extra - (residuals @ design) @ across
    total, spread = pulls.sum(0), pulls.T @ pulls
    df = int(np.linalg.matrix_rank(spread))
    if df == 0:
        return 0.0, 0, 1.0
    statistic = float(total @ np.linalg.pinv(spread, hermitian=True) @ total)
    return statistic, df, chi2_above(statistic, df)


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


def _firth(design: Floats, passed: Floats, asked: Floats) -> Floats:
    """Coefficients of largest penalised likelihood: finite even where a level passes always or never."""
    coefficients = np.zeros(design.shape[1])
    reached = _penalise(design, coefficients, passed, asked)
    for _ in range(MAX_STEPS):
        chances = _chances(design @ coefficients)
        inverse = np.linalg.inv(_information(design, chances, asked))
        weights = asked * chances * (1 - chances)
        leverage = weights * np.einsum("ck,kl,cl->c", design, inverse, design)
        step = inverse @ (design.T @ (passed - asked * chances + leverage * (0.5 - chances)))
        step *= min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        for _ in range(30):
            likelihood = _penalise(design, coefficients + step, passed, asked)
            if likelihood >= reached - 1e-12 * abs(reached):
                break
            step /= 2
        coefficients, reached = coefficients + step, likelihood
        if np.abs(step).max() < TOLERANCE:
            break
    return coefficients


def _penalise(design: Floats, coefficients: Floats, passed: Floats, asked: Floats) -> float:
    odds = design @ coefficients
    likelihood = passed @ odds - asked @ np.logaddexp(0, odds)
    return float(likelihood + 0.5 * np.linalg.slogdet(_information(design, _chances(odds), asked))[1])


def _information(design: Floats, chances: Floats, asked: Floats) -> Floats:
    weighted: Floats = design.T @ ((asked * chances * (1 - chances))[:, None] * design)
    return weighted


def _chances(odds: Floats) -> Floats:
    chances: Floats = 0.5 * (1 + np.tanh(odds / 2))
    return chances

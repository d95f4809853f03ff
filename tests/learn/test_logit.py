"""The logistic model: closed forms, an independent optimiser, separation, and the size of its tests."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import chi2

from probatio.learn.statistics.logit import Floats, fit, independent_columns, invert_score_test, score_test


def _grouped(
    seed: int, tasks: int, coefficients: list[float], spread: float, per_cell: int = 1
) -> tuple[Floats, Floats, Floats]:
    """A 3 × 4 design and trials from it; tasks differ in difficulty by `spread` log-odds."""
    chance = np.random.default_rng(seed)
    one, two = np.divmod(np.arange(12), 4)
    design = np.column_stack(
        [np.ones(12), *(one == level for level in (1, 2)), *(two == level for level in (1, 2, 3))]
    ).astype(float)
    difficulty = chance.normal(0, spread, (tasks, 1))
    chances = 1 / (1 + np.exp(-(design @ np.array(coefficients) + difficulty)))
    asked = np.full((tasks, 12), float(per_cell))
    return design, chance.binomial(per_cell, chances).astype(float), asked


def test_without_factors_the_fit_is_the_rate_with_half_a_pass_and_half_a_failure_added() -> None:
    passed, asked = np.array([[3.0], [0.0], [5.0]]), np.array([[5.0], [4.0], [5.0]])
    assert fit(np.ones((1, 1)), passed, asked).coefficients[0] == pytest.approx(log(8.5 / 6.5))


def test_the_clustered_error_of_a_rate_is_the_hand_formulas() -> None:
    passed, asked = np.array([[3.0], [0.0], [5.0], [2.0]]), np.array([[5.0], [4.0], [5.0], [6.0]])
    fitted = fit(np.ones((1, 1)), passed, asked)
    rate = fitted.chances[0]
    spread = sum((one - of * rate) ** 2 for one, of in ((3, 5), (0, 4), (5, 5), (2, 6)))
    assert fitted.covariance[0, 0] == pytest.approx(4 / 3 * spread / (20 * rate * (1 - rate)) ** 2)


def test_two_levels_give_the_odds_ratio_with_half_added_to_each_cell() -> None:
    design = np.array([[1.0, 0.0], [1.0, 1.0]])
    passed, asked = np.array([[4.0, 9.0]] * 2), np.array([[10.0, 10.0]] * 2)
    fitted = fit(design, passed, asked)
    assert fitted.coefficients[1] == pytest.approx(log(18.5 / 2.5) - log(8.5 / 12.5), abs=1e-8)


def test_the_fit_is_the_top_of_the_penalised_likelihood() -> None:
    design, passed, asked = _grouped(3, 30, [-1.0, 0.7, 2.0, 0.2, 0.4, 1.0], 0.8)
    total, of = passed.sum(0), asked.sum(0)

    def against(coefficients: Floats) -> float:
        odds = design @ coefficients
        chances = 1 / (1 + np.exp(-odds))
        information = design.T @ (design * (of * chances * (1 - chances))[:, None])
        return float(-(total @ odds - of @ np.log1p(np.exp(odds)) + 0.5 * np.linalg.slogdet(information)[1]))

    best = minimize(against, np.zeros(6), method="BFGS", options={"gtol": 1e-8})
    assert fit(design, passed, asked).coefficients == pytest.approx(best.x, abs=1e-5)


def test_a_level_that_always_passes_gets_a_finite_coefficient() -> None:
    design = np.array([[1.0, 0.0], [1.0, 1.0]])
    fitted = fit(design, np.array([[5.0, 10.0]] * 20), np.array([[10.0, 10.0]] * 20))
    assert fitted.coefficients[1] == pytest.approx(log(200.5 / 0.5) - log(100.5 / 100.5))
    assert np.isfinite(fitted.covariance).all()


def test_the_clustered_interval_of_a_coefficient_holds_the_truth() -> None:
    """Between tasks: a factor is the same for all trials of a cell, the difficulty for all trials of a
    task."""
    held = 0
    for seed in range(400):
        design, passed, asked = _grouped(seed, 40, [0.0, 0.0, 0.0, 0.5, 0.0, 0.0], 0.0, per_cell=2)
        fitted = fit(design, passed, asked)
        error = fitted.covariance[3, 3] ** 0.5
        held += abs(fitted.coefficients[3] - 0.5) < 2.0227 * error  # t of 39
    assert 0.92 <= held / 400 <= 0.98


def test_a_factor_that_is_worth_nothing_is_called_so_as_often_as_p_says() -> None:
    called = 0
    for seed in range(600):
        design, passed, asked = _grouped(seed, 30, [0.3, 0.0, 0.0, 0.5, 0.5, 1.0], 1.5)
        called += score_test(design[:, [0, 3, 4, 5]], design[:, [1, 2]], passed, asked)[2] < 0.05
    assert called / 600 <= 0.07


def _plain_score(design: Floats, column: int, value: float, passed: Floats, asked: Floats) -> float:
    """The clustered score statistic of one coefficient at a value, written out answer by answer: the others
    are fitted by a general optimiser, the scores are summed by task."""
    answers = [
        (task, design[cell], float(right < passed[task, cell]))
        for task in range(len(passed))
        for cell in range(len(design))
        for right in range(int(asked[task, cell]))
    ]
    of_task, rows, right = (np.array(part) for part in zip(*answers, strict=True))
    rest, held = np.delete(rows, column, axis=1), value * rows[:, column]

    def against(coefficients: Floats) -> float:
        chances = expit(held + rest @ coefficients)
        information = rest.T @ (rest * (chances * (1 - chances))[:, None])
        likelihood = np.log(np.where(right == 1, chances, 1 - chances)).sum()
        return float(-likelihood - 0.5 * np.linalg.slogdet(information)[1])

    best = minimize(against, np.zeros(rest.shape[1]), method="BFGS", options={"gtol": 1e-9}).x
    chances = expit(held + rest @ best)
    weights = chances * (1 - chances)
    slope = np.linalg.lstsq(rest * np.sqrt(weights)[:, None], rows[:, column] * np.sqrt(weights), rcond=None)[
        0
    ]
    efficient = (right - chances) * (rows[:, column] - rest @ slope)
    by_task = np.array([efficient[of_task == task].sum() for task in range(len(passed))])
    return float(by_task.sum() ** 2 / (by_task**2).sum())


def test_the_score_test_is_the_textbooks_and_its_interval_ends_where_the_test_begins_to_reject() -> None:
    design, passed, asked = _grouped(3, 20, [-0.5, 0.7, 1.5, 0.2, 0.4, 1.0], 0.8)
    statistic, df, p = score_test(np.delete(design, 1, axis=1), design[:, [1]], passed, asked)
    assert statistic == pytest.approx(_plain_score(design, 1, 0.0, passed, asked), rel=1e-4)
    assert df == 1
    assert p == pytest.approx(chi2.sf(statistic, 1))
    for end in invert_score_test(design, 1, passed, asked):
        assert end is not None
        assert _plain_score(design, 1, end, passed, asked) == pytest.approx(chi2.ppf(0.95, 1), rel=2e-3)


def test_a_factor_that_is_worth_much_is_found() -> None:
    design, passed, asked = _grouped(1, 30, [-0.5, 1.0, 2.0, 0.0, 0.0, 0.0], 1.0)
    statistic, df, p = score_test(design[:, [0, 3, 4, 5]], design[:, [1, 2]], passed, asked)
    assert (df, p < 0.001) == (2, True)
    assert statistic <= 30  # never more than there are tasks


def test_a_test_survives_a_level_that_always_passes() -> None:
    design = np.array([[1.0, 0.0], [1.0, 1.0]])
    _, _, p = score_test(
        design[:, [0]], design[:, [1]], np.array([[5.0, 10.0]] * 20), np.array([[10.0, 10.0]] * 20)
    )
    assert p < 0.001


def test_columns_that_add_nothing_are_not_kept() -> None:
    given = np.ones((4, 1))
    candidates = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]], dtype=float).T
    assert independent_columns(given, candidates) == [0, 1]

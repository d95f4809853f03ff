"""The search for a level against the grid of all questions, on simulated learners."""

from __future__ import annotations

import numpy as np
import pytest

from learn.simulated_learners import LEVELS, TASKS, search, simulate_learner
from probatio.learn.statistics.threshold import find_window, look


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["steep", "shallow", "never", "nearly", "not monotone"])
def test_a_search_takes_a_third_of_the_grid_and_finds_its_level(kind: str) -> None:
    """Forty learners of a kind: `bench/learn_search.py` has more. With 90 % inside, fewer than 33 are seen
    once in 40 times."""
    found = [search(simulate_learner(kind, seed)) for seed in range(40)]
    assert np.mean([one.asked for one in found]) <= LEVELS * TASKS * 0.36
    assert sum(one.inside for one in found) >= 33
    assert sum(one.falls == one.truly_falls for one in found) >= 36


def test_with_every_question_asked_the_level_is_certain() -> None:
    truth = simulate_learner("shallow", 3)
    seen = look(truth, np.ones_like(truth), np.zeros_like(truth), 0.8)
    assert seen.chances.max() == 1 and seen.fall in (0, 1) and (seen.gains < 0).all()
    assert (seen.low == seen.high).all() and seen.shares == pytest.approx(truth.mean(1))


def test_the_same_answers_tell_the_same_and_a_question_that_failed_is_not_chosen() -> None:
    truth = simulate_learner("steep", 1)
    asked = np.zeros_like(truth)
    asked[::2, :5] = True
    closed = np.zeros_like(truth)
    closed[1] = True
    one, two = (look(truth & asked, asked, closed, 0.8) for _ in range(2))
    assert (one.chances == two.chances).all() and (one.gains == two.gains).all()
    assert (one.gains[1] < 0).all() and (one.gains[asked] < 0).all()


def test_a_window_is_the_fewest_levels_that_are_sure_enough() -> None:
    window = find_window(np.array([0.01, 0.5, 0.46, 0.02, 0.01]), 0.95)
    assert (window.first, window.last, round(window.chance, 2)) == (1, 2, 0.96)
    assert find_window(np.array([0.0, 0.0, 1.0]), 0.95) == (2, 2, 1.0)

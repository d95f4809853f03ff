"""The exact p over tasks, and Holm's correction, against libraries and by hand."""

from __future__ import annotations

from itertools import product

import pytest
from scipy.stats import binomtest

from probatio.core.statistics.pairs import TaskPairs, holm, mcnemar, measure_difference, swap_p


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (1, 0), (5, 0), (3, 9), (9, 3), (10, 10), (130, 171)])
def test_mcnemars_p_is_the_exact_binomial_one(gained: int, lost: int) -> None:
    expected = binomtest(gained, gained + lost, 0.5).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == pytest.approx(expected, rel=1e-9)
    assert swap_p([1] * gained + [-1] * lost + [0] * 7) == pytest.approx(expected, rel=1e-9)


def test_mcnemars_p_stays_a_number_for_many_flips() -> None:
    assert 0 < mcnemar(4000, 4200) < 0.05


@pytest.mark.parametrize("differences", [[3, -1, 2, 0, 4], [2, 2, 2], [5, -5], [-4, -1, -1, -1, 2, 2, -3]])
def test_p_over_tasks_counts_every_way_to_set_the_signs(differences: list[int]) -> None:
    sums = [
        abs(sum(sign * size for sign, size in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    expected = sum(one >= abs(sum(differences)) for one in sums) / len(sums)
    assert swap_p(differences) == pytest.approx(expected)


def test_holm_as_worked_in_the_textbook() -> None:
    """0.01 counts four times, 0.03 twice, and no p gets below one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_difference_is_shown_where_its_interval_keeps_clear_of_zero() -> None:
    clear = [TaskPairs(f"t{number}", 1, 0, 1, 1, 0) for number in range(12)]
    level = [TaskPairs(f"t{number}", 1, 1, 1, 0, 0) for number in range(12)]
    assert measure_difference(clear + level).shown
    assert not measure_difference(level).shown

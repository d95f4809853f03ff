"""One test of a paired difference: its interval and its p agree; and Holm's correction, by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import t as student

from probatio.core.statistics.intervals import estimate_paired_difference
from probatio.learn.statistics.pairs import TaskPairs, holm, measure_difference


def _tables() -> list[list[tuple[int, int, int]]]:
    """Every small table of one pair per task, and many of several pairs."""
    tables = [
        [(1, 0, 1)] * gained + [(0, 1, 1)] * lost + [(0, 0, 1)] * same
        for gained, lost, same in product(range(14), range(14), (0, 1, 4, 20))
        if gained + lost + same
    ]
    chance = np.random.default_rng(11)
    for _ in range(600):
        tasks, pairs = int(chance.integers(2, 30)), int(chance.integers(2, 12))
        moved = chance.binomial(pairs, chance.uniform(0, 1), tasks)
        gained = chance.binomial(moved, chance.uniform(0, 1, tasks) if chance.random() < 0.5 else 0.8)
        tables.append([(int(up), int(of - up), pairs) for up, of in zip(gained, moved, strict=True)])
    return tables


def test_the_interval_excludes_zero_exactly_where_p_is_below_5_percent() -> None:
    odd = []
    for table in _tables():
        found = estimate_paired_difference(table)
        if found.shown != (found.p < 0.05):
            odd.append((table, found))
    assert odd == []


def test_p_is_students_at_the_distance_of_the_interval_from_zero() -> None:
    table = [(1, 0, 1)] * 9 + [(0, 1, 1)] * 2 + [(0, 0, 1)] * 19
    found = estimate_paired_difference(table)
    up, down = 10 / 32, 3 / 32
    error = ((up + down - (up - down) ** 2) / 32) ** 0.5
    assert found.p == pytest.approx(2 * student.sf((up - down) / error, 29), rel=1e-9)


def test_alike_sides_are_told_apart_in_at_most_5_percent_of_comparisons() -> None:
    chance = np.random.default_rng(3)
    for tasks, flips in ((10, 0.4), (30, 0.2), (100, 0.8)):
        drawn = chance.multinomial(tasks, [flips / 2, flips / 2, 1 - flips], size=4000)
        counted: dict[tuple[int, ...], bool] = {}
        for gained, lost, same in drawn:
            key = (int(gained), int(lost))
            if key not in counted:
                table = [(1, 0, 1)] * int(gained) + [(0, 1, 1)] * int(lost) + [(0, 0, 1)] * int(same)
                counted[key] = estimate_paired_difference(table).p < 0.05
        false = sum(counted[int(gained), int(lost)] for gained, lost, _ in drawn) / len(drawn)
        assert false < 0.05 + 2.6 * (0.05 * 0.95 / len(drawn)) ** 0.5


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

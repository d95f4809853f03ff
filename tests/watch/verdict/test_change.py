"""The date of a confirmed change."""

from __future__ import annotations

import numpy as np
import pytest

from probatio.watch.verdict.evidence.change import best_break, date_change
from probatio.watch.verdict.evidence.evidence import EvidenceDay
from watch.verdict.synthetic_suite import CONSTANTS, JUDGED, STREAMS, folded, noisy

REFERENCE = CONSTANTS.reference_days


def dated(
    seed: int, *, quiet: int, bad: int, first: int = 700_000, named: list[bool] | None = None
) -> int | None:
    """The date of a fall in the judged use cases alone, `quiet` days after the reference."""
    rng = np.random.default_rng(seed)
    days = noisy(rng, 1, REFERENCE + quiet, rate=0.9, first=first)
    fallen = noisy(rng, 1, bad, rate=0.9, judged=72.0, first=first + REFERENCE + quiet)
    state, _ = folded(days)
    both = [*days, *fallen]
    return date_change(
        np.array([day.number for day in both]),
        np.concatenate([day.cases for day in both]),
        np.concatenate([day.judged for day in both]),
        STREAMS,
        state.worse.reference,
        0,
        None if named is None else np.array(named),
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_fall_is_dated_to_its_first_day_in_the_use_cases_that_fell(seed: int) -> None:
    assert dated(seed, quiet=20, bad=5, named=[False, True, False, True]) == 700_000 + REFERENCE + 20


def test_gaps_count_as_days_in_the_date() -> None:
    rng = np.random.default_rng(0)
    days = noisy(rng, 1, REFERENCE + 4)
    fallen = noisy(rng, 1, 6, judged=60.0, first=REFERENCE + 30)
    both = [*days, *fallen]
    state, _ = folded(days)
    changed = date_change(
        np.array([day.number for day in both]),
        np.concatenate([day.cases for day in both]),
        np.concatenate([day.judged for day in both]),
        STREAMS,
        state.worse.reference,
        0,
        np.array([False, True, False, True]),
    )
    assert changed == REFERENCE + 30


def test_days_without_any_score_are_left_out() -> None:
    rng = np.random.default_rng(0)
    days = noisy(rng, 1, REFERENCE + 10)
    state, _ = folded(days)
    fallen = noisy(rng, 1, 6, judged=60.0, first=REFERENCE + 10)
    fallen[1].cases[:], fallen[1].judged[:] = np.nan, np.nan
    both = [*days, *fallen]
    changed = date_change(
        np.array([day.number for day in both]),
        np.concatenate([day.cases for day in both]),
        np.concatenate([day.judged for day in both]),
        STREAMS,
        state.worse.reference,
        0,
    )
    assert changed == REFERENCE + 10


def test_three_days_can_not_be_parted() -> None:
    days = noisy(np.random.default_rng(0), 1, REFERENCE)
    state, _ = folded(days)
    few = np.full((3, JUDGED), 80.0)
    assert date_change(np.arange(3), np.ones((3, 5)), few, STREAMS, state.worse.reference, 0) is None


def test_after_a_recovery_the_second_fall_is_dated_not_the_first() -> None:
    rng = np.random.default_rng(0)
    first = REFERENCE + 10
    levels = [(REFERENCE + 10, 85.0), (20, 60.0), (12, 85.0), (4, 70.0)]
    days: list[EvidenceDay] = []
    for count, judged in levels:
        days += noisy(rng, 1, count, judged=judged, first=len(days))
    state, _ = folded(days[:REFERENCE])

    def break_since(since: int | None) -> int | None:
        return date_change(
            np.array([day.number for day in days]),
            np.concatenate([day.cases for day in days]),
            np.concatenate([day.judged for day in days]),
            STREAMS,
            state.worse.reference,
            0,
            np.array([False, True, False, True]),
            since,
        )

    recovered_on = first + 20 + 6
    assert break_since(None) == first
    assert break_since(recovered_on - CONSTANTS.recovered_days + 1) == first + 20 + 12


def test_the_break_is_the_one_ruptures_finds() -> None:
    from ruptures import Binseg

    rng = np.random.default_rng(11)
    for _ in range(200):
        length, drop = int(rng.integers(4, 80)), float(rng.normal(0, 0.1))
        values = rng.normal(0, 0.05, length)
        values[int(rng.integers(0, length)) :] += drop
        assert best_break(values) == Binseg(model="l2", min_size=2, jump=1).fit(values).predict(n_bkps=1)[0]

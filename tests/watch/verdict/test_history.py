"""Which days are in the reference, and when it grows; and when the next day is asked at full count."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.evidence import CONFIRMED, EvidenceDay
from probatio.watch.verdict.evidence.history import reference_days
from watch.verdict.synthetic_suite import CASES, CONSTANTS, folded, noisy, steady

REFERENCE = CONSTANTS.reference_days
EVERY, LAG = CONSTANTS.reference_every, CONSTANTS.reference_lag


@pytest.mark.parametrize(
    ("lived", "days"), [(28, 28), (35, 28), (42, 28), (48, 28), (49, 35), (55, 35), (56, 42), (84, 70)]
)
def test_every_week_what_lies_two_weeks_back_is_taken_in(lived: int, days: int) -> None:
    _, outcomes = folded(noisy(np.random.default_rng(1), 1, lived))
    assert outcomes[-1].reference_days[0] == days


def test_the_grown_reference_is_that_of_all_its_days() -> None:
    days = noisy(np.random.default_rng(1), 1, 84)
    state, _ = folded(days)
    cases, _, _, numbers, counts = reference_days(state.history, np.array([0]), CONSTANTS)
    assert counts.tolist() == [70]
    assert numbers[0].tolist() == list(range(70))
    np.testing.assert_array_equal(cases[0], np.concatenate([day.cases for day in days[:70]]))
    np.testing.assert_allclose(state.worse.reference.mean[0], cases[0].mean(axis=0))


def test_it_has_at_most_so_many_days() -> None:
    few = msgspec.structs.replace(CONSTANTS, reference_most=40)
    state = evidence.start(1, folded(noisy(np.random.default_rng(1), 1, 1))[0].streams, few)
    for day in noisy(np.random.default_rng(1), 1, 120):
        state, _ = evidence.step(state, day)
    assert state.worse.reference.days[0] == 40


def test_gaps_are_no_days() -> None:
    days = noisy(np.random.default_rng(1), 2, 60)
    for day in days[10:15]:
        day.cases[1], day.judged[1] = np.nan, np.nan
    state, _ = folded(days)
    alone, _ = folded(
        [EvidenceDay(day.number, day.cases[1:], day.judged[1:]) for day in [*days[:10], *days[15:]]]
    )
    assert state.worse.reference.days.tolist() == [42, 35]
    np.testing.assert_allclose(state.worse.reference.level[1], alone.worse.reference.level[0])
    np.testing.assert_allclose(state.worse.reference.tau[1], alone.worse.reference.tau[0])


def test_it_does_not_grow_while_confirmed_and_the_fall_never_enters() -> None:
    rng = np.random.default_rng(1)
    good = noisy(rng, 1, 60)
    bad = noisy(rng, 1, 30, judged=60.0, first=60)
    again = noisy(rng, 1, 60, first=90)
    state, outcomes = folded([*good, *bad])
    assert outcomes[-1].status[0] == CONFIRMED
    confirmed_from = next(n for n, outcome in enumerate(outcomes) if outcome.status[0] == CONFIRMED)
    before = outcomes[confirmed_from - 1].reference_days[0]
    assert outcomes[-1].reference_days[0] == before
    state, outcomes = folded(again, state)
    assert outcomes[-1].status[0] != CONFIRMED
    _, judged, _, numbers, _ = reference_days(state.history, np.array([0]), CONSTANTS)
    assert len(numbers[0]) > before, "it grows again"
    assert not ((numbers[0] >= 60) & (numbers[0] < 90)).any()
    assert judged[0].mean() > 83


def test_the_next_day_is_asked_at_full_count_where_much_has_been_won() -> None:
    state, _ = folded(noisy(np.random.default_rng(1), 1, REFERENCE + 3))
    bets = int(state.worse.memory.bets[0])
    assert bets == 3
    for value, asked in ((20 + bets, True), (20 + bets - 1e-9, False)):
        assert evidence.asks_full(replace(state, before=np.array([float(value)]))).tolist() == [asked]
    assert not evidence.asks_full(replace(state, before=np.array([1e9]), confirmed=np.array([True])))[0]
    calibrating, _ = folded(noisy(np.random.default_rng(1), 1, REFERENCE - 1))
    assert not evidence.asks_full(replace(calibrating, before=np.array([1e9])))[0]


def test_at_full_count_a_day_that_is_bad_for_all_is_tempered_more() -> None:
    rng = np.random.default_rng(4)
    together = [
        EvidenceDay(
            day, (rng.random((1, 1)) < 0.8).astype(float).repeat(CASES, axis=1), np.full((1, 2), 85.0)
        )
        for day in range(REFERENCE)
    ]
    together[-1] = steady(number=REFERENCE - 1)  # low yesterday, no case would bet
    state, _ = folded(together)
    bad = steady(case=0.3, number=REFERENCE)
    plain, _ = folded([bad], state)
    full, _ = folded([replace(bad, full=np.array([True]))], state)
    pool = 5
    assert (full.worse.streams[0, pool, 1:5] < plain.worse.streams[0, pool, 1:5]).all()

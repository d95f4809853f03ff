"""The memory: a bet on which cases fell is fair, needs them to stay low, and can't be won in a day."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from probatio.watch.verdict.evidence.evidence import EvidenceState
from probatio.watch.verdict.evidence.memory import Memory, memory_values, remember
from probatio.watch.verdict.evidence.reference import Reference
from watch.verdict.synthetic_suite import CASES, CONSTANTS, STREAMS, folded, referenced, steady

REFERENCE, MEMORY = CONSTANTS.reference_days, CONSTANTS.memory
POOL = len(STREAMS.deterministic)


def after(
    reference: Reference,
    memory: Memory,
    cases: np.ndarray,
    low_days: np.ndarray,
    *,
    full: bool = False,
    power: float = 1.0,
) -> Memory:
    return remember(
        STREAMS,
        CONSTANTS,
        reference,
        memory,
        low_days,
        cases[None],
        np.ones((1, CASES), dtype=bool),
        np.array([full]),
        np.full((1, POOL + 1), power),
    )


def mean_value(state: EvidenceState, rate_of_low: np.ndarray, low_days: np.ndarray) -> np.ndarray:
    """[D + 1] the exact mean of K of a change day that begins today, over all outcomes of the cases."""
    reference, memory = (
        state.worse.reference,
        replace(state.worse.memory, kept=np.zeros_like(state.worse.memory.kept)),
    )
    total = np.zeros(POOL + 1)
    for outcome in product((False, True), repeat=CASES):
        chance = np.prod(np.where(outcome, rate_of_low, 1 - rate_of_low))
        total += chance * memory_values(after(reference, memory, np.where(outcome, 0.0, 1.0), low_days))[0]
    return total


def test_the_bet_is_fair_at_the_estimated_rates_and_loses_where_things_go_better() -> None:
    state = referenced(seed=3)
    reference = state.worse.reference
    up, low_once, low_longer = (np.full((1, CASES), days) for days in (0, 1, 2))
    assert mean_value(state, reference.entry[0], up) == pytest.approx(1.0)
    assert (mean_value(state, reference.entry[0] / 2, up) < 1).all()
    for days, recovery in (
        (low_once, reference.first_recovery[0]),
        (low_longer, reference.later_recovery[0]),
    ):
        assert mean_value(state, np.full(CASES, 1 - recovery), days) == pytest.approx(1.0)
        assert (mean_value(state, np.full(CASES, 0.9 * (1 - recovery)), days) < 1).all()


def test_one_day_wins_at_most_the_growth_and_the_surplus_is_paid_out_if_it_lasts() -> None:
    streams_state, _ = folded([steady(number=day) for day in range(REFERENCE)])
    reference, memory = streams_state.worse.reference, streams_state.worse.memory
    dead = np.zeros(CASES)
    first = after(reference, memory, dead, np.zeros((1, CASES), dtype=np.int64))
    assert first.kept[0, POOL].max() == pytest.approx(MEMORY.growth)
    second = after(reference, first, dead, np.ones((1, CASES), dtype=np.int64))
    assert second.kept[0, POOL, 0] > first.kept[0, POOL, 0]
    back = after(reference, first, np.ones(CASES), np.ones((1, CASES), dtype=np.int64))
    assert back.kept[0, POOL, 0] < first.kept[0, POOL, 0] / 1000, "it came back the next day"


def test_a_change_is_forgotten_after_the_window() -> None:
    state = referenced(seed=3)
    reference, memory = state.worse.reference, state.worse.memory
    memory = after(reference, memory, np.zeros(CASES), np.zeros((1, CASES), dtype=np.int64))
    began = memory.wealth[0, :, 0].copy()
    for _ in range(MEMORY.days):
        memory = after(reference, memory, np.ones(CASES), np.zeros((1, CASES), dtype=np.int64))
    assert (memory.wealth[0, :, 0] < began).all()
    assert memory.bets[0] == MEMORY.days + 1
    assert memory.kept[0, POOL, 0] < 1


def test_the_power_is_fixed_when_a_change_day_begins() -> None:
    state = referenced(seed=3)
    up = np.zeros((1, CASES), dtype=np.int64)
    memory = after(state.worse.reference, state.worse.memory, np.ones(CASES), up, power=0.5)
    memory = after(state.worse.reference, memory, np.ones(CASES), up, power=0.8)
    assert memory.power[0, POOL, :2].tolist() == [0.5, 0.8]


def test_a_use_case_without_a_score_keeps_what_it_has_and_supposes_nothing_new() -> None:
    state = referenced(seed=3)
    up = np.zeros((1, CASES), dtype=np.int64)
    memory = after(state.worse.reference, state.worse.memory, np.ones(CASES), up)
    half = np.where(STREAMS.home == 0, np.nan, 1.0)
    later = after(state.worse.reference, memory, half, up)
    assert later.kept[0, 0].tolist() == memory.kept[0, 0].tolist()
    assert later.kept[0, 1, 1] > 0


def test_at_full_count_becoming_low_is_less_of_a_surprise() -> None:
    state, _ = folded([steady(number=day) for day in range(REFERENCE)])
    reference, memory = state.worse.reference, state.worse.memory
    one_low = np.array([0.6] + [1.0] * (CASES - 1))
    up = np.zeros((1, CASES), dtype=np.int64)
    values = [
        memory_values(after(reference, memory, one_low, up, full=full))[0, POOL] for full in (False, True)
    ]
    assert values[0] > values[1]

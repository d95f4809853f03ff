"""Scales and ticks: where a value stands, and which labels a reader gets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probatio.charts.scales import (
    Scale,
    amount_ticks,
    decade_label,
    decade_ticks,
    round_ticks,
    slots,
    thin_labels,
)


def test_a_scale_goes_from_end_to_end_and_not_beyond() -> None:
    scale = Scale(0, 100, 200, 20)
    assert [scale.at(value) for value in (0, 50, 100)] == [200, 110, 20]
    assert (scale.at(-5), scale.at(130)) == (200, 20)


def test_a_logarithmic_scale_gives_each_decade_the_same_room() -> None:
    scale = Scale(1, 10_000, 0, 80, logarithmic=True)
    assert [scale.at(value) for value in (1, 10, 100, 10_000)] == pytest.approx([0, 20, 40, 80])
    assert scale.at(0) == 0


def test_a_scale_without_width_draws_at_its_start() -> None:
    assert Scale(5, 5, 10, 90).at(5) == 10


@pytest.mark.parametrize(
    ("high", "ticks"),
    [
        (1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (7906, [0, 2000, 4000, 6000]),
        (8064, [0, 2000, 4000, 6000, 8000]),
        (30, [0, 5, 10, 15, 20, 25, 30]),
    ],
)
def test_ticks_are_round(high: float, ticks: list[float]) -> None:
    assert round_ticks(0, high, 6) == pytest.approx(ticks)


@given(st.floats(1e-3, 1e9), st.integers(3, 10))
def test_ticks_stay_inside_and_are_few(high: float, most: int) -> None:
    ticks = round_ticks(0, high, most)
    assert 2 <= len(ticks) <= most + 1
    assert ticks[0] == 0
    assert ticks[-1] <= high * (1 + 1e-6)


def test_decades_are_written_out_on_a_short_axis_and_as_powers_on_a_long_one() -> None:
    assert decade_ticks(36_500, 6) == [0, 1, 2, 3, 4]
    assert decade_ticks(1e14, 6) == [0, 3, 6, 9, 12]
    assert decade_label(4, 4) == "10,000"
    assert decade_label(12, 12) == "10^12"


def test_every_slot_has_its_place_in_the_middle() -> None:
    assert slots(4, 0, 80) == [10, 30, 50, 70]
    assert slots(0, 0, 80) == []


def test_labels_that_have_no_room_are_left_out() -> None:
    dates = [f"2026-03-{day:02}" for day in range(1, 32)]
    shown = thin_labels(dates, 650)
    assert shown[0] == 0
    assert 5 <= len(shown) <= 8
    assert thin_labels(["1", "2", "3"], 650) == [0, 1, 2]


def test_ticks_of_amounts_are_round_and_never_more_than_there_is_room_for() -> None:
    assert amount_ticks(80, 1200, 6) == [100, 200, 500, 1000]
    assert amount_ticks(80, 12_000, 6) == [100, 300, 1000, 3000, 10_000]
    assert amount_ticks(1, 1e9, 6) == [1, 1e2, 1e4, 1e6, 1e8]

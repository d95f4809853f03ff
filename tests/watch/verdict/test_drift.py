"""A slow decline is dated from where it began; a step stays a step."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path

import pytest

from probatio.core.records import Day
from probatio.watch.alerts.describing import VerdictDescriber
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.drift import find_drift
from probatio.watch.verdict.verdicts import verdicts
from watch.verdict.made_up import CONSTANTS, day_at, made_up_day

DAYS, BEGAN = 150, 60


def _days(seed: int, loss: float, over: int, carry: float = 0.0) -> list[Day]:
    """Noisy days that lose `loss` points from day 60 on, over so many days."""
    draw, last, made = random.Random(seed), 0.0, []
    for number in range(DAYS):
        last = carry * last + draw.gauss(0, 2)
        lost = loss * min(1.0, max(0, number - BEGAN + 1) / over)
        made.append(made_up_day(number, {"m": {"a": 85 + last - lost, "b": 80 - last / 2 - lost}}))
    return made


@pytest.mark.parametrize("seed", range(20))
def test_a_slope_is_dated_from_where_it_began(seed: int) -> None:
    began = find_drift("m", _days(seed, 15.0, 80), ("a", "b"))
    assert began is not None
    assert abs((date.fromisoformat(began) - date.fromisoformat(day_at(BEGAN))).days) <= 14


@pytest.mark.parametrize("carry", [0.0, 0.5])
@pytest.mark.parametrize("loss", [0.0, 5.0, 20.0])
def test_a_step_stays_a_step_and_noise_is_none(loss: float, carry: float) -> None:
    assert [find_drift("m", _days(seed, loss, 1, carry), ("a", "b")) for seed in range(40)] == [None] * 40


def test_a_slow_decline_is_told_with_its_month_and_the_verdict_keeps_its_date(tmp_path: Path) -> None:
    days = _days(3, 15.0, 80)
    (last,) = verdicts(Days(days), CONSTANTS, dates={days[-1].date})
    assert last.evidence == "CONFIRMED" and last.changed_on is not None
    told = VerdictDescriber(tmp_path, {day.date: day for day in days}, ()).describe(last, answers=False)
    assert f"since about {last.changed_on}" in told.summary
    month = "{0:%B} {0.year}".format(date.fromisoformat(day_at(BEGAN)))
    assert f"it has been drifting down since {month}." in told.summary
    stepped = _days(3, 15.0, 1)
    (other,) = verdicts(Days(stepped), CONSTANTS, dates={stepped[-1].date})
    plain = VerdictDescriber(tmp_path, {day.date: day for day in stepped}, ()).describe(other, answers=False)
    assert other.confirmed and "drifting" not in plain.summary


def test_few_days_say_nothing_of_a_drift() -> None:
    assert find_drift("m", _days(1, 15.0, 80)[:40], ("a", "b")) is None
    assert find_drift("m", [], ("a",)) is None

"""The level before: the days found again from a verdict are those the evidence bets against."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest

from probatio.core.records import Day
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.evidence.history import reference_days
from probatio.watch.verdict.fold import fold
from probatio.watch.verdict.reference_level import find_level_before, list_set_aside
from probatio.watch.verdict.verdicts import verdicts
from watch.verdict.made_up import CONSTANTS, made_up_day

USE_CASES = ("a", "b")


def _wave(number: int, level: float = 90.0) -> float:
    """Never the same two days, so that a wrong day is a wrong number."""
    return level + (number * 7 % 11) / 10


@pytest.fixture(scope="module")
def days() -> list[Day]:
    """Well for 45 days, down for 20, well again for 45; one gap in the reference, one later."""
    made = []
    for number in range(110):
        score = None if number in (5, 50) else _wave(number, 60.0 if 45 <= number < 65 else 90.0)
        made.append(made_up_day(number, {"m": dict.fromkeys(USE_CASES, score)}))
    return made


def test_the_days_are_those_of_the_reference_also_after_a_fall_that_is_over(days: list[Day]) -> None:
    published = verdicts(Days(days), CONSTANTS)
    aside = list_set_aside(published)
    told = {each.evidence for each in published}
    assert {"CONFIRMED", "RECOVERED"} <= told, "the days have what this is about"
    checked = 0
    for verdict, folded in zip(published, fold(Days(days), CONSTANTS), strict=True):
        level = find_level_before(verdict, days, CONSTANTS, aside)
        assert level.reference == bool(folded.state.ready[0])
        if not level.reference:
            continue
        numbers = reference_days(folded.state.history, np.array([0]), CONSTANTS.evidence)[3][0]
        dates = [day.date for day in days if day.ordinal in set(numbers.tolist())]
        assert list(level.days) == dates, verdict.date
        means = [
            line.score for day in days if day.date in dates for line in day.scores if line.use_case == "a"
        ]
        assert level.scores["a"] == pytest.approx(fmean(each for each in means if each is not None))
        checked += 1
    assert checked > 70 and min(level.scores.values()) > 89


def test_a_level_that_is_no_reference_has_another_name_and_ends_before_the_fall(days: list[Day]) -> None:
    young = [made_up_day(number, {"m": dict.fromkeys(USE_CASES, 90.0)}) for number in range(10)]
    young += [made_up_day(number, {"m": dict.fromkeys(USE_CASES, 20.0)}) for number in range(10, 13)]
    (last,) = verdicts(Days(young), CONSTANTS, dates={young[-1].date})
    level = find_level_before(last, young, CONSTANTS, {})
    assert (level.reference, level.scores["a"]) == (False, 90.0)
    assert level.describe("a") == "90 on the days before" and level.describe("unknown") == ""

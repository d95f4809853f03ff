"""Asked late: which answers belong to a day's own date."""

from __future__ import annotations

import msgspec
import pytest

from probatio.watch.day.samples import find_late_models
from watch.verdict.made_up import record

DAY = "2026-03-10"


@pytest.mark.parametrize(
    ("created", "first", "late"),
    [
        ("2026-03-10T06:00:00.000Z", "2026-03-10T06:00:09.000Z", False),
        ("2026-03-10T06:00:00.000Z", "2026-03-10T23:59:59.999Z", False),
        ("2026-03-10T23:59:58.000Z", "2026-03-11T00:00:03.000Z", False),  # the run goes on over midnight
        ("2026-03-10T22:00:00.000Z", "2026-03-11T04:00:00.000Z", False),
        ("2026-03-10T23:00:00.000Z", "2026-03-11T12:00:00.000Z", True),  # not the run that began the day
        (
            "2026-03-10T06:00:00.000Z",
            "2026-03-14T06:00:00.000Z",
            True,
        ),  # a model added to a day that was begun
        ("2026-03-14T06:00:00.000Z", "2026-03-14T06:00:09.000Z", True),
        (
            "2026-03-11T00:00:01.000Z",
            "2026-03-11T00:00:03.000Z",
            True,
        ),  # begun on the next date, however shortly
        ("2026-03-10T06:00:00.000Z", "2026-03-09T06:00:00.000Z", True),  # before the day
        ("2026-03-10T06:00:00.000Z", "no moment", True),
        ("2026-03-10T06:00:00.000Z", "2026-03-11T07:00:00.000", True),  # no zone
    ],
)
def test_a_model_is_late_whose_first_answer_is_of_another_date(created: str, first: str, late: bool) -> None:
    day = record(DAY, ["m"], created=created)
    assert find_late_models(day, {"m": first}) == ({"m": first[:10]} if late else {})


def test_each_model_is_late_by_itself() -> None:
    day = record(DAY, ["m", "n"], created=f"{DAY}T06:00:00.000Z")
    first = {"m": f"{DAY}T06:00:00.000Z", "n": "2026-03-12T06:00:00.000Z"}
    assert find_late_models(day, first) == {"n": "2026-03-12"}


def test_a_replayed_day_has_no_date_of_its_own_to_be_late_for() -> None:
    day = msgspec.structs.replace(record(DAY, ["m"]), replayed=True)
    assert find_late_models(day, {"m": "2026-11-15T06:00:00.000Z"}) == {}

"""Charts that stand in a page: whole markup, no style of their own, dates people read, the change where it
began."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from probatio.charts.days import DayPoint, DaySpan, ValueAxis, plot_days
from probatio.charts.scales import date_ticks

HOSTILE = "</title><script>x</script>\"'&"
AXIS = ValueAxis(60, 100, ((60, "60"), (80, "80"), (100, "100")))
DATES = [f"2026-03-{day:02}" for day in range(1, 11)]
DAYS = [
    *(DayPoint(90.0 + number, 90.0, "OK") for number in range(4)),
    DayPoint(None, 90.0, "GAP"),
    DayPoint(90.0, 90.0, "OK"),
    DayPoint(64.0, 90.0, "SUSPICIOUS", border=HOSTILE),
    *(DayPoint(65.0, 90.0, "COOKED") for _ in range(3)),
]


def _drawn(**more: Any) -> ElementTree.Element:
    span = DaySpan(6, 8, (HOSTILE, HOSTILE))
    return ElementTree.fromstring(
        plot_days(DAYS, DATES, AXIS, HOSTILE, height=200, span=span, end="65", **more)
    )


def test_hostile_text_stays_text_and_nothing_needs_a_style_that_the_policy_forbids() -> None:
    root = _drawn()
    assert root.findtext("title") == HOSTILE
    assert not [each for each in root.iter() if each.tag in ("script", "style") or "style" in each.attrib]


def test_a_gap_breaks_the_line_and_is_marked_at_the_bottom() -> None:
    paths = {each.attrib["class"]: each.attrib["d"] for each in _drawn().iter("path")}
    assert paths["value"].count("M") == 2
    assert paths["mark GAP"].count("M") == 1
    assert (paths["mark SUSPICIOUS"].count("M"), paths["mark COOKED"].count("M")) == (1, 3)
    assert re.fullmatch(r"M46 85l838\+0", paths["usual"]), "a level line is one line"


def test_the_script_gets_every_day_and_a_usual_value_where_it_changes() -> None:
    root = _drawn()
    assert root.attrib["data-values"] == "90;91;92;93;;90;64;65;65;65"
    assert (root.attrib["data-usual"], root.attrib["data-marks"]) == ("90", "oooogosccc")
    days = [DayPoint(1.0), DayPoint(2.0, 90.0), DayPoint(3.0, 90.2), DayPoint(4.0, 91.0), DayPoint(5.0)]
    root = ElementTree.fromstring(plot_days(days, DATES[:5], AXIS, "t", height=100))
    assert root.attrib["data-usual"] == "-,90,,91,-"


def test_the_change_is_marked_where_it_began_with_the_days_that_made_it() -> None:
    root = _drawn()
    (span,) = [each for each in root.iter("rect") if each.attrib["class"] == "span"]
    (line,) = [each for each in root.iter("line") if each.attrib["class"] == "change"]
    assert span.attrib["x"] == line.attrib["x1"] == "55.8%", "six of ten slots, which take 93 % of the width"
    assert span.attrib["width"] == "27.9%", "three slots"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300])
def test_a_number_that_a_server_made_up_is_drawn_or_left_out_but_breaks_nothing(value: float) -> None:
    axis = ValueAxis(36.5, 7.3e8, (), logarithmic=True)
    root = ElementTree.fromstring(
        plot_days([DayPoint(5.0), DayPoint(value)], DATES[:2], axis, "t", height=100)
    )
    assert re.fullmatch(r"5;(1e\+300)?", root.attrib["data-values"])


def _days(count: int) -> list[str]:
    return [(dt.date(2025, 12, 20) + dt.timedelta(number)).isoformat() for number in range(count)]


@pytest.mark.parametrize(
    ("count", "labels"),
    [
        (3, ["20 Dec", "21 Dec", "22 Dec"]),
        (10, ["21 Dec", "23 Dec", "25 Dec", "27 Dec", "29 Dec"]),
        (30, ["22 Dec", "29 Dec", "5 Jan", "12 Jan"]),
        (120, ["Jan 2026", "Feb", "Mar", "Apr"]),
        (366, ["Jan 2026", "Mar", "May", "Jul", "Sep", "Nov"]),
        (3000, ["2026", "2027", "2028", "2029", "2030", "2031", "2032", "2033", "2034"]),
    ],
)
def test_dates_are_days_people_count_by(count: int, labels: list[str]) -> None:
    ticks = date_ticks(_days(count), 9 if count == 3000 else 6)
    assert [label for _, label in ticks] == labels


def test_dates_that_are_none_get_no_labels() -> None:
    assert date_ticks(["yesterday", "2026-03-01"], 6) == ()
    assert date_ticks([], 6) == ()

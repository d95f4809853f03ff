"""Charts that stand in a page: as wide as their place, coloured by its stylesheet, with the values that its script tells.

Letters and marks keep their size at any width: places across are shares of the width; lines are drawn in a part that stretches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from math import isfinite

import msgspec

from probatio.charts.dates import date_ticks
from probatio.charts.scales import Scale, slots
from probatio.charts.svg import pieces
from probatio.records import Status

ROOM = 0.93
"""Share of the width that the days take; the value of the last day stands beside them."""
_UNITS = 1000.0
_TOP, _BOTTOM = 20.0, 22.0
_ROW = 15.0
_LETTERS: dict[Status, str] = {"OK": "o", "SUSPICIOUS": "s", "COOKED": "c", "CALIBRATING": "n", "GAP": "g"}


class PlotDay(msgspec.Struct, frozen=True):
    """One day: what was measured, what was usual, and the mark that the day carries."""

    value: float | None = None
    usual: float | None = None
    status: Status | None = None
    border: str = ""  # what is new from this day on


class Span(msgspec.Struct, frozen=True):
    """The days that made a change, by number, and what to say of them."""

    first: int
    last: int
    lines: tuple[str, ...] = ()  # short: a phone has room for twenty letters


class Axis(msgspec.Struct, frozen=True):
    """The values up the chart, with their names; `kind` tells the script how a value is said."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    kind: str = "points"
    logarithmic: bool = False


def day_plot(
    days: Sequence[PlotDay],
    dates: Sequence[str],
    axis: Axis,
    title: str,
    *,
    height: float,
    span: Span | None = None,
    most_dates: int = 6,
    end: str = "",
) -> str:
    """An element of a page. `end`: what is written beside the last value."""
    floor = height - _BOTTOM
    y = Scale(axis.low, axis.high, floor, _TOP, axis.logarithmic)
    places = slots(len(days), 0, _UNITS * ROOM)
    half = _UNITS * ROOM / max(1, len(days)) / 2
    parts = [
        f'<svg class="plot" height="{height:.0f}" role="img" data-kind="{axis.kind}" data-room="{ROOM}" '
        f'data-scale="{axis.low:g} {axis.high:g} {floor:g} {_TOP:g} {int(axis.logarithmic)}" {_data(days)}>'
        f"<title>{escape(title)}</title>"
    ]
    if span is not None:
        left, right = places[span.first] - half, places[span.last] + half
        parts.append(
            f'<rect class="span" x="{_across(left)}" y="0" width="{_across(right - left)}" height="{floor:g}"/>'
        )
    parts += [
        f'<line class="grid" x1="0" x2="100%" y1="{y.at(each):.1f}" y2="{y.at(each):.1f}"/>' for each, _ in axis.ticks
    ]
    for number, label in date_ticks(dates, most_dates):
        x = _across(places[number])
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{floor:g}" y2="{floor + 4:g}"/>')
        parts.append(_text(places[number], height - 5, label, "start" if places[number] < 40 else "middle"))
    for number, day in enumerate(days):
        if day.border:
            parts += _upright(places[number] - half, "border", (day.border,), floor, floor - 6)
    parts += _lines(days, places, y, floor)
    parts += [
        _text(0, y.at(each) - 3, label) for each, label in axis.ticks
    ]  # over the lines, which they would be lost in
    if span is not None:
        parts += _upright(places[span.first] - half, "change", span.lines, floor, 11)
    if end and days and days[-1].value is not None:
        parts.append(_text(_UNITS, y.at(days[-1].value) + 5, end, "end", "end"))
    return "".join([*parts, "</svg>"])


def _data(days: Sequence[PlotDay]) -> str:
    """What the script tells of each day, as short as it can be written: a usual value that is the day before's is left out."""
    usual = [_value(day.usual, 0) or "-" for day in days]
    said = [each if number == 0 or each != usual[number - 1] else "" for number, each in enumerate(usual)]
    letters = "".join(_LETTERS[day.status] if day.status else "-" for day in days)
    values = ",".join(_value(day.value, 1) for day in days)
    return f'data-values="{values}" data-usual="{",".join(said).rstrip(",")}" data-marks="{letters}"'


def _value(value: float | None, places: int) -> str:
    if value is None or not isfinite(value):
        return ""
    return f"{value:.{places}f}".removesuffix(".0") if abs(value) < 10**6 else f"{value:.4g}"


def _lines(days: Sequence[PlotDay], places: Sequence[float], y: Scale, floor: float) -> Iterator[str]:
    """The part that stretches. A mark is a line of no length: its round or square end keeps its size."""
    yield f'<svg viewBox="0 0 {_UNITS:g} {floor:g}" width="100%" height="{floor:g}" preserveAspectRatio="none">'
    for kind, values in (("usual", [day.usual for day in days]), ("value", [day.value for day in days])):
        if drawn := "".join(_stretch(piece, places, y) for piece in pieces(values)):
            yield f'<path class="{kind}" d="{drawn}"/>'
    for status in ("SUSPICIOUS", "COOKED"):
        marked = [(x, day.value) for x, day in zip(places, days, strict=True) if day.status == status]
        if drawn := "".join(f"M{x:.0f} {y.at(value):.0f}h.1" for x, value in marked if value is not None):
            yield f'<path class="mark {status}" d="{drawn}"/>'
    gaps = [x for x, day in zip(places, days, strict=True) if day.status is not None and day.value is None]
    if gaps:
        yield f'<path class="mark GAP" d="{"".join(f"M{x:.0f} {floor - 4:.0f}h.1" for x in gaps)}"/>'
    yield "</svg>"


def _stretch(piece: Sequence[tuple[int, float]], places: Sequence[float], y: Scale) -> str:
    """A line through the days, to half a pixel, in steps: as short as it can be written. Days on a level line between their
    neighbours need no point."""
    points = [(round(places[number]), round(2 * y.at(value)) / 2) for number, value in piece]
    if len(points) == 1:  # a line of no length would not be seen
        return f"M{points[0][0]} {points[0][1]:g}h1"
    kept = [
        (x, at)
        for number, (x, at) in enumerate(points)
        if number in (0, len(points) - 1) or not points[number - 1][1] == at == points[number + 1][1]
    ]
    steps = " ".join(f"{right - left}{lower - upper:+g}" for (left, upper), (right, lower) in pairwise(kept))
    return f"M{kept[0][0]} {kept[0][1]:g}l{steps}"


def _upright(x: float, kind: str, lines: Sequence[str], floor: float, level: float) -> Iterator[str]:
    """A line with its name beside it, to the side that has more room."""
    yield f'<line class="{kind}" x1="{_across(x)}" x2="{_across(x)}" y1="0" y2="{floor:g}"/>'
    late = x > _UNITS / 2
    for number, name in enumerate(lines):
        # A hard space keeps the name off its line: a share of the width plus pixels can't be written.
        content = f"{name}\u00a0" if late else f"\u00a0{name}"
        yield _text(x, level + _ROW * number, content, "end" if late else "start", kind)


def _text(x: float, y: float, content: str, anchor: str = "start", kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    aligned = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text{named} x="{_across(x)}" y="{y:.0f}"{aligned}>{escape(content)}</text>'


def _across(units: float) -> str:
    return f"{units / _UNITS * 100:.1f}".removesuffix(".0") + "%"

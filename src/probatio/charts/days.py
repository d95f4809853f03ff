"""Days: a value day by day, next to what was usual, with the verdicts as marks.

`plot_days` makes an element of a page, coloured by its style sheet, with the values that its script shows;
`draw_days` and `day_panel` make a picture with its own colours. Both are the same drawing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from math import isfinite

import msgspec

from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.scales import Scale, date_ticks, decade_label, decade_ticks, slots, thin_labels
from probatio.charts.surface import PAGE, UNITS, Surface
from probatio.charts.svg import LETTER, WIDTH, Panel, compose, split_at_gaps, text
from probatio.core.records import NOT_PROVEN, Look

PLACES = {"points": 1, "share": 1, "chance": 1}
"""Digits after the point that the script is given; of other kinds it has four in all."""
WORDED = ("share", "chance")
"""Kinds of axes whose ticks are words."""
ROOM = 0.93
"""Share of a page's width that the days take; the value of the last day stands next to them."""
HEIGHT = 190.0
"""Of a picture with one series."""
_TOP, _BOTTOM = 20.0, 22.0
_ROW = 15.0
_PHONE = 280.0
"""Pixels across a chart on a phone, at least."""
_LEFT, _RIGHT, _HEADING = 52.0, 12.0, 18.0
_DATE_ROOM = 75.0
"""Pixels for a date below a picture."""
_POWER = re.compile(r">10\^(\d+)<")
_LETTERS: dict[Look, str] = {
    "STALE": "t", "OK": "o", "SUSPICIOUS": "s", "COOKED": "c", "PROVEN": "p", "ROUTE": "r",
    "CALIBRATING": "n", "GAP": "g",
}  # fmt: skip

_SHAPES: dict[Look, str] = {
    "OK": '<circle class="OK" cx="{x}" cy="{y}" r="2.4"/>',
    "CALIBRATING": '<circle class="CALIBRATING" cx="{x}" cy="{y}" r="1.8"/>',
    "SUSPICIOUS": '<path class="SUSPICIOUS" d="M{x} {y}m-5 4h10l-5 -9z"/>',
    "COOKED": '<path class="COOKED" d="M{x} {y}m-4 -4h8v8h-8z"/>',
    "PROVEN": '<path class="PROVEN" d="M{x} {y}m-4.5 -4.5h9v9h-9z"/>',
    "ROUTE": '<path class="SUSPICIOUS" d="M{x} {y}m-5 0l5 -5l5 5l-5 5z"/>',
    "STALE": '<path class="STALE" d="M{x} {y}m-3 -4h6l-6 8h6z"/>',
    "GAP": '<path class="GAP" d="M{x} {y}m-3 -3l6 6m0 -6l-6 6"/>',
}
"""A shape for each verdict, so that colour is never needed. COOKED is solid only where it is proven."""


class DayPoint(msgspec.Struct, frozen=True):
    """One day: what was measured (None in a gap), what was usual, and the mark of the day (None: not
    asked)."""

    value: float | None = None
    usual: float | None = None
    status: Look | None = None
    border: str = ""  # what is new from this day on
    low: float | None = None  # the band around what was usual
    high: float | None = None
    barred: bool = False


class DaySpan(msgspec.Struct, frozen=True):
    """The days of a change, by number, and the words for them."""

    first: int
    last: int
    lines: tuple[str, ...] = ()  # short: a phone has room for twenty letters


class ValueAxis(msgspec.Struct, frozen=True):
    """The values up the chart with their names; `kind` tells the script how to write a value."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    kind: str = "points"
    logarithmic: bool = False
    limits: tuple[tuple[float, str], ...] = ()  # dashed lines with a name, the lowest first


SCORES = ValueAxis(0, 100, tuple((value, str(value)) for value in (0, 25, 50, 75, 100)))


def evidence_axis(days: Sequence[DayPoint], limits: Sequence[tuple[float, str]]) -> ValueAxis:
    """Powers of ten, from 1 to the largest value or to ten times the highest limit."""
    top = max([*(10 * value for value, _ in limits), *(day.value or 0 for day in days)])
    powers = decade_ticks(top, 6)
    ticks = tuple((10.0**power, decade_label(power, powers[-1])) for power in powers)
    return ValueAxis(1, top, ticks, logarithmic=True, limits=tuple(sorted(limits)))


def plot_days(
    days: Sequence[DayPoint],
    dates: Sequence[str],
    axis: ValueAxis,
    title: str,
    *,
    height: float,
    span: DaySpan | None = None,
    most_dates: int = 6,
    end: str = "",
) -> str:
    """Make an element of a page. `end`: the words next to the last value."""
    floor = height - _BOTTOM
    top = _TOP + _room_for_names(days, span)
    body = _draw(PAGE, days, date_ticks(dates, most_dates), axis, top, height, span, end)
    data = _data(days, PLACES.get(axis.kind))
    return (
        f'<svg class="plot" height="{height:.0f}" role="img" data-kind="{axis.kind}" data-room="{ROOM}" '
        f'data-scale="{axis.low:g} {axis.high:g} {floor:g} {top:g} {int(axis.logarithmic)}" {data}>'
        f"<title>{escape(title)}</title>{''.join(body)}</svg>"
    )


def draw_days(
    days: Sequence[DayPoint],
    labels: Sequence[str],
    axis: ValueAxis,
    title: str,
    description: str,
    theme: Theme = ON_PAGE,
) -> str:
    """Draw a picture."""
    return compose([day_panel(days, labels, axis)], title, description, theme)


def day_panel(
    days: Sequence[DayPoint],
    labels: Sequence[str],
    axis: ValueAxis,
    heading: str = "",
    height: float = HEIGHT,
) -> Panel:
    """Make a part of a picture. Labels that are dates are written as people write them."""
    surface = Surface(WIDTH - _LEFT - _RIGHT, _LEFT)
    top = _TOP + (_HEADING if heading else 0)
    ticks = date_ticks(labels, int((surface.pixels or 0) // _DATE_ROOM))
    ticks = ticks or tuple((number, labels[number]) for number in thin_labels(labels, surface.pixels or 0))
    body = [text(_LEFT, top - 18, heading, "heading")] if heading else []
    return Panel(WIDTH, height, (*body, *_draw(surface, days, ticks, axis, top, height, None, "")))


def draw_legend(statuses: Sequence[Look], left: float = _LEFT) -> Panel:
    """Draw a row of marks with their names."""
    body, x = [], left
    for status in statuses:
        name = {"COOKED": NOT_PROVEN, "PROVEN": "COOKED, confirmed"}.get(status, status)
        body.append(
            f'<g transform="translate({x + 6:.1f} 11.0)">{_mark(status, 0, 0)}</g>{text(x + 15, 15, name)}'
        )
        x += 26 + LETTER * len(name)
    return Panel(WIDTH, 22, tuple(body))


def _mark(status: Look, x: float, y: float) -> str:
    return _SHAPES[status].format(x=f"{x:.1f}", y=f"{y:.1f}")


def _draw(
    surface: Surface,
    days: Sequence[DayPoint],
    dates: Sequence[tuple[int, str]],
    axis: ValueAxis,
    top: float,
    height: float,
    span: DaySpan | None,
    end: str,
) -> Iterator[str]:
    floor = height - _BOTTOM
    y = Scale(axis.low, axis.high, floor, top, axis.logarithmic)
    room = UNITS * (ROOM if surface == PAGE else 1)
    places = slots(len(days), 0, room)
    half = room / max(1, len(days)) / 2
    if span is not None:
        left, right = places[span.first] - half, places[span.last] + half
        yield (
            f'<rect class="span" x="{surface.across(left)}" y="0" width="{surface.length(right - left)}" '
            f'height="{floor:g}"/>'
        )
    for value, _ in axis.ticks:
        yield _level(surface, "grid", y.at(value))
    for number, label in dates:
        x = places[number]
        yield surface.line("grid", x, f"{floor:g}", x, f"{floor + 4:g}")
        yield surface.text(x, height - 5, label, "start" if x < 40 and surface == PAGE else "middle")
    for number, (value, name) in enumerate(axis.limits):
        yield _level(surface, "limit", y.at(value))
        yield surface.text(0, y.at(value) + (-4 if number else 11), name, kind="limit", aside=4)
    rows = _border_rows(days, places, half, span)
    for number, day in enumerate(days):
        if day.border:
            level = 11 + _ROW * rows[number] if surface == PAGE else floor - 6
            yield from _upright(surface, places[number] - half, "border", (day.border,), top, floor, level)
    yield surface.stretch(floor, _lines(surface, days, places, y, floor))
    if surface != PAGE:
        yield from _shapes(surface, days, places, y, top, floor)
    for value, label in axis.ticks:
        # Numbers stand left of the chart, in the margin that the style sheet gives it; words stand on their
        # line.
        at = y.at(value)
        words = axis.kind in WORDED
        tick = surface.text(0, at - 3, label) if words else surface.text(0, at + 4, label, "end", aside=-6)
        yield _POWER.sub(r'>10<tspan dy="-4" font-size="8">\1</tspan><', tick)
    if span is not None:
        yield from _upright(surface, places[span.first] - half, "change", span.lines, top, floor, 11)
    if end and days and days[-1].value is not None:
        yield surface.text(room, y.at(days[-1].value) + 5, end, kind="end", aside=6)


def _border_rows(
    days: Sequence[DayPoint], places: Sequence[float], half: float, span: DaySpan | None
) -> dict[int, int]:
    """Day → the row above the marks in which the name of its border stands: the first one with room on a
    phone."""
    taken = [_reach(places[span.first] - half, name) for name in span.lines] if span else []
    rows = [[each] for each in taken]
    found: dict[int, int] = {}
    for number, day in enumerate(days):
        if not day.border:
            continue
        start, end = _reach(places[number] - half, day.border)
        free = (
            row for row, each in enumerate(rows) if all(end < left or right < start for left, right in each)
        )
        found[number] = row = next(free, len(rows))
        if row == len(rows):
            rows.append([])
        rows[row].append((start, end))
    return found


def _reach(x: float, name: str) -> tuple[float, float]:
    """From where to where a name beside an upright line goes on a phone, in units."""
    wide = LETTER * (len(name) + 1) * UNITS / _PHONE
    return (x - wide, x) if x > UNITS / 2 else (x, x + wide)


def _room_for_names(days: Sequence[DayPoint], span: DaySpan | None) -> float:
    """Pixels that names above the marks take beyond what is always free there."""
    places = slots(len(days), 0, UNITS * ROOM)
    borders = _border_rows(days, places, UNITS * ROOM / max(1, len(days)) / 2, span)
    rows = max([len(span.lines) if span else 0, *(row + 1 for row in borders.values())])
    return 4 + _ROW * (rows - 1) if rows else 0.0


def _level(surface: Surface, kind: str, y: float) -> str:
    """Draw a line across the whole chart."""
    if surface == PAGE:
        return f'<line class="{kind}" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
    return surface.line(kind, 0, f"{y:.1f}", UNITS, f"{y:.1f}")


def _data(days: Sequence[DayPoint], places: int | None) -> str:
    """What the script shows of each day, as short as possible: a usual value is left out if it is that of the
    day before."""
    usual = [_format_value(day.usual, 0) or "-" for day in days]
    changes = [each if number == 0 or each != usual[number - 1] else "" for number, each in enumerate(usual)]
    letters = "".join(_LETTERS[day.status] if day.status else "-" for day in days)
    values = ";".join(_format_value(day.value, places) for day in days)
    return f'data-values="{values}" data-usual="{",".join(changes).rstrip(",")}" data-marks="{letters}"'


def _format_value(value: float | None, places: int | None) -> str:
    if value is None or not isfinite(value):
        return ""
    if places is None:
        return f"{value:.4g}"
    return f"{value:.{places}f}".removesuffix(".0") if abs(value) < 10**6 else f"{value:.4g}"


def _lines(
    surface: Surface, days: Sequence[DayPoint], places: Sequence[float], y: Scale, floor: float
) -> Iterator[str]:
    """Draw what was measured and what was usual. On a page a mark is a line of no length: its round or square
    end keeps its size."""
    for piece in split_at_gaps([day.low for day in days]):
        upper = [(number, days[number].high or 0.0) for number, _ in piece]
        there, back = _points(surface, upper, places, y, 1), _points(surface, piece, places, y, 1)
        yield f'<path class="band" d="{_steps([*there, *reversed(back)])}z"/>'
    for kind, values in (("usual", [day.usual for day in days]), ("value", [day.value for day in days])):
        if drawn := "".join(_path(surface, piece, places, y) for piece in split_at_gaps(values)):
            yield f'<path class="{kind}" d="{drawn}"/>'
    if surface != PAGE:
        return
    for status in ("SUSPICIOUS", "COOKED", "PROVEN"):
        marked = [(x, day.value) for x, day in zip(places, days, strict=True) if day.status == status]
        if drawn := "".join(f"M{x:.0f} {y.at(value):.0f}h.1" for x, value in marked if value is not None):
            yield f'<path class="mark {status}" d="{drawn}"/>'
            if status == "COOKED":  # hollow: not proven
                yield f'<path class="mark hollow" d="{drawn}"/>'
    gaps = [x for x, day in zip(places, days, strict=True) if day.status is not None and day.value is None]
    if gaps:
        yield f'<path class="mark GAP" d="{"".join(f"M{x:.0f} {floor - 4:.0f}h.1" for x in gaps)}"/>'


def _shapes(
    surface: Surface, days: Sequence[DayPoint], places: Sequence[float], y: Scale, top: float, floor: float
) -> Iterator[str]:
    """Draw the marks of a file: a shape for each verdict, and a `b` above a barred day."""
    for place, day in zip(places, days, strict=True):
        x = surface.point(place)
        if day.status is not None:
            gap = day.value is None
            yield _mark("GAP" if gap else day.status, x, floor - 5 if gap else y.at(day.value or 0))
        if day.barred:
            yield text(x, top - 4, "b", anchor="middle")


def _path(surface: Surface, piece: Sequence[tuple[int, float]], places: Sequence[float], y: Scale) -> str:
    """A line through the days."""
    points = _points(surface, piece, places, y, 2)
    return _steps(points) if len(points) > 1 else f"M{points[0][0]:g} {points[0][1]:g}h1"


def _points(
    surface: Surface, piece: Sequence[tuple[int, float]], places: Sequence[float], y: Scale, parts: int
) -> list[tuple[float, float]]:
    """Places rounded to so many parts of a pixel, as few as possible: a day on a level line between its
    neighbours needs none."""
    points = [(surface.point(places[number]), round(parts * y.at(value)) / parts) for number, value in piece]
    return [
        (x, at)
        for number, (x, at) in enumerate(points)
        if number in (0, len(points) - 1) or not points[number - 1][1] == at == points[number + 1][1]
    ]


def _steps(points: Sequence[tuple[float, float]]) -> str:
    """Relative steps are short."""
    steps = " ".join(
        f"{right - left:g}{lower - upper:+g}" for (left, upper), (right, lower) in pairwise(points)
    )
    return f"M{points[0][0]:g} {points[0][1]:g}l{steps}"


def _upright(
    surface: Surface, x: float, kind: str, lines: Sequence[str], top: float, floor: float, level: float
) -> Iterator[str]:
    """Draw a line with its name, on the side that has more room."""
    yield surface.line(kind, x, "0" if surface == PAGE else f"{top:g}", x, f"{floor:g}")
    late = x > UNITS / 2
    for number, name in enumerate(lines):
        # A hard space keeps the name off its line: a share of the width plus pixels can't be written.
        content = f"{name}\u00a0" if late else f"\u00a0{name}"
        yield surface.text(x, level + _ROW * number, content, "end" if late else "start", kind)

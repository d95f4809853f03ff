"""Charts in the cells of a table, coloured by the page: an interval with its dot, a line of days, a
sparkline."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby, pairwise
from math import ceil, floor, log10

import msgspec

from probatio.charts.scales import Scale
from probatio.charts.surface import PAGE, UNITS
from probatio.charts.svg import split_at_gaps
from probatio.core.records import Look

_EDGE = 30.0
"""Thousandths of the width kept free at both ends, so that a dot is never cut."""
_HEIGHT, _MIDDLE = 18, 9
_DECADES = 3
_ARROW = f'<svg x="100%" y="{_MIDDLE}" overflow="visible"><path d="M-8-4l8 4l-8 4z"/></svg>'
"""An end beyond all that was tried."""

_STEP, _TALL, _LINE = 4, 32, 22
_BARS: dict[Look, int] = {"SUSPICIOUS": 3, "ROUTE": 3, "COOKED": 7, "PROVEN": 7}
"""Height of the bar below a day: the worse, the higher, so that colour is not needed."""


class RangeScale(msgspec.Struct, frozen=True):
    """Powers of ten from below the smallest to above the largest amount."""

    low: float
    high: float

    @property
    def decades(self) -> list[float]:
        return [10.0**power for power in range(round(log10(self.low)), round(log10(self.high)) + 1)]

    def at(self, amount: float) -> float:
        return Scale(self.low, self.high, _EDGE, UNITS - _EDGE, logarithmic=True).at(amount)


def range_scale(least: float, most: float) -> RangeScale:
    """The scale for amounts between these. Amounts below its smallest power of ten are drawn at the edge."""
    high = max(2, ceil(log10(max(most, 1))))
    low = max(1, min(high - 1, floor(log10(max(least, 1)))), high - _DECADES)
    return RangeScale(10.0**low, 10.0**high)


def draw_range(
    scale: RangeScale, amount: float | None, low: float | None, high: float | None, tried: float
) -> str:
    """Draw the interval with its dot. An unknown end, or an unknown amount, is beyond all that was tried."""
    start = scale.at(low if low is not None else tried if amount is None else amount)
    end = UNITS if high is None else scale.at(high)
    ticks = "".join(
        f'<line x1="{PAGE.across(x)}" x2="{PAGE.across(x)}" y2="{_HEIGHT}"/>'
        for x in map(scale.at, scale.decades)
    )
    line = (
        f'<line class="doubt" x1="{PAGE.across(start)}" x2="{PAGE.across(end)}" y1="{_MIDDLE}" '
        f'y2="{_MIDDLE}"/>'
    )
    dot = "" if amount is None else f'<circle cx="{PAGE.across(scale.at(amount))}" cy="{_MIDDLE}" r="4"/>'
    beyond = _ARROW if high is None else ""
    return f'<svg class="range" height="{_HEIGHT}" aria-hidden="true">{ticks}{line}{dot}{beyond}</svg>'


def draw_range_axis(scale: RangeScale) -> str:
    """Draw the powers of ten, for the head of the column."""
    labels = "".join(
        PAGE.text(scale.at(each), 12, f"{each:,.0f}", "end" if each == scale.high else "middle")
        for each in scale.decades
    )
    return f'<svg class="range" height="14" aria-hidden="true">{labels}</svg>'


class HistoryDay(msgspec.Struct, frozen=True):
    """One day: its mean score (None in a gap) and its verdict."""

    score: float | None
    status: Look


def draw_history(days: Sequence[HistoryDay], title: str, low: float, room: int) -> str:
    """Draw an element of a page, as wide as its place and coloured by the page, from `low` to 100 points.
    `room`: how many days its width holds; fewer days end at the right."""
    y = Scale(low, 100, _LINE, 1)
    width, left = _STEP * room, _STEP * (room - len(days))
    parts = [
        f'<svg class="history" viewBox="0 0 {width} {_TALL}" preserveAspectRatio="none" role="img">'
        f"<title>{escape(title)}</title>"
    ]
    at = 0
    for status, run in groupby(days, key=lambda day: day.status):
        count = len(list(run))
        if height := _BARS.get(status):
            place = f'x="{left + _STEP * at}" y="{_TALL - height}" width="{_STEP * count}" height="{height}"'
            parts.append(f'<rect class="{status}" {place}/>')
        at += count
    lines = []
    for piece in split_at_gaps([day.score for day in days]):
        points: list[str] = []
        # A level stretch is one step to its end: a list of many models would be a third longer.
        for place, level in groupby(piece, key=lambda day: f"{y.at(day[1]):.0f}"):
            across = [left + _STEP * number + _STEP // 2 for number, _ in level]
            points.append(f"{'L' if points else 'M'}{across[0]},{place}")
            points += [f"H{across[-1]}"] * (len(across) > 1)
        # A single day between gaps would be a line of no length.
        lines.append("".join(points) if len(points) > 1 else f"{points[0]}h1")
    return "".join([*parts, f'<path d="{"".join(lines)}"/>' if lines else "", "</svg>"])


def draw_sparkline(scores: Sequence[float | None], title: str, low: float = 0.0) -> str:
    """Draw the last days as an element of a page, coloured by the page, from `low` to 100. A gap stays a
    gap."""
    width, height = 144, 52  # twice its size on the page: whole numbers are fine enough, and short
    y, step = Scale(low, 100, height - 6, 6), (width - 8) / max(1, len(scores) - 1)
    parts = [f'<svg class="spark" viewBox="0 0 {width} {height}" role="img"><title>{escape(title)}</title>']
    for piece in split_at_gaps(scores):
        # Steps are shorter than places, and there are thousands of them on a page.
        points = [(round(4 + step * number), round(y.at(score))) for number, score in piece]
        steps = " ".join(f"{x - left}{at - upper:+d}" for (left, upper), (x, at) in pairwise(points))
        parts.append(f'<path d="M{points[0][0]} {points[0][1]}l{steps or "1 0"}"/>')
    if scores and scores[-1] is not None:
        parts.append(f'<circle cx="{width - 4}" cy="{y.at(scores[-1]):.0f}" r="4"/>')
    return "".join(parts) + "</svg>"

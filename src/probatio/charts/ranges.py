"""A number with its doubt as a small line in the cell of a table: a dot in its interval, on a scale that all cells share."""

from __future__ import annotations

from math import ceil, floor, log10

import msgspec

from probatio.charts.fluid import UNITS, across, written
from probatio.charts.scales import Scale

_EDGE = 30.0
"""Thousandths of the width kept free at both ends, so that a dot is never cut."""
_HEIGHT, _MIDDLE = 18, 9
_DECADES = 3
_ARROW = f'<svg x="100%" y="{_MIDDLE}" overflow="visible"><path d="M-8-4l8 4l-8 4z"/></svg>'
"""An end beyond all that was tried."""


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
    """For amounts between these; what is below the last few powers of ten is drawn at the edge."""
    high = max(2, ceil(log10(max(most, 1))))
    low = max(1, min(high - 1, floor(log10(max(least, 1)))), high - _DECADES)
    return RangeScale(10.0**low, 10.0**high)


def range_line(scale: RangeScale, amount: float | None, low: float | None, high: float | None, tried: float) -> str:
    """The interval with its dot. An end that is not known lies beyond all that was tried, and so does an amount."""
    start = scale.at(low if low is not None else tried if amount is None else amount)
    end = UNITS if high is None else scale.at(high)
    ticks = "".join(f'<line x1="{across(x)}" x2="{across(x)}" y2="{_HEIGHT}"/>' for x in map(scale.at, scale.decades))
    line = f'<line class="doubt" x1="{across(start)}" x2="{across(end)}" y1="{_MIDDLE}" y2="{_MIDDLE}"/>'
    dot = "" if amount is None else f'<circle cx="{across(scale.at(amount))}" cy="{_MIDDLE}" r="4"/>'
    beyond = _ARROW if high is None else ""
    return f'<svg class="range" height="{_HEIGHT}" aria-hidden="true">{ticks}{line}{dot}{beyond}</svg>'


def range_axis(scale: RangeScale) -> str:
    """The powers of ten, for the head of the column."""
    labels = "".join(
        written(scale.at(each), 12, f"{each:,.0f}", "end" if each == scale.high else "middle") for each in scale.decades
    )
    return f'<svg class="range" height="14" aria-hidden="true">{labels}</svg>'

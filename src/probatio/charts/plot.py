"""The plot: the rectangle inside the axes, its grid and its labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from probatio.charts.dates import date_ticks
from probatio.charts.scales import Scale, thinned
from probatio.charts.svg import rule, text

WIDTH = 720.0
"""Of a whole picture: what a page of text has room for."""

NARROW = 500.0
"""A picture below this width has no room for names beside its plot: one column of a paper."""

_DATE_ROOM = 75.0
"""Across, for a date below the plot."""


class Plot(msgspec.Struct, frozen=True):
    """Where the axes stand, in pixels of the panel."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    def across(self, low: float, high: float) -> Scale:
        return Scale(low, high, self.left, self.right)

    def up(self, low: float, high: float, logarithmic: bool = False) -> Scale:
        return Scale(low, high, self.bottom, self.top, logarithmic)


def value_axis(plot: Plot, scale: Scale, ticks: Sequence[tuple[float, str]]) -> Iterator[str]:
    """A grid line with its label for each value. Labels are markup of ours."""
    for value, label in ticks:
        y = scale.at(value)
        yield rule("grid", plot.left, y, plot.right, y)
        yield text(plot.left - 6, y + 4, label, anchor="end", markup=True)


def amount_axis(plot: Plot, scale: Scale, ticks: Sequence[tuple[float, str]], name: str) -> Iterator[str]:
    """Labels below the plot with a short tick for each, and what the axis counts."""
    for value, label in ticks:
        x = scale.at(value)
        yield rule("grid", x, plot.bottom, x, plot.bottom + 4)
        yield text(x, plot.bottom + 16, label, anchor="middle")
    if name:
        yield text((plot.left + plot.right) / 2, plot.bottom + 32, name, anchor="middle")


def slot_axis(plot: Plot, places: Sequence[float], labels: Sequence[str]) -> Iterator[str]:
    """Labels of the slots below the plot, as many as there is room for; dates as people write them."""
    dated = date_ticks(labels, int(plot.width // _DATE_ROOM))
    for number, label in dated or [(number, labels[number]) for number in thinned(labels, plot.width)]:
        yield rule("grid", places[number], plot.bottom, places[number], plot.bottom + 4)
        yield text(places[number], plot.bottom + 16, label, anchor="middle")


def limit_line(plot: Plot, scale: Scale, value: float, name: str = "", below: bool = False) -> Iterator[str]:
    """A dashed line that values are compared with, and its name just above or below it."""
    y = scale.at(value)
    yield rule("limit", plot.left, y, plot.right, y)
    if name:
        yield text(plot.left + 4, y + (11 if below else -4), name, "limit")

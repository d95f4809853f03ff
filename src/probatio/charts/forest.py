"""Forest plot: differences with their intervals, one below the other, next to a line at zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.scales import Scale, round_ticks
from probatio.charts.svg import LETTER, NARROW, WIDTH, Panel, Plot, amount_axis, compose, rule, shorten, text

_ROW, _LINE = 24.0, 18.0
_FIGURES = 130.0
"""Pixels for the numbers next to a row."""


class ForestRow(msgspec.Struct, frozen=True):
    """One difference in percentage points; `shown` if its interval does not contain zero."""

    name: str
    difference: float
    low: float
    high: float
    shown: bool


def draw_forest(
    rows: Sequence[ForestRow],
    title: str,
    axis: str,
    theme: Theme = ON_PAGE,
    heading: str = "",
    width: float = WIDTH,
) -> str:
    """A filled square is a difference that is shown, an open one is not. The whiskers are the 95 % interval.
    In a narrow picture the names are above their rows."""
    stacked = width < NARROW
    high = 2 * _LINE if stacked else _ROW
    names = [shorten(row.name, int((width - 20 if stacked else 0.45 * width) / LETTER)) for row in rows]
    left = 14 if stacked else 16 + LETTER * max(map(len, names), default=0)
    plot = Plot(left, 10, width - _FIGURES, 10 + high * len(rows))
    ends = [0.0, *(end for row in rows for end in (row.low, row.high))]
    margin = max(1.0, 0.05 * (max(ends) - min(ends)))
    x = plot.across(min(ends) - margin, max(ends) + margin)
    ticks = round_ticks(x.low, x.high, max(5, int(plot.width // 60)))
    body = list(
        amount_axis(plot, x, [(tick, format_signed(tick, "g") if tick else "0") for tick in ticks], axis)
    )
    if not stacked:
        body.append(rule("limit", x.at(0), plot.top, x.at(0), plot.bottom))
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        y = plot.top + high * (number + (0.75 if stacked else 0.5))
        body.append(
            text(
                left if stacked else left - 8,
                y - (14 if stacked else -4),
                name,
                anchor="start" if stacked else "end",
            )
        )
        if stacked:  # next to the whiskers only: a line through the names would cross them
            body.append(rule("limit", x.at(0), y - 9, x.at(0), y + 9))
        body += _row(row, plot, x, y)
    description = (
        "Differences in percentage points with their 95 % intervals; the interval of a filled square keeps "
        "clear of zero."
    )
    return compose([Panel(width, plot.bottom + 42, tuple(body))], title, description, theme, heading=heading)


def _row(row: ForestRow, plot: Plot, x: Scale, y: float) -> Iterator[str]:
    yield rule("whisker", x.at(row.low), y, x.at(row.high), y)
    for end in (row.low, row.high):
        yield rule("whisker", x.at(end), y - 4, x.at(end), y + 4)
    kind = "dot" if row.shown else "ground open"
    yield f'<path class="mark {kind}" d="M{x.at(row.difference):.1f} {y:.1f}m-4 -4h8v8h-8z"/>'
    yield text(
        plot.right + 10,
        y + 4,
        f"{format_signed(row.difference)} [{format_signed(row.low)}, {format_signed(row.high)}]",
        "value",
    )


def format_signed(value: float, form: str = ".1f") -> str:
    """A number with its sign, and with a minus as wide as the plus."""
    return f"{value:+{form}}".replace("-", "−")

"""Funnels: how many answers of a model come through each level, as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.scales import Scale
from probatio.charts.svg import LETTER, WIDTH, Panel, Plot, amount_axis, box, compose, rule, shorten, text

_ROW, _COLUMNS = 22.0, 2
_LEAST = 300.0
"""Pixels a panel needs."""
_LONGEST_NAME = 44


class FunnelBar(msgspec.Struct, frozen=True):
    """One level: how many of all answers came through, and the interval of their share if it is known."""

    name: str
    count: int
    of: int
    low: float | None = None
    high: float | None = None


class ModelFunnel(msgspec.Struct, frozen=True):
    """The levels of one model, widest first."""

    name: str
    bars: tuple[FunnelBar, ...]


def draw_funnels(
    charted: Sequence[ModelFunnel],
    title: str,
    theme: Theme = ON_PAGE,
    heading: str = "",
    width: float = WIDTH,
) -> str:
    """Draw a panel of bars per model, with as many panels in a row as fit."""
    most = max(1, min(_COLUMNS, int(width // _LEAST)))
    columns = min(most, max(1, len(charted)))
    panels = [_panel(one, width / most) for one in charted]
    description = "The share of answers that came through each level; the count beside each bar."
    return compose(panels, title, description, theme, columns, heading)


def _panel(one: ModelFunnel, width: float) -> Panel:
    left = 14 + LETTER * max((len(bar.name) for bar in one.bars), default=0)
    plot = Plot(left, 26, width - 74, 26 + _ROW * len(one.bars))
    x = plot.across(0, 1)
    body = [text(left, 16, shorten(one.name, _LONGEST_NAME), "value")]
    body += amount_axis(plot, x, [(share / 100, f"{share} %") for share in (0, 50, 100)], "")
    for number, bar in enumerate(one.bars):
        body += _bar(bar, plot, x, plot.top + _ROW * number)
    return Panel(width, plot.bottom + 30, tuple(body))


def _bar(bar: FunnelBar, plot: Plot, x: Scale, top: float) -> Iterator[str]:
    middle, share = top + _ROW / 2, bar.count / bar.of if bar.of else 0.0
    yield text(plot.left - 6, middle + 4, bar.name, anchor="end")
    yield box("track", plot.left, top + 3, plot.width, _ROW - 6)
    yield box("bar", plot.left, top + 3, x.at(share) - plot.left, _ROW - 6)
    if bar.low is not None and bar.high is not None:
        yield rule("whisker", x.at(bar.low), middle, x.at(bar.high), middle)
        for end in (bar.low, bar.high):
            yield rule("whisker", x.at(end), middle - 4, x.at(end), middle + 4)
    yield text(plot.right + 6, middle + 4, f"{bar.count:,} ({100 * share:.0f} %)", "value")

"""Funnels: how many answers of a model come through each level, as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.plot import WIDTH, Plot, amount_axis
from probatio.charts.scales import Scale
from probatio.charts.svg import LETTER, Panel, box, picture, rule, shortened, text

_ROW, _COLUMNS = 22.0, 2
_LEAST = 300.0
"""Pixels a panel needs."""
_LONGEST_NAME = 44


class Bar(msgspec.Struct, frozen=True):
    """One level: the answers that came through, of all; with the interval of their share where it is known."""

    name: str
    count: int
    of: int
    low: float | None = None
    high: float | None = None


class FunnelBars(msgspec.Struct, frozen=True):
    """The levels of one model, widest first."""

    name: str
    bars: tuple[Bar, ...]


def funnels(
    charted: Sequence[FunnelBars], title: str, theme: Theme = ON_PAGE, heading: str = "", width: float = WIDTH
) -> str:
    """A panel of bars per model, as many side by side as there is room for."""
    most = max(1, min(_COLUMNS, int(width // _LEAST)))
    columns = min(most, max(1, len(charted)))
    panels = [_panel(one, width / most) for one in charted]
    described = "The share of answers that came through each level; the count beside each bar."
    return picture(panels, title, described, theme, columns, heading)


def _panel(one: FunnelBars, width: float) -> Panel:
    left = 14 + LETTER * max((len(bar.name) for bar in one.bars), default=0)
    plot = Plot(left, 26, width - 74, 26 + _ROW * len(one.bars))
    x = plot.across(0, 1)
    body = [text(left, 16, shortened(one.name, _LONGEST_NAME), "value")]
    body += amount_axis(plot, x, [(share / 100, f"{share} %") for share in (0, 50, 100)], "")
    for number, bar in enumerate(one.bars):
        body += _bar(bar, plot, x, plot.top + _ROW * number)
    return Panel(width, plot.bottom + 30, tuple(body))


def _bar(bar: Bar, plot: Plot, x: Scale, top: float) -> Iterator[str]:
    middle, share = top + _ROW / 2, bar.count / bar.of if bar.of else 0.0
    yield text(plot.left - 6, middle + 4, bar.name, anchor="end")
    yield box("track", plot.left, top + 3, plot.width, _ROW - 6)
    yield box("bar", plot.left, top + 3, x.at(share) - plot.left, _ROW - 6)
    if bar.low is not None and bar.high is not None:
        yield rule("whisker", x.at(bar.low), middle, x.at(bar.high), middle)
        for end in (bar.low, bar.high):
            yield rule("whisker", x.at(end), middle - 4, x.at(end), middle + 4)
    yield text(plot.right + 6, middle + 4, f"{bar.count:,} ({100 * share:.0f} %)", "value")

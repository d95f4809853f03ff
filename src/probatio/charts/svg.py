"""SVG: elements of charts, panels with their axes, and whole pictures. Only escaped text and numbers reach
the markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Literal

import msgspec

from probatio.charts.palette import Theme, style_sheet
from probatio.charts.scales import Scale

Anchor = Literal["start", "middle", "end"]

WIDTH = 720.0
"""Of a whole picture: what a page of text has room for."""
NARROW = 500.0
"""A picture below this width has no room for names next to its plot: one column of a paper."""
LETTER = 6.2
"""Pixels of a letter of the labels, on average and a little more: text can't be measured without a
browser."""

_HEADING = 28.0


class Panel(msgspec.Struct, frozen=True):
    """A part of a picture with its size."""

    width: float
    height: float
    body: tuple[str, ...]


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


def compose(
    panels: Sequence[Panel], title: str, description: str, theme: Theme, columns: int = 1, heading: str = ""
) -> str:
    """Put panels in rows of `columns` below a heading, as one SVG document."""
    rows = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    body = [text(10, 19, heading, "heading")] if heading else []
    width, top = 0.0, _HEADING if heading else 0.0
    for row in rows:
        left = 0.0
        for panel in row:
            body.append(f'<g transform="translate({_n(left)} {_n(top)})">{"".join(panel.body)}</g>')
            left += panel.width
        width, top = max(width, left), top + max(panel.height for panel in row)
    ground = f'<rect class="ground" width="{_n(width)}" height="{_n(top)}"/>' if theme.opaque else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(top)}" '
        f'role="img">{style_sheet(theme)}'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{ground}{''.join(body)}</svg>\n"
    )


def text(
    x: float, y: float, content: str, kind: str = "", anchor: Anchor = "start", markup: bool = False
) -> str:
    """A label. With `markup` the content is our own markup and is not escaped."""
    named = f' class="{kind}"' if kind else ""
    aligned = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text{named} x="{_n(x)}" y="{_n(y)}"{aligned}>{content if markup else escape(content)}</text>'


def rule(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"/>'


def box(kind: str, x: float, y: float, width: float, height: float) -> str:
    """A rectangle."""
    return f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"/>'


def amount_axis(plot: Plot, scale: Scale, ticks: Sequence[tuple[float, str]], name: str) -> Iterator[str]:
    """Draw labels below the plot, each with a short tick, and the name of the axis."""
    for value, label in ticks:
        x = scale.at(value)
        yield rule("grid", x, plot.bottom, x, plot.bottom + 4)
        yield text(x, plot.bottom + 16, label, anchor="middle")
    if name:
        yield text((plot.left + plot.right) / 2, plot.bottom + 32, name, anchor="middle")


def split_at_gaps(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    """The stretches between gaps: each value with its number."""
    piece: list[tuple[int, float]] = []
    for number, value in enumerate([*values, None]):
        if value is not None:
            piece.append((number, value))
        elif piece:
            yield piece
            piece = []


def shorten(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _n(value: float) -> str:
    """A tenth of a pixel is as fine as the eye sees."""
    return f"{value:.1f}".removesuffix(".0")

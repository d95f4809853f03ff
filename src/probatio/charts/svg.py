"""SVG: the elements charts are made of, panels, and the whole picture. Only escaped text and numbers reach the markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Literal

import msgspec

from probatio.charts.palette import Theme, style_sheet

Points = Iterable[tuple[float, float]]
Anchor = Literal["start", "middle", "end"]

LETTER = 6.2
"""Pixels of a letter of the labels, on average and a little more: text can't be measured without a browser."""

_HEADING = 28.0


class Panel(msgspec.Struct, frozen=True):
    """A part of a picture with its size."""

    width: float
    height: float
    body: tuple[str, ...]


def picture(
    panels: Sequence[Panel], title: str, description: str, theme: Theme, columns: int = 1, heading: str = ""
) -> str:
    """Panels in rows of `columns` below a heading, as one SVG document."""
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
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(top)}" role="img">{style_sheet(theme)}'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{ground}{''.join(body)}</svg>\n"
    )


def text(x: float, y: float, content: str, kind: str = "", anchor: Anchor = "start", markup: bool = False) -> str:
    """A label. With `markup` the content is markup of ours and is not escaped."""
    named = f' class="{kind}"' if kind else ""
    aligned = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text{named} x="{_n(x)}" y="{_n(y)}"{aligned}>{content if markup else escape(content)}</text>'


def rule(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"/>'


def box(kind: str, x: float, y: float, width: float, height: float) -> str:
    """A rectangle."""
    return f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"/>'


def polyline(kind: str, points: Points, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline class="{kind}"{dashed} points="{_listed(points)}"/>'


def ribbon(kind: str, upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]) -> str:
    """The area between two lines."""
    return f'<polygon class="{kind}" points="{_listed([*upper, *reversed(lower)])}"/>'


def pieces(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    """The stretches between gaps: each value with its number."""
    piece: list[tuple[int, float]] = []
    for number, value in enumerate([*values, None]):
        if value is not None:
            piece.append((number, value))
        elif piece:
            yield piece
            piece = []


def shortened(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _listed(points: Points) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _n(value: float) -> str:
    """A tenth of a pixel is as fine as anybody sees."""
    return f"{value:.1f}".removesuffix(".0")

"""What a chart is drawn on: a page, where it is as wide as its place, or a file with a fixed number of
pixels.

A chart is 1000 units wide. On a page they become shares of the width, so that letters and marks keep their
size at any width; lines are drawn in a part that stretches. In a file they become pixels. All heights are
pixels.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import msgspec

UNITS = 1000.0
"""The whole width, as charts count it."""


class Surface(msgspec.Struct, frozen=True):
    """A page, or a file whose plot is `pixels` wide and begins `left` pixels from the edge."""

    pixels: float | None = None
    left: float = 0.0

    def across(self, units: float) -> str:
        """A place across, as the attribute of an element."""
        if self.pixels is not None:
            return f"{self.point(units):g}"
        return f"{units / UNITS * 100:.1f}".removesuffix(".0") + "%"

    def length(self, units: float) -> str:
        """A width, as the attribute of an element."""
        return self.across(units) if self.pixels is None else f"{self.pixels * units / UNITS:.1f}"

    def point(self, units: float) -> float:
        """A place across within a line: whole units on a page, which is fine enough and short; tenths of a
        pixel in a file."""
        if self.pixels is None:
            return round(units)
        return round(self.left + self.pixels * units / UNITS, 1)

    def text(
        self, x: float, y: float, content: str, anchor: str = "start", kind: str = "", aside: int = 0
    ) -> str:
        """A text at a place, moved `aside` pixels."""
        moved = f' dx="{aside}"' if aside else ""
        named = f' class="{kind}"' if kind else ""
        aligned = f' text-anchor="{anchor}"' if anchor != "start" else ""
        return f'<text{named} x="{self.across(x)}" y="{y:.0f}"{moved}{aligned}>{escape(content)}</text>'

    def line(self, kind: str, x1: float, y1: str, x2: float, y2: str, more: str = "") -> str:
        named = f' class="{kind}"' if kind else ""
        return f'<line{named}{more} x1="{self.across(x1)}" x2="{self.across(x2)}" y1="{y1}" y2="{y2}"/>'

    def stretch(self, height: float, lines: Iterable[str]) -> str:
        """The part with the lines, which stretches with the width of a page."""
        body = "".join(lines)
        if self.pixels is not None:
            return f"<g>{body}</g>"
        return (
            f'<svg viewBox="0 0 {UNITS:g} {height:g}" width="100%" height="{height:g}" '
            'preserveAspectRatio="none">'
            f"{body}</svg>"
        )


PAGE = Surface()

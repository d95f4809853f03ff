"""Places in a chart that is as wide as its page: across they are shares of the width, upright they are pixels."""

from __future__ import annotations

from html import escape

UNITS = 1000.0
"""The whole width, as charts count it."""


def across(units: float) -> str:
    """A place or a length, as markup."""
    return f"{units / UNITS * 100:.1f}".removesuffix(".0") + "%"


def written(x: float, y: float, content: str, anchor: str = "start", kind: str = "", aside: int = 0) -> str:
    """A text at a place, so many pixels aside of it."""
    moved = f' dx="{aside}"' if aside else ""
    named = f' class="{kind}"' if kind else ""
    aligned = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text{named} x="{across(x)}" y="{y:.0f}"{moved}{aligned}>{escape(content)}</text>'

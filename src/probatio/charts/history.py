"""One line of history: a model's days as one line, and below it a bar under the days on which its verdict was bad."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

import msgspec

from probatio.charts.scales import Scale
from probatio.charts.svg import pieces
from probatio.records import Status

_STEP, _HEIGHT, _LINE = 4, 32, 22
_BARS: dict[Status, int] = {"SUSPICIOUS": 3, "COOKED": 7}
"""Height of the bar below a day: the worse, the higher, so that colour is not needed."""


class HistoryDay(msgspec.Struct, frozen=True):
    """One day: its mean score, None in a gap; and the verdict of the day."""

    score: float | None
    status: Status


def history_line(days: Sequence[HistoryDay], title: str, low: float, room: int) -> str:
    """An element of a page, as wide as its place and coloured by the page's own style. From `low` to 100 points. `room`: how many
    days its width stands for; fewer days end at the right."""
    y = Scale(low, 100, _LINE, 1)
    width, left = _STEP * room, _STEP * (room - len(days))
    parts = [
        f'<svg class="history" viewBox="0 0 {width} {_HEIGHT}" preserveAspectRatio="none" role="img">'
        f"<title>{escape(title)}</title>"
    ]
    at = 0
    for status, run in groupby(days, key=lambda day: day.status):
        count = len(list(run))
        if height := _BARS.get(status):
            place = f'x="{left + _STEP * at}" y="{_HEIGHT - height}" width="{_STEP * count}" height="{height}"'
            parts.append(f'<rect class="{status}" {place}/>')
        at += count
    lines = []
    for piece in pieces([day.score for day in days]):
        points = [f"{left + _STEP * number + _STEP // 2},{y.at(score):.0f}" for number, score in piece]
        # A single day between gaps would be a line of no length.
        lines.append(f"M{'L'.join(points)}" if len(points) > 1 else f"M{points[0]}h1")
    return "".join([*parts, f'<path d="{"".join(lines)}"/>' if lines else "", "</svg>"])

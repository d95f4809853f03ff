"""Marks: a shape for each verdict and for each kind of point, so that nothing is told by colour alone; and their legend."""

from __future__ import annotations

from collections.abc import Sequence

from probatio.charts.svg import LETTER, Panel, text
from probatio.records import Status

_STATUS_SHAPES: dict[Status, str] = {
    "OK": '<circle class="OK" cx="{x}" cy="{y}" r="2.4"/>',
    "CALIBRATING": '<circle class="CALIBRATING" cx="{x}" cy="{y}" r="1.8"/>',
    "SUSPICIOUS": '<path class="SUSPICIOUS" d="M{x} {y}m-5 4h10l-5 -9z"/>',
    "COOKED": '<path class="COOKED" d="M{x} {y}m-4.5 -4.5h9v9h-9z"/>',
    "GAP": '<path class="GAP" d="M{x} {y}m-3 -3l6 6m0 -6l-6 6"/>',
}

_POINT_SHAPES = (
    '<circle class="mark {kind}" cx="{x}" cy="{y}" r="3.6"/>',
    '<path class="mark {kind}" d="M{x} {y}m-3.3 -3.3h6.6v6.6h-6.6z"/>',
    '<path class="mark {kind}" d="M{x} {y}m-4.4 3.6h8.8l-4.4 -8z"/>',
    '<path class="mark {kind}" d="M{x} {y}m0 -5l4.5 5l-4.5 5l-4.5 -5z"/>',
    '<path class="mark {kind}" d="M{x} {y}m-4.4 -3.6h8.8l-4.4 8z"/>',
    '<path class="mark {kind}" d="M{x} {y}m-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z"/>',
)

LEGEND_HEIGHT = 22.0


def status_mark(status: Status, x: float, y: float) -> str:
    return _STATUS_SHAPES[status].format(x=f"{x:.1f}", y=f"{y:.1f}")


def point_mark(shape: int, kind: str, x: float, y: float) -> str:
    """The point of a kind of condition; `kind` is the class that colours it."""
    return _POINT_SHAPES[shape % len(_POINT_SHAPES)].format(kind=kind, x=f"{x:.1f}", y=f"{y:.1f}")


def legend(entries: Sequence[tuple[str, str]], width: float, left: float) -> Panel:
    """A row of marks with their names; each mark is drawn around 0, 0. A row that is too long goes on below."""
    body: list[str] = []
    x, y = left, 15.0
    for mark, name in entries:
        taken = 26 + LETTER * len(name)
        if x > left and x + taken > width:
            x, y = left, y + 16
        body.append(f'<g transform="translate({x + 6:.1f} {y - 4:.1f})">{mark}</g>{text(x + 15, y, name)}')
        x += taken
    return Panel(width, y + LEGEND_HEIGHT - 15, tuple(body))


def status_legend(statuses: Sequence[Status], width: float, left: float) -> Panel:
    return legend([(status_mark(status, 0, 0), status) for status in statuses], width, left)

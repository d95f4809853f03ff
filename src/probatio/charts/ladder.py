"""Ladders: the share of every model at every step from easy to hard, as a map; darker is more."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import msgspec

from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.plot import WIDTH
from probatio.charts.svg import LETTER, Panel, box, picture, shortened, text

_LONGEST_NAME = 30
_ROW, _TOP, _FOOT, _MEAN = 20.0, 40.0, 12.0, 50.0
_WIDEST = 46.0
_NUMBERS_FROM = 24.0
"""Pixels of a cell that has room for its number."""


class LadderRow(msgspec.Struct, frozen=True):
    """One model: its mean over the ladder, and its share at each step; None where it was not asked."""

    name: str
    height: float
    steps: tuple[float | None, ...]


class LadderChart(msgspec.Struct, frozen=True):
    """One ladder, models from the highest to the lowest."""

    name: str
    by: str
    steps: tuple[str, ...]
    rows: tuple[LadderRow, ...]


def ladder_map(ladders: Sequence[LadderChart], title: str, theme: Theme = ON_PAGE) -> str:
    """A panel per ladder: models down, steps across."""
    described = (
        "The share right of each model at each step, from easy on the left to hard on the right; darker is more."
    )
    return picture([_panel(ladder) for ladder in ladders], title, described, theme)


def ladder_height(ladder: LadderChart) -> float:
    """Of its panel; a page reserves this room before the picture is loaded."""
    return _TOP + _ROW * len(ladder.rows) + _FOOT


def _panel(ladder: LadderChart) -> Panel:
    names = [shortened(row.name, _LONGEST_NAME) for row in ladder.rows]
    left = 16 + LETTER * max(map(len, names), default=0)
    wide = min(_WIDEST, (WIDTH - left - _MEAN) / max(1, len(ladder.steps)))
    # One text in two parts: what stands beside a name begins where it ends, however wide its letters are.
    named = f'<tspan class="heading">{escape(ladder.name)}</tspan><tspan dx="8">{escape(ladder.by)}</tspan>'
    body = [text(10, 14, named, markup=True)]
    every = 1 + int(max((LETTER * len(step) + 4 for step in ladder.steps), default=0) // wide)
    for column, step in enumerate(ladder.steps):
        if column % every == 0:
            body.append(text(left + wide * (column + 0.5), _TOP - 5, step, anchor="middle"))
    for number, (row, name) in enumerate(zip(ladder.rows, names, strict=True)):
        y = _TOP + _ROW * number
        body.append(text(left - 6, y + 14, name, anchor="end"))
        for column, share in enumerate(row.steps):
            body += _cell(left + wide * column, y, wide, share)
        body.append(text(left + wide * len(ladder.steps) + 8, y + 14, f"{100 * row.height:.0f} %", "value"))
    return Panel(WIDTH, ladder_height(ladder), tuple(body))


def _cell(x: float, y: float, wide: float, share: float | None) -> list[str]:
    if share is None:
        return [text(x + wide / 2, y + 14, "–", anchor="middle")]
    shade = round(10 * min(1.0, max(0.0, share)))
    cell = [box(f"shade{shade}", x + 0.5, y + 0.5, wide - 1, _ROW - 1)]
    if wide >= _NUMBERS_FROM:
        kind = "on-dark" if shade > 5 else "on-pale"
        cell.append(text(x + wide / 2, y + 14, f"{100 * share:.0f}", kind, "middle"))
    return cell

"""Measured items as charts."""

from __future__ import annotations

from probatio.charts.ladder import LadderChart, LadderRow, ladder_map
from probatio.charts.palette import ON_PAGE, Theme
from probatio.items.records import Items, Ladder


def charted(ladder: Ladder) -> LadderChart:
    rows = tuple(LadderRow(standing.model, standing.height, standing.steps) for standing in ladder.standings)
    return LadderChart(ladder.name, ladder.by, ladder.steps, rows)


def ladders_picture(found: Items, *, rungs: bool, theme: Theme = ON_PAGE) -> str:
    """The ladder of every pool; with `rungs` that of every case, too."""
    shown = [ladder for ladder in found.ladders if rungs or ladder.name == ladder.pool]
    return ladder_map(
        [charted(ladder) for ladder in shown], f"Where the models stand: {found.suite}, {found.source}", theme
    )

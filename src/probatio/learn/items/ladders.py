"""Ladders: steps from easy to hard, where each model stands on them, and their picture. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from probatio.charts.heat import Ladder, LadderStanding, draw_ladders
from probatio.charts.palette import ON_PAGE, Theme
from probatio.learn.items.records import Item, Items

STEPS = 10
"""Groups of a pool's ladder: of the rungs of all its cases, or of its tasks by measured difficulty."""

Step = tuple[str, Sequence[Item]]


def build_ladders(items: Sequence[Item], rungs: Sequence[Item], models: Sequence[str]) -> Iterator[Ladder]:
    """One ladder per pool, and one per case that is a ladder itself."""
    for pool in dict.fromkeys(item.pool for item in items):
        ours = [item for item in items if item.pool == pool]
        below = [item for item in rungs if item.pool == pool]
        if below:
            same = len({item.rungs for item in below}) == 1
            steps = below[0].rungs if same else STEPS
            by = "rungs of its cases" if same else "height on the ladders of its cases, in tenths"
            yield _ladder(pool, pool, _by_height(below, steps), models, by)
            for case in dict.fromkeys(item.case for item in below):
                rows = [(str(item.rung), [item]) for item in below if item.case == case]
                yield _ladder(case, pool, rows, models, "rungs")
        elif len({item.level for item in ours if item.level}) > 1:
            yield _ladder(pool, pool, _by_level(ours), models, "difficulty that the suite states")
        else:
            yield _ladder(
                pool, pool, _by_mean(ours), models, f"{ours[0].kind}s from easiest to hardest, as measured"
            )


def picture_ladders(found: Items, *, rungs: bool, theme: Theme = ON_PAGE) -> str:
    """The ladder of every pool; with `rungs` also that of every case."""
    shown = [ladder for ladder in found.ladders if rungs or ladder.name == ladder.pool]
    return draw_ladders(shown, f"Where the models stand: {found.suite}, {found.source}", theme)


def _by_height(rungs: Sequence[Item], steps: int) -> list[Step]:
    """Group the same part of every ladder, for any number of rungs."""
    groups: dict[int, list[Item]] = {}
    for item in rungs:
        groups.setdefault(ceil(steps * item.rung / item.rungs), []).append(item)
    return [(str(step), groups[step]) for step in sorted(groups)]


def _by_level(items: Sequence[Item]) -> list[Step]:
    levels = list(dict.fromkeys(item.level for item in items if item.level))
    known = ("easy", "medium", "hard")
    levels.sort(key=lambda level: (known.index(level) if level in known else len(known), len(level), level))
    return [(level, [item for item in items if item.level == level]) for level in levels]


def _by_mean(items: Sequence[Item]) -> list[Step]:
    order = sorted(items, key=lambda item: (-item.mean, item.id))
    steps = min(STEPS, len(order))
    bounds = [round(len(order) * at / steps) for at in range(steps + 1)]
    return [(str(at + 1), order[bounds[at] : bounds[at + 1]]) for at in range(steps)]


def _ladder(name: str, pool: str, steps: Sequence[Step], models: Sequence[str], by: str) -> Ladder:
    standings = []
    for model in models:
        shares = tuple(_share(items, model) for _, items in steps)
        height = _share([item for _, items in steps for item in items], model)
        if height is not None:
            standings.append(LadderStanding(model, height, shares))
    standings.sort(key=lambda standing: -standing.height)
    return Ladder(name, pool, tuple(label for label, _ in steps), tuple(standings), by)


def _share(items: Sequence[Item], model: str) -> float | None:
    shares = [item.credits[model].share for item in items if model in item.credits]
    return sum(shares) / len(shares) if shares else None

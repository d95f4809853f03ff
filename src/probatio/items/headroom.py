"""Headroom: where a pool of items can tell nothing about the best models, or nothing about any model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from probatio.items.records import CEILING, FLOOR, Credit, Item

NAMED = 8
"""Items named in a sentence; the rest are counted."""


def headroom(pool: str, credits: Mapping[str, Credit], items: Sequence[Item], rungs: Sequence[Item]) -> Iterator[str]:
    """Warnings as sentences. The ends of a ladder are meant to be too easy and too hard, so rungs are looked at only where the
    top third is always right."""
    if not credits:
        return
    asked = f"{len(credits)} model{'s' if len(credits) > 1 else ''}"
    best = max(credits, key=lambda model: credits[model].share)
    if credits[best].saturated:
        yield (
            f"{pool}: no headroom. {best} has {100 * credits[best].share:.1f} % (limit {100 * CEILING:.0f} %): "
            "a better model, or a loss of this one, can't show."
        )
    if easy := [item.id for item in items if len(item.saturated_by) == len(credits)]:
        yield f"{pool}: nobody fails {_of(easy, items)} ({asked}, {100 * CEILING:.0f} % or more each): {_list(easy)}."
    if hard := [item.id for item in items if len(item.never_by) == len(credits)]:
        yield f"{pool}: nobody passes {_of(hard, items)} ({asked}, {100 * FLOOR:.0f} % or less each): {_list(hard)}."
    top = [item for item in rungs if in_top_third(item)]
    if cleared := [item.id for item in top if item.saturated_by]:
        yield f"{pool}: some model always gets {_of(cleared, top)} of the top third: {_list(cleared)}."


def in_top_third(item: Item) -> bool:
    return 3 * item.rung > 2 * item.rungs


def _of(some: Sequence[str], items: Sequence[Item]) -> str:
    return f"{len(some)} of {len(items)} {items[0].kind}{'s' if len(items) != 1 else ''}"


def _list(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + more

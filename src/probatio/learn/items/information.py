"""What the items tell about one model: which carry information, which carry none, and what they cost.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from probatio.learn.items.records import ENOUGH, Credit, Item, Items

Weight = Literal["informative", "saturated", "never", "unknown"]
"""`unknown`: fewer answers than it takes to say."""


class ItemInformation(msgspec.Struct, frozen=True):
    """One item for one model."""

    id: str
    pool: str
    credit: Credit
    weight: Weight
    information: float  # p(1 − p); of a ladder the sum over its rungs
    per_1000_tokens: float | None


class ModelInformation(msgspec.Struct, frozen=True):
    """All items for one model, those with most information per token first."""

    model: str
    items: tuple[ItemInformation, ...]
    rungs: tuple[ItemInformation, ...]
    tokens: float | None  # of one answer to every item
    idle_tokens: float | None  # of these, for items that are saturated or never got


def weigh_items(found: Items, model: str) -> ModelInformation:
    rungs: dict[str, list[Item]] = {}
    for rung in found.rungs:
        if model in rung.credits:
            rungs.setdefault(rung.case, []).append(rung)
    items = _sort_rows(
        _weigh_item(item, rungs.get(item.id, []), model) for item in found.items if model in item.credits
    )
    idle = [row for row in items if row.weight in ("saturated", "never")]
    below = _sort_rows(_weigh_item(rung, [], model) for of_case in rungs.values() for rung in of_case)
    return ModelInformation(model, items, below, _tokens(items), _tokens(idle))


def _sort_rows(rows: Iterable[ItemInformation]) -> tuple[ItemInformation, ...]:
    return tuple(
        sorted(rows, key=lambda row: (row.weight == "unknown", -_worth(row), -row.information, row.id))
    )


def _weigh_item(item: Item, rungs: Sequence[Item], model: str) -> ItemInformation:
    """The rungs of a ladder are questions of their own, asked with one prompt: their information adds up."""
    credit = item.credits[model]
    information = sum(rung.credits[model].information for rung in rungs) if rungs else credit.information
    weight: Weight = "informative"
    if credit.answers < ENOUGH:
        weight = "unknown"
    elif credit.saturated or credit.never:
        weight = "saturated" if credit.saturated else "never"
    per_token = 1000 * information / credit.tokens if credit.tokens else None
    return ItemInformation(item.id, item.pool, credit, weight, information, per_token)


def _worth(row: ItemInformation) -> float:
    return row.information if row.per_1000_tokens is None else row.per_1000_tokens


def _tokens(rows: Sequence[ItemInformation]) -> float | None:
    known = [row.credit.tokens for row in rows if row.credit.tokens is not None]
    return sum(known) if known else None

"""What the items tell about one model: which carry the information, which are dead weight, and what that costs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from probatio.items.records import ENOUGH, Credit, Item, Items

Weight = Literal["informative", "saturated", "never", "unknown"]
"""`unknown`: fewer answers than it takes to say."""


class Informing(msgspec.Struct, frozen=True):
    """One item, as far as one model goes."""

    id: str
    pool: str
    credit: Credit
    weight: Weight
    information: float  # p(1 − p); of a ladder the sum over its rungs
    per_1000_tokens: float | None


class About(msgspec.Struct, frozen=True):
    """All items about one model, those with most information per token first."""

    model: str
    items: tuple[Informing, ...]
    rungs: tuple[Informing, ...]
    tokens: float | None  # of one answer to every item
    idle_tokens: float | None  # of these, for items that are saturated or never got


def about(found: Items, model: str) -> About:
    rungs: dict[str, list[Item]] = {}
    for rung in found.rungs:
        if model in rung.credits:
            rungs.setdefault(rung.case, []).append(rung)
    items = _sorted(_informing(item, rungs.get(item.id, []), model) for item in found.items if model in item.credits)
    idle = [row for row in items if row.weight in ("saturated", "never")]
    below = _sorted(_informing(rung, [], model) for of_case in rungs.values() for rung in of_case)
    return About(model, items, below, _tokens(items), _tokens(idle))


def _sorted(rows: Iterable[Informing]) -> tuple[Informing, ...]:
    return tuple(sorted(rows, key=lambda row: (row.weight == "unknown", -_worth(row), -row.information, row.id)))


def _informing(item: Item, rungs: Sequence[Item], model: str) -> Informing:
    """A ladder's rungs are questions of their own, asked with one prompt: what they tell adds up."""
    credit = item.credits[model]
    information = sum(rung.credits[model].information for rung in rungs) if rungs else credit.information
    weight: Weight = "informative"
    if credit.answers < ENOUGH:
        weight = "unknown"
    elif credit.saturated or credit.never:
        weight = "saturated" if credit.saturated else "never"
    per_token = 1000 * information / credit.tokens if credit.tokens else None
    return Informing(item.id, item.pool, credit, weight, information, per_token)


def _worth(row: Informing) -> float:
    return row.information if row.per_1000_tokens is None else row.per_1000_tokens


def _tokens(rows: Sequence[Informing]) -> float | None:
    known = [row.credit.tokens for row in rows if row.credit.tokens is not None]
    return sum(known) if known else None

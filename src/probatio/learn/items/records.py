"""The records of measured items, and the limits by which items are named."""

from __future__ import annotations

from typing import Literal

import msgspec

CEILING = 0.97
"""From this share on a model saturates an item or a pool: it can lose little before anything moves, and
two models can't be told apart there."""
FLOOR = 1 - CEILING
"""Down from this share a model never gets an item."""
ENOUGH = 10
"""Fewer answers than this can't call an item saturated, never got, or without information: three right
answers in a row come to a model that is right half of the time once in eight, ten to one that is right three
times in four once in eighteen."""
CORRELATED = 5
"""Models needed for a correlation; among fewer it is one of chance."""

ItemKind = Literal["task", "case", "rung"]


class Credit(msgspec.Struct, frozen=True):
    """What one model earned on an item or a pool: the mean of its answers' credit, 0–1, with its 95 %
    interval; None for both ends if no interval can be given."""

    answers: int
    share: float
    low: float | None
    high: float | None
    tokens: float | None = None  # of prompt and answer, mean per answer; None where they were not kept
    draws: float | None = None  # what the answers are worth, equal ones on consecutive days being one draw

    @property
    def saturated(self) -> bool:
        return self.answers >= ENOUGH and self.share >= CEILING

    @property
    def never(self) -> bool:
        return self.answers >= ENOUGH and self.share <= FLOOR

    @property
    def scatter(self) -> float:
        """p(1 − p): the variance of one answer."""
        return self.share * (1 - self.share)


class Discrimination(msgspec.Struct, frozen=True):
    """How well an item separates the models."""

    pairs: int  # of models that answered it and have an interval
    along: int  # intervals apart, the model with the better rest score ahead
    against: int  # intervals apart, the other way round
    rest: float | None = None  # correlation of credit and rest score, among `CORRELATED` models or more

    @property
    def index(self) -> float | None:
        return (self.along - self.against) / self.pairs if self.pairs else None


class Item(msgspec.Struct, frozen=True):
    """A task, a case, or a rung of a case."""

    id: str
    kind: ItemKind
    pool: str  # use case, or suite
    credits: dict[str, Credit]  # by model
    mean: float  # of the models' shares
    discrimination: Discrimination
    rung: int = 0
    rungs: int = 0  # of the case
    case: str = ""  # that the rung belongs to

    @property
    def tells(self) -> str:
        """What the item tells about the models, in a few words."""
        pairs = self.discrimination
        if pairs.along or pairs.against:
            if pairs.against > pairs.along:
                return "the weaker models pass it: look at its check"
            return f"tells {pairs.along + pairs.against} of {pairs.pairs} pairs of models apart"
        if len(self.saturated_by) == len(self.credits):
            return "nothing: every model passes"
        if len(self.never_by) == len(self.credits):
            return "nothing: no model passes"
        if all(credit.answers < ENOUGH for credit in self.credits.values()):
            return f"not known yet: fewer than {ENOUGH} answers"
        return "tells no models apart" if pairs.pairs else "passed at times"

    @property
    def saturated_by(self) -> list[str]:
        return [model for model, credit in self.credits.items() if credit.saturated]

    @property
    def never_by(self) -> list[str]:
        return [model for model, credit in self.credits.items() if credit.never]

    @property
    def tokens(self) -> float | None:
        known = [credit.tokens for credit in self.credits.values() if credit.tokens is not None]
        return sum(known) / len(known) if known else None


class ItemPool(msgspec.Struct, frozen=True):
    """Tasks or cases that are measured against each other."""

    name: str
    items: int
    credits: dict[str, Credit]
    warnings: tuple[str, ...]  # where it has no headroom


class Items(msgspec.Struct, frozen=True):
    """All measured items of some runs or days."""

    source: str  # which runs or days
    suite: str
    models: tuple[str, ...]
    answers: int
    pools: tuple[ItemPool, ...]
    items: tuple[Item, ...]  # tasks or cases
    rungs: tuple[Item, ...]
    notes: tuple[str, ...] = ()

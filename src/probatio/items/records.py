"""The records of measured items, and the limits by which items are named."""

from __future__ import annotations

from typing import Literal

import msgspec

CEILING = 0.97
"""From this share on a model saturates an item or a pool: it can lose little before anything moves, and two models can't be
told apart there."""
FLOOR = 1 - CEILING
"""Down from this share a model never gets an item."""
ENOUGH = 3
"""Fewer answers than this say nothing about where a model stands on an item."""
CORRELATED = 5
"""Models needed for a correlation; among fewer it is one of chance."""

Kind = Literal["task", "case", "rung"]


class Credit(msgspec.Struct, frozen=True):
    """What one model earned on an item or a pool: the mean of its answers' credit, 0–1, with its 95 % interval."""

    answers: int
    share: float
    low: float
    high: float
    tokens: float | None = None  # of prompt and answer, mean per answer; None where they were not kept

    @property
    def saturated(self) -> bool:
        return self.share >= CEILING

    @property
    def never(self) -> bool:
        return self.share <= FLOOR

    @property
    def information(self) -> float:
        """p(1 − p): what one more answer tells about the model, 0.25 at most. In the Rasch model this is Fisher's information."""
        return self.share * (1 - self.share)


class Discrimination(msgspec.Struct, frozen=True):
    """How well an item separates the models."""

    pairs: int  # of models that answered it
    along: int  # told apart, the model with the better rest score ahead
    against: int  # told apart the other way round
    rest: float | None = (
        None  # correlation of credit and rest score over the models; None among fewer than `CORRELATED`
    )

    @property
    def index(self) -> float | None:
        return (self.along - self.against) / self.pairs if self.pairs else None


class Item(msgspec.Struct, frozen=True):
    """A task, a case, or a rung of a case."""

    id: str
    kind: Kind
    pool: str  # use case, or suite
    credits: dict[str, Credit]  # by model
    mean: float  # of the models' shares
    discrimination: Discrimination
    rung: int = 0
    rungs: int = 0  # of the case
    case: str = ""  # that the rung belongs to
    level: str = ""  # difficulty that the suite states

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


class Standing(msgspec.Struct, frozen=True):
    """Where one model stands on a ladder."""

    model: str
    height: float  # mean over all items of the ladder, 0–1
    steps: tuple[float | None, ...]  # its share at each step


class Ladder(msgspec.Struct, frozen=True):
    """A picture of where the models stand: steps from easy to hard, and each model's share at each of them."""

    name: str
    pool: str
    steps: tuple[str, ...]
    standings: tuple[Standing, ...]  # highest first
    by: str  # what the steps are


class Pool(msgspec.Struct, frozen=True):
    """Tasks or cases that are measured against each other."""

    name: str
    items: int
    credits: dict[str, Credit]
    warnings: tuple[str, ...]  # where it has no headroom


class Items(msgspec.Struct, frozen=True):
    """All that was measured."""

    source: str  # which runs or days
    suite: str
    models: tuple[str, ...]
    answers: int
    pools: tuple[Pool, ...]
    items: tuple[Item, ...]  # tasks or cases
    rungs: tuple[Item, ...]
    ladders: tuple[Ladder, ...]
    notes: tuple[str, ...] = ()

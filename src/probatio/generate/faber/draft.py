"""A program being drawn: chance, and the names it has used."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from probatio.generate.faber.levels import Level, Span
from probatio.generate.faber.words import NAMES, TEXTS

T = TypeVar("T")


class Draft:
    """Chance, and what it has drawn so far."""

    def __init__(self, chance: random.Random, level: Level) -> None:
        self.chance = chance
        self.level = level
        self.functions: list[str] = []
        self._names = list(NAMES)
        self._texts = list(TEXTS)
        chance.shuffle(self._names)
        chance.shuffle(self._texts)

    def name(self) -> str:
        return self._names.pop()

    def word(self) -> str:
        return self._texts.pop()

    def between(self, low: int, high: int) -> int:
        return self.chance.randint(low, high)

    def within(self, span: Span) -> int:
        return self.chance.randint(*span)

    def one(self, choices: Sequence[T]) -> T:
        return self.chance.choice(choices)

    def maybe(self, share: float) -> bool:
        return self.chance.random() < share

    def has(self, feature: str) -> bool:
        return feature in self.level.features


def block(head: str, body: Sequence[str], tail: str = "}") -> list[str]:
    return [f"{head} {{", *(f"    {line}" for line in body), tail]

"""A program being drawn: chance, and the names it has used."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from probatio.authoring.generate.faber.levels import Level, Span

T = TypeVar("T")


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


# No name and no text is a word of the language in any dialect; a test holds that.
NAMES = _split("""
    rota arca pila nodus fumus ripa hasta lupus gradus nummus saccus caupo merces mensa aqua ager annus
    census urna flos pondus via turba clavus gemma lacus mons nauta olea panis ramus scala tabella umbra
    vinum equus fons gallus herba insula lumen murus navis oppidum piscis sella tectum uva villa agmen barba
    cera dolium faba hamus lana malum nidus ovum pirum rosa silva taurus vitrum calx vas ulmus pinus laurus
    corvus cycnus passer apis aper cervus ursus
""")
"""Variables, parameters and functions."""

TEXTS = _split("""
    sol luna stella mare terra ignis ventus nix imber dies nox ver aestas autumnus hiems porta pons forum
    templum murex coral ebur aes ferrum plumbum aurum sal mel lac caseus cepa porrum ficus cicer linum lupa
""")
"""Texts in lists, commands and messages."""


class Draft:
    """Chance, and what it has drawn so far."""

    def __init__(self, chance: random.Random, level: Level) -> None:
        self.chance = chance
        self.level = level
        self.head: list[str] = []  # functions and classes, which stand before the statements
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

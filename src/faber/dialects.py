"""Dialects: the same grammar under other words, and where wanted with one rule exchanged (see `twists`).

Latin is the language; the others exist to be compared with it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache

from faber.twists import TWISTED, Twist, split_dialect
from faber.vocabulary import ANNOTATIONS, KEYWORD_NAMES, KEYWORDS, TYPE_NAMES, TYPES, WORDS

NAMES = ("latin", "english", "symbols", "scrambled")
SCRAMBLE_SEED = 753
"""Fixes the nonsense words. Changing it changes every scrambled prompt,
so a suite that uses them needs a new version."""

ESCAPE = "id_"
"""Put before a name that is a reserved word in the dialect it is written in;
taken off again when it is read."""


class Dialect:
    """One set of words for the grammar, and how names that collide with them are written."""

    def __init__(self, name: str, spelling: dict[str, str], twist: Twist | None = None) -> None:
        self.name = name if twist is None else f"{name}{TWISTED}{twist.name}"
        self.spelling = name  # the name of its words alone
        self.twist = twist
        self.words = spelling  # latin → word, for every keyword, type and annotation
        self.keyword_of = {spelling[w.latin]: w.latin for w in KEYWORDS}
        self.type_of = {spelling[w.latin]: w.latin for w in TYPES}
        self.annotation_of = {spelling[w.latin]: w.latin for w in ANNOTATIONS}
        self.escapes = name != "latin"
        reserved = "|".join(re.escape(word) for word in sorted(set(spelling.values()), key=len, reverse=True))
        self._escaped = re.compile(rf"(?:{ESCAPE})*(?:{reserved})")

    def write_name(self, name: str) -> str:
        """A name as this dialect writes it: escaped where it would be read as one of the dialect's words."""
        if self.escapes and self._escaped.fullmatch(name):
            return ESCAPE + name
        return name

    def read_name(self, text: str) -> str:
        """The name that `write_name` wrote as `text`."""
        if self.escapes and text.startswith(ESCAPE) and self._escaped.fullmatch(text):
            return text[len(ESCAPE) :]
        return text

    def write_type(self, name: str) -> str:
        return self.words[name] if name in TYPE_NAMES else self.write_name(name)

    def read_type(self, text: str) -> str:
        """The canonical type name; a Latin type name in another dialect is a user's own type and is kept
        apart."""
        if not self.escapes:
            return text
        latin = self.type_of.get(text)
        if latin is not None:
            return latin
        return ESCAPE + text if text in TYPE_NAMES else self.read_name(text)

    def write_annotation(self, name: str) -> str:
        known = name in self.annotation_of.values() or name in KEYWORD_NAMES
        return self.words[name] if known else self.write_name(name)

    def read_annotation(self, text: str, keyword: str | None) -> str:
        if not self.escapes:
            return text
        if keyword is not None:
            return keyword
        return self.annotation_of.get(text) or self.read_name(text)


_ONSETS = (
    "b", "br", "d", "dr", "f", "fl", "g", "gl", "k", "kr", "l", "m", "n", "p", "pl", "r", "s", "sk", "t",
    "tr", "v", "z",
)  # fmt: skip
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
_CODAS = ("", "", "l", "n", "r", "s", "k", "m")


def _draw_word(latin: str, attempt: int) -> str:
    """A pronounceable word that depends on nothing but the seed, the word it replaces and the attempt."""
    digest = hashlib.sha256(f"{SCRAMBLE_SEED}/{latin}/{attempt}".encode()).digest()
    syllables = 2 + digest[0] % 2
    parts = []
    for i in range(syllables):
        onset, vowel, coda = digest[1 + 3 * i : 4 + 3 * i]
        parts += [_ONSETS[onset % len(_ONSETS)], _VOWELS[vowel % len(_VOWELS)], _CODAS[coda % len(_CODAS)]]
    return "".join(parts)


def _scramble_words() -> dict[str, str]:
    taken = {spelling for word in WORDS for spelling in (word.latin, word.english)}
    spelling = {}
    for word in WORDS:
        attempt = 0
        while (candidate := _draw_word(word.latin, attempt)) in taken:
            attempt += 1
        taken.add(candidate)
        spelling[word.latin] = candidate
    return spelling


@cache
def find_dialect(name: str) -> Dialect:
    """The dialect of this name, `latin` or `latin+one-based`; ValueError names those there are."""
    words, twist = split_dialect(name)
    if words not in _SPELLINGS:
        raise ValueError(f"There is no Faber dialect '{words}'; choose one of {', '.join(NAMES)}.")
    return Dialect(words, _SPELLINGS[words](), twist)


_SPELLINGS: dict[str, Callable[[], dict[str, str]]] = {
    "latin": lambda: {word.latin: word.latin for word in WORDS},
    "english": lambda: {word.latin: word.english for word in WORDS},
    "symbols": lambda: {word.latin: word.symbol for word in WORDS},
    "scrambled": _scramble_words,
}

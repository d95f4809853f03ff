"""Two texts word by word: what both have, and what one of them has alone."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

COMPARED = 6_000
"""Characters of each text that are compared and shown. The time grows with the product of the two lengths."""
_WORDS = re.compile(r"\s+|\w+|[^\w\s]+")


class Piece(NamedTuple):
    """A stretch of a text. `own`: the other text does not have it at this place."""

    text: str
    own: bool


class WordDiff(NamedTuple):
    """Both texts in pieces."""

    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    cut: bool  # one of them is longer than what was compared


def word_diff(before: str, after: str) -> WordDiff:
    """Both texts with the words that differ marked. Joined again, the pieces are the texts, up to `COMPARED` characters."""
    one, two = _WORDS.findall(before[:COMPARED]), _WORDS.findall(after[:COMPARED])
    left, right = list[Piece](), list[Piece]()
    for kind, a, b, c, d in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if b > a:
            left.append(Piece("".join(one[a:b]), kind != "equal"))
        if d > c:
            right.append(Piece("".join(two[c:d]), kind != "equal"))
    return WordDiff(tuple(left), tuple(right), max(len(before), len(after)) > COMPARED)

"""Two answers side by side: which words are only in one of them."""

from __future__ import annotations

from difflib import SequenceMatcher

import msgspec

ALIKE = 0.25
"""Answers with a smaller share of words in common are different answers: marking nearly all of their words would tell nothing."""


class Piece(msgspec.Struct, frozen=True):
    """Some words, and whether the other text lacks them there."""

    text: str
    differs: bool


class Compared(msgspec.Struct, frozen=True):
    """Both texts in pieces. Where they are not `alike`, no piece is marked."""

    before: tuple[Piece, ...]
    now: tuple[Piece, ...]
    alike: bool


def compared(before: str, now: str) -> Compared:
    """Word by word; what is between words does not count."""
    old, new = before.split(), now.split()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < ALIKE:
        return Compared((Piece(" ".join(old), False),), (Piece(" ".join(new), False),), alike=False)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if i2 > i1:
            left.append(Piece(" ".join(old[i1:i2]), tag != "equal"))
        if j2 > j1:
            right.append(Piece(" ".join(new[j1:j2]), tag != "equal"))
    return Compared(tuple(left), tuple(right), alike=True)

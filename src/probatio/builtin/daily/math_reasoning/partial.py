"""Partial credit for whole numbers on a ladder: the right ends of a long one, a count that is nearly right, a row of several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

_FREE = 2  # digits that anybody gets right: one at each end
_LONGEST_ROW = 400  # characters of a row that are read
_INTEGER = re.compile(r"(?<![\w.])([-+]?\d+)(?:\.0+)?(?![\w%^/]|\.\d)")


def ends(given: Fraction, wanted: int, near: float) -> float:
    """1 for the number; else up to `near` for the digits that are right at its end and, if it is as long, at its start."""
    if given == wanted:
        return 1.0
    if given.denominator != 1 or (given < 0) != (wanted < 0):
        return 0.0
    there, asked = str(abs(given.numerator)), str(abs(wanted))
    right = _same(there[::-1], asked[::-1])
    if len(there) == len(asked):
        right += _same(there, asked)
    return near * max(0, right - _FREE) / max(1, len(asked) - _FREE)


def _same(there: str, asked: str) -> int:
    """How many characters two texts begin with in common."""
    for at, (one, other) in enumerate(zip(there, asked, strict=False)):
        if one != other:
            return at
    return min(len(there), len(asked))


def distance(given: Fraction, wanted: int, near: float, within: float) -> float:
    """1 for the number; else up to `near`, falling with the distance to nothing at the share `within` of it."""
    if given == wanted:
        return 1.0
    if not wanted:
        return 0.0
    return near * max(0.0, 1 - float(abs(given - wanted) / abs(wanted)) / within)


def row_share(text: str, wanted: Sequence[int], names: Sequence[str]) -> float:
    """The share of the numbers that are right. Where each name stands before a number, in their order of names; else as written.

    More numbers than were asked for are a list of candidates, and earn nothing.
    """
    text = text[:_LONGEST_ROW]
    given = [int(number) for number in _INTEGER.findall(text)]
    if len(given) > len(wanted):
        return 0.0
    named = [
        re.search(
            rf"(?<!\w){re.escape(name)}(?!\w)[^\w+-]{{0,6}}(?:(?:has|is)\s)?(?P<number>[-+]?\d+)", text, re.IGNORECASE
        )
        for name in names
    ]
    if names and all(named):
        given = [int(found["number"]) for found in named if found]
    return sum(one == other for one, other in zip(given, wanted, strict=False)) / len(wanted)

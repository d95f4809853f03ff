"""Two answers word by word: what both have, and what one of them has alone. Spaces and lines stay as they were written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

COMPARED = 6_000
"""Characters of each text that are compared. The time grows with the product of the two lengths."""
ALIKE = 0.25
"""Answers with a smaller share of words in common are different answers: marking nearly all of their words would tell nothing."""
AROUND = 120
"""Characters of a common stretch that are kept beside a difference where a text is shortened."""
_WORDS = re.compile(r"\s+|\w+|[^\w\s]+")


class Piece(NamedTuple):
    """A stretch of a text. `own`: the other text does not have it at this place."""

    text: str
    own: bool


class WordDiff(NamedTuple):
    """Both texts in pieces. Where they are not `alike`, no piece is marked."""

    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    alike: bool
    cut: bool  # one of them is longer than what was compared

    @property
    def same(self) -> bool:
        """No word differs, as far as they were compared."""
        return self.alike and not any(piece.own for piece in (*self.before, *self.after))


def word_diff(before: str, after: str) -> WordDiff:
    """Both texts with the words that differ marked. Joined again, the pieces are the texts, up to `COMPARED` characters."""
    one, two = _WORDS.findall(before[:COMPARED]), _WORDS.findall(after[:COMPARED])
    cut = max(len(before), len(after)) > COMPARED
    steps = list(_steps(one, two))
    common = sum(not word.isspace() for same, a, b, _, _ in steps if same for word in one[a:b])
    if 2 * common < ALIKE * sum(not word.isspace() for word in (*one, *two)):
        return WordDiff(_joined([(one, False)]), _joined([(two, False)]), alike=False, cut=cut)
    return WordDiff(
        _joined([(one[a:b], not same) for same, a, b, _, _ in steps]),
        _joined([(two[c:d], not same) for same, _, _, c, d in steps]),
        alike=True,
        cut=cut,
    )


def shortened(pieces: Sequence[Piece], most: int) -> tuple[Piece, ...]:
    """A text for a page with little room: what differs stays, long stretches that both have lose their middle, and the end is cut
    off behind `most` characters."""
    found: list[Piece] = []
    room = most
    for number, piece in enumerate(pieces):
        text = (
            piece.text if piece.own or len(pieces) == 1 else _folded(piece.text, number > 0, number + 1 < len(pieces))
        )
        if len(text) > room:
            found.append(Piece(f"{text[:room].rstrip()}…", piece.own))
            break
        found.append(Piece(text, piece.own))
        room -= len(text)
    return tuple(found)


def _folded(text: str, follows: bool, goes_on: bool) -> str:
    """The ends of a common stretch that stand beside a difference."""
    head, tail = AROUND * follows, AROUND * goes_on
    return text if len(text) <= head + tail + 3 else f"{text[:head]} … {text[len(text) - tail :]}".strip(" ")


def _steps(one: Sequence[str], two: Sequence[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Whether both have it, and its place in both. A space between two differences belongs to them, so that words are marked."""
    steps = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    for number, (kind, a, b, c, d) in enumerate(steps):
        between = 0 < number < len(steps) - 1
        yield kind == "equal" and not (between and all(word.isspace() for word in one[a:b])), a, b, c, d


def _joined(stretches: Sequence[tuple[Sequence[str], bool]]) -> tuple[Piece, ...]:
    """As pieces, neighbours of one kind as one."""
    found: list[Piece] = []
    for words, own in stretches:
        text = "".join(words)
        if found and found[-1].own == own:
            found[-1] = Piece(found[-1].text + text, own)
        elif text:
            found.append(Piece(text, own))
    return tuple(found)

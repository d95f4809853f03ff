"""A passage: the statements of a text, and where their words, clauses and negations stand.

Each is looked up once for a whole text, so that a hundred wordings of claims take time in proportion to the
text, whatever it is made of.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from probatio.builtin.daily.reading.figures import word_set
from probatio.builtin.daily.reading.statements import (
    AUXILIARIES,
    MARKS,
    NEGATORS,
    Place,
    Statement,
    first_words,
    phrases_at,
    statements,
)

_SHADOW = 7  # words after a negator that it can negate …
_SHORT_SHADOW = 2  # … after "without" and "rather than": of "six rather than eight buses" buses are meant
_NEGATOR_PHRASES = (("instead", "of"), ("rather", "than"), ("far", "from"))
_HARMLESS_AFTER = word_set("only just merely until before delay doubt problem matter")
_BOUNDS = word_set("later more less fewer longer")  # "no later than 3 May" sets a limit and denies nothing
# What can't be waived or lowered still stands: "the fee of 20 euros can't be waived".
_LEAVES_STANDING = tuple(word_set("waiv reduc lower avoid drop lift remov skip chang extend forgiv"))
_BEFORE_VERB = word_set("be been able to")
_PRONOUNS = word_set("they these those both")
_BREAKS = MARKS | {"but", "however", "although", "though", "while", "whereas", "yet"}
_CLAUSE_STARTS = _BREAKS | {"and", "which", "who", "that", "because", "as", "since", "so", "if", "or", "when"}
_SHADOW_ENDS = _CLAUSE_STARTS - {"or", "that"}


class Outline(NamedTuple):
    """The words of a statement, and the numbers of those that part it into clauses or negate."""

    texts: list[str]
    starts: list[int]  # words that begin a clause
    breaks: list[int]  # words that end one
    negators: list[tuple[int, int]]  # the number of the first word, and how many words there are


class Passage(tuple[Statement, ...]):
    """Statements in order. One that is asked for a phrase remembers where it found it."""

    @classmethod
    def of(cls, text: str, limit: int | None = None) -> Passage:
        """The statements of a text; only its first `limit` words are read where one is given."""
        return cls(statements(text, limit))

    @cached_property
    def _found(self) -> dict[str, dict[int, list[Place]]]:
        return {}

    @cached_property
    def _outlines(self) -> dict[int, Outline]:
        return {}

    @cached_property
    def _words(self) -> dict[str, list[tuple[int, int]]]:
        """Word → where it stands, as the numbers of statement and word."""
        table: dict[str, list[tuple[int, int]]] = {}
        for number, statement in enumerate(self):
            for at, word in enumerate(statement):
                table.setdefault(word.text, []).append((number, at))
        return table

    @cached_property
    def _sorted_words(self) -> list[str]:
        return sorted(self._words)

    def find(self, phrases: str) -> dict[int, list[Place]]:
        """Number of a statement → where any of the phrases stands in it, in order."""
        found = self._found.get(phrases)
        if found is None:
            found = self._found[phrases] = {}
            for number, at in sorted({where for word in self._begin(phrases) for where in self._words[word]}):
                if places := list(phrases_at(phrases, self[number], at)):
                    found.setdefault(number, []).extend(places)
        return found

    def _begin(self, phrases: str) -> Iterator[str]:
        """The words of the text that may begin one of the phrases."""
        whole, begun = first_words(phrases)
        yield from whole & self._words.keys()
        for beginning in begun:
            for at in range(bisect_left(self._sorted_words, beginning), len(self._sorted_words)):
                if not self._sorted_words[at].startswith(beginning):
                    break
                yield self._sorted_words[at]

    def outline(self, number: int) -> Outline:
        outline = self._outlines.get(number)
        if outline is None:
            texts = [word.text for word in self[number]]
            outline = self._outlines[number] = Outline(
                texts,
                [at for at, text in enumerate(texts) if text in _CLAUSE_STARTS],
                [at for at, text in enumerate(texts) if text in _BREAKS],
                list(_negators(texts)),
            )
        return outline

    @cached_property
    def goes_on_from(self) -> list[int | None]:
        """For each statement the one that it goes on from: the one before, where it begins with "they"; the
        line that leads in its list, as "We pay back:" does."""
        before: list[int | None] = []
        lead: int | None = None  # the line that leads in a list here
        for number, statement in enumerate(self):
            has_colon = any(word.text == ":" for word in statement)
            pronoun = number > 0 and statement[0].text in _PRONOUNS
            before.append(number - 1 if pronoun else lead if has_colon else None)
            lead = number if statement[-1].text == ":" else lead if has_colon else None
        return before

    def clause(self, number: int, at: int) -> tuple[int, int]:
        """Where the clause begins and ends in which a word stands."""
        starts = self.outline(number).starts
        place = bisect_left(starts, at)
        return (
            starts[place - 1] + 1 if place else 0,
            starts[place] if place < len(starts) else len(self[number]),
        )

    def shadow(self, number: int, places: Sequence[Sequence[Place]]) -> bytearray:
        """For each word whether a negator negates it. `places`: of the groups of a wording, in order."""
        texts, starts, breaks, negators = self.outline(number)
        shadowed = bytearray(len(texts))
        last = max((group[-1][0] for group in places if group), default=-1)
        for at, length in negators:
            shadow = _SHADOW if length == 1 and texts[at] != "without" else _SHORT_SHADOW
            for reach in range(at + length, min(len(texts), at + length + shadow)):
                if texts[reach] in _SHADOW_ENDS:
                    break
                shadowed[reach] = 1
            if at and texts[at - 1] in AUXILIARIES and not _has_group_after(breaks, len(texts), places, at):
                place = bisect_left(starts, at - 1)
                begin = starts[place - 1] + 1 if place else 0
                shadowed[begin : max(begin, at - 1)] = b"\1" * max(0, at - 1 - begin)
            elif at and texts[at - 1] == ":" and last <= at:
                shadowed[:at] = b"\1" * at  # "12 November, two nights: not possible": the line's head
        return shadowed


def has_place(places: Sequence[Place], first: int, last: int) -> bool:
    """Whether one of the places, which are in order, is from `first` to `last`."""
    at = bisect_left(places, (first, 0))
    return at < len(places) and places[at][0] <= last


def _has_group_after(breaks: list[int], size: int, places: Iterable[Sequence[Place]], negator: int) -> bool:
    """Whether a group of the wording stands after the negator in its clause: then it negates that group."""
    place = bisect_right(breaks, negator - 1)
    end = breaks[place] if place < len(breaks) else size
    return any(has_place(group, negator + 1, end - 1) for group in places)


def _negators(texts: list[str]) -> Iterator[tuple[int, int]]:
    for at, text in enumerate(texts):
        after, then = (*texts[at + 1 : at + 3], "", "")[:2]
        if text in NEGATORS and after not in _HARMLESS_AFTER and not (after in _BOUNDS and then == "than"):
            verb = next((word for word in texts[at + 1 : at + 4] if word not in _BEFORE_VERB), "")
            if not verb.startswith(_LEAVES_STANDING):
                yield at, 1
        elif tuple(texts[at : at + 2]) in _NEGATOR_PHRASES:
            yield at, 2

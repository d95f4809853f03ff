"""Regular expressions over two letters, as automata that are compared with the right one on all strings at once.

No backtracking engine ever sees an answer: the time is bounded by `MOST_POSITIONS` and `MOST_VISITS`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from probatio.builtin.daily.code_generation import size
from probatio.builtin.daily.code_generation.labelled import programs
from probatio.grade.check_result import Part

LETTERS = "ab"
LONGEST = 2_000
"""Characters of an expression that are read; more than the largest limit of a rung."""
DEEPEST = 80
TOO_LARGE = "too large to be compared"
MOST_POSITIONS = 1_000
MOST_VISITS = 100_000
"""Of positions, while the automaton is built and again while it is compared; the longest gold takes under a hundredth of it."""


class Rung(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The language asked for, as a complete automaton: state → where `a` and `b` lead; state 0 is the first."""

    rung: int
    name: str
    next: tuple[tuple[int, int], ...]
    accepts: tuple[int, ...]
    limit: int | None = None


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    rungs: tuple[Rung, ...]


class Refused(Exception):
    """Not an expression of the language the prompt allows."""


def parts(gold: dict[str, Any], answer: str) -> tuple[Part, ...]:
    """Every expression of the ladder, each after its label in the answer."""
    found = programs(answer)
    return tuple(_part(rung, found.get(rung.rung)) for rung in msgspec.convert(gold, Gold).rungs)


def _part(rung: Rung, text: str | None) -> Part:
    if not (text or "").strip():
        return Part(rung.name, 0.0, "there is no such expression in the answer", rung=rung.rung)
    expression = written(text or "")
    try:
        different = difference(expression, rung)
    except Refused as refused:
        return Part(rung.name, 0.0, str(refused), rung=rung.rung)
    if different is not None:
        string, accepted = different
        why = (
            f"it {'matches' if accepted else 'does not match'} {string[:60]!r}"
            if string
            else "wrong on the empty string"
        )
        return Part(rung.name, 0.0, why, rung=rung.rung)
    length = len(expression)
    return Part(
        rung.name, size.credit(length, rung.limit), size.words(length, rung.limit, "characters"), rung=rung.rung
    )


def written(text: str) -> str:
    """The expression in the first line of a text, without backticks, outer anchors, spaces and a remark."""
    line = next((each.strip() for each in text.split("\n") if each.strip()), "")
    line = re.split(r"[ \t]{2,}|[ \t]+(?:#|//|—|–)", line)[0]
    line = line.strip("`* \t") if line.startswith("`") else line
    return re.sub(r"[ \t]", "", line).removeprefix("^").removesuffix("$")


class _Piece(NamedTuple):
    """A part of an expression: can it be empty, which positions can begin it, which end it (bit sets)."""

    empty: bool
    first: int
    last: int


class _Automaton:
    """Glushkov's construction: a state for each letter in the expression, joined as the letters may follow each other."""

    def __init__(self) -> None:
        self.letters: list[str] = []  # of each position: the letters it takes
        self.follow: list[int] = []
        self.visits = 0

    def letter(self, taken: str) -> _Piece:
        if len(self.letters) >= MOST_POSITIONS:
            raise Refused(f"it stands for more than {MOST_POSITIONS} letters")
        self.letters.append(taken)
        self.follow.append(0)
        bit = 1 << len(self.letters) - 1
        return _Piece(False, bit, bit)

    def join(self, last: int, first: int) -> None:
        self.visits += last.bit_count()
        if self.visits > MOST_VISITS:
            raise Refused(TOO_LARGE)
        for position in _bits(last):
            self.follow[position] |= first

    def then(self, left: _Piece, right: _Piece) -> _Piece:
        self.join(left.last, right.first)
        return _Piece(
            left.empty and right.empty,
            left.first | right.first if left.empty else left.first,
            left.last | right.last if right.empty else right.last,
        )


EMPTY = _Piece(True, 0, 0)


def _bits(number: int) -> list[int]:
    found = []
    while number:
        low = number & -number
        found.append(low.bit_length() - 1)
        number ^= low
    return found


class _Parser:
    """choice = sequence { "|" sequence };  sequence = { atom [ "*" | "+" | "?" | "{m}" | "{m,}" | "{m,n}" ] };
    atom = letter | "." | "[ab]" | "(" ["?:"] choice ")"."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.automaton = _Automaton()

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def choice(self) -> _Piece:
        piece = self.sequence()
        while self.peek() == "|":
            self.at += 1
            other = self.sequence()
            piece = _Piece(piece.empty or other.empty, piece.first | other.first, piece.last | other.last)
        return piece

    def sequence(self) -> _Piece:
        piece = EMPTY
        while self.peek() not in ("", "|", ")"):
            piece = self.automaton.then(piece, self.repeated())
        return piece

    def repeated(self) -> _Piece:
        began = self.at
        piece = self.atom()
        ended = self.at
        least, most = self.repetition()
        if (least, most) == (1, 1):
            return piece
        if self.peek() in ("*", "+", "?", "{") and self.peek():
            raise Refused("two repetitions in a row")
        if most is None or most > 0:
            whole = self.once(piece, least == 0, most is None)
            for number in range(1, max(least, 1) if most is None else most):
                again = self.copy(began, ended)
                whole = self.automaton.then(whole, self.once(again, number >= least, most is None))
            return whole
        return EMPTY

    def once(self, piece: _Piece, optional: bool, endless: bool) -> _Piece:
        if endless:
            self.automaton.join(piece.last, piece.first)
        return piece._replace(empty=piece.empty or optional)

    def copy(self, began: int, ended: int) -> _Piece:
        """The same atom again, with positions of its own."""
        back = self.at
        self.at = began
        piece = self.atom()
        assert self.at == ended
        self.at = back
        return piece

    def repetition(self) -> tuple[int, int | None]:
        sign = self.peek()
        if sign in ("*", "+", "?") and sign:
            self.at += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        if sign != "{":
            return 1, 1
        count = re.compile(r"\{(\d{1,2})(,(\d{1,2})?)?\}").match(self.text, self.at)
        if not count:
            raise Refused("a brace that is no repetition such as {2} or {2,5}")
        self.at = count.end()
        least = int(count[1])
        most = (int(count[3]) if count[3] else None) if count[2] else least
        if most is not None and most < least:
            raise Refused(f"a repetition from {least} to {most}")
        return least, most

    def atom(self) -> _Piece:
        sign = self.peek()
        self.at += 1
        if sign and sign in LETTERS:
            return self.automaton.letter(sign)
        if sign == ".":
            return self.automaton.letter(LETTERS)
        if sign == "[":
            letters = re.compile(r"([ab]{1,2}|a-b)\]").match(self.text, self.at)
            if not letters:
                raise Refused("a bracket that is not [ab], [a] or [b]")
            self.at = letters.end()
            return self.automaton.letter(letters[1].replace("-", ""))
        if sign != "(":
            raise Refused(f"{sign!r} is not allowed here")
        if self.text.startswith("?:", self.at):
            self.at += 2
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refused(f"more than {DEEPEST} brackets in each other")
        piece = self.choice()
        self.depth -= 1
        if self.peek() != ")":
            raise Refused("a bracket is not closed")
        self.at += 1
        return piece


class Built(NamedTuple):
    """An expression's automaton. A state is the set of positions just read, as bits; `START` before the first letter."""

    whole: _Piece
    follow: list[int]
    takes: tuple[int, ...]  # for each letter, the positions that take it

    def ends(self, state: int) -> bool:
        return self.whole.empty if state == START else bool(state & self.whole.last)

    def following(self, state: int) -> tuple[tuple[int, ...], int]:
        """The states after each letter, and how many positions were visited for it."""
        places = [] if state == START else _bits(state)
        reached = self.whole.first if state == START else 0
        for position in places:
            reached |= self.follow[position]
        return tuple(reached & taken for taken in self.takes), len(places) + 1


START = -1


def built(expression: str) -> Built:
    """The automaton of an expression. Raises Refused for what is none."""
    if len(expression) > LONGEST:
        raise Refused(f"longer than {LONGEST} characters")
    parser = _Parser(expression)
    whole = parser.choice()
    if parser.at < len(expression):
        raise Refused("a bracket is closed and was never opened")
    letters = parser.automaton.letters
    takes = tuple(sum(1 << at for at, taken in enumerate(letters) if letter in taken) for letter in LETTERS)
    return Built(whole, parser.automaton.follow, takes)


def difference(expression: str, rung: Rung) -> tuple[str, bool] | None:
    """A shortest string on which the expression is wrong, and whether it matches it; None where it is right on every string."""
    automaton = built(expression)
    waiting: list[tuple[int, int, str]] = [(START, 0, "")]
    seen = {(START, 0)}
    visits = 0
    for here, state, string in waiting:
        accepted = automaton.ends(here)
        if accepted != (state in rung.accepts):
            return string, accepted
        after, visited = automaton.following(here)
        visits += visited
        if visits > MOST_VISITS:
            raise Refused(TOO_LARGE)
        for number, letter in enumerate(LETTERS):
            pair = (after[number], rung.next[state][number])
            if pair not in seen:
                seen.add(pair)
                waiting.append((*pair, string + letter))
    return None

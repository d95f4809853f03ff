"""Regular expressions over two letters, as automata that are compared with the right one on all strings.

No backtracking engine ever sees an answer: the time is bounded by `MOST_POSITIONS` and `MOST_VISITS`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from probatio.builtin.daily.code_generation.ladder import ProgramLadder, SizedRung, grade_programs
from probatio.core.records.check_result import Part

LETTERS = "ab"
LONGEST = 2_000
"""Characters of an expression that are read; more than the largest limit of a rung."""
DEEPEST = 80
TOO_LARGE = "too large to be compared"
MOST_POSITIONS = 1_000
MOST_VISITS = 100_000
"""Of positions, while the automaton is built and again while it is compared; no gold takes a hundredth."""


class PatternRung(SizedRung, frozen=True, kw_only=True):
    """The right language as a complete automaton: state → where `a` and `b` lead; it starts in 0."""

    next: tuple[tuple[int, int], ...]
    accepts: tuple[int, ...]
    limit: int | None = None


class Refused(Exception):
    """Not an expression of the language the prompt allows."""


def parts(gold: dict[str, Any], answer: str) -> tuple[Part, ...]:
    rungs = msgspec.convert(gold, ProgramLadder[PatternRung]).rungs
    return grade_programs(rungs, answer, "characters", _measure)


def _measure(rung: PatternRung, text: str) -> int | str:
    if not text.strip():
        return "there is no such expression in the answer"
    expression = extract_expression(text)
    try:
        different = difference(expression, rung)
    except Refused as refused:
        return str(refused)
    if different is None:
        return len(expression)
    string, accepted = different
    if not string:
        return "wrong on the empty string"
    return f"it {'matches' if accepted else 'does not match'} {string[:60]!r}"


def extract_expression(text: str) -> str:
    """The expression in the first line of a text, without backticks, outer anchors, spaces and a remark."""
    line = next((each.strip() for each in text.split("\n") if each.strip()), "")
    line = re.split(r"[ \t]{2,}|[ \t]+(?:#|//|—|–)", line)[0]
    line = line.strip("`* \t") if line.startswith("`") else line
    return re.sub(r"[ \t]", "", line).removeprefix("^").removesuffix("$")


class _Fragment(NamedTuple):
    """A part of an expression: can it be empty, which positions can begin it, which end it (bit sets)."""

    empty: bool
    first: int
    last: int


class _Automaton:
    """Glushkov's construction: a state for each letter, joined as the letters may follow each other."""

    def __init__(self) -> None:
        self.letters: list[str] = []  # of each position: the letters it takes
        self.follow: list[int] = []
        self.visits = 0

    def letter(self, taken: str) -> _Fragment:
        if len(self.letters) >= MOST_POSITIONS:
            raise Refused(f"it stands for more than {MOST_POSITIONS} letters")
        self.letters.append(taken)
        self.follow.append(0)
        bit = 1 << len(self.letters) - 1
        return _Fragment(False, bit, bit)

    def join(self, last: int, first: int) -> None:
        self.visits += last.bit_count()
        if self.visits > MOST_VISITS:
            raise Refused(TOO_LARGE)
        for position in _bits(last):
            self.follow[position] |= first

    def then(self, left: _Fragment, right: _Fragment) -> _Fragment:
        self.join(left.last, right.first)
        return _Fragment(
            left.empty and right.empty,
            left.first | right.first if left.empty else left.first,
            left.last | right.last if right.empty else right.last,
        )


EMPTY = _Fragment(True, 0, 0)


def _bits(number: int) -> list[int]:
    found = []
    while number:
        low = number & -number
        found.append(low.bit_length() - 1)
        number ^= low
    return found


class _Parser:
    """Parses an expression:

    choice = sequence { "|" sequence }
    sequence = { atom [ "*" | "+" | "?" | "{m}" | "{m,}" | "{m,n}" ] }
    atom = letter | "." | "[ab]" | "(" ["?:"] choice ")"
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.automaton = _Automaton()

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def choice(self) -> _Fragment:
        piece = self.sequence()
        while self.peek() == "|":
            self.at += 1
            other = self.sequence()
            piece = _Fragment(piece.empty or other.empty, piece.first | other.first, piece.last | other.last)
        return piece

    def sequence(self) -> _Fragment:
        piece = EMPTY
        while self.peek() not in ("", "|", ")"):
            piece = self.automaton.then(piece, self.repetitions())
        return piece

    def repetitions(self) -> _Fragment:
        began = self.at
        piece = self.atom()
        least, most = self.repetition()
        if (least, most) == (1, 1):
            return piece
        if self.peek() in ("*", "+", "?", "{") and self.peek():
            raise Refused("two repetitions in a row")
        if most == 0:
            return EMPTY
        whole = self.once(piece, least == 0, most is None)
        for number in range(1, max(least, 1) if most is None else most):
            again = self.copy(began)
            whole = self.automaton.then(whole, self.once(again, number >= least, most is None))
        return whole

    def once(self, piece: _Fragment, optional: bool, endless: bool) -> _Fragment:
        if endless:
            self.automaton.join(piece.last, piece.first)
        return piece._replace(empty=piece.empty or optional)

    def copy(self, began: int) -> _Fragment:
        """The same atom again, with new positions."""
        back, self.at = self.at, began
        piece = self.atom()
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

    def atom(self) -> _Fragment:
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
    """An expression's automaton. A state is the set of positions just read, as bits; `START` is first."""

    whole: _Fragment
    follow: list[int]
    takes: tuple[int, ...]  # for each letter, the positions that take it

    def ends(self, state: int) -> bool:
        return self.whole.empty if state == START else bool(state & self.whole.last)

    def step(self, state: int) -> tuple[tuple[int, ...], int]:
        """The states after each letter, and how many positions were visited for it."""
        places = [] if state == START else _bits(state)
        reached = self.whole.first if state == START else 0
        for position in places:
            reached |= self.follow[position]
        return tuple(reached & taken for taken in self.takes), len(places) + 1


START = -1


def build(expression: str) -> Built:
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


def difference(expression: str, rung: PatternRung) -> tuple[str, bool] | None:
    """A shortest string on which the expression is wrong, and whether it matches; None if it is right."""
    automaton = build(expression)
    waiting: list[tuple[int, int, str]] = [(START, 0, "")]
    seen = {(START, 0)}
    visits = 0
    for here, state, string in waiting:
        accepted = automaton.ends(here)
        if accepted != (state in rung.accepts):
            return string, accepted
        after, visited = automaton.step(here)
        visits += visited
        if visits > MOST_VISITS:
            raise Refused(TOO_LARGE)
        for number, letter in enumerate(LETTERS):
            pair = (after[number], rung.next[state][number])
            if pair not in seen:
                seen.add(pair)
                waiting.append((*pair, string + letter))
    return None

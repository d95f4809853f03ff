"""Levels: what a program of each may hold. One table, read by the generator, the docs and the tests."""

from __future__ import annotations

import msgspec

Span = tuple[int, int]


class Level(msgspec.Struct, frozen=True):
    """The size and the features of programs, from least to most."""

    number: int
    lines: Span
    """Lines of the program; one that has more or fewer is drawn again."""
    rounds: Span
    """Rounds of loops and calls of functions until the end: the length of the chain from first value to output."""
    registers: Span
    """Variables that change and depend on each other."""
    rules: Span
    """Statements in the body of a loop, each of which may be a choice."""
    phases: Span
    """Parts of a program that follow each other, the later ones going on with the registers of the earlier."""
    nesting: int
    """How deep a choice or loop may stand inside another."""
    terms: int
    """The most operands of one expression."""
    features: frozenset[str]
    told: float
    """The share of completions whose question says in words what is missing; the others must be inferred from the output."""
    difficulty: int
    """What the tasks say in the field of that name, which has three steps."""


_LOOP = frozenset(("loop",))
_CHOICE = _LOOP | {"choice", "text"}
_FUNCTION = _CHOICE | {"function", "while", "join"}
_SWITCH = _FUNCTION | {"switch", "range", "list", "leave", "logic", "error"}
_ERRORS = _SWITCH | {"nested", "checkpoint", "class"}

LEVELS: dict[int, Level] = {
    level.number: level
    for level in (
        Level(1, (3, 9), (0, 0), (1, 3), (2, 5), (1, 1), 0, 3, frozenset(("text",)), 1.0, 1),
        Level(2, (5, 16), (2, 8), (1, 2), (1, 1), (1, 1), 1, 3, _CHOICE, 1.0, 1),
        Level(3, (9, 22), (4, 20), (2, 3), (1, 2), (1, 1), 1, 3, _FUNCTION, 1.0, 2),
        Level(4, (16, 34), (10, 40), (2, 3), (2, 2), (1, 2), 2, 4, _SWITCH, 0.8, 2),
        Level(5, (26, 50), (18, 80), (3, 4), (2, 3), (2, 2), 2, 4, _ERRORS, 0.6, 3),
        Level(6, (40, 80), (24, 110), (4, 5), (3, 3), (2, 3), 3, 4, _ERRORS, 0.4, 3),
    )
}  # fmt: skip

MIX: tuple[str, ...] = (
    "predict_output", "translate_to", "complete_code", "write", "predict_output", "translate_from", "repair",
    "complete_code", "predict_output", "write", "translate_to", "write_host", "predict_output", "complete_code", "repair",
    "predict_output", "write", "translate_from", "complete_code", "translate_to",
)  # fmt: skip
"""The types of tasks in their order, over and over: the same at every level, so that levels can be compared."""

PURPOSES: tuple[str, ...] = ("accumulate", "search", "transform", "simulate", "dispatch", "recover")
"""What a program is for: the category of its task."""

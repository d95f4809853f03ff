"""Levels: what a program of each may hold.
One table, read by the generator, docs/generate.md and the tests."""

from __future__ import annotations

import msgspec

from probatio.core.records import TaskType

Span = tuple[int, int]


class Level(msgspec.Struct, frozen=True):
    """The size and the features of programs, from least to most."""

    number: int
    difficulty: int
    """What the tasks say in the field of that name, which has three steps."""
    lines: Span
    """Lines of the program; one that has more or fewer is drawn again."""
    steps: Span
    """Rounds of loops and calls of functions until the end:
    the length of the chain from the first value to the output."""
    registers: Span
    """Variables that change and depend on each other."""
    parts: Span
    """Parts that follow each other, each with a purpose;
    the later ones go on with the registers of the earlier."""
    functions: Span
    """Functions, besides one that fails where the purpose is recovery."""
    turns: Span
    """Rounds of one loop."""
    rules: Span
    """Statements in the body of a loop, each of which may be a choice."""
    nesting: int
    """How deep a choice or loop may stand inside another."""
    terms: int
    """The most variables of one sum."""
    told: float
    """The share of completions whose question says in words what is missing;
    the others must be inferred from the output."""
    features: frozenset[str]


_CHOICE = frozenset(("text", "choice"))
_FUNCTION = _CHOICE | {"while", "list"}
_ERRORS = _FUNCTION | {"switch", "range", "leave", "logic", "error"}
_OBJECTS = _ERRORS | {"nested", "checkpoint", "class"}

LEVELS: dict[int, Level] = {
    level.number: level
    for level in (
        Level(1, 1, (3, 9), (0, 0), (1, 3), (1, 1), (0, 0), (0, 0), (1, 3), 0, 3, 0.6, frozenset(("text",))),
        Level(2, 1, (5, 16), (2, 8), (1, 2), (1, 1), (0, 0), (2, 4), (1, 1), 1, 3, 1.0, _CHOICE),
        Level(3, 2, (9, 22), (4, 20), (2, 3), (1, 1), (0, 1), (3, 7), (1, 2), 1, 3, 1.0, _FUNCTION),
        Level(4, 2, (16, 34), (8, 32), (2, 3), (1, 2), (1, 1), (5, 9), (2, 2), 2, 4, 0.8, _ERRORS),
        Level(5, 3, (26, 50), (14, 56), (3, 4), (2, 2), (1, 2), (6, 10), (2, 3), 2, 4, 0.6, _OBJECTS),
        Level(6, 3, (40, 80), (22, 110), (4, 5), (2, 3), (2, 3), (8, 13), (3, 3), 3, 4, 0.4, _OBJECTS),
    )
}

MIX: tuple[TaskType, ...] = (
    "predict_output", "translate_to", "complete_code", "write", "predict_output", "translate_from", "repair",
    "complete_code", "predict_output", "write", "translate_to", "write_host", "predict_output",
    "complete_code", "repair", "predict_output", "write", "translate_from", "complete_code", "translate_to",
)  # fmt: skip
"""The types of tasks in their order, over and over: the same at every level,
so that levels can be compared."""

FIRST_LEVEL = {"accumulate": 1, "search": 1, "transform": 1, "simulate": 1, "dispatch": 2, "recover": 4}
"""What a program is for, which is the category of its task, and the lowest level that has it:
dispatch needs a choice in a loop, recovery needs errors."""


def purposes(level: int) -> tuple[str, ...]:
    """The purposes that a level has."""
    return tuple(name for name, first in FIRST_LEVEL.items() if first <= level)

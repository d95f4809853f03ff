"""From chance to a program: drawn, cut down to what matters, looked over, and run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from faber import tree
from faber.analysis import analyse
from faber.dialects import find_dialect
from faber.print import print_program
from probatio.authoring.generate.faber.dependence import idle_parts, mend, nodes_of
from probatio.authoring.generate.faber.draft import Draft
from probatio.authoring.generate.faber.levels import LEVELS, Level
from probatio.authoring.generate.faber.mutants import Mutants
from probatio.authoring.generate.faber.purposes import program as drawn_program
from probatio.authoring.generate.faber.runs import MOST_STEPS, Runs, emit_counted

_ATTEMPTS = 6
"""How often what is idle may be taken out until nothing is."""

_LONGEST_LINE = 100
_MOST_PRINTED = 16
"""Lines of output; a longer one asks for patience, not for understanding."""

_LATIN = find_dialect("latin")


class DrawnProgram(msgspec.Struct, frozen=True):
    """A program in which every part matters, as far as the text tells, and what it should print."""

    purpose: str
    text: str
    program: tree.Program
    printed: str
    shape: str
    counted: str
    """The compiled program, counting its steps."""


def draw(chance: random.Random, level: int, purpose: str) -> DrawnProgram | None:
    """One program, or None where chance drew none that holds what the level asks for."""
    draft = Draft(chance, LEVELS[level])
    text = "\n".join(drawn_program(draft, purpose))
    read = _read(text) if plausible(text, draft.level) else None
    lines = None if read is None else _cut_down(read, draft.level.lines[0])
    if read is None or lines is None:
        return None
    text = print_program(read, text, [], _LATIN, False, False)[0].replace(";\n", "\n").rstrip("\n")
    return _look_over(purpose, text, lines, draft.level)


def _cut_down(program: tree.Program, least: int) -> list[str] | None:
    """Take out of the tree what does not matter;
    what it prints then, or None where something idle can't be taken out, or where fewer lines remain."""
    for _ in range(_ATTEMPTS):
        mutants = Mutants(program, MOST_STEPS)
        if not mutants.lines:
            return None
        idle = idle_parts(mutants)
        if not idle:
            return mutants.lines
        if not mend(program, idle):
            return None
        nodes = nodes_of(program.body)
        printed = sum(isinstance(node, (tree.Statement, tree.Case)) for node in nodes)
        if printed + sum(isinstance(node, (tree.Switch, tree.Class)) for node in nodes) < least:
            return None
    return None


def _look_over(purpose: str, text: str, printed: list[str], level: Level) -> DrawnProgram | None:
    """A program in which nothing is idle, if it is as long as the level says and its output can be read."""
    lines = text.split("\n")
    if (
        not level.lines[0] <= len(lines) <= level.lines[1]
        or max(map(len, lines)) > _LONGEST_LINE
        or _hard_to_read(printed)
    ):
        return None
    read = _read(text)
    if read is None:
        return None
    nodes = nodes_of(read.body)
    if any(isinstance(node, tree.Block) and not node.body for node in nodes):
        return None
    ends = [node.body and node.body.body[-1] for node in nodes if isinstance(node, tree.Function)]
    if not all(isinstance(end, tree.Return) for end in ends):  # a function ends with its result
        return None
    return DrawnProgram(purpose, text, read, "\n".join(printed) + "\n", shape(read), emit_counted(read))


def fits(drawn: DrawnProgram, level: Level, runs: Runs) -> bool:
    """Does the program, run, print what it should, in as many steps as the level says? Raises NotRun."""
    ran = runs.find(drawn.counted)
    return ran is not None and ran.stdout == drawn.printed and level.steps[0] <= ran.steps <= level.steps[1]


def _hard_to_read(lines: list[str]) -> bool:
    """Too many lines, or blanks and empty lines that no one sees."""
    if len(lines) > _MOST_PRINTED:
        return True
    return any(not line or line != " ".join(line.split()) or len(line) > _LONGEST_LINE for line in lines)


def plausible(text: str, level: Level) -> bool:
    """Could this become a program of the level, by leaving out a little?"""
    lines = text.split("\n")
    least = level.lines[0] * (1.25 if level.number > 3 else 1)
    return least <= len(lines) <= level.lines[1] * 1.25 + 2 and max(map(len, lines)) <= _LONGEST_LINE


def _read(text: str) -> tree.Program | None:
    analysis = analyse(text, thorough=True)
    return None if analysis.diagnostics else analysis.program


def shape(program: tree.Program) -> str:
    """A program without its names and literals. Two of the same shape are alike, whatever they print."""
    return " ".join(_shape(program))


_LEFT_OUT = frozenset(("at", "end", "type", "places", "name_at", "form", "name", "class_name"))
_LIBRARY = frozenset(("longitudo", "sectio", "adde", "coniunge", "message"))


def _shape(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        yield "["
        for each in node:
            yield from _shape(each)
        yield "]"
    elif isinstance(node, (tree.Number, tree.Text)):
        yield type(node).__name__
    elif isinstance(node, tree.Member):
        yield f".{node.name}" if not isinstance(node.object, tree.Self) and node.name in _LIBRARY else "."
        yield from _shape(node.object)
    elif isinstance(node, tree.Node):
        yield type(node).__name__
        for name in node.__struct_fields__:
            if name in _LEFT_OUT:
                continue
            value = getattr(node, name)
            if isinstance(value, str):
                yield value if name in ("operator", "keyword", "over") else "_"
            elif value is not None:
                yield from _shape(value)
        yield ";"

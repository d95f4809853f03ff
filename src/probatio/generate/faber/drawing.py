"""From chance to a program: drawn, run, cut down to what matters, and looked over."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from probatio.generate.faber.dependence import idle_parts, mended, nodes_of
from probatio.generate.faber.draft import Draft
from probatio.generate.faber.levels import LEVELS, Level
from probatio.generate.faber.mutants import Mutants
from probatio.generate.faber.purposes import program as drawn_program
from probatio.languages.faber import tree
from probatio.languages.faber.analysis import analyse
from probatio.languages.faber.dialects import dialect
from probatio.languages.faber.evaluate import Declined, Outcome, evaluate
from probatio.languages.faber.print import print_program

_STEPS = 3000
_ATTEMPTS = 6
"""How often what is idle may be taken out until nothing is."""

_LONGEST_LINE = 100
_MOST_PRINTED = 16
"""Lines of output; a longer one asks for patience, not for understanding."""

_LATIN = dialect("latin")


class Drawn(msgspec.Struct, frozen=True):
    """A program in which every part matters, and what the evaluator says it prints."""

    purpose: str
    text: str
    program: tree.Program
    outcome: Outcome
    shape: str

    def nodes(self) -> list[tree.Node]:
        return nodes_of(self.program.body)


def draw(chance: random.Random, level: int, purpose: str) -> Drawn | None:
    """One program, or None where chance drew none that holds what the level asks for."""
    draft = Draft(chance, LEVELS[level])
    text = "\n".join(drawn_program(draft, purpose))
    read = _read(text) if plausible(text, draft.level) else None
    lines = None if read is None else _cut_down(read, draft.level.lines[0])
    if read is None or lines is None:
        return None
    text = print_program(read, text, [], _LATIN, False, False)[0].replace(";\n", "\n").rstrip("\n")
    return _finished(purpose, text, lines, draft.level)


def _cut_down(program: tree.Program, least: int) -> list[str] | None:
    """Take out of the tree what does not matter; what it prints then, or None where something idle can't be taken out, or where
    fewer lines remain."""
    for _ in range(_ATTEMPTS):
        mutants = Mutants(program, _STEPS)
        if not mutants.lines:
            return None
        idle = idle_parts(mutants)
        if not idle:
            return mutants.lines
        if not mended(program, idle) or _line_count(program) < least:
            return None
    return None


def _line_count(program: tree.Program) -> int:
    """The lines it will have when it is printed."""
    nodes = nodes_of(program.body)
    lines = sum(isinstance(node, (tree.Statement, tree.Case)) for node in nodes)
    return lines + sum(isinstance(node, (tree.Switch, tree.Class)) for node in nodes)


def _finished(purpose: str, text: str, printed: list[str], level: Level) -> Drawn | None:
    """A program in which nothing is idle, where it is as long as the level says and its output can be read."""
    lines = text.split("\n")
    if (
        not level.lines[0] <= len(lines) <= level.lines[1]
        or max(map(len, lines)) > _LONGEST_LINE
        or _hard_to_read(printed)
    ):
        return None
    read = _read(text)
    outcome = None if read is None or _empty_block(read) or not _returns(read) else _evaluated(read)
    if read is None or outcome is None or outcome.stdout.splitlines() != printed:
        return None
    if not level.steps[0] <= outcome.steps <= level.steps[1]:
        return None
    return Drawn(purpose, text, read, outcome, shape(read))


def _returns(program: tree.Program) -> bool:
    """Does every function end with its result?"""
    functions = [node for node in nodes_of(program.body) if isinstance(node, tree.Function)]
    return all(node.body is not None and isinstance(node.body.body[-1], tree.Return) for node in functions)


def _hard_to_read(lines: list[str]) -> bool:
    """Too many lines, or blanks and empty lines that nobody sees."""
    if len(lines) > _MOST_PRINTED:
        return True
    return any(not line or line != " ".join(line.split()) or len(line) > _LONGEST_LINE for line in lines)


def plausible(text: str, level: Level) -> bool:
    """Could this become a program of the level, by leaving out a little?"""
    lines = text.split("\n")
    least = level.lines[0] * (1.25 if level.number > 3 else 1)
    return least <= len(lines) <= level.lines[1] * 1.25 + 2 and max(map(len, lines)) <= _LONGEST_LINE


def _empty_block(program: tree.Program) -> bool:
    return any(isinstance(node, tree.Block) and not node.body for node in nodes_of(program.body))


def _read(text: str) -> tree.Program | None:
    analysis = analyse(text, thorough=True)
    return None if analysis.diagnostics else analysis.program


def evaluated(text: str) -> Outcome | None:
    """What a changed program prints; None where the check refuses it, it fails or does not end."""
    read = _read(text)
    return None if read is None else _evaluated(read)


def _evaluated(read: tree.Program) -> Outcome | None:
    try:
        outcome = evaluate(read, _STEPS)
    except Declined:
        return None
    return None if outcome.failed or not outcome.stdout.strip() else outcome


def shape(program: tree.Program) -> str:
    """A program without its names and literals. Two of the same shape are alike, whatever they print."""
    return " ".join(_shape(program))


_LOCAL = frozenset(("at", "end", "type", "places", "name_at", "form"))


def _shape(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        yield "["
        for each in node:
            yield from _shape(each)
        yield "]"
    elif isinstance(node, (tree.Number, tree.Text)):
        yield type(node).__name__
    elif isinstance(node, tree.Member):
        yield f".{node.name}" if isinstance(node.object, tree.Self) is False and node.name in _LIBRARY else "."
        yield from _shape(node.object)
    elif isinstance(node, tree.Node):
        yield type(node).__name__
        for name in node.__struct_fields__:
            if name in _LOCAL or name in ("name", "class_name"):
                continue
            value = getattr(node, name)
            if isinstance(value, str):
                yield value if name in ("operator", "keyword", "over") else "_"
            elif value is not None:
                yield from _shape(value)
        yield ";"


_LIBRARY = frozenset(("longitudo", "sectio", "adde", "coniunge", "message"))

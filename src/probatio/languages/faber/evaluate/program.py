"""A checked tree run to its end: what it prints, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from probatio.languages.faber import tree
from probatio.languages.faber.analysis import Rejected, analyse
from probatio.languages.faber.evaluate.builder import Builder, Machine, Run, note_holding
from probatio.languages.faber.evaluate.declarations import DECLARATIONS
from probatio.languages.faber.evaluate.expressions import EXPRESSIONS
from probatio.languages.faber.evaluate.statements import STATEMENTS
from probatio.languages.faber.evaluate.values import Declined, OutOfSteps, Record, Thrown

_STATEMENTS = DECLARATIONS | STATEMENTS

STEPS = 200_000
"""Rounds of loops and calls of functions that a program may need."""


class Outcome(Struct, frozen=True):
    """What a program printed. `failed`: an error that nobody caught ended it; `steps`: how many rounds and calls it took."""

    stdout: str
    failed: bool
    steps: int


def evaluate_text(source: str, steps: int = STEPS) -> Outcome:
    """Read, check and evaluate a program; Rejected where the check finds errors."""
    analysis = analyse(source, thorough=True)
    if analysis.diagnostics:
        raise Rejected(analysis.diagnostics)
    return evaluate(analysis.program, steps)


def evaluate(program: tree.Program, steps: int = STEPS) -> Outcome:
    """Run a program. Declined where it does what the evaluator does not know, or where it does not end."""
    machine = Machine(steps)
    failed = _finished(*_built(program, machine))
    return Outcome("".join(f"{line}\n" for line in machine.out), failed, steps - machine.steps)


def _built(program: tree.Program, machine: Machine) -> tuple[Builder, Run]:
    builder = Builder(machine, EXPRESSIONS, _STATEMENTS)
    note_holding(program.body, builder.holding)
    _note_declarations(builder, program.body)
    asynchronous = [place for place, node in enumerate(program.body) if isinstance(node, tree.Entry) and node.is_async]
    if asynchronous and asynchronous[0] != len(program.body) - 1:
        raise Declined("statements behind an asynchronous entry")
    return builder, builder.body(program.body)


def _finished(builder: Builder, run: Run) -> bool:
    """Run it; did an error that nobody caught end it?"""
    try:
        run(builder.scope.shape.new(None, Record({})))
    except Thrown:
        return True
    except OutOfSteps:
        raise Declined("a program that does not end") from None
    except RecursionError:
        raise Declined("a program that calls itself too deeply") from None
    return False


def _note_declarations(builder: Builder, body: list[tree.Statement]) -> None:
    """Classes and unions, wherever they stand, so that a use before the declaration is understood."""
    for node in _statements(body):
        if isinstance(node, tree.Union):
            builder.unions[node.name] = node
        elif isinstance(node, tree.Class):
            builder.classes.add(node.name)


def _statements(statements: list[tree.Statement]) -> Iterator[tree.Statement]:
    for node in statements:
        yield node
        inner = node.body if isinstance(node, (tree.Entry, tree.Do, tree.Function)) else None
        if inner is not None:
            yield from _statements(inner.body)

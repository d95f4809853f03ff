"""The check of a program. It accepts what the reference compiler accepts, also where that is odd:
level A is defined by the reference. What a stricter reader would want to know stands in `strictness`."""

from __future__ import annotations

from faber import tree
from faber.check.checker import Checker, Symbol
from faber.check.declarations import DECLARATIONS, HOISTED, placeholder, resolve_aliases, sign
from faber.check.inference import INFERENCE
from faber.check.statements import STATEMENTS
from faber.diagnostics import Report
from faber.dialects import Dialect
from faber.types import TEXTUS, VACUUM, Callable

_STATEMENTS = DECLARATIONS | STATEMENTS


def check(program: tree.Program, report: Report, dialect: Dialect, *, thorough: bool, strict: bool) -> None:
    """Report what is wrong with a program, and note the types of its expressions in the tree.

    Top-level functions and types are known everywhere: they are declared first,
    then all bodies are read in order.
    """
    checker = Checker(report, dialect, INFERENCE, _STATEMENTS, thorough=thorough, strict=strict)
    checker.classes = {node.name: node for node in program.body if isinstance(node, tree.Class)}
    for name in ("_scribe", "_vide", "_mone"):
        checker.scope.names[name] = Symbol(Callable([], VACUUM), "function", False, 0)
    checker.scope.names["_lege"] = Symbol(Callable([], TEXTUS), "function", False, 0)
    hoisted = [s for s in program.body if isinstance(s, HOISTED)]
    for statement in hoisted:
        checker.define(statement.name, *placeholder(checker, statement), statement.at)
    for statement in hoisted:
        sign(checker, statement)
    resolve_aliases(checker, [s for s in hoisted if isinstance(s, tree.Alias)])
    for node in program.body:
        checker.statement(node)

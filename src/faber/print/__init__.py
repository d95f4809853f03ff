"""A tree printed in one canonical way, in the words of any dialect, with its comments."""

from __future__ import annotations

from typing import Any

from faber import tree
from faber.dialects import ESCAPE, Dialect
from faber.print.declarations import DECLARATIONS
from faber.print.expressions import EXPRESSIONS
from faber.print.layout import print_sequence
from faber.print.printer import Printer
from faber.print.statements import STATEMENTS
from faber.vocabulary import NOT_READABLE

_STATEMENTS = DECLARATIONS | STATEMENTS
READ_OTHERWISE = NOT_READABLE | {"verum", "falsum", "nihil", "ego", "lege"}


def print_program(
    program: tree.Program,
    source: str,
    comments: list[tuple[int, int]],
    dialect: Dialect,
    foreign: bool,
    separate: bool,
) -> tuple[str, dict[str, str]]:
    """The program as text, and which names had to change.

    `foreign` says that it was written in another dialect; `separate` puts a semicolon after every statement.
    """
    bindings = find_unreadable(program) if foreign and not dialect.escapes else {}
    printer = Printer(dialect, bindings, source, comments, separate, EXPRESSIONS, _STATEMENTS)
    text = "\n".join(print_sequence(printer, program.body, len(source) + 1, separators=True))
    return (text + "\n" if text else ""), printer.renamed


def find_unreadable(program: tree.Program) -> dict[str, str]:
    """Names of another dialect's program that Latin could declare but not read back,
    with the names they get."""
    names: dict[str, str] = {}
    stack: list[Any] = [program]
    while stack:
        node = stack.pop()
        if isinstance(node, (list, tuple)):
            stack.extend(node)
        elif isinstance(node, tree.Node):
            if isinstance(node, tree.Name) and node.name in READ_OTHERWISE:
                names[node.name] = ESCAPE + node.name
            stack.extend(getattr(node, name) for name in node.__struct_fields__ if name != "type")
    return names

"""What emitting knows at the place it has reached, what the emitted text will need, and how its lines are laid out."""

from __future__ import annotations

from collections.abc import Callable as Function
from collections.abc import Mapping
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.emit.precedence import ASSIGN, Bound

Expressions = Mapping[type[tree.Expression], Function[["Emitter", Any], Bound]]
Statements = Mapping[type[tree.Statement], Function[["Emitter", Any], str]]


class Emitter:
    """One program being emitted. The functions of the other modules share it; the two tables say which takes which node."""

    def __init__(self, expressions: Expressions, statements: Statements) -> None:
        self.expressions = expressions
        self.statements = statements
        self.needs: set[str] = set()  # functions of the prelude
        self.dynamic: set[str] = set()  # library methods looked up when the program runs
        self.classes: dict[str, tree.Class] = {}
        self.unions: dict[str, tree.Union] = {}
        self.yields = False  # does `cede` yield here, or wait?
        self.inside = False  # inside a function or method
        self.protocol: str | None = None  # the verb of the top-level function around, which changes how errors leave it
        self.guarded = 0  # is an error thrown here caught in the same function?
        self.depth = 0
        self.fresh = 0

    # Going on with a node.

    def text(self, node: tree.Expression, at_least: int = ASSIGN) -> str:
        text, binds = self.expressions[type(node)](self, node)
        return f"({text})" if binds < at_least else text

    def joined(self, nodes: list[tree.Expression]) -> str:
        return ", ".join(self.text(node) for node in nodes)

    def statement(self, node: tree.Statement) -> str:
        return self.statements[type(node)](self, node)

    # Layout.

    def indent(self) -> str:
        return "  " * self.depth

    def line(self, text: str) -> str:
        return self.indent() + text

    def block(self, block: tree.Block, head: tuple[str, ...] = (), tail: tuple[str, ...] = ()) -> str:
        self.depth += 1
        lines = [self.line(text) for text in head]
        lines += [text for node in block.body for text in [self.statement(node)] if text]
        lines += [self.line(text) for text in tail]
        self.depth -= 1
        return "{\n" + "\n".join(lines) + f"\n{self.indent()}}}" if lines else "{}"

    # Errors and names.

    def guarded_block(self, block: tree.Block) -> str:
        self.guarded += 1
        text = self.block(block)
        self.guarded -= 1
        return text

    def caught(self, node: tree.Catch | None, write: Function[[], str]) -> str:
        """The statement, inside `try` where it has a `cape` of its own."""
        if node is None:
            return write()
        self.depth += 1
        self.guarded += 1
        inner = write()
        self.guarded -= 1
        self.depth -= 1
        return f"{self.indent()}try {{\n{inner}\n{self.indent()}}}{self.catch(node)}"

    def catch(self, node: tree.Catch | None) -> str:
        return "" if node is None else f" catch ({node.name}: any) {self.block(node.body)}"

    def need(self, name: str) -> str:
        """The name of a function of the prelude, which is then written at the program's head."""
        self.needs.add(name)
        return f"${name}"

    def unused(self, stem: str) -> str:
        """A name that no program has."""
        self.fresh += 1
        return f"${stem}{self.fresh}"

"""What emitting knows at the place it has reached, what the emitted text will need,
how its lines are laid out, and types as TypeScript."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from faber import tree

ASSIGN, CHOICE, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL = range(1, 9)
COMPARE, SHIFT, SUM, PRODUCT, PREFIX, MEMBER, ATOM = range(9, 16)
"""How tightly TypeScript's operators bind, loosest first.
An operand that binds less than asked for gets parentheses."""

CAUGHT_OUTSIDE = (tree.If, tree.While, tree.Loop, tree.Switch, tree.Manage)

Bound = tuple[str, int]
"""An expression as TypeScript, and how tightly it binds."""

Expressions = dict[type[tree.Expression], Function[["Emitter", Any], Bound]]
Statements = dict[type[tree.Statement], Function[["Emitter", Any], str]]


class Emitter:
    """One program being emitted. The functions of the other modules share it;
    the two tables say which takes which node."""

    def __init__(self, expressions: Expressions, statements: Statements) -> None:
        self.expressions = expressions
        self.statements = statements
        self.needs: set[str] = set()  # functions of the prelude
        self.dynamic: set[str] = set()  # library methods looked up when the program runs
        self.classes: dict[str, tree.Class] = {}
        self.unions: dict[str, tree.Union] = {}
        self.yields = False  # does `cede` yield here, or wait?
        self.inside = False  # inside a function or method
        # The verb of the top-level function around, which changes how errors leave it.
        self.protocol: str | None = None
        self.guarded = 0  # is an error thrown here caught in the same function?
        self.depth = 0
        self.fresh = 0

    # Going on with a node.

    def text(self, node: tree.Expression, at_least: int = ASSIGN) -> str:
        text, binds = self.expressions[type(node)](self, node)
        return f"({text})" if binds < at_least else text

    def join(self, nodes: list[tree.Expression]) -> str:
        return ", ".join(self.text(node) for node in nodes)

    def statement(self, node: tree.Statement) -> str:
        """The statement, inside `try` where it is of a kind that TypeScript has no `catch` for and has a
        `cape` of its own."""
        write = self.statements[type(node)]
        if not isinstance(node, CAUGHT_OUTSIDE) or node.catch is None:
            return write(self, node)
        self.depth += 1
        self.guarded += 1
        inner = write(self, node)
        self.guarded -= 1
        self.depth -= 1
        return self.line(f"try {self.braces([inner])}{self.catch(node.catch)}")

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
        return self.braces(lines)

    def braces(self, lines: list[str]) -> str:
        """Lines that stand one step further in, between braces."""
        return "{\n" + "\n".join(lines) + f"\n{self.indent()}}}" if lines else "{}"

    # Errors and names.

    def guard_block(self, block: tree.Block) -> str:
        self.guarded += 1
        text = self.block(block)
        self.guarded -= 1
        return text

    def catch(self, node: tree.Catch | None) -> str:
        return "" if node is None else f" catch ({node.name}: any) {self.block(node.body)}"

    def need(self, name: str) -> str:
        """The name of a function of the prelude, which is then written at the program's head."""
        self.needs.add(name)
        return f"${name}"

    def make_name(self, stem: str) -> str:
        """A name that no program has."""
        self.fresh += 1
        return f"${stem}{self.fresh}"


SIMPLE_TYPES = {
    "textus": "string", "numerus": "number", "fractus": "number", "decimus": "number",
    "bivalens": "boolean", "nihil": "null", "vacuum": "void", "numquam": "never", "magnus": "bigint",
    "ignotum": "unknown", "quodlibet": "any", "octeti": "Uint8Array", "objectum": "any",
    "signum": "symbol", "incertum": "undefined", "erratum": "Error", "tempus": "Date",
}  # fmt: skip
GENERIC_TYPES = {
    "tabula": "Map", "copia": "Set", "promissum": "Promise", "cursor": "Iterable",
    "fluxus": "AsyncIterable", "par": "Partial", "totum": "Required", "lectum": "Readonly",
    "registrum": "Record", "selectum": "Pick", "omissum": "Omit", "extractum": "Extract",
    "exclusum": "Exclude", "reditus": "ReturnType", "parametra": "Parameters",
    "futuracursor": "AsyncIterator", "futurusfluxus": "AsyncIterable",
}  # fmt: skip


def typescript_type(node: tree.TypeName | tree.Number | None) -> str:
    if node is None or isinstance(node, tree.Number):
        return "any"
    return plain_type(node) + (" | null" if node.nullable else "")


def plain_type(node: tree.TypeName) -> str:
    if node.returns is not None:
        takes = ", ".join(f"{chr(97 + i % 26)}: {typescript_type(t)}" for i, t in enumerate(node.takes or ()))
        return f"(({takes}) => {typescript_type(node.returns)})"
    simple = SIMPLE_TYPES.get(node.name)
    if simple is not None:
        return simple
    inner = [typescript_type(p) for p in node.parameters]
    if node.name == "unio":
        return f"({' | '.join(inner)})" if inner else "unknown"
    if node.name == "lista":
        element = inner[0] if inner else "any"
        return f"({element})[]" if "|" in element or "=>" in element else f"{element}[]"
    if node.name == "forsitan":
        return f"({inner[0] if inner else 'any'} | undefined)"
    name = GENERIC_TYPES.get(node.name, node.name)
    if node.name in ("tabula", "registrum") and not inner:
        inner = ["any", "any"]
    elif node.name in GENERIC_TYPES and not inner:
        inner = ["any"]
    return f"{name}<{', '.join(inner)}>" if inner else name

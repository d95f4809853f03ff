"""What printing knows at the place it has reached: names and types in the dialect's words,
and where brackets must stand."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable as Function
from typing import Any

from faber import tree
from faber.dialects import Dialect
from faber.parse.declarations import RAW_ANNOTATIONS
from faber.parse.operands import REGEX_FLAGS
from faber.parse.tokens import NAME
from faber.print.brackets import BINARY, FLAGS, OPEN, SUMS_FIRST, binds, leading, taker

INDENT = "    "
_FIRST_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\S")

Expressions = dict[type[tree.Expression], Function[["Printer", Any], str]]
Statements = dict[type[tree.Statement], Function[["Printer", Any], str]]


class Printer:
    """One program being printed. The functions of the other modules share it;
    the two tables say which takes which node."""

    def __init__(
        self,
        dialect: Dialect,
        bindings: dict[str, str],
        source: str,
        comments: list[tuple[int, int]],
        separate: bool,
        expressions: Expressions,
        statements: Statements,
    ) -> None:
        self.dialect = dialect
        self.words = dialect.words
        self.reads = dialect.twist.reads if dialect.twist else ""
        self.binary = SUMS_FIRST if self.reads == "sums first" else BINARY
        self.bindings = bindings  # variables that cannot keep their name in this dialect
        self.source = source
        self.comments = deque(comments)  # those not yet printed
        self.separate = separate
        self.expressions = expressions
        self.statements = statements
        self.renamed: dict[str, str] = {}
        self.closed: set[int] = set()  # parts that must not take the word after them
        self.unbracketed: set[int] = set()  # parts that start where a bracket would be read otherwise
        self.depth = 0

    # Names and types.

    def name(self, name: str) -> str:
        """A member, field, key or type parameter."""
        written = self.dialect.write_name(name)
        if written != name:
            self.renamed[name] = written
        return written

    def variable(self, name: str) -> str:
        """A name that is declared and read: a variable, function or parameter."""
        if name in self.bindings:
            self.renamed[name] = self.bindings[name]
            return self.bindings[name]
        return self.name(name)

    def type_name(self, node: tree.TypeName | tree.Number) -> str:
        if isinstance(node, tree.Number):
            return node.text
        mark = "?" * node.nullable
        if node.returns is not None:
            return f"({', '.join(map(self.type_name, node.takes or []))}) -> {self.type_name(node.returns)}"
        text = (
            self.words[node.name] if node.name in ("nihil", "cursor") else self.dialect.write_type(node.name)
        )
        if node.parameters:
            text += f"<{', '.join(map(self.type_name, node.parameters))}>"
        if node.preposition is not None:
            text = f"{self.words[node.preposition]} {text}"
        return text + mark

    def kind(self, text: str) -> str:
        """What the parser takes the first word of a text for: the Latin keyword, or a name."""
        match = _FIRST_WORD.match(text)
        word = match.group() if match is not None else ""
        name = FLAGS if REGEX_FLAGS.fullmatch(self.dialect.read_name(word)) else NAME
        return self.dialect.keyword_of.get(word, name)

    # Going on with a node.

    def text(self, node: tree.Expression, at_least: int = OPEN, following: str = "") -> str:
        """Brackets go round the part that would take what follows the expression for its own (see
        `taker`)."""
        part = taker(node, following, self.binary) if following else None
        if part is not None:
            self.closed.add(id(part))
        text = self.expressions[type(node)](self, node)
        return (
            self.enclose(node, text)
            if binds(node, self.binary) < at_least or id(node) in self.closed
            else text
        )

    def enclose(self, node: tree.Expression, text: str) -> str:
        """Brackets, or where none can stand what else ends the phrase: a comma, a newline,
        or nothing but its own form."""
        if id(node) not in self.unbracketed:
            return f"({text})"
        if isinstance(node, (tree.Filter, tree.Pipeline)):
            return f"{text},"
        return f"{text}\n" if isinstance(node, (tree.Nothing, tree.Truth, tree.Unary)) else text

    def before_block(self, node: tree.Expression) -> str:
        """An expression that a block follows: its end must not take the block for its own."""
        text = self.text(node, OPEN, "{")
        return f"({text})" if text.startswith("{") else text

    def join(self, nodes: list[tree.Expression]) -> str:
        return ", ".join(self.each(nodes, Printer.text))

    def each(self, nodes: list[Any], write: Function[[Printer, Any, int, str], str]) -> list[str]:
        """The parts of a list, of which all but the last have a comma behind."""
        return [write(self, node, OPEN, "," if node is not nodes[-1] else "") for node in nodes]

    def statement(self, node: Any) -> str:
        text = self.statements[type(node)](self, node)
        annotations = getattr(node, "annotations", None)
        if annotations:
            head = [self.annotation(a) for a in annotations]
            text = f"\n{self.indent()}".join([*head, text])
        return text

    def annotation(self, node: tree.Annotation, following: str = "") -> str:
        text = f"@ {self.dialect.write_annotation(node.name)}"
        for argument in node.arguments:
            self.unbracketed |= leading(argument)  # a bracket after an annotation's name is no argument of it
            raw = node.name in RAW_ANNOTATIONS and isinstance(argument, tree.Text)
            text += " " + (argument.inside if raw else self.text(argument, OPEN, following))  # type: ignore[attr-defined]
        return text

    def indent(self) -> str:
        return INDENT * self.depth

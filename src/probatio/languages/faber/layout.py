"""Printing, second part: lines, indentation, comments and blank lines."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.dialects import Dialect
from probatio.languages.faber.phrases import Phrases
from probatio.languages.faber.vocabulary import words

INDENT = "    "
ONE_LINE = 100
"""Lists, objects, enumerations and unions stay on one line up to this length."""

_CONTINUES = words(
    "et aut vel est non sic secus sin qua innatum numeratum fractatum textatum bivalentum dextratum sinistratum ante usque per "
    "intra inter ut cape demum dum prima ultima summa pro fit fiet lineam de curata"
)
"""Words that, standing first in a statement, could be read as going on with the one before."""


class Layout(Phrases):
    def __init__(
        self, dialect: Dialect, bindings: dict[str, str], source: str, comments: list[tuple[int, int]], separate: bool
    ) -> None:
        super().__init__(dialect, bindings)
        self.source = source
        self.comments = comments
        self.next_comment = 0
        self.separate = separate
        self.depth = 0

    # Layout.

    def indent(self) -> str:
        return INDENT * self.depth

    def sequence(self, nodes: list[Any], end: int, separators: bool = False) -> list[str]:
        """Statements or members one to a line, comments among them and at most one blank line between two."""
        lines: list[str] = []
        last_end = -1
        previous: tree.Node | None = None
        at, tail = -1, ""  # where the previous statement stands in `lines`, and the comment behind it
        for node in nodes:
            annotations = getattr(node, "annotations", None)
            start = annotations[0].at if annotations else node.at
            last_end = self.leading_comments(lines, start, last_end)
            self.gap(lines, last_end, start)
            text = self.statement(node)
            end_of_node = max(node.end, node.at)
            self.inner_comments(lines, end_of_node)
            if separators and previous is not None and self.continues(previous, text):
                lines[at] += ";"
            if previous is not None:
                lines[at] += tail
            at = len(lines)
            lines.append(self.indent() + text)
            tail, last_end = self.trailing_comment(end_of_node)
            previous = node
        if previous is not None:
            lines[at] += tail
        self.leading_comments(lines, end, last_end)
        return lines

    def gap(self, lines: list[str], last_end: int, at: int) -> None:
        if lines and 0 <= last_end <= at and self.source.count("\n", last_end, at) > 1:
            lines.append("")

    def leading_comments(self, lines: list[str], before: int, last_end: int) -> int:
        while self.next_comment < len(self.comments) and self.comments[self.next_comment][0] < before:
            start, end = self.comments[self.next_comment]
            self.gap(lines, last_end, start)
            lines.append(self.indent() + self.comment(start, end))
            last_end = end
            self.next_comment += 1
        return last_end

    def inner_comments(self, lines: list[str], end: int) -> None:
        """Comments inside an expression have no place of their own in the print; they go before its statement."""
        while self.next_comment < len(self.comments) and self.comments[self.next_comment][0] < end:
            lines.append(self.indent() + self.comment(*self.comments[self.next_comment]))
            self.next_comment += 1

    def trailing_comment(self, last_end: int) -> tuple[str, int]:
        """The comment on a statement's last line, and where the statement ends with it."""
        if self.next_comment < len(self.comments):
            start, end = self.comments[self.next_comment]
            if start >= last_end and not self.source[last_end:start].strip(" \t\r;,"):
                self.next_comment += 1
                return "  " + self.comment(start, end), end
        return "", last_end

    def comment(self, start: int, end: int) -> str:
        inside = self.source[start + 1 : end].strip()
        return f"# {inside}" if inside else "#"

    def continues(self, previous: tree.Node, text: str) -> bool:
        """Could the statement be read as part of the one before it?"""
        if self.separate or text[0] in "([{-":
            return True
        if isinstance(previous, tree.Variable) and previous.value is None:
            return True
        return self.kind(text) in _CONTINUES

    def block(self, block: tree.Block) -> str:
        self.depth += 1
        lines = self.sequence(block.body, block.end, separators=True)
        self.depth -= 1
        return "{\n" + "\n".join(lines) + f"\n{self.indent()}}}" if lines else "{}"

    # Long literals go one element to a line.

    def array(self, node: tree.Array) -> str:
        return self.listed("[", node.elements, self.text, "]")

    def object(self, node: tree.Object) -> str:
        return self.listed("{ ", node.properties, self.property, " }") if node.properties else "{}"

    def listed(self, opening: str, nodes: list[Any], write: Function[[Any, int, str], str], closing: str) -> str:
        self.depth += 1
        parts = self.each(nodes, write)
        self.depth -= 1
        text = f"{opening}{', '.join(parts)}{closing}"
        if len(text) + len(self.indent()) <= ONE_LINE and "\n" not in text:
            return text
        inner = self.indent() + INDENT
        return f"{opening.strip()}\n{inner}" + f",\n{inner}".join(parts) + f"\n{self.indent()}{closing.strip()}"

    def members(self, nodes: list[Any], end: int) -> str:
        self.depth += 1
        lines = self.sequence(nodes, end)
        self.depth -= 1
        return "{\n" + "\n".join(lines) + f"\n{self.indent()}}}" if lines else "{}"

    def statement(self, node: Any) -> str:
        raise NotImplementedError

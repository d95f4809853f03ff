"""Lines, indentation, comments and blank lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from faber import tree
from faber.print.printer import Printer
from faber.vocabulary import words

ONE_LINE = 100
"""Enumerations and unions stay on one line up to this length."""

_CONTINUES = words(
    "et aut vel est non sic secus sin qua innatum numeratum fractatum textatum bivalentum dextratum "
    "sinistratum ante usque per "
    "intra inter ut cape demum dum prima ultima summa pro fit fiet lineam de curata"
)
"""Words that, standing first in a statement, could be read as going on with the one before."""


Write = Callable[[Printer, Any], str]


def print_sequence(
    printer: Printer, nodes: list[Any], end: int, write: Write = Printer.statement, separators: bool = False
) -> list[str]:
    """Statements or members one to a line, comments among them and at most one blank line between two."""
    lines: list[str] = []
    last_end = -1
    previous: tree.Node | None = None
    at, tail = -1, ""  # where the previous statement stands in `lines`, and the comment behind it
    for node in nodes:
        annotations = getattr(node, "annotations", None)
        start = annotations[0].at if annotations else node.at
        last_end = add_leading_comments(printer, lines, start, last_end)
        add_gap(printer, lines, last_end, start)
        text = write(printer, node)
        end_of_node = max(node.end, node.at)
        add_inner_comments(printer, lines, end_of_node)
        if separators and previous is not None and continues(printer, previous, text):
            lines[at] += ";"
        if previous is not None:
            lines[at] += tail
        at = len(lines)
        lines.append(printer.indent() + text)
        tail, last_end = take_trailing_comment(printer, end_of_node)
        previous = node
    if previous is not None:
        lines[at] += tail
    add_leading_comments(printer, lines, end, last_end)
    return lines


def print_block(printer: Printer, block: tree.Block) -> str:
    return print_members(printer, block.body, block.end, separators=True)


def print_members(
    printer: Printer, nodes: list[Any], end: int, write: Write = Printer.statement, separators: bool = False
) -> str:
    printer.depth += 1
    lines = print_sequence(printer, nodes, end, write, separators)
    printer.depth -= 1
    return "{\n" + "\n".join(lines) + f"\n{printer.indent()}}}" if lines else "{}"


def print_short(printer: Printer, head: str, nodes: list[Any], end: int, write: Write) -> str:
    """All on one line if that is short and no comment stands in it, else one to a line."""
    parts = ", ".join(write(printer, node) for node in nodes)
    text = f"{head} {{ {parts} }}" if parts else f"{head} {{}}"
    if len(text) <= ONE_LINE and not (printer.comments and printer.comments[0][0] < end):
        return text
    return f"{head} {print_members(printer, nodes, end, write)}"


def add_gap(printer: Printer, lines: list[str], last_end: int, at: int) -> None:
    if lines and 0 <= last_end <= at and printer.source.count("\n", last_end, at) > 1:
        lines.append("")


def add_leading_comments(printer: Printer, lines: list[str], before: int, last_end: int) -> int:
    while printer.comments and printer.comments[0][0] < before:
        start, end = printer.comments.popleft()
        add_gap(printer, lines, last_end, start)
        lines.append(printer.indent() + comment_text(printer, start, end))
        last_end = end
    return last_end


def add_inner_comments(printer: Printer, lines: list[str], end: int) -> None:
    """Comments inside an expression have no place of their own in the print; they go before its statement."""
    while printer.comments and printer.comments[0][0] < end:
        lines.append(printer.indent() + comment_text(printer, *printer.comments.popleft()))


def take_trailing_comment(printer: Printer, last_end: int) -> tuple[str, int]:
    """The comment on a statement's last line, and where the statement ends with it."""
    if printer.comments:
        start, end = printer.comments[0]
        if start >= last_end and not printer.source[last_end:start].strip(" \t\r;,"):
            printer.comments.popleft()
            return "  " + comment_text(printer, start, end), end
    return "", last_end


def comment_text(printer: Printer, start: int, end: int) -> str:
    inside = printer.source[start + 1 : end].strip()
    return f"# {inside}" if inside else "#"


def continues(printer: Printer, previous: tree.Node, text: str) -> bool:
    """Could the statement be read as part of the one before it?"""
    if printer.separate or text[0] in "([{-":
        return True
    if isinstance(previous, tree.Variable) and previous.value is None:
        return True
    return printer.kind(text) in _CONTINUES

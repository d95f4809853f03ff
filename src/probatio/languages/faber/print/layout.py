"""Lines, indentation, comments and blank lines."""

from __future__ import annotations

from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.print.printer import Printer
from probatio.languages.faber.vocabulary import words

ONE_LINE = 100
"""Enumerations and unions stay on one line up to this length."""

_CONTINUES = words(
    "et aut vel est non sic secus sin qua innatum numeratum fractatum textatum bivalentum dextratum sinistratum ante usque per "
    "intra inter ut cape demum dum prima ultima summa pro fit fiet lineam de curata"
)
"""Words that, standing first in a statement, could be read as going on with the one before."""


def print_sequence(printer: Printer, nodes: list[Any], end: int, separators: bool = False) -> list[str]:
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
        text = printer.statement(node)
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


def print_members(printer: Printer, nodes: list[Any], end: int, separators: bool = False) -> str:
    printer.depth += 1
    lines = print_sequence(printer, nodes, end, separators)
    printer.depth -= 1
    return "{\n" + "\n".join(lines) + f"\n{printer.indent()}}}" if lines else "{}"


def one_line(printer: Printer, head: str, parts: list[str], node: tree.Statement) -> str | None:
    text = f"{head} {{ {', '.join(parts)} }}" if parts else f"{head} {{}}"
    pending = printer.next_comment < len(printer.comments) and printer.comments[printer.next_comment][0] < node.end
    return text if len(text) <= ONE_LINE and not pending else None


def add_gap(printer: Printer, lines: list[str], last_end: int, at: int) -> None:
    if lines and 0 <= last_end <= at and printer.source.count("\n", last_end, at) > 1:
        lines.append("")


def add_leading_comments(printer: Printer, lines: list[str], before: int, last_end: int) -> int:
    while printer.next_comment < len(printer.comments) and printer.comments[printer.next_comment][0] < before:
        start, end = printer.comments[printer.next_comment]
        add_gap(printer, lines, last_end, start)
        lines.append(printer.indent() + comment_text(printer, start, end))
        last_end = end
        printer.next_comment += 1
    return last_end


def add_inner_comments(printer: Printer, lines: list[str], end: int) -> None:
    """Comments inside an expression have no place of their own in the print; they go before its statement."""
    while printer.next_comment < len(printer.comments) and printer.comments[printer.next_comment][0] < end:
        lines.append(printer.indent() + comment_text(printer, *printer.comments[printer.next_comment]))
        printer.next_comment += 1


def take_trailing_comment(printer: Printer, last_end: int) -> tuple[str, int]:
    """The comment on a statement's last line, and where the statement ends with it."""
    if printer.next_comment < len(printer.comments):
        start, end = printer.comments[printer.next_comment]
        if start >= last_end and not printer.source[last_end:start].strip(" \t\r;,"):
            printer.next_comment += 1
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

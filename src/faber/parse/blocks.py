"""Grammar of blocks, of bodies that stand for one, and of the `cape` that catches what a block throws."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from faber import tree
from faber.parse.cursor import Cursor
from faber.parse.tokens import END

Part = TypeVar("Part", bound=tree.Extent)


# block = "{" { ";" | statement } "}" ;
def parse_block(cursor: Cursor) -> tree.Block:
    at = cursor.starts[cursor.i]
    cursor.expect("{")
    body: list[tree.Statement] = []
    kinds = cursor.kinds
    while True:
        kind = kinds[cursor.i]
        if kind == ";":
            cursor.i += 1
        elif kind == "}" or kind == END:
            break
        else:
            body.append(cursor.parse_statement(cursor))
    cursor.expect("}")
    result = tree.Block(at, body)
    result.end = cursor.ends[cursor.i - 1]
    return result


# body = block | "ergo" statement | "reddit" expression ;
def parse_body(cursor: Cursor) -> tree.Block:
    if cursor.take("reddit"):
        return parse_one_statement(cursor, "reddit")
    if cursor.take("ergo"):
        return parse_one_statement(cursor, "ergo")
    return parse_block(cursor)


# open_body = block | "reddit" expression | statement ;
def parse_open_body(cursor: Cursor) -> tree.Block:
    if cursor.kinds[cursor.i] == "{":
        return parse_block(cursor)
    if cursor.take("reddit"):
        return parse_one_statement(cursor, "reddit")
    return parse_one_statement(cursor, "bare")


def parse_one_statement(cursor: Cursor, form: str) -> tree.Block:
    """A body of one statement, which for `reddit` is the return of an expression."""
    at = cursor.starts[cursor.i]
    statement = (
        tree.Return(at, cursor.parse_expression(cursor))
        if form == "reddit"
        else cursor.parse_statement(cursor)
    )
    result = tree.Block(at, [statement], form)
    result.end = statement.end = cursor.ends[cursor.i - 1]
    return result


# catch = "cape" word block ;
def parse_catch(cursor: Cursor) -> tree.Catch | None:
    at = cursor.starts[cursor.i]
    if not cursor.take("cape"):
        return None
    name = cursor.name()
    return tree.Catch(at, name, parse_block(cursor))


def parse_braced(cursor: Cursor, parse: Callable[[Cursor], Part], commas: bool = False) -> list[Part]:
    """The parts between braces, each with its end. Where commas may stand between them,
    they may also be left out."""
    cursor.expect("{")
    parts = []
    while cursor.kinds[cursor.i] not in ("}", END):
        part = parse(cursor)
        part.end = cursor.ends[cursor.i - 1]
        parts.append(part)
        if commas:
            cursor.take(",")
    cursor.expect("}")
    return parts

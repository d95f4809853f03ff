"""Grammar of blocks, of bodies that stand for one, and of the `cape` that catches what a block throws."""

from __future__ import annotations

from probatio.languages.faber.parse.cursor import Cursor
from probatio.languages.faber.parse.tokens import END
from probatio.languages.faber.tree import Block, Catch, Return, Statement


# block = "{" { ";" | statement } "}" ;
def parse_block(cursor: Cursor) -> Block:
    at = cursor.starts[cursor.i]
    cursor.expect("{")
    body: list[Statement] = []
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
    result = Block(at, body)
    result.end = cursor.ends[cursor.i - 1]
    return result


# body = block | "ergo" statement | "reddit" expression ;
def parse_body(cursor: Cursor) -> Block:
    if cursor.take("reddit"):
        return parse_returned_value(cursor)
    if cursor.take("ergo"):
        return parse_single_statement(cursor, "ergo")
    return parse_block(cursor)


# open_body = block | "reddit" expression | statement ;
def parse_open_body(cursor: Cursor) -> Block:
    if cursor.kinds[cursor.i] == "{":
        return parse_block(cursor)
    if cursor.take("reddit"):
        return parse_returned_value(cursor)
    return parse_single_statement(cursor, "bare")


def parse_returned_value(cursor: Cursor) -> Block:
    at = cursor.starts[cursor.i]
    statement = Return(at, cursor.parse_expression(cursor))
    return single_statement_block(cursor, at, statement, "reddit")


def parse_single_statement(cursor: Cursor, form: str) -> Block:
    at = cursor.starts[cursor.i]
    return single_statement_block(cursor, at, cursor.parse_statement(cursor), form)


def single_statement_block(cursor: Cursor, at: int, statement: Statement, form: str) -> Block:
    result = Block(at, [statement], form)
    result.end = statement.end = cursor.ends[cursor.i - 1]
    return result


# catch = "cape" word block ;
def parse_catch(cursor: Cursor) -> Catch | None:
    at = cursor.starts[cursor.i]
    if not cursor.take("cape"):
        return None
    name = cursor.name()
    return Catch(at, name, parse_block(cursor))

"""Grammar of types, as they are written."""

from __future__ import annotations

from faber import tree
from faber.parse.cursor import Cursor
from faber.parse.tokens import NAME, NUMBER
from faber.vocabulary import DECLARABLE_TYPES, KEYWORD_NAMES


# type = function_type | [ "de" | "in" ] word [ "<" type_argument { "," type_argument } ">" ] [ "?" ]
#        { "[" "]" [ "?" ] } ;
def parse_type(cursor: Cursor) -> tree.TypeName:
    cursor.deeper()
    at = cursor.starts[cursor.i]
    if cursor.take("("):
        result = parse_function_type(cursor, at)
        cursor.depth -= 1
        return result
    preposition = cursor.kinds[cursor.advance()] if cursor.kinds[cursor.i] in ("de", "in") else None
    result = tree.TypeName(at, parse_type_word(cursor), preposition=preposition)
    if cursor.take("<"):
        result.parameters = cursor.parse_separated(parse_type_argument)
        cursor.expect(">")
    result.nullable = cursor.take("?")
    if result.name == "unio" and result.parameters:
        result.parameters = [p for p in result.parameters if isinstance(p, tree.TypeName)]
        cursor.depth -= 1
        return result
    while cursor.kinds[cursor.i] == "[" and cursor.kinds[cursor.i + 1] == "]":
        cursor.i += 2
        result = tree.TypeName(at, "lista", [result], cursor.take("?"))
    cursor.depth -= 1
    return result


# function_type = "(" [ type { "," type } ] ")" "->" type ;
def parse_function_type(cursor: Cursor, at: int) -> tree.TypeName:
    takes = [] if cursor.kinds[cursor.i] == ")" else cursor.parse_separated(parse_type)
    cursor.expect(")")
    cursor.expect("->")
    return tree.TypeName(at, "", takes=takes, returns=parse_type(cursor))


# type_argument = NUMBER | type ;
def parse_type_argument(cursor: Cursor) -> tree.TypeName | tree.Number:
    if cursor.kinds[cursor.i] == NUMBER:
        return tree.Number(cursor.starts[cursor.i], cursor.values[cursor.advance()])
    return parse_type(cursor)


# word = NAME | KEYWORD ;
def parse_type_word(cursor: Cursor) -> str:
    kind = cursor.kinds[cursor.i]
    if kind == NAME:
        cursor.i += 1
        return cursor.dialect.read_type(cursor.values[cursor.i - 1])
    if kind in KEYWORD_NAMES:
        # `nihil` and `cursor` are types; any other keyword is taken as the name of one.
        cursor.i += 1
        return (
            kind if kind in ("nihil", "cursor") or not cursor.dialect.escapes else cursor.values[cursor.i - 1]
        )
    cursor.report_missing("a type")
    text = cursor.values[cursor.i]
    cursor.advance()
    return text


def at_type_word(cursor: Cursor) -> bool:
    """Does a built-in type stand here, or a word the dialect uses for one?"""
    if cursor.kinds[cursor.i] != NAME:
        return False
    text = cursor.values[cursor.i]
    return (cursor.dialect.type_of.get(text) if cursor.dialect.escapes else text) in DECLARABLE_TYPES

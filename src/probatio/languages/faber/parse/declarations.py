"""Grammar of declarations: annotations, variables, imports and functions."""

from __future__ import annotations

from probatio.languages.faber.parse.blocks import parse_block
from probatio.languages.faber.parse.cursor import Cursor
from probatio.languages.faber.parse.expressions import parse_expression
from probatio.languages.faber.parse.tokens import END, NAME, STRING
from probatio.languages.faber.parse.types import at_type_word, parse_type
from probatio.languages.faber.tree import (
    Annotation,
    Function,
    Import,
    Item,
    ListPattern,
    Parameter,
    Statement,
    Text,
    Variable,
)
from probatio.languages.faber.vocabulary import KEYWORD_NAMES

DECLARING = frozenset(("fixum", "varia", "figendum", "variandum"))
RETURN_VERBS = frozenset(("->", "fit", "fiet", "fiunt", "fient"))
PREPOSITIONS = frozenset(("de", "in", "ex"))
RAW_ANNOTATIONS = frozenset(("innatum", "subsidia", "radix", "verte"))
"""Annotations whose argument is the rest of their line, taken as it stands."""


# annotation = "@" word [ expression ] ;
def parse_annotations(cursor: Cursor) -> list[Annotation]:
    """Each annotation ends at the end of its line."""
    annotations = []
    while cursor.kinds[cursor.i] == "@":
        start = cursor.i
        at = cursor.starts[start]
        cursor.i += 1
        kind = cursor.kinds[cursor.i]
        if (kind != NAME and kind not in KEYWORD_NAMES) or not cursor.same_line(start, cursor.i):
            cursor.report.add(
                "syntax",
                "annotation",
                at,
                f"Expected the annotation's name after '@' but found {cursor.current_text()}.",
            )
            continue
        name = cursor.dialect.read_annotation(cursor.values[cursor.i], kind if kind != NAME else None)
        cursor.i += 1
        annotation = Annotation(at, name)
        if name in RAW_ANNOTATIONS:
            while cursor.kinds[cursor.i] != END and cursor.same_line(start, cursor.i):
                cursor.i += 1
            annotation.arguments.append(
                Text(at, cursor.tokens.source[cursor.ends[start + 1] : cursor.ends[cursor.i - 1]].strip())
            )
        else:
            kind = cursor.kinds[cursor.i]
            if (kind in (STRING, NAME) or kind in KEYWORD_NAMES) and cursor.same_line(start, cursor.i):
                annotation.arguments.append(parse_expression(cursor))
        annotations.append(annotation)
    return annotations


# variable = ( "fixum" | "varia" | "figendum" | "variandum" ) ( list_pattern | [ declared ] word ) [ "=" expression ] ;
# declared = type ;  a built-in type in any form, or a NAME directly before the variable's
def parse_variable(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    keyword = cursor.kinds[cursor.i]
    cursor.i += 1
    if cursor.kinds[cursor.i] == "[":
        items = parse_list_pattern(cursor)
        return ListPattern(at, keyword, items, parse_expression(cursor) if cursor.take("=") else None)
    declared = None
    following = cursor.kinds[cursor.i + 1]
    if (at_type_word(cursor) and following != "=") or (cursor.kinds[cursor.i] == NAME and following == NAME):
        declared = parse_type(cursor)
    name = cursor.name()
    return Variable(at, keyword, name, declared, parse_expression(cursor) if cursor.take("=") else None)


# list_pattern = "[" [ list_item { "," list_item } ] "]" ;
# list_item = "_" | [ "ceteri" ] NAME ;
def parse_list_pattern(cursor: Cursor) -> list[Item]:
    cursor.expect("[")
    items = []
    while cursor.kinds[cursor.i] not in ("]", END):
        at = cursor.starts[cursor.i]
        rest = cursor.take("ceteri")
        if not rest and cursor.kinds[cursor.i] == NAME and cursor.values[cursor.i] == "_":
            cursor.i += 1
            items.append(Item(at, "_", "_", skip=True))
        else:
            name = cursor.identifier()
            items.append(Item(at, name, name, rest))
        if cursor.kinds[cursor.i] != "]":
            cursor.expect(",")
    cursor.expect("]")
    return items


# item = [ "ceteri" ] word [ "ut" word ] ;
def parse_item(cursor: Cursor) -> Item:
    at = cursor.starts[cursor.i]
    rest = cursor.take("ceteri")
    name = cursor.name()
    return Item(at, name, cursor.name() if cursor.take("ut") else name, rest)


# items = item { "," item } ;
def parse_items(cursor: Cursor) -> list[Item]:
    return cursor.separated(parse_item)


# import = "ex" ( STRING | NAME ) "importa" ( "*" [ "ut" NAME ] | items ) ;
def parse_import(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    is_text = cursor.kinds[cursor.i] == STRING
    module = cursor.values[cursor.i] if is_text else cursor.dialect.read_name(cursor.values[cursor.i])
    cursor.i += 2
    if cursor.take("*"):
        return Import(at, module, is_text, None, cursor.identifier() if cursor.take("ut") else None)
    return Import(at, module, is_text, parse_items(cursor), None)


# function = "functio" word "(" [ type_parameters ] [ parameters ] ")" [ "curata" NAME ] [ returns ] [ block ] ;
def parse_function(cursor: Cursor) -> Statement:
    result = parse_signature(cursor, with_type_parameters=True)
    if cursor.kinds[cursor.i] == "{":
        result.body = parse_block(cursor)
    return result


def parse_signature(cursor: Cursor, with_type_parameters: bool) -> Function:
    at = cursor.starts[cursor.i]
    cursor.expect("functio")
    name = cursor.name()
    cursor.expect("(")
    type_parameters: list[str] = []
    parameters: list[Parameter] = []
    if not with_type_parameters or parse_type_parameters(cursor, type_parameters):
        parameters = parse_parameters(cursor)
    cursor.expect(")")
    curator = cursor.identifier() if cursor.take("curata") else None
    result = Function(at, name, type_parameters, parameters, curator, None, None, None)
    parse_returns(cursor, result)
    return result


# type_parameters = "prae" "typus" NAME { "," "prae" "typus" NAME } [ "," ] ;
def parse_type_parameters(cursor: Cursor, names: list[str]) -> bool:
    """Do parameters follow?"""
    while cursor.take("prae"):
        cursor.expect("typus")
        names.append(cursor.identifier())
        if not cursor.take(","):
            return False
    return True


# parameters = parameter { "," parameter } ;
def parse_parameters(cursor: Cursor) -> list[Parameter]:
    return [] if cursor.kinds[cursor.i] == ")" else cursor.separated(parse_parameter)


# parameter = [ "de" | "in" | "ex" ] [ "si" ] [ "ceteri" ] [ declared ] word [ "ut" word ] [ "vel" expression ] ;
def parse_parameter(cursor: Cursor) -> Parameter:
    at = cursor.starts[cursor.i]
    preposition = cursor.kinds[cursor.advance()] if cursor.kinds[cursor.i] in PREPOSITIONS else None
    optional = cursor.take("si")
    rest = cursor.take("ceteri")
    declared = None
    kind = cursor.kinds[cursor.i]
    if kind == "(" or at_type_word(cursor) or (kind == NAME and cursor.kinds[cursor.i + 1] in (NAME, "<", "[")):
        declared = parse_type(cursor)
    name = cursor.name()
    alias = cursor.name() if cursor.take("ut") else None
    default = parse_expression(cursor) if cursor.take("vel") else None
    return Parameter(at, name, declared, preposition, optional, rest, alias, default)


# returns = ( "->" | "fit" | "fiet" | "fiunt" | "fient" ) type ;
def parse_returns(cursor: Cursor, function: Function) -> None:
    if cursor.kinds[cursor.i] in RETURN_VERBS:
        function.verb = cursor.kinds[cursor.i]
        cursor.i += 1
        function.returns = parse_type(cursor)

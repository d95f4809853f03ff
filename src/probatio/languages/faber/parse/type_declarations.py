"""Grammar of declared types: aliases, enumerations, tagged unions, classes and contracts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from probatio.languages.faber.parse.blocks import parse_block
from probatio.languages.faber.parse.cursor import Cursor
from probatio.languages.faber.parse.declarations import parse_annotations, parse_signature
from probatio.languages.faber.parse.expressions import parse_expression
from probatio.languages.faber.parse.tokens import END, NAME, NUMBER, STRING
from probatio.languages.faber.parse.types import parse_type
from probatio.languages.faber.tree import (
    Alias,
    Class,
    Contract,
    Enum,
    EnumMember,
    Field,
    Function,
    Number,
    Statement,
    Text,
    Union,
    Variant,
    VariantField,
)

Part = TypeVar("Part", EnumMember, Variant)

ABSTRACT = frozenset(("abstractum", "abstracta", "abstractus"))
MEMBER_STARTS = frozenset(
    ("@", "functio", "publicus", "privatus", "protectus", "abstractus", "generis", "nexum", "de", "in", "(", NAME)
)


# alias = "typus" word "=" ( type | "typus" NAME ) ;
def parse_alias(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    name = cursor.name()
    cursor.expect("=")
    if cursor.take("typus"):
        return Alias(at, name, None, cursor.identifier())
    return Alias(at, name, parse_type(cursor), None)


# enum = "ordo" NAME "{" { enum_member [ "," ] } "}" ;
def parse_enum(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    name = cursor.identifier()
    return Enum(at, name, parse_parts(cursor, parse_enum_member))


def parse_parts(cursor: Cursor, parse: Callable[[Cursor], Part]) -> list[Part]:
    """The members or variants between braces. Commas between them may be left out."""
    cursor.expect("{")
    parts = []
    while cursor.kinds[cursor.i] not in ("}", END):
        part = parse(cursor)
        part.end = cursor.ends[cursor.i - 1]
        parts.append(part)
        cursor.take(",")
    cursor.expect("}")
    return parts


# enum_member = word [ "=" ( [ "-" ] NUMBER | STRING ) ] ;
def parse_enum_member(cursor: Cursor) -> EnumMember:
    at = cursor.starts[cursor.i]
    name = cursor.name()
    if not cursor.take("="):
        return EnumMember(at, name, None, False)
    negative = cursor.take("-")
    place = cursor.advance()
    kind, text = cursor.kinds[place], cursor.values[place]
    if kind == NUMBER:
        return EnumMember(at, name, Number(cursor.starts[place], text), negative)
    if kind == STRING:
        if negative:
            cursor.error("enum-value", "A text cannot be negative.")
        return EnumMember(at, name, Text(cursor.starts[place], text), negative)
    cursor.error("enum-value", f"Expected a number or a text as the member's value, found '{text}'.")
    return EnumMember(at, name, None, False)


# union = "discretio" NAME [ generics ] "{" { variant [ "," ] } "}" ;
def parse_union(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    name = cursor.identifier()
    generics = parse_generics(cursor)
    return Union(at, name, generics, parse_parts(cursor, parse_variant))


# variant = NAME [ "{" { type word [ "," ] } "}" ] ;
def parse_variant(cursor: Cursor) -> Variant:
    at = cursor.starts[cursor.i]
    name = cursor.identifier()
    fields = []
    if cursor.take("{"):
        while cursor.kinds[cursor.i] not in ("}", END):
            place = cursor.starts[cursor.i]
            declared = parse_type(cursor)
            fields.append(VariantField(place, cursor.name(), declared))
            cursor.take(",")
        cursor.expect("}")
    return Variant(at, name, fields)


# generics = "<" NAME { "," NAME } ">" ;
def parse_generics(cursor: Cursor) -> list[str]:
    if not cursor.take("<"):
        return []
    names = cursor.separated(Cursor.identifier)
    cursor.expect(">")
    return names


# class = "genus" NAME [ generics ] [ "sub" NAME ] [ "implet" NAME { "," NAME } ] "{" { member } "}" ;
def parse_class(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    name = cursor.identifier()
    generics = parse_generics(cursor)
    parent = cursor.identifier() if cursor.take("sub") else None
    contracts = cursor.separated(Cursor.identifier) if cursor.take("implet") else []
    cursor.expect("{")
    members = []
    while cursor.kinds[cursor.i] not in ("}", END):
        start = cursor.i
        member = parse_member(cursor)
        if cursor.i == start:
            skip_to_next_member(cursor)
            continue
        member.end = cursor.ends[cursor.i - 1]
        members.append(member)
    cursor.expect("}")
    return Class(at, name, generics, parent, contracts, members)


# member = { annotation } [ "generis" ] [ "nexum" ] ( method | field ) ;
# method = method_signature block ;
# field = type word [ ":" expression ] ;
def parse_member(cursor: Cursor) -> Field | Function:
    at = cursor.starts[cursor.i]
    annotations = parse_annotations(cursor)
    is_static = cursor.take("generis")
    is_reactive = cursor.take("nexum")
    member: Field | Function
    if cursor.kinds[cursor.i] == "functio":
        member = parse_signature(cursor, with_type_parameters=False)
        member.at, member.marked_static = at, is_static
        if not any(a.name in ABSTRACT for a in annotations):
            member.body = parse_block(cursor)
    else:
        declared = parse_type(cursor)
        name = cursor.name()
        member = Field(
            at, name, declared, parse_expression(cursor) if cursor.take(":") else None, is_static, is_reactive
        )
    member.annotations = annotations
    return member


def skip_to_next_member(cursor: Cursor) -> None:
    """Skip to where the next member of a class may start, stepping over whole blocks."""
    cursor.advance()
    depth = 0
    while (kind := cursor.kinds[cursor.i]) != END:
        if kind == "{":
            depth += 1
        elif kind == "}":
            if not depth:
                return
            depth -= 1
        elif not depth and kind in MEMBER_STARTS:
            return
        cursor.i += 1


# contract = "pactum" NAME [ generics ] "{" { { annotation } method_signature } "}" ;
# method_signature = "functio" word "(" [ parameters ] ")" [ "curata" NAME ] [ returns ] ;
def parse_contract(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    name = cursor.identifier()
    generics = parse_generics(cursor)
    cursor.expect("{")
    methods = []
    while cursor.kinds[cursor.i] not in ("}", END):
        place = cursor.starts[cursor.i]
        annotations = parse_annotations(cursor)
        method = parse_signature(cursor, with_type_parameters=False)
        method.at, method.annotations, method.end = place, annotations, cursor.ends[cursor.i - 1]
        methods.append(method)
    cursor.expect("}")
    return Contract(at, name, generics, methods)

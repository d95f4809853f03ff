"""Grammar of declarations: annotations, variables, imports, functions and types."""

from __future__ import annotations

from faber import tree
from faber.parse.blocks import parse_block, parse_braced
from faber.parse.cursor import Cursor
from faber.parse.expressions import parse_expression
from faber.parse.tokens import END, NAME, NUMBER, STRING
from faber.parse.types import at_type_word, parse_type
from faber.vocabulary import KEYWORD_NAMES, words

DECLARING = frozenset(("fixum", "varia", "figendum", "variandum"))
RETURN_VERBS = frozenset(("->", "fit", "fiet", "fiunt", "fient"))
PREPOSITIONS = frozenset(("de", "in", "ex"))
RAW_ANNOTATIONS = frozenset(("innatum", "subsidia", "radix", "verte"))
"""Annotations whose argument is the rest of their line, taken as it stands."""
ABSTRACT = frozenset(("abstractum", "abstracta", "abstractus"))
MEMBER_STARTS = words("@ functio publicus privatus protectus abstractus generis nexum de in ( NAME")


# annotation = "@" word [ expression ] ;
def parse_annotations(cursor: Cursor) -> list[tree.Annotation]:
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
        annotation = tree.Annotation(at, name)
        if name in RAW_ANNOTATIONS:
            while cursor.kinds[cursor.i] != END and cursor.same_line(start, cursor.i):
                cursor.i += 1
            annotation.arguments.append(
                tree.Text(
                    at, cursor.tokens.source[cursor.ends[start + 1] : cursor.ends[cursor.i - 1]].strip()
                )
            )
        else:
            kind = cursor.kinds[cursor.i]
            if (kind in (STRING, NAME) or kind in KEYWORD_NAMES) and cursor.same_line(start, cursor.i):
                annotation.arguments.append(parse_expression(cursor))
        annotations.append(annotation)
    return annotations


# variable = ( "fixum" | "varia" | "figendum" | "variandum" )
#            ( list_pattern | [ declared ] word ) [ "=" expression ] ;
# declared = type ;  a built-in type in any form, or a NAME directly before the variable's
def parse_variable(cursor: Cursor) -> tree.Statement:
    at = cursor.starts[cursor.i]
    keyword = cursor.kinds[cursor.i]
    cursor.i += 1
    if cursor.kinds[cursor.i] == "[":
        items = parse_list_pattern(cursor)
        return tree.ListPattern(at, keyword, items, parse_expression(cursor) if cursor.take("=") else None)
    declared = None
    following = cursor.kinds[cursor.i + 1]
    if (at_type_word(cursor) and following != "=") or (cursor.kinds[cursor.i] == NAME and following == NAME):
        declared = parse_type(cursor)
    name = cursor.name()
    return tree.Variable(at, keyword, name, declared, parse_expression(cursor) if cursor.take("=") else None)


# list_pattern = "[" [ list_item { "," list_item } ] "]" ;
# list_item = "_" | [ "ceteri" ] NAME ;
def parse_list_pattern(cursor: Cursor) -> list[tree.Item]:
    cursor.expect("[")
    items = []
    while cursor.kinds[cursor.i] not in ("]", END):
        at = cursor.starts[cursor.i]
        rest = cursor.take("ceteri")
        if not rest and cursor.kinds[cursor.i] == NAME and cursor.values[cursor.i] == "_":
            cursor.i += 1
            items.append(tree.Item(at, "_", "_", skip=True))
        else:
            name = cursor.identifier()
            items.append(tree.Item(at, name, name, rest))
        if cursor.kinds[cursor.i] != "]":
            cursor.expect(",")
    cursor.expect("]")
    return items


# item = [ "ceteri" ] word [ "ut" word ] ;
def parse_item(cursor: Cursor) -> tree.Item:
    at = cursor.starts[cursor.i]
    rest = cursor.take("ceteri")
    name = cursor.name()
    return tree.Item(at, name, cursor.name() if cursor.take("ut") else name, rest)


# items = item { "," item } ;
def parse_items(cursor: Cursor) -> list[tree.Item]:
    return cursor.parse_separated(parse_item)


# import = "ex" ( STRING | NAME ) "importa" ( "*" [ "ut" NAME ] | items ) ;
def parse_import(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    is_text = cursor.kinds[cursor.i] == STRING
    module = cursor.values[cursor.i] if is_text else cursor.dialect.read_name(cursor.values[cursor.i])
    cursor.i += 2
    if cursor.take("*"):
        return tree.Import(at, module, is_text, None, cursor.identifier() if cursor.take("ut") else None)
    return tree.Import(at, module, is_text, parse_items(cursor), None)


# function = "functio" word "(" [ type_parameters ] [ parameters ] ")"
#            [ "curata" NAME ] [ returns ] [ block ] ;
def parse_function(cursor: Cursor) -> tree.Statement:
    result = parse_signature(cursor, with_type_parameters=True)
    if cursor.kinds[cursor.i] == "{":
        result.body = parse_block(cursor)
    return result


def parse_signature(cursor: Cursor, with_type_parameters: bool) -> tree.Function:
    at = cursor.starts[cursor.i]
    cursor.expect("functio")
    name = cursor.name()
    cursor.expect("(")
    type_parameters: list[str] = []
    parameters: list[tree.Parameter] = []
    if not with_type_parameters or parse_type_parameters(cursor, type_parameters):
        parameters = parse_parameters(cursor)
    cursor.expect(")")
    curator = cursor.identifier() if cursor.take("curata") else None
    result = tree.Function(at, name, type_parameters, parameters, curator, None, None, None)
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
def parse_parameters(cursor: Cursor) -> list[tree.Parameter]:
    return [] if cursor.kinds[cursor.i] == ")" else cursor.parse_separated(parse_parameter)


# parameter = [ "de" | "in" | "ex" ] [ "si" ] [ "ceteri" ] [ declared ] word [ "ut" word ]
#             [ "vel" expression ] ;
def parse_parameter(cursor: Cursor) -> tree.Parameter:
    at = cursor.starts[cursor.i]
    preposition = cursor.kinds[cursor.advance()] if cursor.kinds[cursor.i] in PREPOSITIONS else None
    optional = cursor.take("si")
    rest = cursor.take("ceteri")
    declared = None
    kind = cursor.kinds[cursor.i]
    if (
        kind == "("
        or at_type_word(cursor)
        or (kind == NAME and cursor.kinds[cursor.i + 1] in (NAME, "<", "["))
    ):
        declared = parse_type(cursor)
    name = cursor.name()
    alias = cursor.name() if cursor.take("ut") else None
    default = parse_expression(cursor) if cursor.take("vel") else None
    return tree.Parameter(at, name, declared, preposition, optional, rest, alias, default)


# returns = ( "->" | "fit" | "fiet" | "fiunt" | "fient" ) type ;
def parse_returns(cursor: Cursor, function: tree.Function) -> None:
    if cursor.kinds[cursor.i] in RETURN_VERBS:
        function.verb = cursor.kinds[cursor.i]
        cursor.i += 1
        function.returns = parse_type(cursor)


# alias = "typus" word "=" ( type | "typus" NAME ) ;
def parse_alias(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    name = cursor.name()
    cursor.expect("=")
    if cursor.take("typus"):
        return tree.Alias(at, name, None, cursor.identifier())
    return tree.Alias(at, name, parse_type(cursor), None)


# enum = "ordo" NAME "{" { enum_member [ "," ] } "}" ;
def parse_enum(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    name = cursor.identifier()
    return tree.Enum(at, name, parse_braced(cursor, parse_enum_member, commas=True))


# enum_member = word [ "=" ( [ "-" ] NUMBER | STRING ) ] ;
def parse_enum_member(cursor: Cursor) -> tree.EnumMember:
    at = cursor.starts[cursor.i]
    name = cursor.name()
    if not cursor.take("="):
        return tree.EnumMember(at, name, None, False)
    negative = cursor.take("-")
    place = cursor.advance()
    kind, text = cursor.kinds[place], cursor.values[place]
    if kind == NUMBER:
        return tree.EnumMember(at, name, tree.Number(cursor.starts[place], text), negative)
    if kind == STRING:
        if negative:
            cursor.error("enum-value", "A text cannot be negative.")
        return tree.EnumMember(at, name, tree.Text(cursor.starts[place], text), negative)
    cursor.error("enum-value", f"Expected a number or a text as the member's value, found '{text}'.")
    return tree.EnumMember(at, name, None, False)


# union = "discretio" NAME [ generics ] "{" { variant [ "," ] } "}" ;
def parse_union(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    name = cursor.identifier()
    generics = parse_generics(cursor)
    return tree.Union(at, name, generics, parse_braced(cursor, parse_variant, commas=True))


# variant = NAME [ "{" { type word [ "," ] } "}" ] ;
def parse_variant(cursor: Cursor) -> tree.Variant:
    at = cursor.starts[cursor.i]
    name = cursor.identifier()
    fields = []
    if cursor.take("{"):
        while cursor.kinds[cursor.i] not in ("}", END):
            place = cursor.starts[cursor.i]
            declared = parse_type(cursor)
            fields.append(tree.VariantField(place, cursor.name(), declared))
            cursor.take(",")
        cursor.expect("}")
    return tree.Variant(at, name, fields)


# generics = "<" NAME { "," NAME } ">" ;
def parse_generics(cursor: Cursor) -> list[str]:
    if not cursor.take("<"):
        return []
    names = cursor.parse_separated(Cursor.identifier)
    cursor.expect(">")
    return names


# class = "genus" NAME [ generics ] [ "sub" NAME ] [ "implet" NAME { "," NAME } ] "{" { member } "}" ;
def parse_class(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    name = cursor.identifier()
    generics = parse_generics(cursor)
    parent = cursor.identifier() if cursor.take("sub") else None
    contracts = cursor.parse_separated(Cursor.identifier) if cursor.take("implet") else []
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
    return tree.Class(at, name, generics, parent, contracts, members)


# member = { annotation } [ "generis" ] [ "nexum" ] ( method | field ) ;
# method = method_signature block ;
# field = type word [ ":" expression ] ;
def parse_member(cursor: Cursor) -> tree.Field | tree.Function:
    at = cursor.starts[cursor.i]
    annotations = parse_annotations(cursor)
    is_static = cursor.take("generis")
    is_reactive = cursor.take("nexum")
    member: tree.Field | tree.Function
    if cursor.kinds[cursor.i] == "functio":
        member = parse_signature(cursor, with_type_parameters=False)
        member.at, member.marked_static = at, is_static
        if not any(a.name in ABSTRACT for a in annotations):
            member.body = parse_block(cursor)
    else:
        declared = parse_type(cursor)
        name = cursor.name()
        member = tree.Field(
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
def parse_contract(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    name = cursor.identifier()
    generics = parse_generics(cursor)
    return tree.Contract(at, name, generics, parse_braced(cursor, parse_method_signature))


def parse_method_signature(cursor: Cursor) -> tree.Function:
    at = cursor.starts[cursor.i]
    annotations = parse_annotations(cursor)
    method = parse_signature(cursor, with_type_parameters=False)
    method.at, method.annotations = at, annotations
    return method

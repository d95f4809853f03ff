"""Grammar of operands, what operators stand between: names, literals, calls' arguments, lambdas,
pipelines."""

from __future__ import annotations

import re
from collections.abc import Callable

from faber import tree
from faber.parse.blocks import parse_block
from faber.parse.cursor import Cursor, Stop
from faber.parse.tokens import BIGINT, NAME, NUMBER, STRING, TEMPLATE
from faber.parse.types import parse_type
from faber.vocabulary import KEYWORD_NAMES, NOT_READABLE, words

PIPELINE_VERBS = frozenset(("prima", "ultima", "summa"))
PIPELINE_LOOKAHEAD = 20
NO_PIPELINE = words("pro fit fiet importa fixum varia figendum variandum } ; END")
"""Where one of these comes first, `ex` starts no pipeline."""
REGEX_FLAGS = re.compile("[imsxu]+")
_WORD = re.compile("[A-Za-z_][A-Za-z0-9_]*")


# arguments = [ argument { "," argument } ] ;
def parse_arguments(cursor: Cursor) -> list[tree.Expression]:
    """Reads on through the closing parenthesis."""
    arguments = [] if cursor.kinds[cursor.i] == ")" else cursor.parse_separated(parse_argument)
    cursor.expect(")")
    return arguments


# argument = [ "sparge" ] expression ;
def parse_argument(cursor: Cursor) -> tree.Expression:
    if cursor.kinds[cursor.i] == "sparge":
        at = cursor.step()
        return tree.Spread(at, cursor.parse_expression(cursor))
    return cursor.parse_expression(cursor)


# primary = NAME | KEYWORD | NUMBER | BIGINT | STRING | TEMPLATE | "verum" | "falsum" | "nihil" | "ego"
#         | array | object | "(" expression ")" | lambda | filter | pipeline | regex ;
def parse_primary(cursor: Cursor) -> tree.Expression:
    i = cursor.i
    kind, at = cursor.kinds[i], cursor.starts[i]
    read = _OPERANDS.get(kind)
    if read is not None:
        cursor.i += 1
        return read(cursor, at)
    if kind == "ex" and pipeline_follows(cursor):
        cursor.i += 1
        return parse_pipeline(cursor, at)
    if kind == NAME or (kind in KEYWORD_NAMES and kind not in NOT_READABLE):
        cursor.i += 1
        return tree.Name(at, cursor.dialect.read_name(cursor.values[i]))
    raise cursor.report_unexpected()


def parse_bigint(cursor: Cursor, at: int) -> tree.Expression:
    text = cursor.values[cursor.i - 1]
    if not text.isdigit() and text[1:2] not in "xXbBoO":
        raise Stop  # a fraction is no whole number; like the reference, the statement is dropped silently
    return tree.BigInt(at, text)


def parse_template(cursor: Cursor, at: int) -> tree.Expression:
    inside, dialect = cursor.values[cursor.i - 1], cursor.dialect
    return tree.Template(at, rename_in_template(inside, dialect.read_name) if dialect.escapes else inside)


def parse_parenthesized(cursor: Cursor, at: int) -> tree.Expression:
    value = cursor.parse_expression(cursor)
    cursor.expect(")")
    return value


# array = "[" [ argument { "," argument } [ "," ] ] "]" ;
def parse_array(cursor: Cursor, at: int) -> tree.Expression:
    elements: list[tree.Expression] = []
    if cursor.kinds[cursor.i] != "]":
        elements.append(parse_argument(cursor))
        while cursor.take(",") and cursor.kinds[cursor.i] != "]":
            elements.append(parse_argument(cursor))
    cursor.expect("]")
    return tree.Array(at, elements)


# object = "{" [ property { "," property } ] "}" ;
def parse_object(cursor: Cursor, at: int) -> tree.Expression:
    properties = [] if cursor.kinds[cursor.i] == "}" else cursor.parse_separated(parse_property)
    cursor.expect("}")
    return tree.Object(at, properties)


# property = "sparge" expression | ( word | STRING ) ":" expression ;
def parse_property(cursor: Cursor) -> tree.Property | tree.Spread:
    at = cursor.starts[cursor.i]
    if cursor.take("sparge"):
        return tree.Spread(at, cursor.parse_expression(cursor))
    quoted = cursor.kinds[cursor.i] == STRING
    key = cursor.values[cursor.advance()] if quoted else cursor.name()
    cursor.expect(":")
    return tree.Property(at, key, quoted, cursor.parse_expression(cursor))


# lambda = ( "pro" | "fit" | "fiet" ) [ word { "," word } ] [ "->" type ] ( ":" expression | block ) ;
def parse_lambda(cursor: Cursor, at: int) -> tree.Expression:
    is_async = cursor.kinds[cursor.i - 1] == "fiet"
    parameters, places = [], []
    if cursor.kinds[cursor.i] not in (":", "{", "->"):
        while True:
            places.append(cursor.starts[cursor.i])
            parameters.append(cursor.name())
            if not cursor.take(","):
                break
    returns = parse_type(cursor) if cursor.take("->") else None
    body: tree.Expression | tree.Block
    if cursor.kinds[cursor.i] == "{":
        body = parse_block(cursor)
    else:
        cursor.expect(":")
        body = cursor.parse_expression(cursor)
    return tree.Lambda(at, parameters, returns, body, is_async, places)


# filter = "ab" expression [ "non" ] [ "ubi" expression | NAME ] [ "," ] [ steps ] ;
def parse_filter(cursor: Cursor, at: int) -> tree.Expression:
    source = cursor.parse_expression(cursor)
    negated = cursor.take("non")
    name, condition = None, None
    if cursor.take("ubi"):
        condition = cursor.parse_expression(cursor)
    elif cursor.kinds[cursor.i] == NAME:
        name = cursor.identifier()
    steps = parse_steps(cursor) if cursor.take(",") or cursor.kinds[cursor.i] in PIPELINE_VERBS else []
    return tree.Filter(at, source, negated, name, condition, steps)


# pipeline = "ex" expression steps ;
def parse_pipeline(cursor: Cursor, at: int) -> tree.Expression:
    source = cursor.parse_expression(cursor)
    steps = parse_steps(cursor)
    if not steps:
        verbs = ", ".join(cursor.words[verb] for verb in sorted(PIPELINE_VERBS))
        raise cursor.error("unexpected", f"Expected {verbs} but found {cursor.current_text()}.")
    return tree.Pipeline(at, source, steps)


def pipeline_follows(cursor: Cursor) -> bool:
    """Inside an expression `ex` starts a pipeline when one of its verbs comes soon."""
    for kind in cursor.kinds[cursor.i + 1 : cursor.i + 1 + PIPELINE_LOOKAHEAD]:
        if kind in PIPELINE_VERBS:
            return True
        if kind in NO_PIPELINE:
            return False
    return False


# steps = step { "," step } ;
# step = ( "prima" | "ultima" ) expression | "summa" ;
def parse_steps(cursor: Cursor) -> list[tree.Step]:
    steps = []
    while (verb := cursor.kinds[cursor.i]) in PIPELINE_VERBS:
        at = cursor.step()
        steps.append(tree.Step(at, verb, None if verb == "summa" else cursor.parse_expression(cursor)))
        if not cursor.take(","):
            break
    return steps


# regex = "sed" STRING [ NAME ] ;
def parse_regex(cursor: Cursor, at: int) -> tree.Expression:
    if cursor.kinds[cursor.i] != STRING:
        raise cursor.report_missing("the pattern as a text")
    pattern = cursor.values[cursor.advance()]
    flags = cursor.dialect.read_name(cursor.values[cursor.i])
    if cursor.kinds[cursor.i] == NAME and REGEX_FLAGS.fullmatch(flags):
        cursor.i += 1
        return tree.Regex(at, pattern, flags)
    return tree.Regex(at, pattern, "")


_OPERANDS: dict[str, Callable[[Cursor, int], tree.Expression]] = {
    NUMBER: lambda cursor, at: tree.Number(at, cursor.values[cursor.i - 1]),
    BIGINT: parse_bigint,
    STRING: lambda cursor, at: tree.Text(at, cursor.values[cursor.i - 1]),
    TEMPLATE: parse_template,
    "verum": lambda _, at: tree.Truth(at, True),
    "falsum": lambda _, at: tree.Truth(at, False),
    "nihil": lambda _, at: tree.Nothing(at),
    "ego": lambda _, at: tree.Self(at),
    "(": parse_parenthesized,
    "[": parse_array,
    "{": parse_object,
    **dict.fromkeys(("pro", "fit", "fiet"), parse_lambda),
    "ab": parse_filter,
    "sed": parse_regex,
}
"""How an operand is read whose first token has been taken."""


def rename_in_template(inside: str, rename: Callable[[str], str]) -> str:
    """The inside of a template with every word in its ${ } renamed."""
    return _INTERPOLATION.sub(lambda m: _WORD.sub(lambda w: rename(w.group()), m.group()), inside)


_INTERPOLATION = re.compile(r"\$\{[^}]*\}")

"""Grammar of operands, what operators stand between: names, literals, calls' arguments, lambdas, pipelines."""

from __future__ import annotations

import re
from collections.abc import Callable

from probatio.languages.faber.parse.blocks import parse_block
from probatio.languages.faber.parse.cursor import Cursor, Stop
from probatio.languages.faber.parse.tokens import BIGINT, END, NAME, NUMBER, STRING, TEMPLATE
from probatio.languages.faber.parse.types import parse_type
from probatio.languages.faber.tree import (
    Array,
    BigInt,
    Block,
    Expression,
    Filter,
    Lambda,
    Name,
    Nothing,
    Number,
    Object,
    Pipeline,
    Property,
    Regex,
    Self,
    Spread,
    Step,
    Template,
    Text,
    Truth,
)
from probatio.languages.faber.vocabulary import KEYWORD_NAMES, NOT_READABLE

PIPELINE_VERBS = frozenset(("prima", "ultima", "summa"))
PIPELINE_LOOKAHEAD = 20
REGEX_FLAGS = re.compile("[imsxu]+")
_WORD = re.compile("[A-Za-z_][A-Za-z0-9_]*")


# arguments = [ argument { "," argument } ] ;
def parse_arguments(cursor: Cursor) -> list[Expression]:
    """Reads on through the closing parenthesis."""
    arguments = [] if cursor.kinds[cursor.i] == ")" else cursor.separated(parse_argument)
    cursor.expect(")")
    return arguments


# argument = [ "sparge" ] expression ;
def parse_argument(cursor: Cursor) -> Expression:
    if cursor.kinds[cursor.i] == "sparge":
        at = cursor.starts[cursor.i]
        cursor.i += 1
        return Spread(at, cursor.parse_expression(cursor))
    return cursor.parse_expression(cursor)


# primary = NAME | KEYWORD | NUMBER | BIGINT | STRING | TEMPLATE | "verum" | "falsum" | "nihil" | "ego"
#         | array | object | "(" expression ")" | lambda | filter | pipeline | regex ;
def parse_primary(cursor: Cursor) -> Expression:
    i = cursor.i
    kind, at = cursor.kinds[i], cursor.starts[i]
    if kind == NAME:
        cursor.i += 1
        return Name(at, cursor.dialect.read_name(cursor.values[i]))
    read = _OPERANDS.get(kind)
    if read is not None:
        return read(cursor, at)
    if kind == "ex" and pipeline_follows(cursor):
        return parse_pipeline(cursor, at)
    if kind in KEYWORD_NAMES and kind not in NOT_READABLE:
        cursor.i += 1
        return Name(at, cursor.dialect.read_name(cursor.values[i]))
    raise cursor.unexpected()


def parse_number(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    return Number(at, cursor.values[cursor.i - 1])


def parse_bigint(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    text = cursor.values[cursor.i - 1]
    if not text.isdigit() and text[1:2] not in "xXbBoO":
        raise Stop  # a fraction is no whole number; like the reference, the statement is dropped without a word
    return BigInt(at, text)


def parse_text(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    return Text(at, cursor.values[cursor.i - 1])


def parse_template(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    inside = cursor.values[cursor.i - 1]
    return Template(at, renamed_in_template(inside, cursor.dialect.read_name) if cursor.dialect.escapes else inside)


def parse_truth(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    return Truth(at, cursor.kinds[cursor.i - 1] == "verum")


def parse_nothing(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    return Nothing(at)


def parse_self(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    return Self(at)


def parse_parenthesized(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    value = cursor.parse_expression(cursor)
    cursor.expect(")")
    return value


# array = "[" [ argument { "," argument } [ "," ] ] "]" ;
def parse_array(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    elements: list[Expression] = []
    if cursor.kinds[cursor.i] != "]":
        elements.append(parse_argument(cursor))
        while cursor.take(",") and cursor.kinds[cursor.i] != "]":
            elements.append(parse_argument(cursor))
    cursor.expect("]")
    return Array(at, elements)


# object = "{" [ property { "," property } ] "}" ;
def parse_object(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    properties = [] if cursor.kinds[cursor.i] == "}" else cursor.separated(parse_property)
    cursor.expect("}")
    return Object(at, properties)


# property = "sparge" expression | ( word | STRING ) ":" expression ;
def parse_property(cursor: Cursor) -> Property | Spread:
    at = cursor.starts[cursor.i]
    if cursor.take("sparge"):
        return Spread(at, cursor.parse_expression(cursor))
    quoted = cursor.kinds[cursor.i] == STRING
    key = cursor.values[cursor.advance()] if quoted else cursor.name()
    cursor.expect(":")
    return Property(at, key, quoted, cursor.parse_expression(cursor))


# lambda = ( "pro" | "fit" | "fiet" ) [ word { "," word } ] [ "->" type ] ( ":" expression | block ) ;
def parse_lambda(cursor: Cursor, at: int) -> Expression:
    is_async = cursor.kinds[cursor.i] == "fiet"
    cursor.i += 1
    parameters, places = [], []
    if cursor.kinds[cursor.i] not in (":", "{", "->"):
        while True:
            places.append(cursor.starts[cursor.i])
            parameters.append(cursor.name())
            if not cursor.take(","):
                break
    returns = parse_type(cursor) if cursor.take("->") else None
    body: Expression | Block
    if cursor.kinds[cursor.i] == "{":
        body = parse_block(cursor)
    else:
        cursor.expect(":")
        body = cursor.parse_expression(cursor)
    return Lambda(at, parameters, returns, body, is_async, places)


# filter = "ab" expression [ "non" ] [ "ubi" expression | NAME ] [ "," ] [ steps ] ;
def parse_filter(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    source = cursor.parse_expression(cursor)
    negated = cursor.take("non")
    name, condition = None, None
    if cursor.take("ubi"):
        condition = cursor.parse_expression(cursor)
    elif cursor.kinds[cursor.i] == NAME:
        name = cursor.identifier()
    steps = parse_steps(cursor) if cursor.take(",") or cursor.kinds[cursor.i] in PIPELINE_VERBS else []
    return Filter(at, source, negated, name, condition, steps)


# pipeline = "ex" expression steps ;
def parse_pipeline(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    source = cursor.parse_expression(cursor)
    steps = parse_steps(cursor)
    if not steps:
        cursor.error(
            "unexpected",
            f"Expected {', '.join(cursor.dialect.words[v] for v in sorted(PIPELINE_VERBS))} but found {cursor.current_text()}.",
        )
        raise Stop
    return Pipeline(at, source, steps)


def pipeline_follows(cursor: Cursor) -> bool:
    """Inside an expression `ex` starts a pipeline when one of its verbs comes soon."""
    for kind in cursor.kinds[cursor.i + 1 : cursor.i + 1 + PIPELINE_LOOKAHEAD]:
        if kind in PIPELINE_VERBS:
            return True
        if kind in ("pro", "fit", "fiet", "importa", "fixum", "varia", "figendum", "variandum", "}", ";", END):
            return False
    return False


# steps = step { "," step } ;
# step = ( "prima" | "ultima" ) expression | "summa" ;
def parse_steps(cursor: Cursor) -> list[Step]:
    steps = []
    while (verb := cursor.kinds[cursor.i]) in PIPELINE_VERBS:
        at = cursor.starts[cursor.i]
        cursor.i += 1
        steps.append(Step(at, verb, None if verb == "summa" else cursor.parse_expression(cursor)))
        if not cursor.take(","):
            break
    return steps


# regex = "sed" STRING [ NAME ] ;
def parse_regex(cursor: Cursor, at: int) -> Expression:
    cursor.i += 1
    if cursor.kinds[cursor.i] != STRING:
        cursor.error("expected", f"Expected the pattern as a text but found {cursor.current_text()}.")
        raise Stop
    pattern = cursor.values[cursor.advance()]
    flags = cursor.dialect.read_name(cursor.values[cursor.i])
    if cursor.kinds[cursor.i] == NAME and REGEX_FLAGS.fullmatch(flags):
        cursor.i += 1
        return Regex(at, pattern, flags)
    return Regex(at, pattern, "")


_OPERANDS = {
    NUMBER: parse_number,
    BIGINT: parse_bigint,
    STRING: parse_text,
    TEMPLATE: parse_template,
    "verum": parse_truth,
    "falsum": parse_truth,
    "nihil": parse_nothing,
    "ego": parse_self,
    "(": parse_parenthesized,
    "[": parse_array,
    "{": parse_object,
    "pro": parse_lambda,
    "fit": parse_lambda,
    "fiet": parse_lambda,
    "ab": parse_filter,
    "sed": parse_regex,
}


def renamed_in_template(inside: str, rename: Callable[[str], str]) -> str:
    """The inside of a template with every word in its ${ } renamed."""
    return _INTERPOLATION.sub(lambda m: _WORD.sub(lambda w: rename(w.group()), m.group()), inside)


_INTERPOLATION = re.compile(r"\$\{[^}]*\}")

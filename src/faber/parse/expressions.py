"""Grammar of expressions: operators by how tightly they bind.
A rule stands above the function that reads it."""

from __future__ import annotations

from faber import tree
from faber.parse.blocks import parse_block
from faber.parse.cursor import Cursor
from faber.parse.operands import parse_arguments, parse_primary
from faber.parse.tokens import NAME, STRING
from faber.parse.types import parse_type
from faber.vocabulary import words

ASSIGNMENTS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|="))

LEVELS = {
    **dict.fromkeys(("||", "aut", "vel"), 1),
    **dict.fromkeys(("&&", "et"), 2),
    **dict.fromkeys(("==", "!=", "===", "!==", "est", "non"), 3),
    **dict.fromkeys(("<", "<=", ">", ">=", "intra", "inter"), 4),
    "|": 5,
    "^": 6,
    "&": 7,
    **dict.fromkeys(("..", "ante", "usque"), 8),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("*", "/", "%"), 10),
}
"""How tightly an infix operator binds; `non` only as the first half of `non est`."""

SUMS_FIRST = LEVELS | dict.fromkeys(("+", "-"), 10) | dict.fromkeys(("*", "/", "%"), 9)
"""The same under the twist of that name."""

OPERATOR_OF = {"aut": "||", "vel": "??", "et": "&&"}
PREFIX_OF = {"non": "!", "-": "-", "~": "~"} | {
    w: w for w in ("nulla", "nonnulla", "nonnihil", "negativum", "positivum")
}
TESTS = frozenset(("nihil", "verum", "falsum"))
OPERAND_WORDS = words("verum falsum nihil ego non nulla nonnulla negativum positivum novum cede")
CONVERSIONS = frozenset(("numeratum", "fractatum", "textatum", "bivalentum"))
POSTFIX = CONVERSIONS | {"qua", "innatum", "dextratum", "sinistratum"}
RADIXES = ("Dec", "Hex", "Oct", "Bin")


# expression = conditional [ ( "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" ) expression ] ;
def parse_expression(cursor: Cursor) -> tree.Expression:
    cursor.deeper()
    left = parse_conditional(cursor)
    kind = cursor.kinds[cursor.i]
    if kind in ASSIGNMENTS:
        at = cursor.step()
        value = parse_expression(cursor)
        if kind == "=" and cursor.assigns_right:
            left, value = value, left
        if not isinstance(left, (tree.Name, tree.Member, tree.Index)):
            raise cursor.error("assignment-target", "Only a name or a member can be assigned to.")
        left = tree.Assign(at, kind, left, value)
    cursor.depth -= 1
    return left


# conditional = or [ "?" expression ":" conditional | "sic" expression "secus" conditional ] ;
def parse_conditional(cursor: Cursor) -> tree.Expression:
    test = parse_binary(cursor, 1)
    kind = cursor.kinds[cursor.i]
    if kind != "?" and kind != "sic":
        return test
    cursor.i += 1
    yes = parse_expression(cursor)
    between = ":" if kind == "?" else "secus"
    if not cursor.take(between):
        cursor.report_missing(cursor.spell(between))
    cursor.deeper()
    no = parse_conditional(cursor)
    cursor.depth -= 1
    return tree.Conditional(test.at, test, yes, no)


# or = and { ( "||" | "aut" ) and } | and { "vel" and } ;
# and = equality { ( "&&" | "et" ) equality } ;
# equality = comparison { ( "==" | "!=" | "===" | "!==" ) comparison | [ "non" ] "est" type } ;
# comparison = bit_or { ( "<" | "<=" | ">" | ">=" | "intra" | "inter" ) bit_or } ;
# bit_or = bit_xor { "|" bit_xor } ;
# bit_xor = bit_and { "^" bit_and } ;
# bit_and = range { "&" range } ;
# range = sum [ ( ".." | "ante" | "usque" ) sum [ "per" sum ] ] ;
# sum = product { ( "+" | "-" ) product } ;
# product = prefix { ( "*" | "/" | "%" ) prefix } ;
def parse_binary(cursor: Cursor, lowest: int) -> tree.Expression:
    """All infix levels from `lowest` up, by precedence climbing."""
    left = parse_prefix(cursor)
    kinds = cursor.kinds
    levels = SUMS_FIRST if cursor.sums_first else LEVELS
    highest = 10  # what was read last bounds what may still follow at this level
    family = ""
    depth = cursor.depth
    while True:
        kind = kinds[cursor.i]
        level = levels.get(kind)
        if level is None or level < lowest or level > highest:
            break
        at = cursor.starts[cursor.i]
        if level == 3 and kind in ("est", "non"):
            if kind == "non":
                if kinds[cursor.i + 1] != "est":
                    break
                cursor.i += 1
            cursor.i += 1
            left = tree.TypeTest(at, left, parse_type(cursor), kind == "non")
        elif level == 8:
            cursor.i += 1
            stop = parse_binary(cursor, 9)
            step = parse_binary(cursor, 9) if cursor.take("per") else None
            left = tree.Range(at, left, stop, step, kind == "usque")
            level = 7
        else:
            cursor.i += 1
            if level == 1:
                family = require_one_family(cursor, family, kind)
            left = tree.Binary(at, OPERATOR_OF.get(kind, kind), left, parse_binary(cursor, level + 1))
        highest = level
        cursor.deeper()
    cursor.depth = depth
    return left


def require_one_family(cursor: Cursor, family: str, kind: str) -> str:
    now = "vel" if kind == "vel" else "aut"
    if family and family != now:
        vel, aut = cursor.words["vel"], cursor.words["aut"]
        message = f"'{vel}' and '{aut}' cannot follow each other without parentheses."
        cursor.error("mixed-or", message, "Write (a {aut} b) {vel} c.")
    return now


# prefix = ( "non" | "-" | "~" | "nulla" | "nonnulla" | "nonnihil" | "negativum" | "positivum" | "cede" )
#          prefix
#        | ( "nihil" | "verum" | "falsum" ) prefix
#        | new | shape | comptime | format | read | postfix ;
def parse_prefix(cursor: Cursor) -> tree.Expression:
    kind = cursor.kinds[cursor.i]
    if kind == NAME:
        return parse_postfix(cursor)
    at = cursor.starts[cursor.i]
    if kind in PREFIX_OF or kind == "cede" or (kind in TESTS and operand_follows(cursor)):
        cursor.i += 1
        cursor.deeper()
        value = parse_prefix(cursor)
        cursor.depth -= 1
        return tree.Cede(at, value) if kind == "cede" else tree.Unary(at, PREFIX_OF.get(kind, kind), value)
    if kind in _PREFIX_FORMS:
        cursor.i += 1
        return _PREFIX_FORMS[kind](cursor, at)
    return parse_postfix(cursor)


def operand_follows(cursor: Cursor) -> bool:
    """`nihil x` tests x when x stands on the same line; otherwise `nihil` is a value."""
    following = cursor.kinds[cursor.i + 1]
    return (following == NAME or following in OPERAND_WORDS) and cursor.same_line(cursor.i, cursor.i + 1)


# new = "novum" NAME [ "(" arguments ")" ] [ object | "de" expression ] ;
def parse_new(cursor: Cursor, at: int) -> tree.Expression:
    class_name = cursor.identifier()
    arguments = None
    if cursor.take("("):
        arguments = parse_arguments(cursor)
    if cursor.kinds[cursor.i] == "{":
        return tree.New(at, class_name, arguments, parse_primary(cursor), False)
    if cursor.take("de"):
        return tree.New(at, class_name, arguments, parse_expression(cursor), True)
    return tree.New(at, class_name, arguments, None, False)


# shape = "finge" NAME [ object ] [ "qua" NAME ] ;
def parse_shape(cursor: Cursor, at: int) -> tree.Expression:
    variant = cursor.identifier()
    fields = parse_primary(cursor) if cursor.kinds[cursor.i] == "{" else None
    union = cursor.identifier() if cursor.take("qua") else None
    return tree.Shape(at, variant, fields if isinstance(fields, tree.Object) else None, union)


# comptime = "praefixum" ( block | "(" expression ")" ) ;
def parse_comptime(cursor: Cursor, at: int) -> tree.Expression:
    if cursor.kinds[cursor.i] == "{":
        return tree.Comptime(at, parse_block(cursor))
    if cursor.take("("):
        body = parse_expression(cursor)
        cursor.expect(")")
        return tree.Comptime(at, body)
    raise cursor.report_missing("'{' or '('")


# format = "scriptum" "(" STRING { "," expression } ")" ;
def parse_format(cursor: Cursor, at: int) -> tree.Expression:
    cursor.expect("(")
    if cursor.kinds[cursor.i] != STRING:
        hint = 'Write the text itself first: `{scriptum}("§ + §", a, b)`.'
        raise cursor.report_missing("a text to fill in", hint)
    pattern = tree.Text(cursor.starts[cursor.i], cursor.values[cursor.i])
    cursor.i += 1
    arguments = []
    while cursor.take(","):
        arguments.append(parse_expression(cursor))
    cursor.expect(")")
    return tree.Format(at, pattern, arguments)


# read = "lege" [ "lineam" ] ;
def parse_read(cursor: Cursor, at: int) -> tree.Expression:
    return tree.Read(at, cursor.take("lineam"))


# postfix = call { "qua" type | "innatum" type | ( "sinistratum" | "dextratum" ) prefix | conversion } ;
# conversion = ( "numeratum" | "fractatum" ) [ "<" type [ "," ( "Dec" | "Hex" | "Oct" | "Bin" ) ] ">" ]
#              [ "vel" prefix ]
#            | ( "textatum" | "bivalentum" ) [ "vel" prefix ] ;
def parse_postfix(cursor: Cursor) -> tree.Expression:
    value = parse_call(cursor)
    kind = cursor.kinds[cursor.i]
    if kind not in POSTFIX:
        return value
    depth = cursor.depth
    while kind in POSTFIX:
        at = cursor.step()
        if kind == "qua":
            value = tree.Cast(at, value, parse_type(cursor))
        elif kind == "innatum":
            value = tree.Native(at, value, parse_type(cursor))
        elif kind in CONVERSIONS:
            value = parse_conversion(cursor, at, kind, value)
        else:
            value = tree.Shift(at, value, kind, parse_prefix(cursor))
        kind = cursor.kinds[cursor.i]
        cursor.deeper()
    cursor.depth = depth
    return value


def parse_conversion(cursor: Cursor, at: int, kind: str, value: tree.Expression) -> tree.Expression:
    target, radix = None, None
    if kind in ("numeratum", "fractatum") and cursor.take("<"):
        target = parse_type(cursor)
        if cursor.take(","):
            if cursor.kinds[cursor.i] in RADIXES:
                radix = cursor.kinds[cursor.advance()]
            else:
                cursor.report_missing(f"one of {', '.join(RADIXES)}")
        cursor.expect(">")
    fallback = parse_prefix(cursor) if cursor.take("vel") else None
    return tree.Convert(at, value, kind, target, radix, fallback)


# call = primary { [ "?" | "!" ] ( "." word | "[" expression "]" | "(" arguments ")" ) } ;
def parse_call(cursor: Cursor) -> tree.Expression:
    value = parse_primary(cursor)
    kinds = cursor.kinds
    depth = cursor.depth
    while True:
        kind = kinds[cursor.i]
        mark = ""
        if kind in ("?", "!"):
            if kinds[cursor.i + 1] not in (".", "[", "("):
                break
            mark = kind
            cursor.i += 1
            kind = kinds[cursor.i]
        at = cursor.starts[cursor.i]
        if kind == ".":
            cursor.i += 1
            value = tree.Member(at, value, cursor.name(), mark)
        elif kind == "(":
            cursor.i += 1
            value = tree.Call(at, value, parse_arguments(cursor), mark)
        elif kind == "[":
            cursor.i += 1
            value = tree.Index(at, value, parse_expression(cursor), mark)
            cursor.expect("]")
        else:
            break
        cursor.deeper()
    cursor.depth = depth
    return value


_PREFIX_FORMS = {
    "novum": parse_new,
    "finge": parse_shape,
    "praefixum": parse_comptime,
    "scriptum": parse_format,
    "lege": parse_read,
}

"""Grammar of choices and loops."""

from __future__ import annotations

from probatio.languages.faber.parse.blocks import parse_block, parse_body, parse_catch, parse_open_body
from probatio.languages.faber.parse.cursor import Cursor, Stop
from probatio.languages.faber.parse.declarations import DECLARING, parse_items, parse_list_pattern
from probatio.languages.faber.parse.expressions import parse_expression
from probatio.languages.faber.parse.operands import parse_steps
from probatio.languages.faber.parse.syntax_hints import hint_for_missing
from probatio.languages.faber.parse.tokens import END, NAME
from probatio.languages.faber.tree import (
    Block,
    Case,
    Destructure,
    Guard,
    If,
    ListPattern,
    Loop,
    Match,
    MatchCase,
    Pattern,
    Statement,
    Switch,
    While,
    With,
)
from probatio.languages.faber.vocabulary import KEYWORD_NAMES

BINDING = frozenset(("pro", "fit", "fiet"))


# if = "si" if_rest ;
# if_rest = expression body [ catch ] [ "secus" ( if | open_body ) | "sin" if_rest ] ;
def parse_if(cursor: Cursor) -> If:
    """Also reads `sin`, which is `secus si` in one word and continues the same way."""
    cursor.deeper()
    at = cursor.starts[cursor.i]
    cursor.i += 1
    test = parse_expression(cursor)
    yes = parse_body(cursor)
    catch = parse_catch(cursor)
    no: Block | If | None = None
    if cursor.kinds[cursor.i] == "sin":
        no = parse_if(cursor)
    elif cursor.take("secus"):
        no = parse_if(cursor) if cursor.kinds[cursor.i] == "si" else parse_open_body(cursor)
    cursor.depth -= 1
    result = If(at, test, yes, catch, no)
    result.end = cursor.ends[cursor.i - 1]
    return result


# while = "dum" expression body [ catch ] ;
def parse_while(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    test = parse_expression(cursor)
    body = parse_body(cursor)
    return While(at, test, body, parse_catch(cursor))


# loop = "ex" expression [ steps ] ( "pro" | "fit" | "fiet" ) word body [ catch ]
#      | "de" expression ( "pro" | "fit" | "fiet" ) word body [ catch ] ;
# destructuring = "ex" expression ( "fixum" | "varia" | "figendum" | "variandum" ) ( list_pattern | items ) ;
def parse_loop(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    over = cursor.kinds[cursor.i]
    cursor.i += 1
    source = parse_expression(cursor)
    keyword = cursor.kinds[cursor.i]
    if over == "ex" and keyword in DECLARING:
        cursor.i += 1
        if cursor.kinds[cursor.i] == "[":
            return ListPattern(at, keyword, parse_list_pattern(cursor), source, leading=True)
        return Destructure(at, keyword, parse_items(cursor), source)
    steps = parse_steps(cursor) if over == "ex" else []
    verb = cursor.kinds[cursor.i]
    if verb in BINDING:
        cursor.i += 1
    else:
        pro = cursor.dialect.words["pro"]
        cursor.error(
            "expected",
            f"Expected '{pro}' and the loop's variable but found {cursor.current_text()}.",
            cursor.hint(hint_for_missing("pro", cursor.kinds[cursor.i])),
        )
        raise Stop
    name_at = cursor.starts[cursor.i]
    name = cursor.name()
    body = parse_body(cursor)
    return Loop(at, over, source, steps, name, verb == "fiet", body, parse_catch(cursor), name_at)


# with = "in" expression block ;
def parse_with(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    value = parse_expression(cursor)
    return With(at, value, parse_block(cursor))


# switch = "elige" expression "{" { "casu" expression body } [ "ceterum" open_body ] "}" [ catch ] ;
def parse_switch(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    value = parse_expression(cursor)
    cursor.expect("{")
    cases: list[Case] = []
    default = None
    while cursor.kinds[cursor.i] not in ("}", END):
        place = cursor.starts[cursor.i]
        if cursor.take("casu"):
            test = parse_expression(cursor)
            cases.append(Case(place, test, parse_body(cursor)))
            cases[-1].end = cursor.ends[cursor.i - 1]
        else:
            default = parse_default_case(cursor)
            break
    cursor.expect("}")
    return Switch(at, value, cases, default, parse_catch(cursor))


def parse_default_case(cursor: Cursor) -> Block:
    if cursor.take("ceterum"):
        return parse_open_body(cursor)
    casu, ceterum = cursor.dialect.words["casu"], cursor.dialect.words["ceterum"]
    cursor.error("case", f"Every case starts with '{casu}' or '{ceterum}', not with {cursor.current_text()}.")
    raise Stop


# match = "discerne" expression { "," expression } "{" { "casu" pattern { "," pattern } body } [ "ceterum" open_body ] "}" ;
def parse_match(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    values = cursor.separated(parse_expression)
    cursor.expect("{")
    cases: list[MatchCase] = []
    default = None
    while cursor.kinds[cursor.i] not in ("}", END):
        place = cursor.starts[cursor.i]
        if cursor.take("casu"):
            patterns = cursor.separated(parse_pattern)
            cases.append(MatchCase(place, patterns, parse_body(cursor)))
            cases[-1].end = cursor.ends[cursor.i - 1]
        else:
            default = parse_default_case(cursor)
            break
    cursor.expect("}")
    return Match(at, values, cases, default)


# pattern = "_" | word [ "ut" word | "pro" word { "," word } ] ;
def parse_pattern(cursor: Cursor) -> Pattern:
    at = cursor.starts[cursor.i]
    if cursor.kinds[cursor.i] == NAME and cursor.values[cursor.i] == "_":
        cursor.i += 1
        return Pattern(at, "_", True, None, [])
    variant = cursor.name()
    if cursor.take("ut"):
        return Pattern(at, variant, False, cursor.name(), [])
    bindings = []
    if cursor.take("pro"):
        bindings.append(cursor.name())
        while cursor.kinds[cursor.i] == "," and binding_follows(cursor):
            cursor.i += 1
            bindings.append(cursor.name())
    return Pattern(at, variant, False, None, bindings)


def binding_follows(cursor: Cursor) -> bool:
    """After a comma: another name of this pattern, or the next pattern?"""
    kind = cursor.kinds[cursor.i + 1]
    if kind == NAME and cursor.values[cursor.i + 1] == "_":
        return False
    if kind != NAME and kind not in KEYWORD_NAMES:
        return False
    return cursor.kinds[cursor.i + 2] not in ("ut", "pro")


# guard = "custodi" "{" { "si" expression body } "}" ;
def parse_guard(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    cursor.expect("{")
    clauses = []
    while cursor.kinds[cursor.i] not in ("}", END):
        place = cursor.starts[cursor.i]
        if not cursor.take("si"):
            cursor.error(
                "guard", f"Every guard starts with '{cursor.dialect.words['si']}', not with {cursor.current_text()}."
            )
            raise Stop
        test = parse_expression(cursor)
        clauses.append(Case(place, test, parse_body(cursor)))
        clauses[-1].end = cursor.ends[cursor.i - 1]
    cursor.expect("}")
    return Guard(at, clauses)

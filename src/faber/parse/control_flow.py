"""Grammar of choices and loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from faber import tree
from faber.parse.blocks import parse_block, parse_body, parse_braced, parse_catch, parse_open_body
from faber.parse.cursor import Cursor, hint_for_missing
from faber.parse.declarations import DECLARING, parse_items, parse_list_pattern
from faber.parse.expressions import parse_expression
from faber.parse.operands import parse_steps
from faber.parse.tokens import END, NAME
from faber.vocabulary import KEYWORD_NAMES

CaseOf = TypeVar("CaseOf", tree.Case, tree.MatchCase)

BINDING = frozenset(("pro", "fit", "fiet"))


# if = "si" if_rest ;
# if_rest = expression body [ catch ] [ "secus" ( if | open_body ) | "sin" if_rest ] ;
def parse_if(cursor: Cursor) -> tree.If:
    """Also reads `sin`, which is `secus si` in one word and continues the same way."""
    cursor.deeper()
    at = cursor.step()
    test = parse_expression(cursor)
    yes = parse_body(cursor)
    catch = parse_catch(cursor)
    no: tree.Block | tree.If | None = None
    if cursor.kinds[cursor.i] == "sin":
        no = parse_if(cursor)
    elif cursor.take("secus"):
        no = parse_if(cursor) if cursor.kinds[cursor.i] == "si" else parse_open_body(cursor)
    cursor.depth -= 1
    result = tree.If(at, test, yes, catch, no)
    result.end = cursor.ends[cursor.i - 1]
    return result


# while = "dum" expression body [ catch ] ;
def parse_while(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    test = parse_expression(cursor)
    body = parse_body(cursor)
    return tree.While(at, test, body, parse_catch(cursor))


# loop = "ex" expression [ steps ] ( "pro" | "fit" | "fiet" ) word body [ catch ]
#      | "de" expression ( "pro" | "fit" | "fiet" ) word body [ catch ] ;
# destructuring = "ex" expression ( "fixum" | "varia" | "figendum" | "variandum" ) ( list_pattern | items ) ;
def parse_loop(cursor: Cursor) -> tree.Statement:
    over = cursor.kinds[cursor.i]
    at = cursor.step()
    source = parse_expression(cursor)
    keyword = cursor.kinds[cursor.i]
    if over == "ex" and keyword in DECLARING:
        cursor.i += 1
        if cursor.kinds[cursor.i] == "[":
            return tree.ListPattern(at, keyword, parse_list_pattern(cursor), source, leading=True)
        return tree.Destructure(at, keyword, parse_items(cursor), source)
    steps = parse_steps(cursor) if over == "ex" else []
    verb = cursor.kinds[cursor.i]
    if verb not in BINDING:
        what = f"'{cursor.words['pro']}' and the loop's variable"
        raise cursor.report_missing(what, hint_for_missing("pro", verb))
    cursor.i += 1
    name_at = cursor.starts[cursor.i]
    name = cursor.name()
    body = parse_body(cursor)
    return tree.Loop(at, over, source, steps, name, verb == "fiet", body, parse_catch(cursor), name_at)


# with = "in" expression block ;
def parse_with(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    value = parse_expression(cursor)
    return tree.With(at, value, parse_block(cursor))


# switch = "elige" expression "{" { "casu" expression body } [ "ceterum" open_body ] "}" [ catch ] ;
def parse_switch(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    value = parse_expression(cursor)
    cases, default = parse_cases(cursor, parse_case)
    return tree.Switch(at, value, cases, default, parse_catch(cursor))


def parse_case(cursor: Cursor, at: int) -> tree.Case:
    test = parse_expression(cursor)
    return tree.Case(at, test, parse_body(cursor))


def parse_cases(
    cursor: Cursor, parse: Callable[[Cursor, int], CaseOf]
) -> tuple[list[CaseOf], tree.Block | None]:
    """The cases between braces, and the remaining one that may end them."""
    cursor.expect("{")
    cases: list[CaseOf] = []
    default = None
    while cursor.kinds[cursor.i] not in ("}", END):
        at = cursor.starts[cursor.i]
        if cursor.take("casu"):
            cases.append(parse(cursor, at))
            cases[-1].end = cursor.ends[cursor.i - 1]
        elif cursor.take("ceterum"):
            default = parse_open_body(cursor)
            break
        else:
            casu, ceterum = cursor.words["casu"], cursor.words["ceterum"]
            found = cursor.current_text()
            raise cursor.error("case", f"Every case starts with '{casu}' or '{ceterum}', not with {found}.")
    cursor.expect("}")
    return cases, default


# match = "discerne" expression { "," expression } "{"
#           { "casu" pattern { "," pattern } body } [ "ceterum" open_body ] "}" ;
def parse_match(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    values = cursor.parse_separated(parse_expression)
    return tree.Match(at, values, *parse_cases(cursor, parse_match_case))


def parse_match_case(cursor: Cursor, at: int) -> tree.MatchCase:
    patterns = cursor.parse_separated(parse_pattern)
    return tree.MatchCase(at, patterns, parse_body(cursor))


# pattern = "_" | word [ "ut" word | "pro" word { "," word } ] ;
def parse_pattern(cursor: Cursor) -> tree.Pattern:
    at = cursor.starts[cursor.i]
    if cursor.kinds[cursor.i] == NAME and cursor.values[cursor.i] == "_":
        cursor.i += 1
        return tree.Pattern(at, "_", True, None, [])
    variant = cursor.name()
    if cursor.take("ut"):
        return tree.Pattern(at, variant, False, cursor.name(), [])
    bindings = []
    if cursor.take("pro"):
        bindings.append(cursor.name())
        while cursor.kinds[cursor.i] == "," and binding_follows(cursor):
            cursor.i += 1
            bindings.append(cursor.name())
    return tree.Pattern(at, variant, False, None, bindings)


def binding_follows(cursor: Cursor) -> bool:
    """After a comma: another name of this pattern, or the next pattern?"""
    kind = cursor.kinds[cursor.i + 1]
    if kind == NAME and cursor.values[cursor.i + 1] == "_":
        return False
    if kind != NAME and kind not in KEYWORD_NAMES:
        return False
    return cursor.kinds[cursor.i + 2] not in ("ut", "pro")


# guard = "custodi" "{" { "si" expression body } "}" ;
def parse_guard(cursor: Cursor) -> tree.Statement:
    return tree.Guard(cursor.step(), parse_braced(cursor, parse_clause))


def parse_clause(cursor: Cursor) -> tree.Case:
    at = cursor.starts[cursor.i]
    if cursor.take("si"):
        return parse_case(cursor, at)
    si = cursor.words["si"]
    raise cursor.error("guard", f"Every guard starts with '{si}', not with {cursor.current_text()}.")

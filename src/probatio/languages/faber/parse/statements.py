"""Grammar of the simple statements, of error handling and resources, of the entry point and of tests."""

from __future__ import annotations

from probatio.languages.faber.parse.blocks import parse_block, parse_body, parse_catch
from probatio.languages.faber.parse.control_flow import BINDING
from probatio.languages.faber.parse.cursor import Cursor
from probatio.languages.faber.parse.expressions import parse_expression
from probatio.languages.faber.parse.operands import parse_arguments
from probatio.languages.faber.parse.tokens import END, NAME, STRING
from probatio.languages.faber.parse.types import parse_type
from probatio.languages.faber.tree import (
    Assert,
    Break,
    Continue,
    Dispatch,
    Do,
    Entry,
    Expression,
    ExpressionStatement,
    Manage,
    Print,
    Return,
    Setup,
    Statement,
    Suite,
    Test,
    Throw,
    Try,
)

RESOURCES = frozenset(("arena", "page"))
SETUPS = frozenset(("praepara", "praeparabit", "postpara", "postparabit"))


# assert = "adfirma" expression [ "," expression ] ;
def parse_assert(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    test = parse_expression(cursor)
    return Assert(at, test, parse_expression(cursor) if cursor.take(",") else None)


# return = "redde" [ expression ] ;
def parse_return(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    return Return(at, None if cursor.kinds[cursor.i] in ("}", END) else parse_expression(cursor))


# break = "rumpe" ;
def parse_break(cursor: Cursor) -> Statement:
    cursor.i += 1
    return Break(cursor.starts[cursor.i - 1])


# continue = "perge" ;
def parse_continue(cursor: Cursor) -> Statement:
    cursor.i += 1
    return Continue(cursor.starts[cursor.i - 1])


# throw = ( "iace" | "mori" ) expression ;
def parse_throw(cursor: Cursor) -> Statement:
    cursor.i += 1
    fatal = cursor.kinds[cursor.i - 1] == "mori"
    return Throw(cursor.starts[cursor.i - 1], parse_expression(cursor), fatal)


# print = ( "scribe" | "vide" | "mone" ) expression { "," expression } ;
def parse_print(cursor: Cursor) -> Statement:
    at, keyword = cursor.starts[cursor.i], cursor.kinds[cursor.i]
    cursor.i += 1
    return Print(at, keyword, cursor.separated(parse_expression))


# try = "tempta" block [ catch ] [ "demum" block ] ;
def parse_try(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    body = parse_block(cursor)
    catch = parse_catch(cursor)
    return Try(at, body, catch, parse_block(cursor) if cursor.take("demum") else None)


# do = "fac" block [ catch ] [ "dum" expression ] ;
def parse_do(cursor: Cursor) -> Statement:
    if cursor.kinds[cursor.i + 1] != "{":
        return parse_expression_statement(cursor)
    at = cursor.starts[cursor.i]
    cursor.i += 1
    body = parse_block(cursor)
    catch = parse_catch(cursor)
    return Do(at, body, catch, parse_expression(cursor) if cursor.take("dum") else None)


# manage = "cura" [ "arena" | "page" ] [ expression ] [ ( "pro" | "fit" | "fiet" ) [ NAME ] NAME ] block [ catch ] ;
def parse_manage(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    kind = cursor.kinds[cursor.advance()] if cursor.kinds[cursor.i] in RESOURCES else None
    resource = None if cursor.kinds[cursor.i] in BINDING or cursor.kinds[cursor.i] == "{" else parse_expression(cursor)
    name, declared, is_async = None, None, False
    if cursor.kinds[cursor.i] in BINDING:
        is_async = cursor.kinds[cursor.i] == "fiet"
        cursor.i += 1
        if cursor.kinds[cursor.i] == NAME and cursor.kinds[cursor.i + 1] == NAME:
            declared = parse_type(cursor)
        name = cursor.identifier()
    body = parse_block(cursor)
    return Manage(at, kind, resource, declared, name, is_async, body, parse_catch(cursor))


# dispatch = "ad" STRING "(" arguments ")" [ dispatch_binding ] [ block ] [ catch ] ;
# dispatch_binding = [ "fit" | "fiet" | "fiunt" | "fient" ] [ type ] "pro" NAME [ "ut" NAME ] ;
def parse_dispatch(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    place = cursor.expect(STRING)
    target = "" if place is None else cursor.values[place]
    cursor.expect("(")
    arguments = parse_arguments(cursor)
    verb, declared, name, alias = None, None, None, None
    if cursor.kinds[cursor.i] in ("fit", "fiet", "fiunt", "fient", "pro"):
        if cursor.kinds[cursor.i] != "pro":
            verb = cursor.kinds[cursor.advance()]
        if cursor.kinds[cursor.i] == NAME:
            declared = parse_type(cursor)
        cursor.expect("pro")
        name = cursor.identifier()
        alias = cursor.identifier() if cursor.take("ut") else None
    body = parse_block(cursor) if cursor.kinds[cursor.i] == "{" else None
    return Dispatch(at, target, arguments, verb, declared, name, alias, body, parse_catch(cursor))


# entry = ( "incipit" | "incipiet" ) body ;
def parse_entry(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    return Entry(at, cursor.kinds[cursor.i - 1] == "incipiet", parse_body(cursor))


# suite = "probandum" STRING "{" { suite | test | setup } "}" ;
def parse_suite(cursor: Cursor) -> Statement:
    cursor.deeper()
    at = cursor.starts[cursor.i]
    cursor.i += 1
    name = parse_quoted(cursor)
    cursor.expect("{")
    body: list[Statement] = []
    while (kind := cursor.kinds[cursor.i]) not in ("}", END):
        if kind in SETUPS or kind in ("probandum", "proba"):
            read = parse_suite if kind == "probandum" else parse_test if kind == "proba" else parse_setup
            part = read(cursor)
            part.end = cursor.ends[cursor.i - 1]
            body.append(part)
        else:
            cursor.error("unexpected", f"{cursor.current_text().capitalize()} cannot stand in a group of tests.")
            cursor.i += 1
    cursor.expect("}")
    cursor.depth -= 1
    return Suite(at, name, body)


# test = "proba" [ ( "omitte" | "futurum" ) STRING ] STRING block ;
def parse_test(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    cursor.i += 1
    modifier, reason = None, None
    if cursor.kinds[cursor.i] in ("omitte", "futurum"):
        modifier = cursor.kinds[cursor.advance()]
        reason = parse_quoted(cursor)
    name = parse_quoted(cursor)
    return Test(at, name, modifier, reason, parse_block(cursor))


def parse_quoted(cursor: Cursor) -> str:
    place = cursor.expect(STRING)
    return "" if place is None else cursor.values[place]


# setup = ( "praepara" | "praeparabit" | "postpara" | "postparabit" ) [ "omnia" ] block ;
def parse_setup(cursor: Cursor) -> Statement:
    at, keyword = cursor.starts[cursor.i], cursor.kinds[cursor.i]
    cursor.i += 1
    everything = cursor.take("omnia")
    return Setup(at, keyword, everything, parse_block(cursor))


# expression_statement = expression ;
def parse_expression_statement(cursor: Cursor) -> Statement:
    at = cursor.starts[cursor.i]
    value: Expression = parse_expression(cursor)
    return ExpressionStatement(at, value)

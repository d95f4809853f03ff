"""Grammar of the simple statements, of error handling and resources, of the entry point and of tests."""

from __future__ import annotations

from faber import tree
from faber.parse.blocks import parse_block, parse_body, parse_catch
from faber.parse.control_flow import BINDING
from faber.parse.cursor import Cursor
from faber.parse.expressions import parse_expression
from faber.parse.operands import parse_arguments
from faber.parse.tokens import END, NAME, STRING
from faber.parse.types import parse_type

RESOURCES = frozenset(("arena", "page"))
SETUPS = frozenset(("praepara", "praeparabit", "postpara", "postparabit"))


# assert = "adfirma" expression [ "," expression ] ;
def parse_assert(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    test = parse_expression(cursor)
    return tree.Assert(at, test, parse_expression(cursor) if cursor.take(",") else None)


# return = "redde" [ expression ] ;
def parse_return(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    return tree.Return(at, None if cursor.kinds[cursor.i] in ("}", END) else parse_expression(cursor))


# break = "rumpe" ;
def parse_break(cursor: Cursor) -> tree.Statement:
    return tree.Break(cursor.step())


# continue = "perge" ;
def parse_continue(cursor: Cursor) -> tree.Statement:
    return tree.Continue(cursor.step())


# throw = ( "iace" | "mori" ) expression ;
def parse_throw(cursor: Cursor) -> tree.Statement:
    fatal = cursor.kinds[cursor.i] == "mori"
    return tree.Throw(cursor.step(), parse_expression(cursor), fatal)


# print = ( "scribe" | "vide" | "mone" ) expression { "," expression } ;
def parse_print(cursor: Cursor) -> tree.Statement:
    keyword = cursor.kinds[cursor.i]
    at = cursor.step()
    return tree.Print(at, keyword, cursor.parse_separated(parse_expression))


# try = "tempta" block [ catch ] [ "demum" block ] ;
def parse_try(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    body = parse_block(cursor)
    catch = parse_catch(cursor)
    return tree.Try(at, body, catch, parse_block(cursor) if cursor.take("demum") else None)


# do = "fac" block [ catch ] [ "dum" expression ] ;
def parse_do(cursor: Cursor) -> tree.Statement:
    if cursor.kinds[cursor.i + 1] != "{":
        return parse_expression_statement(cursor)
    at = cursor.step()
    body = parse_block(cursor)
    catch = parse_catch(cursor)
    return tree.Do(at, body, catch, parse_expression(cursor) if cursor.take("dum") else None)


# manage = "cura" [ "arena" | "page" ] [ expression ] [ ( "pro" | "fit" | "fiet" ) [ NAME ] NAME ]
#          block [ catch ] ;
def parse_manage(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    kind = cursor.kinds[cursor.advance()] if cursor.kinds[cursor.i] in RESOURCES else None
    resource = (
        None
        if cursor.kinds[cursor.i] in BINDING or cursor.kinds[cursor.i] == "{"
        else parse_expression(cursor)
    )
    name, declared, is_async = None, None, False
    if cursor.kinds[cursor.i] in BINDING:
        is_async = cursor.kinds[cursor.i] == "fiet"
        cursor.i += 1
        if cursor.kinds[cursor.i] == NAME and cursor.kinds[cursor.i + 1] == NAME:
            declared = parse_type(cursor)
        name = cursor.identifier()
    body = parse_block(cursor)
    return tree.Manage(at, kind, resource, declared, name, is_async, body, parse_catch(cursor))


# dispatch = "ad" STRING "(" arguments ")" [ dispatch_binding ] [ block ] [ catch ] ;
# dispatch_binding = [ "fit" | "fiet" | "fiunt" | "fient" ] [ type ] "pro" NAME [ "ut" NAME ] ;
def parse_dispatch(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    target = parse_quoted(cursor)
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
    return tree.Dispatch(at, target, arguments, verb, declared, name, alias, body, parse_catch(cursor))


# entry = ( "incipit" | "incipiet" ) body ;
def parse_entry(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    return tree.Entry(at, cursor.kinds[cursor.i - 1] == "incipiet", parse_body(cursor))


# suite = "probandum" STRING "{" { suite | test | setup } "}" ;
def parse_suite(cursor: Cursor) -> tree.Statement:
    cursor.deeper()
    at = cursor.step()
    name = parse_quoted(cursor)
    cursor.expect("{")
    body: list[tree.Statement] = []
    while (kind := cursor.kinds[cursor.i]) not in ("}", END):
        if kind in SETUPS or kind in ("probandum", "proba"):
            read = parse_suite if kind == "probandum" else parse_test if kind == "proba" else parse_setup
            part = read(cursor)
            part.end = cursor.ends[cursor.i - 1]
            body.append(part)
        else:
            cursor.error(
                "unexpected", f"{cursor.current_text().capitalize()} cannot stand in a group of tests."
            )
            cursor.i += 1
    cursor.expect("}")
    cursor.depth -= 1
    return tree.Suite(at, name, body)


# test = "proba" [ ( "omitte" | "futurum" ) STRING ] STRING block ;
def parse_test(cursor: Cursor) -> tree.Statement:
    at = cursor.step()
    modifier, reason = None, None
    if cursor.kinds[cursor.i] in ("omitte", "futurum"):
        modifier = cursor.kinds[cursor.advance()]
        reason = parse_quoted(cursor)
    name = parse_quoted(cursor)
    return tree.Test(at, name, modifier, reason, parse_block(cursor))


def parse_quoted(cursor: Cursor) -> str:
    place = cursor.expect(STRING)
    return "" if place is None else cursor.values[place]


# setup = ( "praepara" | "praeparabit" | "postpara" | "postparabit" ) [ "omnia" ] block ;
def parse_setup(cursor: Cursor) -> tree.Statement:
    keyword = cursor.kinds[cursor.i]
    at = cursor.step()
    everything = cursor.take("omnia")
    return tree.Setup(at, keyword, everything, parse_block(cursor))


# expression_statement = expression ;
def parse_expression_statement(cursor: Cursor) -> tree.Statement:
    at = cursor.starts[cursor.i]
    return tree.ExpressionStatement(at, parse_expression(cursor))

"""A program's tokens become its tree. Reads on after an error, so that one reading finds several."""

from __future__ import annotations

from collections.abc import Callable

from probatio.languages.faber.diagnostics import Report
from probatio.languages.faber.dialects import Dialect
from probatio.languages.faber.parse.blocks import parse_block
from probatio.languages.faber.parse.control_flow import (
    parse_guard,
    parse_if,
    parse_loop,
    parse_match,
    parse_switch,
    parse_while,
    parse_with,
)
from probatio.languages.faber.parse.cursor import Cursor, Stop
from probatio.languages.faber.parse.declarations import (
    parse_annotations,
    parse_function,
    parse_import,
    parse_variable,
)
from probatio.languages.faber.parse.expressions import parse_expression
from probatio.languages.faber.parse.statements import (
    parse_assert,
    parse_break,
    parse_continue,
    parse_dispatch,
    parse_do,
    parse_entry,
    parse_expression_statement,
    parse_manage,
    parse_print,
    parse_return,
    parse_setup,
    parse_suite,
    parse_test,
    parse_throw,
    parse_try,
)
from probatio.languages.faber.parse.tokens import END, NAME, STRING, Tokens
from probatio.languages.faber.parse.type_declarations import (
    parse_alias,
    parse_class,
    parse_contract,
    parse_enum,
    parse_union,
)
from probatio.languages.faber.tree import (
    Alias,
    Class,
    Contract,
    Enum,
    Function,
    ListPattern,
    Program,
    Statement,
    Union,
    Variable,
)


def parse(tokens: Tokens, dialect: Dialect, report: Report) -> Program:
    """The tree of what could be read; a top-level statement with an error that cannot be read past is left out."""
    return parse_program(Cursor(tokens, dialect, report, parse_expression, parse_statement))


# program = { ";" | statement } ;
def parse_program(cursor: Cursor) -> Program:
    result = Program(0, [])
    while (kind := cursor.kinds[cursor.i]) != END:
        if kind == ";":
            cursor.i += 1
            continue
        try:
            result.body.append(parse_statement(cursor))
        except Stop:
            result.complete = False
            cursor.depth = 0
            cursor.synchronize()
    return result


# statement = { annotation } ( variable | function | alias | enum | class | contract | union )
#           | import | loop | destructuring | with | if | while | switch | match | guard | assert | return | break | continue
#           | throw | print | try | do | manage | dispatch | entry | suite | test | setup | block | expression_statement ;
def parse_statement(cursor: Cursor) -> Statement:
    cursor.deeper()
    annotations = parse_annotations(cursor) if cursor.kinds[cursor.i] == "@" else None
    read = STATEMENTS.get(cursor.kinds[cursor.i])
    result = parse_expression_statement(cursor) if read is None else read(cursor)
    result.end = cursor.ends[cursor.i - 1]
    if annotations:
        result.annotations = annotations
        if not isinstance(result, DECLARATIONS):
            at = annotations[0].at
            cursor.report.add("syntax", "annotation", at, "Annotations belong before declarations; here stands none.")
    cursor.depth -= 1
    return result


def parse_from(cursor: Cursor) -> Statement:
    """`ex` starts an import, a loop or a destructuring."""
    if cursor.kinds[cursor.i + 1] in (NAME, STRING) and cursor.kinds[cursor.i + 2] == "importa":
        return parse_import(cursor)
    return parse_loop(cursor)


DECLARATIONS = (Variable, ListPattern, Function, Class, Contract, Enum, Union, Alias)

STATEMENTS: dict[str, Callable[[Cursor], Statement]] = {
    "ex": parse_from,
    "de": parse_loop,
    "in": parse_with,
    **dict.fromkeys(("varia", "fixum", "figendum", "variandum"), parse_variable),
    "functio": parse_function,
    "typus": parse_alias,
    "ordo": parse_enum,
    "genus": parse_class,
    "pactum": parse_contract,
    "discretio": parse_union,
    "si": parse_if,
    "dum": parse_while,
    "elige": parse_switch,
    "discerne": parse_match,
    "custodi": parse_guard,
    "adfirma": parse_assert,
    "redde": parse_return,
    "rumpe": parse_break,
    "perge": parse_continue,
    **dict.fromkeys(("iace", "mori"), parse_throw),
    **dict.fromkeys(("scribe", "vide", "mone"), parse_print),
    "tempta": parse_try,
    "fac": parse_do,
    "probandum": parse_suite,
    "proba": parse_test,
    "ad": parse_dispatch,
    **dict.fromkeys(("praepara", "praeparabit", "postpara", "postparabit"), parse_setup),
    "cura": parse_manage,
    **dict.fromkeys(("incipit", "incipiet"), parse_entry),
    "{": parse_block,
}

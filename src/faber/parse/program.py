"""A program's tokens become its tree. Reads on after an error, so that one reading finds several."""

from __future__ import annotations

from collections.abc import Callable

from faber import tree
from faber.diagnostics import Report
from faber.dialects import Dialect
from faber.parse import control_flow, declarations, statements
from faber.parse.blocks import parse_block
from faber.parse.cursor import Cursor, Stop
from faber.parse.expressions import parse_expression
from faber.parse.tokens import END, NAME, STRING, Tokens


def parse(tokens: Tokens, dialect: Dialect, report: Report) -> tree.Program:
    """The tree of what could be read;
    a top-level statement with an error that cannot be read past is left out."""
    return parse_program(Cursor(tokens, dialect, report, parse_expression, parse_statement))


# program = { ";" | statement } ;
def parse_program(cursor: Cursor) -> tree.Program:
    result = tree.Program(0, [])
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
#           | import | loop | destructuring | with | if | while | switch | match | guard | assert
#           | return | break | continue | throw | print | try | do | manage | dispatch | entry
#           | suite | test | setup
#           | block | expression_statement ;
def parse_statement(cursor: Cursor) -> tree.Statement:
    cursor.deeper()
    annotations = declarations.parse_annotations(cursor) if cursor.kinds[cursor.i] == "@" else None
    read = STATEMENTS.get(cursor.kinds[cursor.i])
    result = statements.parse_expression_statement(cursor) if read is None else read(cursor)
    result.end = cursor.ends[cursor.i - 1]
    if annotations:
        result.annotations = annotations
        if not isinstance(result, DECLARATIONS):
            at = annotations[0].at
            cursor.report.add(
                "syntax", "annotation", at, "Annotations belong before declarations; here stands none."
            )
    cursor.depth -= 1
    return result


def parse_from(cursor: Cursor) -> tree.Statement:
    """`ex` starts an import, a loop or a destructuring."""
    if cursor.kinds[cursor.i + 1] in (NAME, STRING) and cursor.kinds[cursor.i + 2] == "importa":
        return declarations.parse_import(cursor)
    return control_flow.parse_loop(cursor)


DECLARATIONS = (
    tree.Variable,
    tree.ListPattern,
    tree.Function,
    tree.Class,
    tree.Contract,
    tree.Enum,
    tree.Union,
    tree.Alias,
)

STATEMENTS: dict[str, Callable[[Cursor], tree.Statement]] = {
    "ex": parse_from,
    "de": control_flow.parse_loop,
    "in": control_flow.parse_with,
    **dict.fromkeys(("varia", "fixum", "figendum", "variandum"), declarations.parse_variable),
    "functio": declarations.parse_function,
    "typus": declarations.parse_alias,
    "ordo": declarations.parse_enum,
    "genus": declarations.parse_class,
    "pactum": declarations.parse_contract,
    "discretio": declarations.parse_union,
    "si": control_flow.parse_if,
    "dum": control_flow.parse_while,
    "elige": control_flow.parse_switch,
    "discerne": control_flow.parse_match,
    "custodi": control_flow.parse_guard,
    "adfirma": statements.parse_assert,
    "redde": statements.parse_return,
    "rumpe": statements.parse_break,
    "perge": statements.parse_continue,
    **dict.fromkeys(("iace", "mori"), statements.parse_throw),
    **dict.fromkeys(("scribe", "vide", "mone"), statements.parse_print),
    "tempta": statements.parse_try,
    "fac": statements.parse_do,
    "probandum": statements.parse_suite,
    "proba": statements.parse_test,
    "ad": statements.parse_dispatch,
    **dict.fromkeys(("praepara", "praeparabit", "postpara", "postparabit"), statements.parse_setup),
    "cura": statements.parse_manage,
    **dict.fromkeys(("incipit", "incipiet"), statements.parse_entry),
    "{": parse_block,
}

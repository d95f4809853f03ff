"""Parser: a program's tokens become its tree. Reads on after an error, so that one reading finds several."""

from __future__ import annotations

from collections.abc import Callable

from probatio.languages.faber.cursor import Stop
from probatio.languages.faber.diagnostics import Report
from probatio.languages.faber.dialects import Dialect
from probatio.languages.faber.statements import StatementReader
from probatio.languages.faber.tokens import END, NAME, STRING, Tokens
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
    return Parser(tokens, dialect, report).program()


class Parser(StatementReader):
    __slots__ = ()

    # program = { ";" | statement } ;
    def program(self) -> Program:
        result = Program(0, [])
        while (kind := self.kinds[self.i]) != END:
            if kind == ";":
                self.i += 1
                continue
            try:
                result.body.append(self.statement())
            except Stop:
                result.complete = False
                self.depth = 0
                self.synchronize()
        return result

    # statement = { annotation } ( variable | function | alias | enum | class | contract | union )
    #           | import | loop | destructuring | with | if | while | switch | match | guard | assert | return | break | continue
    #           | throw | print | try | do | manage | dispatch | entry | suite | test | setup | block | expression_statement ;
    def statement(self) -> Statement:
        self.deeper()
        annotations = self.annotations() if self.kinds[self.i] == "@" else None
        read = STATEMENTS.get(self.kinds[self.i])
        result = self.expression_statement() if read is None else read(self)
        result.end = self.ends[self.i - 1]
        if annotations:
            result.annotations = annotations
            if not isinstance(result, DECLARATIONS):
                at = annotations[0].at
                self.report.add("syntax", "annotation", at, "Annotations belong before declarations; here stands none.")
        self.depth -= 1
        return result

    def from_(self) -> Statement:
        if self.kinds[self.i + 1] in (NAME, STRING) and self.kinds[self.i + 2] == "importa":
            return self.import_()
        return self.loop()


DECLARATIONS = (Variable, ListPattern, Function, Class, Contract, Enum, Union, Alias)

STATEMENTS: dict[str, Callable[[Parser], Statement]] = {
    "ex": Parser.from_,
    "de": Parser.loop,
    "in": Parser.with_,
    **dict.fromkeys(("varia", "fixum", "figendum", "variandum"), Parser.variable),
    "functio": Parser.function,
    "typus": Parser.alias,
    "ordo": Parser.enum,
    "genus": Parser.class_,
    "pactum": Parser.contract,
    "discretio": Parser.union,
    "si": Parser.if_,
    "dum": Parser.while_,
    "elige": Parser.switch,
    "discerne": Parser.match,
    "custodi": Parser.guard,
    "adfirma": Parser.assert_,
    "redde": Parser.return_,
    "rumpe": Parser.break_,
    "perge": Parser.continue_,
    **dict.fromkeys(("iace", "mori"), Parser.throw),
    **dict.fromkeys(("scribe", "vide", "mone"), Parser.print_),
    "tempta": Parser.try_,
    "fac": Parser.do,
    "probandum": Parser.suite,
    "proba": Parser.test,
    "ad": Parser.dispatch,
    **dict.fromkeys(("praepara", "praeparabit", "postpara", "postparabit"), Parser.setup),
    "cura": Parser.manage,
    **dict.fromkeys(("incipit", "incipiet"), Parser.entry),
    "{": Parser.block,
}

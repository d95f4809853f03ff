"""What the check knows at the place it has reached: the scope, the function around,
and how to go on with any node."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from msgspec import Struct

from faber import tree
from faber.diagnostics import Report
from faber.dialects import Dialect
from faber.types import UNKNOWN, Callable, Generic, Named, Type, UnionType

Inference = dict[type[tree.Expression], Function[["Checker", Any], Type]]
Statements = dict[type[tree.Statement], Function[["Checker", Any], None]]


class Symbol(Struct, eq=False):
    """What a name stands for."""

    type: Type
    kind: str  # variable, function, parameter, type, enum, genus, pactum
    mutable: bool
    at: int


class Scope:
    """The names that are known at a place."""

    __slots__ = ("names", "parent")

    def __init__(self, parent: Scope | None) -> None:
        self.names: dict[str, Symbol] = {}
        self.parent = parent

    def find(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            symbol = scope.names.get(name)
            if symbol is not None:
                return symbol
            scope = scope.parent
        return None


class Checker:
    """One check under way. The functions of the other modules share it;
    the two tables say which of them takes which node.

    With `thorough`, expressions are typed too that the check passes over,
    because the compiler needs their types. With `strict`, what is wrong there is also reported.
    """

    def __init__(
        self,
        report: Report,
        dialect: Dialect,
        inference: Inference,
        statements: Statements,
        *,
        thorough: bool,
        strict: bool,
    ) -> None:
        self.report = report
        self.words = dialect.words
        self.inference = inference
        self.statements = statements
        self.thorough = thorough
        self.strict = strict
        self.scope = Scope(None)
        self.silent = 0
        self.returns: Type | None = None
        self.is_async = False
        self.is_generator = False
        self.ego: Type = UNKNOWN
        self.resolving: set[str] = set()
        # What only the strict check asks for: top-level classes by name, and the declaration of a function's
        # type by the identity of that type, which is kept alive with it.
        self.classes: dict[str, tree.Class] = {}
        self.functions: dict[int, tuple[Callable, tree.Function]] = {}

    # Going on with a node.

    def infer(self, node: tree.Expression) -> Type:
        type_ = self.inference[type(node)](self, node)
        node.type = type_
        return type_

    def statement(self, node: tree.Statement) -> None:
        self.statements[type(node)](self, node)

    def block(self, block: tree.Block) -> None:
        """A block opens no scope by itself; what it belongs to does."""
        for node in block.body:
            self.statements[type(node)](self, node)

    def own_block(self, block: tree.Block) -> None:
        """A block with a scope of its own."""
        self.enter()
        self.block(block)
        self.leave()

    def parts(self, node: tree.Node) -> None:
        """The parts of a node that needs no rule of its own, in the order they are written."""
        for name in node.__struct_fields__:
            part = getattr(node, name)
            if isinstance(part, (tree.Node, list)) and name != "annotations":
                self.part(part)

    def part(self, part: Any) -> None:
        """A part of a node, or a list of parts. A block has a scope of its own."""
        if isinstance(part, tree.Expression):
            self.infer(part)
        elif isinstance(part, tree.Block):
            self.own_block(part)
        elif isinstance(part, list):
            for each in part:
                self.part(each)
        elif isinstance(part, tree.Statement):
            self.statement(part)
        elif isinstance(part, tree.Catch):
            self.enter()
            self.define(part.name, Named("Error"), "parameter", part.at)
            self.block(part.body)
            self.leave()
        elif isinstance(part, (tree.Case, tree.Property)):
            self.parts(part)

    def quietly(self, work: Function[[Any], Any], node: Any) -> None:
        """Type what the check passes over, without reporting anything.
        The strict check passes over nothing."""
        if self.strict:
            work(node)
        elif self.thorough:
            self.silent += 1
            work(node)
            self.silent -= 1

    # Names.

    def enter(self) -> None:
        self.scope = Scope(self.scope)

    def leave(self) -> None:
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def define(self, name: str, type_: Type, kind: str, at: int, mutable: bool = False) -> None:
        known = self.scope.names.get(name)
        if known is not None:
            line, _ = self.report.place(known.at)
            self.error("already-defined", at, f"'{name}' is already defined on line {line}.")
        else:
            self.scope.names[name] = Symbol(type_, kind, mutable, at)

    def define_once(self, name: str, type_: Type, kind: str, at: int) -> None:
        """Top-level declarations are known already."""
        if name not in self.scope.names:
            self.define(name, type_, kind, at)

    def union_of(self, type_: Type) -> UnionType | None:
        """The tagged union a type is, or is the name of."""
        if type(type_) is Named:
            symbol = self.scope.find(type_.name)
            type_ = symbol.type if symbol is not None else type_
        return type_ if isinstance(type_, UnionType) else None

    # Errors.

    def error(self, code: str, at: int, message: str, hint: str | None = None) -> None:
        if not self.silent:
            self.report.add("semantic", code, at, message, hint)

    def report_undefined(self, name: str, at: int) -> None:
        hint = _FOREIGN[name].format_map(self.words) if name in _FOREIGN else None
        self.error("undefined", at, f"'{name}' is not defined.", hint)

    def report_misfit(self, source: Type, target: Type, at: int, where: str = "") -> None:
        hint = None
        if (
            isinstance(source, Generic)
            and source.name == "lista"
            and isinstance(target, Generic)
            and source.parameters == [UNKNOWN]
        ):
            hint = "An empty list needs its type: `[] {innatum} {lista}<T>`.".format_map(self.words)
        self.error("type", at, f"A value of type {source} does not fit {target}{where}.", hint)


_FOREIGN = {
    **dict.fromkeys(("let", "var"), "A mutable variable is declared with `{varia}`."),
    "const": "An immutable variable is declared with `{fixum}`.",
    **dict.fromkeys(("function", "func", "def", "fn"), "A function is declared with `{functio}`."),
    "if": "A condition starts with `{si}`.",
    **dict.fromkeys(
        ("else", "aliter", "alioquin"), "Otherwise is `{secus}`, with a further condition `{sin}`."
    ),
    "while": "A loop with a condition starts with `{dum}`.",
    "for": "A loop over values is written `{ex} list {pro} x {{ … }}`.",
    "return": "A value is returned with `{redde}`.",
    **dict.fromkeys(("print", "console", "scribere", "dic"), "Output is written with `{scribe} value`."),
    **dict.fromkeys(("true", "verus"), "True is `{verum}`."),
    **dict.fromkeys(("false", "falsus"), "False is `{falsum}`."),
    **dict.fromkeys(("null", "undefined", "None"), "Nothing is `{nihil}`."),
    "new": "An object is made with `{novum}`.",
    "this": "The object of a method is `{ego}`.",
    "class": "A class is declared with `{genus}`.",
    "enum": "An enumeration is declared with `{ordo}`.",
    "interface": "A contract is declared with `{pactum}`.",
    "try": "Catching starts with `{tempta}`.",
    "throw": "A value is thrown with `{iace}`.",
    "break": "A loop is left with `{rumpe}`.",
    "continue": "The next round starts with `{perge}`.",
    "switch": "Choosing by value starts with `{elige}`.",
    "import": 'Names are imported with `{ex} "module" {importa} name`.',
    "await": "A promise is awaited with `{cede}`.",
    **dict.fromkeys(
        ("Math", "pavimentum", "radix", "potentia"),
        'Import it first: `{ex} "norma/mathesis" {importa} radix`.',
    ),
}
"""What the writer of an undeclared name may have meant."""

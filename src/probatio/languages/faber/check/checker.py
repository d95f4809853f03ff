"""What the check knows at the place it has reached: the scope, the function around, and how to go on with any node."""

from __future__ import annotations

from collections.abc import Callable as Function
from collections.abc import Mapping
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.check.foreign_words import hint_for_undefined
from probatio.languages.faber.check.scopes import Scope, Symbol
from probatio.languages.faber.diagnostics import Report
from probatio.languages.faber.dialects import Dialect
from probatio.languages.faber.types import UNKNOWN, Callable, Generic, Named, Type, UnionType

Inference = Mapping[type[tree.Expression], Function[["Checker", Any], Type]]
Statements = Mapping[type[tree.Statement], Function[["Checker", Any], None]]


class Checker:
    """One check under way. The functions of the other modules share it; the two tables say which of them takes which node.

    With `thorough`, expressions are typed too that the check passes over, because the compiler needs their types. With
    `strict`, what is wrong there is also reported.
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
        self.dialect = dialect
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
        # What only the strict check asks for: top-level classes by name, and the declaration of a function's type by the
        # identity of that type, which is kept alive beside it.
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

    def quietly(self, work: Function[[Any], Any], node: Any) -> None:
        """Type what the check passes over, without reporting anything. The strict check passes over nothing."""
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
            line = self.report.lines.line(known.at)
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

    def undefined(self, name: str, at: int) -> None:
        self.error("undefined", at, f"'{name}' is not defined.", hint_for_undefined(name, self.dialect.words))

    def does_not_fit(self, source: Type, target: Type, at: int, where: str = "") -> None:
        hint = None
        if (
            isinstance(source, Generic)
            and source.name == "lista"
            and isinstance(target, Generic)
            and source.parameters == [UNKNOWN]
        ):
            hint = "An empty list needs its type: `[] {innatum} {lista}<T>`.".format_map(self.dialect.words)
        self.error("type", at, f"A value of type {source} does not fit {target}{where}.", hint)

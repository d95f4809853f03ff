"""The check: names, scopes, mutability, types, returns, asynchronous context, exhaustiveness and imports.

It accepts what the reference compiler accepts, also where that is odd: level A is defined by the reference. What a stricter
reader would want to know stands in `strict`.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any, ClassVar

from probatio.languages.faber import tree
from probatio.languages.faber.library import EXPORTS
from probatio.languages.faber.scope import Scope, Symbol
from probatio.languages.faber.signatures import CONSTRUCTOR, HOISTED, Signatures
from probatio.languages.faber.types import (
    TEXTUS,
    UNKNOWN,
    VACUUM,
    Callable,
    ClassType,
    Generic,
    Named,
    OneOf,
    Type,
    UnionType,
    fits,
)

ITERATED = frozenset(("lista", "copia", "cursor", "fluxus"))


def has(node: tree.Statement, name: str) -> bool:
    return any(annotation.name == name for annotation in node.annotations)


class Check(Signatures):
    statements: ClassVar[dict[type[tree.Statement], Function[[Any, Any], None]]]  # how each statement is checked

    def program(self, program: tree.Program) -> None:
        """Top-level functions and types are known everywhere: they are declared first, then all bodies are read in order."""
        for name in ("_scribe", "_vide", "_mone"):
            self.scope.names[name] = Symbol(Callable([], VACUUM), "function", False, 0)
        self.scope.names["_lege"] = Symbol(Callable([], TEXTUS), "function", False, 0)
        hoisted = [s for s in program.body if isinstance(s, HOISTED)]
        for statement in hoisted:
            self.define(statement.name, *self.placeholder(statement), statement.at)
        for statement in hoisted:
            self.sign(statement)
        self.resolve_aliases([s for s in hoisted if isinstance(s, tree.Alias)])
        for node in program.body:
            self.statement(node)

    # Statements.

    def statement(self, node: tree.Statement) -> None:
        self.statements[type(node)](self, node)

    def block(self, block: tree.Block) -> None:
        """A block opens no scope by itself; what it belongs to does."""
        for node in block.body:
            self.statements[type(node)](self, node)

    def enter(self) -> None:
        self.scope = Scope(self.scope)

    def leave(self) -> None:
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def catch(self, node: tree.Catch | None) -> None:
        if node is not None:
            self.enter()
            self.define(node.name, Named("Error"), "parameter", node.at)
            self.block(node.body)
            self.leave()

    def define_once(self, name: str, type_: Type, kind: str, at: int) -> None:
        """Top-level declarations are known already."""
        if name not in self.scope.names:
            self.define(name, type_, kind, at)

    def import_(self, node: tree.Import) -> None:
        exports = EXPORTS.get(node.module)
        if exports is None:
            # Other packages are left to whoever runs the program; a file beside this one can only be missing.
            if node.module.startswith(("./", "../")):
                self.error("no-module", node.at, f"There is no module '{node.module}' beside this program.")
            return
        if node.items is None:
            for name, type_ in exports.items():
                self.scope.names[name] = Symbol(type_, "variable", False, node.at)
            return
        for item in node.items:
            exported = exports.get(item.name)
            if exported is None:
                self.error("not-exported", item.at, f"'{node.module}' exports no '{item.name}'.")
            else:
                self.scope.names[item.local] = Symbol(exported, "variable", False, item.at)

    def awaits(self, keyword: str, at: int) -> None:
        if keyword in ("figendum", "variandum") and not self.is_async:
            word = self.dialect.words[keyword]
            self.error("await", at, f"'{word}' awaits its value and stands only in asynchronous functions.")

    def variable(self, node: tree.Variable) -> None:
        self.awaits(node.keyword, node.at)
        if node.declared is not None:
            type_ = self.resolve(node.declared)
            if node.value is not None:
                value = self.infer(node.value)
                if not fits(value, type_):
                    self.does_not_fit(value, type_, node.at, f", the type of '{node.name}'")
        elif node.value is not None:
            type_ = self.infer(node.value)
        else:
            type_ = UNKNOWN
            if not has(node, "externa"):
                self.error("untyped", node.at, f"'{node.name}' has neither a type nor a value.")
        self.define(node.name, type_, "variable", node.at, node.keyword == "varia")
        node.type = type_

    def list_pattern(self, node: tree.ListPattern) -> None:
        self.awaits(node.keyword, node.at)
        if node.value is not None:
            self.infer(node.value)
        self.items(node.items, node.keyword)

    def destructure(self, node: tree.Destructure) -> None:
        self.infer(node.value)
        self.items(node.items, node.keyword)

    def items(self, items: list[tree.Item], keyword: str) -> None:
        for item in items:
            if not item.skip:
                self.define(item.local, UNKNOWN, "variable", item.at, keyword in ("varia", "variandum"))

    def function(self, node: tree.Function) -> None:
        optional_before = False
        for parameter in node.parameters:
            if parameter.default is not None and parameter.preposition in ("de", "in"):
                word = self.dialect.words[parameter.preposition]
                self.error("borrowed-default", parameter.at, f"A parameter taken with '{word}' cannot have a default.")
            if parameter.optional or parameter.default is not None:
                optional_before = True
            elif optional_before and not parameter.rest:
                self.error(
                    "parameter-order",
                    parameter.at,
                    f"'{parameter.name}' is required and cannot follow an optional parameter.",
                )
        type_ = self.function_type(node)
        self.define_once(node.name, type_, "function", node.at)
        if node.body is None and not has(node, "externa"):
            self.error("no-body", node.at, f"The function '{node.name}' has no body.")
        self.function_body(node, type_)

    def function_body(self, node: tree.Function, type_: Callable) -> None:
        outside = (self.returns, self.is_async, self.is_generator)
        self.enter()
        self.returns = type_.returns
        self.is_async = node.verb in ("fiet", "fient") or has(node, "futura")
        self.is_generator = node.verb in ("fiunt", "fient") or has(node, "cursor")
        for parameter, parameter_type in zip(node.parameters, type_.parameters, strict=True):
            if parameter.default is not None:
                self.infer(parameter.default)
            self.define(parameter.alias or parameter.name, parameter_type, "parameter", parameter.at)
        if node.body is not None:
            self.block(node.body)
        self.returns, self.is_async, self.is_generator = outside
        self.leave()

    def alias(self, node: tree.Alias) -> None:
        type_ = self.resolve(node.target) if node.target else UNKNOWN
        self.define_once(node.name, type_, "type", node.at)

    def enum(self, node: tree.Enum) -> None:
        self.define_once(node.name, self.enum_type(node), "enum", node.at)

    def class_(self, node: tree.Class) -> None:
        type_ = self.class_type(node)
        self.define_once(node.name, type_, "genus", node.at)
        outside, self.ego = self.ego, type_
        for member in node.members:
            if isinstance(member, tree.Field):
                if member.value is not None:
                    self.quietly(self.infer, member.value)
            elif member.name == CONSTRUCTOR:
                self.quietly(self.method, member)
            elif member.body is not None:
                self.method(member)
        self.ego = outside

    def method(self, node: tree.Function) -> None:
        self.function_body(node, self.function_type(node))

    def contract(self, node: tree.Contract) -> None:
        self.define_once(node.name, self.contract_type(node), "pactum", node.at)

    def union(self, node: tree.Union) -> None:
        variants = {v.name: [(f.name, self.resolve(f.declared)) for f in v.fields] for v in node.variants}
        type_ = UnionType(node.name, variants)
        known = self.scope.names.get(node.name)
        if known is None:
            self.define(node.name, type_, "type", node.at)
        else:
            known.type = type_

    def if_(self, node: tree.If) -> None:
        self.infer(node.test)
        self.own_block(node.yes)
        if isinstance(node.no, tree.If):
            self.if_(node.no)
        elif node.no is not None:
            self.own_block(node.no)
        self.catch(node.catch)

    def while_(self, node: tree.While) -> None:
        self.infer(node.test)
        self.own_block(node.body)
        self.catch(node.catch)

    def loop(self, node: tree.Loop) -> None:
        source = self.infer(node.source)
        self.steps(node.steps)
        self.enter()
        self.define(node.name, self.element(source, node.over), "variable", node.name_at)
        self.block(node.body)
        self.leave()
        self.catch(node.catch)

    def element(self, type_: Type, over: str) -> Type:
        if isinstance(type_, OneOf):
            return OneOf([self.element(member, over) for member in type_.members])
        if not isinstance(type_, Generic):
            return UNKNOWN
        if type_.name == "tabula":
            place = 1 if over == "ex" else 0
            return type_.parameters[place] if place < len(type_.parameters) else UNKNOWN
        if over == "ex" and type_.name in ITERATED and type_.parameters:
            return type_.parameters[0]
        return UNKNOWN

    def with_(self, node: tree.With) -> None:
        self.infer(node.object)
        self.enter()
        for statement in node.body.body:
            if (
                isinstance(statement, tree.ExpressionStatement)
                and isinstance(statement.value, tree.Assign)
                and isinstance(statement.value.target, tree.Name)
            ):
                self.infer(statement.value.value)
            else:
                self.statement(statement)
        self.leave()

    def switch(self, node: tree.Switch) -> None:
        self.infer(node.value)
        for case in node.cases:
            self.infer(case.test)
            self.own_block(case.body)
        if node.default is not None:
            self.own_block(node.default)
        self.catch(node.catch)

    def match(self, node: tree.Match) -> None:
        types = [self.infer(value) for value in node.values]
        unions = [self.union_of(type_) for type_ in types]
        handled = set()
        catches_all = node.default is not None
        for case in node.cases:
            if len(case.patterns) != len(types):
                self.error(
                    "pattern-count",
                    case.at,
                    f"Expected {len(types)} patterns in this case, found {len(case.patterns)}.",
                )
            if all(pattern.wildcard for pattern in case.patterns):
                catches_all = True
            handled.add(case.patterns[0].variant)
            self.enter()
            for i, pattern in enumerate(case.patterns):
                if not pattern.wildcard:
                    self.bind(pattern, types[i] if i < len(types) else UNKNOWN, unions[i] if i < len(unions) else None)
            self.block(case.body)
            self.leave()
        if node.default is not None:
            self.own_block(node.default)
        if catches_all:
            return
        if len(types) > 1:
            word = self.dialect.words["ceterum"]
            self.error("exhaustive", node.at, f"Several values need a last case `_, _` or '{word}'.")
        elif unions[0] is not None:
            missing = [name for name in unions[0].variants if name not in handled]
            if missing:
                names = ", ".join(f"'{name}'" for name in missing)
                self.error("exhaustive", node.at, f"Not every variant is handled: {names} is missing.")

    def union_of(self, type_: Type) -> UnionType | None:
        if type(type_) is Named:
            symbol = self.scope.find(type_.name)
            type_ = symbol.type if symbol is not None else type_
        return type_ if isinstance(type_, UnionType) else None

    def bind(self, pattern: tree.Pattern, type_: Type, union: UnionType | None) -> None:
        fields = union.variants.get(pattern.variant) if union is not None else None
        if pattern.alias is not None:
            whole = type_ if fields is None else ClassType(pattern.variant, dict(fields), {}, {})
            self.define(pattern.alias, whole, "variable", pattern.at)
        for i, name in enumerate(pattern.bindings):
            part = fields[i][1] if fields is not None and i < len(fields) else UNKNOWN
            self.define(name, part, "variable", pattern.at)

    def guard(self, node: tree.Guard) -> None:
        for clause in node.clauses:
            self.infer(clause.test)
            self.own_block(clause.body)

    def assert_(self, node: tree.Assert) -> None:
        self.infer(node.test)
        if node.message is not None:
            self.infer(node.message)

    def return_(self, node: tree.Return) -> None:
        if node.value is None:
            return
        value = self.infer(node.value)
        if self.returns is not None and not fits(value, self.returns):
            hint = None
            if self.returns is VACUUM:
                hint = "The function declares no return type: add `-> T` before its body."
            self.error(
                "return", node.at, f"A value of type {value} is returned where {self.returns} is declared.", hint
            )

    def nothing(self, node: tree.Statement) -> None:
        """Where a loop may be left or continued is not checked."""

    def throw(self, node: tree.Throw) -> None:
        self.infer(node.value)

    def print_(self, node: tree.Print) -> None:
        for argument in node.arguments:
            self.infer(argument)

    def try_(self, node: tree.Try) -> None:
        self.own_block(node.body)
        self.catch(node.catch)
        if node.always is not None:
            self.own_block(node.always)

    def do(self, node: tree.Do) -> None:
        self.own_block(node.body)
        self.catch(node.catch)
        if node.test is not None:
            self.infer(node.test)

    def manage(self, node: tree.Manage) -> None:
        type_ = self.infer(node.resource) if node.resource is not None else Named("Allocator")
        if node.name is not None:
            self.define(node.name, type_, "variable", node.at)
        self.own_block(node.body)
        self.catch(node.catch)

    def dispatch(self, node: tree.Dispatch) -> None:
        for argument in node.arguments:
            self.infer(argument)
        self.enter()
        if node.name is not None:
            self.define(node.name, UNKNOWN, "variable", node.at)
        if node.body is not None:
            self.block(node.body)
        self.leave()
        self.catch(node.catch)

    def entry(self, node: tree.Entry) -> None:
        outside = self.is_async
        self.is_async = self.is_async or node.is_async
        self.own_block(node.body)
        self.is_async = outside

    def suite(self, node: tree.Suite) -> None:
        for part in node.body:
            self.statement(part)

    def test(self, node: tree.Test | tree.Setup) -> None:
        self.own_block(node.body)

    def expression_statement(self, node: tree.ExpressionStatement) -> None:
        self.infer(node.value)


CHECK: dict[type[tree.Statement], Function[[Check, Any], None]] = {
    tree.Import: Check.import_,
    tree.Variable: Check.variable,
    tree.ListPattern: Check.list_pattern,
    tree.Destructure: Check.destructure,
    tree.Function: Check.function,
    tree.Alias: Check.alias,
    tree.Enum: Check.enum,
    tree.Class: Check.class_,
    tree.Contract: Check.contract,
    tree.Union: Check.union,
    tree.If: Check.if_,
    tree.While: Check.while_,
    tree.Loop: Check.loop,
    tree.With: Check.with_,
    tree.Switch: Check.switch,
    tree.Match: Check.match,
    tree.Guard: Check.guard,
    tree.Assert: Check.assert_,
    tree.Return: Check.return_,
    tree.Break: Check.nothing,
    tree.Continue: Check.nothing,
    tree.Throw: Check.throw,
    tree.Print: Check.print_,
    tree.Try: Check.try_,
    tree.Do: Check.do,
    tree.Manage: Check.manage,
    tree.Dispatch: Check.dispatch,
    tree.Entry: Check.entry,
    tree.Suite: Check.suite,
    tree.Test: Check.test,
    tree.Setup: Check.test,
    tree.Block: Check.block,
    tree.ExpressionStatement: Check.expression_statement,
}

Check.statements = CHECK

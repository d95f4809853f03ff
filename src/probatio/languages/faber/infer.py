"""The check, first part: what type an expression has, and what is wrong inside it."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any, ClassVar

from probatio.languages.faber import hints, tree
from probatio.languages.faber.diagnostics import Report
from probatio.languages.faber.dialects import Dialect
from probatio.languages.faber.scope import Scope, Symbol
from probatio.languages.faber.types import (
    BIVALENS,
    FRACTUS,
    GENERICS,
    MAGNUS,
    NIHIL,
    NUMERIC,
    NUMERUS,
    PRIMITIVES,
    TEXTUS,
    UNKNOWN,
    VACUUM,
    Callable,
    ClassType,
    ContractType,
    EnumType,
    Generic,
    Named,
    OneOf,
    Primitive,
    Type,
    UnionType,
    fits,
    nullable,
)

ARITHMETIC = frozenset(("+", "-", "*", "/", "%"))
ORDERING = frozenset(("<", ">", "<=", ">="))
TRUTHS = frozenset(("==", "!=", "&&", "||"))
INTRA_TYPES = NUMERIC | {"textus"}
CONVERTED: dict[str, Type] = {"numeratum": NUMERUS, "fractatum": FRACTUS, "textatum": TEXTUS, "bivalentum": BIVALENS}


class Inference:
    """Types expressions. With `thorough` also those the check passes over, whose types the compiler needs."""

    table: ClassVar[dict[type[tree.Expression], Function[[Any, Any], Type]]]  # how each expression is typed

    def __init__(self, report: Report, dialect: Dialect, thorough: bool) -> None:
        self.report = report
        self.dialect = dialect
        self.thorough = thorough
        self.scope = Scope(None)
        self.silent = 0
        self.returns: Type | None = None
        self.is_async = False
        self.is_generator = False
        self.ego: Type = UNKNOWN
        self.resolving: set[str] = set()

    def block(self, block: tree.Block) -> None:
        raise NotImplementedError

    # Names and errors.

    def error(self, code: str, at: int, message: str, hint: str | None = None) -> None:
        if not self.silent:
            self.report.add("semantic", code, at, message, hint)

    def define(self, name: str, type_: Type, kind: str, at: int, mutable: bool = False) -> None:
        known = self.scope.names.get(name)
        if known is not None:
            self.error(
                "already-defined", at, f"'{name}' is already defined on line {self.report.lines.line(known.at)}."
            )
        else:
            self.scope.names[name] = Symbol(type_, kind, mutable, at)

    def undefined(self, name: str, at: int) -> None:
        self.error("undefined", at, f"'{name}' is not defined.", hints.undefined(name, self.dialect.words))

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

    def quietly(self, work: Function[[Any], Any], node: Any) -> None:
        """Type what the check leaves alone, without reporting anything."""
        if self.thorough:
            self.silent += 1
            work(node)
            self.silent -= 1

    # Types as written.

    def resolve(self, node: tree.TypeName) -> Type:
        name = node.name
        if name == "unio" and node.parameters:
            return OneOf([self.resolve(p) for p in node.parameters if isinstance(p, tree.TypeName)])
        known = PRIMITIVES.get(name)
        if known is not None:
            return nullable(known) if node.nullable else known
        if name in GENERICS:
            return Generic(
                name, [self.resolve(p) for p in node.parameters if isinstance(p, tree.TypeName)], node.nullable
            )
        symbol = self.scope.find(name)
        if symbol is not None:
            if symbol.kind == "type" and name in self.resolving:
                self.error("circular-type", node.at, f"The type '{name}' is defined by itself.")
                return UNKNOWN
            type_ = symbol.type
            if symbol.kind == "type" or isinstance(type_, (ClassType, ContractType, EnumType, UnionType)):
                return nullable(type_) if node.nullable else type_
        return Named(name, node.nullable)

    # Expressions.

    def infer(self, node: tree.Expression) -> Type:
        type_ = self.table[type(node)](self, node)
        node.type = type_
        return type_

    def name(self, node: tree.Name) -> Type:
        symbol = self.scope.find(node.name)
        if symbol is not None:
            return symbol.type
        self.undefined(node.name, node.at)
        return UNKNOWN

    def number(self, node: tree.Number) -> Type:
        return NUMERUS if node.text.isdigit() or node.value.is_integer() else FRACTUS

    def array(self, node: tree.Array) -> Type:
        if not node.elements:
            return Generic("lista", [UNKNOWN])
        types: list[Type] = []
        for element in node.elements:
            type_ = self.infer(element)
            if isinstance(element, tree.Spread):
                type_ = (
                    type_.parameters[0]
                    if isinstance(type_, Generic) and type_.name == "lista" and type_.parameters
                    else UNKNOWN
                )
            types.append(type_)
        first = types[0]
        for i, type_ in enumerate(types[1:], 1):
            if type_ is not first and not fits(type_, first):
                self.does_not_fit(
                    type_, first, node.elements[i].at, f", the type of the list's first element, in element {i + 1}"
                )
            elif type_ is NIHIL and first is NIHIL:
                self.does_not_fit(type_, first, node.elements[i].at, f" in element {i + 1}")
        return Generic("lista", [first])

    def object(self, node: tree.Object) -> Type:
        for part in node.properties:
            self.infer(part.value)
        return Named("objectum")

    def spread(self, node: tree.Spread) -> Type:
        return self.infer(node.value)

    def binary(self, node: tree.Binary) -> Type:
        left = self.infer(node.left)
        right = self.infer(node.right)
        operator = node.operator
        if operator in ARITHMETIC:
            if isinstance(left, Primitive):
                if operator == "+" and left.name == "textus":
                    return TEXTUS
                if left.name in NUMERIC and isinstance(right, Primitive) and right.name in NUMERIC:
                    return left
            return NUMERUS
        if operator in ORDERING:
            if isinstance(left, Primitive) and isinstance(right, Primitive) and left.name != right.name:
                self.error(
                    "comparison",
                    node.at,
                    f"{left} and {right} cannot be compared with {operator}.",
                    self.comparison_hint(left, right),
                )
            return BIVALENS
        if operator in TRUTHS:
            return BIVALENS
        if operator == "intra":
            if not isinstance(node.right, tree.Range):
                self.error(
                    "intra", node.at, f"'{self.dialect.words['intra']}' needs a range on its right side, like 0..10."
                )
            if isinstance(left, Primitive) and left.name not in INTRA_TYPES:
                self.error("intra", node.at, f"Only numbers and texts lie within a range, not {left}.")
            return BIVALENS
        if operator == "inter":
            self.inter(node, left, right)
            return BIVALENS
        return UNKNOWN

    def comparison_hint(self, left: Primitive, right: Primitive) -> str | None:
        if {left.name, right.name} == {"numerus", "fractus"}:
            return "A literal without a fraction is a numerus, even 3.0: compare with a variable declared fractus."
        return None

    def inter(self, node: tree.Binary, left: Type, right: Type) -> None:
        if isinstance(right, Generic) and right.name == "lista":
            element = right.parameters[0] if right.parameters else UNKNOWN
            if not fits(left, element):
                self.error("inter", node.at, f"A value of type {left} is never among {right}.")
        elif right is not UNKNOWN:
            self.error(
                "inter", node.at, f"'{self.dialect.words['inter']}' needs a list on its right side, not {right}."
            )

    def unary(self, node: tree.Unary) -> Type:
        value = self.infer(node.value)
        if node.operator in ("!", "nulla", "nonnulla"):
            return BIVALENS
        if node.operator == "-":
            return value if isinstance(value, Primitive) and value.name in NUMERIC else NUMERUS
        return value

    def assign(self, node: tree.Assign) -> Type:
        value = self.infer(node.value)
        target = node.target
        if not isinstance(target, tree.Name):
            self.infer(target)
            return value
        symbol = self.scope.find(target.name)
        if symbol is None:
            self.undefined(target.name, target.at)
            return value
        target.type = symbol.type
        if not symbol.mutable:
            hint = (
                "Declare it with `{varia}` to change it.".format_map(self.dialect.words)
                if symbol.kind == "variable"
                else None
            )
            self.error("immutable", node.at, f"'{target.name}' cannot be assigned to: it is immutable.", hint)
        elif not fits(value, symbol.type):
            self.does_not_fit(value, symbol.type, node.at, f", the type of '{target.name}'")
        return value

    def conditional(self, node: tree.Conditional) -> Type:
        self.infer(node.test)
        yes = self.infer(node.yes)
        no = self.infer(node.no)
        if isinstance(yes, Primitive) and isinstance(no, Primitive) and yes.name == no.name:
            return yes
        return OneOf([yes, no])

    def range(self, node: tree.Range) -> Type:
        ends = (self.infer(node.start), self.infer(node.stop))
        if node.step is not None:
            self.infer(node.step)
        has_text = any(isinstance(end, Primitive) and end.name == "textus" for end in ends)
        return Generic("lista", [TEXTUS if has_text else NUMERUS])

    def type_test(self, node: tree.TypeTest) -> Type:
        self.infer(node.value)
        return BIVALENS

    def call(self, node: tree.Call) -> Type:
        callee = self.infer(node.callee)
        for argument in node.arguments:
            self.infer(argument)
        return callee.returns if isinstance(callee, Callable) else UNKNOWN

    def member(self, node: tree.Member) -> Type:
        name = node.name
        if isinstance(node.object, tree.Name):
            symbol = self.scope.find(node.object.name)
            if symbol is not None:
                owner = symbol.type
                if symbol.kind == "enum" and isinstance(owner, EnumType):
                    node.object.type = owner
                    if name in owner.members:
                        return owner.members[name]
                    self.error(
                        "enum-member",
                        node.at,
                        f"'{node.object.name}' has no member '{name}'.",
                        ", ".join(owner.members) or None,
                    )
                    return UNKNOWN
                if symbol.kind == "genus" and isinstance(owner, ClassType) and name in owner.statics:
                    node.object.type = owner
                    return owner.statics[name]
        owner = self.infer(node.object)
        if type(owner) is Named:
            symbol = self.scope.find(owner.name)
            if symbol is not None:
                owner = symbol.type
        if isinstance(owner, ClassType):
            return owner.fields.get(name) or owner.methods.get(name) or UNKNOWN
        if isinstance(owner, ContractType):
            return owner.methods.get(name) or UNKNOWN
        return UNKNOWN

    def index(self, node: tree.Index) -> Type:
        owner = self.infer(node.object)
        self.infer(node.index)
        if isinstance(owner, Generic):
            place = {"lista": 0, "copia": 0, "tabula": 1}.get(owner.name, 9)
            if place < len(owner.parameters):
                return owner.parameters[place]
        return UNKNOWN

    def cede(self, node: tree.Cede) -> Type:
        if not self.is_async and not self.is_generator:
            words = self.dialect.words
            hint = "Declare the function with `{fiet}`, or as a generator with `{fiunt}`.".format_map(words)
            self.error(
                "cede", node.at, f"'{words['cede']}' stands only in asynchronous functions and generators.", hint
            )
        value = self.infer(node.value)
        if isinstance(value, Generic) and value.name == "promissum":
            return value.parameters[0] if value.parameters else UNKNOWN
        return value

    def new(self, node: tree.New) -> Type:
        for argument in node.arguments or ():
            self.infer(argument)
        if node.fields is not None:
            self.quietly(self.infer, node.fields)
        return Named(node.class_name)

    def shape(self, node: tree.Shape) -> Type:
        if node.fields is not None:
            self.infer(node.fields)
        if node.union is None:
            return UNKNOWN
        symbol = self.scope.find(node.union)
        return Named(node.union) if symbol is None else symbol.type

    def lambda_(self, node: tree.Lambda) -> Type:
        """A block's returns are held against the function around the lambda, as the reference does."""
        self.scope = Scope(self.scope)
        for name, at in zip(node.parameters, node.places, strict=True):
            self.define(name, UNKNOWN, "parameter", at)
        if isinstance(node.body, tree.Block):
            self.block(node.body)
            returns: Type = VACUUM
        else:
            returns = self.infer(node.body)
        assert self.scope.parent is not None
        self.scope = self.scope.parent
        return Callable([UNKNOWN] * len(node.parameters), returns, node.is_async)

    def self_(self, node: tree.Self) -> Type:
        return self.ego

    def cast(self, node: tree.Cast) -> Type:
        self.infer(node.value)
        return self.resolve(node.target)

    def native(self, node: tree.Native) -> Type:
        self.infer(node.value)
        target = self.resolve(node.target)
        name = node.target.name
        if name == "tabula":
            if not isinstance(node.value, tree.Object):
                self.error(
                    "innatum", node.at, f"A {self.dialect.words['tabula']} is built from an object literal {{ … }}."
                )
        elif name == "lista":
            if not isinstance(node.value, tree.Array):
                self.error("innatum", node.at, f"A {self.dialect.words['lista']} is built from a list literal [ … ].")
        else:
            words = self.dialect.words
            self.error("innatum", node.at, f"Only {words['tabula']} and {words['lista']} can be built, not {name}.")
        return target

    def convert(self, node: tree.Convert) -> Type:
        self.infer(node.value)
        result = self.resolve(node.target) if node.target is not None else CONVERTED[node.to]
        if node.fallback is not None:
            fallback = self.infer(node.fallback)
            if isinstance(node.fallback, tree.Nothing):
                return nullable(result)
            if not fits(fallback, result):
                self.does_not_fit(fallback, result, node.fallback.at, ", the type of the conversion")
        return result

    def shift(self, node: tree.Shift) -> Type:
        value = self.infer(node.value)
        self.infer(node.amount)
        return value

    def comptime(self, node: tree.Comptime) -> Type:
        if isinstance(node.body, tree.Block):
            self.quietly(self.own_block, node.body)
            return UNKNOWN
        return self.infer(node.body)

    def own_block(self, block: tree.Block) -> None:
        self.scope = Scope(self.scope)
        self.block(block)
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def format(self, node: tree.Format) -> Type:
        for argument in node.arguments:
            self.infer(argument)
        return TEXTUS

    def steps(self, steps: list[tree.Step]) -> None:
        """The check passes over what is given to the verbs."""
        for step in steps:
            if step.count is not None:
                self.quietly(self.infer, step.count)

    def pipeline(self, node: tree.Pipeline) -> Type:
        result = self.infer(node.source)
        self.steps(node.steps)
        return result

    def filter(self, node: tree.Filter) -> Type:
        result = self.infer(node.source)
        if node.condition is not None:
            self.infer(node.condition)
        self.steps(node.steps)
        return result


def _always(type_: Type) -> Function[[Inference, Any], Type]:
    return lambda _inference, _node: type_


INFER: dict[type[tree.Expression], Function[[Inference, Any], Type]] = {
    tree.Name: Inference.name,
    tree.Number: Inference.number,
    tree.BigInt: _always(MAGNUS),
    tree.Text: _always(TEXTUS),
    tree.Template: _always(TEXTUS),
    tree.Truth: _always(BIVALENS),
    tree.Nothing: _always(NIHIL),
    tree.Self: Inference.self_,
    tree.Regex: _always(Named("Regex")),
    tree.Read: _always(TEXTUS),
    tree.Spread: Inference.spread,
    tree.Array: Inference.array,
    tree.Object: Inference.object,
    tree.Binary: Inference.binary,
    tree.Unary: Inference.unary,
    tree.Assign: Inference.assign,
    tree.Conditional: Inference.conditional,
    tree.Range: Inference.range,
    tree.TypeTest: Inference.type_test,
    tree.Call: Inference.call,
    tree.Member: Inference.member,
    tree.Index: Inference.index,
    tree.Cede: Inference.cede,
    tree.New: Inference.new,
    tree.Shape: Inference.shape,
    tree.Lambda: Inference.lambda_,
    tree.Cast: Inference.cast,
    tree.Native: Inference.native,
    tree.Convert: Inference.convert,
    tree.Shift: Inference.shift,
    tree.Comptime: Inference.comptime,
    tree.Format: Inference.format,
    tree.Pipeline: Inference.pipeline,
    tree.Filter: Inference.filter,
}

Inference.table = INFER

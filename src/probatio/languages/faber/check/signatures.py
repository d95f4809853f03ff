"""Types as a program declares them: what a written type means, and what the declared names stand for."""

from __future__ import annotations

from probatio.languages.faber import tree
from probatio.languages.faber.check.checker import Checker
from probatio.languages.faber.types import (
    GENERICS,
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
    Type,
    UnionType,
    Unknown,
    nullable,
)
from probatio.languages.faber.vocabulary import CONSTRUCTOR

Hoisted = tree.Function | tree.Class | tree.Contract | tree.Enum | tree.Union | tree.Alias
HOISTED = (tree.Function, tree.Class, tree.Contract, tree.Enum, tree.Union, tree.Alias)


def resolve(checker: Checker, node: tree.TypeName) -> Type:
    name = node.name
    if name == "unio" and node.parameters:
        return OneOf([resolve(checker, p) for p in node.parameters if isinstance(p, tree.TypeName)])
    known = PRIMITIVES.get(name)
    if known is not None:
        return nullable(known) if node.nullable else known
    if name in GENERICS:
        return Generic(
            name, [resolve(checker, p) for p in node.parameters if isinstance(p, tree.TypeName)], node.nullable
        )
    symbol = checker.scope.find(name)
    if symbol is not None:
        if symbol.kind == "type" and name in checker.resolving:
            checker.error("circular-type", node.at, f"The type '{name}' is defined by itself.")
            return UNKNOWN
        type_ = symbol.type
        if symbol.kind == "type" or isinstance(type_, (ClassType, ContractType, EnumType, UnionType)):
            return nullable(type_) if node.nullable else type_
    return Named(name, node.nullable)


def placeholder(checker: Checker, node: Hoisted) -> tuple[Type, str]:
    if isinstance(node, tree.Function):
        is_async = node.verb in ("fiet", "fient")
        return Callable([UNKNOWN] * len(node.parameters), UNKNOWN if node.returns else VACUUM, is_async), "function"
    if isinstance(node, tree.Class):
        return ClassType(node.name, {}, {}, {}), "genus"
    if isinstance(node, tree.Contract):
        return ContractType(node.name, {}), "pactum"
    if isinstance(node, tree.Enum):
        return enum_type(checker, node), "enum"
    if isinstance(node, tree.Union):
        return UnionType(node.name, {}), "type"
    return UNKNOWN, "type"


def sign(checker: Checker, node: Hoisted) -> None:
    """Give a declared name its real type, now that all names exist."""
    symbol = checker.scope.names[node.name]
    if isinstance(node, tree.Function):
        symbol.type = function_type(checker, node)
    elif isinstance(node, tree.Class):
        symbol.type = class_type(checker, node)
    elif isinstance(node, tree.Contract):
        symbol.type = contract_type(checker, node)
    elif isinstance(node, tree.Alias):
        symbol.type = alias_type(checker, node)


def alias_type(checker: Checker, node: tree.Alias) -> Type:
    if node.target is None:
        return UNKNOWN
    checker.resolving.add(node.name)
    result = resolve(checker, node.target)
    checker.resolving.discard(node.name)
    return result


def resolve_aliases(checker: Checker, aliases: list[tree.Alias]) -> None:
    """Aliases of aliases in any order; what stays unknown goes round in a circle."""
    progress = True
    while progress:
        progress = False
        for node in aliases:
            symbol = checker.scope.names[node.name]
            if isinstance(symbol.type, Unknown):
                symbol.type = alias_type(checker, node)
                progress = progress or not isinstance(symbol.type, Unknown)
    for node in aliases:
        if isinstance(checker.scope.names[node.name].type, Unknown):
            checker.error(
                "circular-type", node.at, f"The type '{node.name}' cannot be resolved: it goes round in a circle."
            )


def function_type(checker: Checker, node: tree.Function) -> Callable:
    parameters = [resolve(checker, p.declared) if p.declared else UNKNOWN for p in node.parameters]
    returns = resolve(checker, node.returns) if node.returns else VACUUM
    type_ = Callable(parameters, returns, node.verb in ("fiet", "fient"))
    if checker.strict:
        checker.functions[id(type_)] = (type_, node)
    return type_


def class_type(checker: Checker, node: tree.Class) -> ClassType:
    fields: dict[str, Type] = {}
    statics: dict[str, Type] = {}
    methods: dict[str, Callable] = {}
    for member in node.members:
        if isinstance(member, tree.Field):
            (statics if member.is_static else fields)[member.name] = resolve(checker, member.declared)
    for member in node.members:
        if isinstance(member, tree.Function) and member.name != CONSTRUCTOR:
            methods[member.name] = function_type(checker, member)
    return ClassType(node.name, fields, methods, statics)


def contract_type(checker: Checker, node: tree.Contract) -> ContractType:
    return ContractType(node.name, {method.name: function_type(checker, method) for method in node.methods})


def enum_type(checker: Checker, node: tree.Enum) -> EnumType:
    return EnumType(node.name, {m.name: TEXTUS if isinstance(m.value, tree.Text) else NUMERUS for m in node.members})

"""The check of declarations: what written types mean, what declared names stand for, and what is wrong."""

from __future__ import annotations

from functools import partial

from faber import tree
from faber.check import strictness
from faber.check.checker import Checker, Statements, Symbol
from faber.library import EXPORTS
from faber.types import (
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
    fits,
    nullable,
)
from faber.vocabulary import CONSTRUCTOR

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
        parameters = [resolve(checker, p) for p in node.parameters if isinstance(p, tree.TypeName)]
        return Generic(name, parameters, nullable=node.nullable)
    symbol = checker.scope.find(name)
    if symbol is not None:
        if symbol.kind == "type" and name in checker.resolving:
            checker.error("circular-type", node.at, f"The type '{name}' is defined by itself.")
            return UNKNOWN
        type_ = symbol.type
        if symbol.kind == "type" or isinstance(type_, (ClassType, ContractType, EnumType, UnionType)):
            return nullable(type_) if node.nullable else type_
    return Named(name, nullable=node.nullable)


def placeholder(checker: Checker, node: Hoisted) -> tuple[Type, str]:
    if isinstance(node, tree.Function):
        is_async = node.verb in ("fiet", "fient")
        return Callable(
            [UNKNOWN] * len(node.parameters), UNKNOWN if node.returns else VACUUM, is_async
        ), "function"
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
                "circular-type",
                node.at,
                f"The type '{node.name}' cannot be resolved: it goes round in a circle.",
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
    return EnumType(
        node.name, {m.name: TEXTUS if isinstance(m.value, tree.Text) else NUMERUS for m in node.members}
    )


def check_import(checker: Checker, node: tree.Import) -> None:
    exports = EXPORTS.get(node.module)
    if exports is None:
        # Other packages are left to the runtime; a file next to this one can only be missing.
        if node.module.startswith(("./", "../")):
            checker.error("no-module", node.at, f"There is no module '{node.module}' beside this program.")
        return
    if node.items is None:
        for name, type_ in exports.items():
            checker.scope.names[name] = Symbol(type_, "variable", False, node.at)
        return
    for item in node.items:
        exported = exports.get(item.name)
        if exported is None:
            checker.error("not-exported", item.at, f"'{node.module}' exports no '{item.name}'.")
        else:
            checker.scope.names[item.local] = Symbol(exported, "variable", False, item.at)


def check_variable(checker: Checker, node: tree.Variable) -> None:
    check_awaits(checker, node.keyword, node.at)
    if node.declared is not None:
        type_ = resolve(checker, node.declared)
        if node.value is not None:
            value = checker.infer(node.value)
            if not fits(value, type_):
                checker.report_misfit(value, type_, node.at, f", the type of '{node.name}'")
    elif node.value is not None:
        type_ = checker.infer(node.value)
    else:
        type_ = UNKNOWN
        if not node.has_annotation("externa"):
            checker.error("untyped", node.at, f"'{node.name}' has neither a type nor a value.")
    checker.define(node.name, type_, "variable", node.at, node.keyword == "varia")
    node.type = type_


def check_awaits(checker: Checker, keyword: str, at: int) -> None:
    if keyword in ("figendum", "variandum") and not checker.is_async:
        word = checker.words[keyword]
        checker.error("await", at, f"'{word}' awaits its value and stands only in asynchronous functions.")


def check_list_pattern(checker: Checker, node: tree.ListPattern) -> None:
    check_awaits(checker, node.keyword, node.at)
    if node.value is not None:
        checker.infer(node.value)
    define_items(checker, node.items, node.keyword)


def check_destructure(checker: Checker, node: tree.Destructure) -> None:
    checker.infer(node.value)
    define_items(checker, node.items, node.keyword)


def define_items(checker: Checker, items: list[tree.Item], keyword: str) -> None:
    for item in items:
        if not item.skip:
            checker.define(item.local, UNKNOWN, "variable", item.at, keyword in ("varia", "variandum"))


def check_function(checker: Checker, node: tree.Function) -> None:
    optional_before = False
    for parameter in node.parameters:
        if parameter.default is not None and parameter.preposition in ("de", "in"):
            word = checker.words[parameter.preposition]
            checker.error(
                "borrowed-default", parameter.at, f"A parameter taken with '{word}' cannot have a default."
            )
        if parameter.optional or parameter.default is not None:
            optional_before = True
        elif optional_before and not parameter.rest:
            checker.error(
                "parameter-order",
                parameter.at,
                f"'{parameter.name}' is required and cannot follow an optional parameter.",
            )
    type_ = function_type(checker, node)
    checker.define_once(node.name, type_, "function", node.at)
    if node.body is None and not node.has_annotation("externa"):
        checker.error("no-body", node.at, f"The function '{node.name}' has no body.")
    check_function_body(checker, node, type_)


def check_function_body(checker: Checker, node: tree.Function, type_: Callable) -> None:
    outside = (checker.returns, checker.is_async, checker.is_generator)
    checker.enter()
    checker.returns = type_.returns
    checker.is_async = node.is_async
    checker.is_generator = node.is_generator
    for parameter, parameter_type in zip(node.parameters, type_.parameters, strict=True):
        if parameter.default is not None:
            checker.infer(parameter.default)
        checker.define(parameter.alias or parameter.name, parameter_type, "parameter", parameter.at)
    if node.body is not None:
        checker.block(node.body)
    checker.returns, checker.is_async, checker.is_generator = outside
    checker.leave()
    if checker.strict:
        strictness.check_end(checker, node, type_)


def check_alias(checker: Checker, node: tree.Alias) -> None:
    type_ = resolve(checker, node.target) if node.target else UNKNOWN
    checker.define_once(node.name, type_, "type", node.at)


def check_class(checker: Checker, node: tree.Class) -> None:
    type_ = class_type(checker, node)
    checker.define_once(node.name, type_, "genus", node.at)
    outside, checker.ego = checker.ego, type_
    for member in node.members:
        if isinstance(member, tree.Field):
            if member.value is not None:
                checker.quietly(checker.infer, member.value)
        elif member.name == CONSTRUCTOR:
            checker.quietly(partial(check_method, checker), member)
        elif member.body is not None:
            check_method(checker, member)
    checker.ego = outside


def check_method(checker: Checker, node: tree.Function) -> None:
    check_function_body(checker, node, function_type(checker, node))


def check_union(checker: Checker, node: tree.Union) -> None:
    variants = {v.name: [(f.name, resolve(checker, f.declared)) for f in v.fields] for v in node.variants}
    type_ = UnionType(node.name, variants)
    known = checker.scope.names.get(node.name)
    if known is None:
        checker.define(node.name, type_, "type", node.at)
    else:
        known.type = type_


DECLARATIONS: Statements = {
    tree.Import: check_import,
    tree.Variable: check_variable,
    tree.ListPattern: check_list_pattern,
    tree.Destructure: check_destructure,
    tree.Function: check_function,
    tree.Alias: check_alias,
    tree.Enum: lambda checker, node: checker.define_once(
        node.name, enum_type(checker, node), "enum", node.at
    ),
    tree.Class: check_class,
    tree.Contract: lambda checker, node: checker.define_once(
        node.name, contract_type(checker, node), "pactum", node.at
    ),
    tree.Union: check_union,
}

"""Types of calls, members, objects and lambdas, and what is wrong inside them."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.check import strictness
from probatio.languages.faber.check.checker import Checker
from probatio.languages.faber.types import (
    UNKNOWN,
    VACUUM,
    Callable,
    ClassType,
    ContractType,
    EnumType,
    Generic,
    Named,
    Type,
)


def infer_call(checker: Checker, node: tree.Call) -> Type:
    callee = checker.infer(node.callee)
    for argument in node.arguments:
        checker.infer(argument)
    if checker.strict:
        strictness.check_arguments(checker, node)
    return callee.returns if isinstance(callee, Callable) else UNKNOWN


def infer_member(checker: Checker, node: tree.Member) -> Type:
    type_ = member_type(checker, node)
    if checker.strict:
        strictness.check_member(checker, node, type_)
    return type_


def member_type(checker: Checker, node: tree.Member) -> Type:
    name = node.name
    if isinstance(node.object, tree.Name):
        symbol = checker.scope.find(node.object.name)
        if symbol is not None:
            owner = symbol.type
            if symbol.kind == "enum" and isinstance(owner, EnumType):
                node.object.type = owner
                if name in owner.members:
                    return owner.members[name]
                checker.error(
                    "enum-member",
                    node.at,
                    f"'{node.object.name}' has no member '{name}'.",
                    ", ".join(owner.members) or None,
                )
                return UNKNOWN
            if symbol.kind == "genus" and isinstance(owner, ClassType) and name in owner.statics:
                node.object.type = owner
                return owner.statics[name]
    owner = checker.infer(node.object)
    if type(owner) is Named:
        symbol = checker.scope.find(owner.name)
        if symbol is not None:
            owner = symbol.type
    if isinstance(owner, ClassType):
        return owner.fields.get(name) or owner.methods.get(name) or UNKNOWN
    if isinstance(owner, ContractType):
        return owner.methods.get(name) or UNKNOWN
    return UNKNOWN


def infer_index(checker: Checker, node: tree.Index) -> Type:
    owner = checker.infer(node.object)
    checker.infer(node.index)
    if isinstance(owner, Generic):
        place = {"lista": 0, "copia": 0, "tabula": 1}.get(owner.name, 9)
        if place < len(owner.parameters):
            return owner.parameters[place]
    return UNKNOWN


def infer_cede(checker: Checker, node: tree.Cede) -> Type:
    if not checker.is_async and not checker.is_generator:
        words = checker.dialect.words
        hint = "Declare the function with `{fiet}`, or as a generator with `{fiunt}`.".format_map(words)
        checker.error("cede", node.at, f"'{words['cede']}' stands only in asynchronous functions and generators.", hint)
    value = checker.infer(node.value)
    if isinstance(value, Generic) and value.name == "promissum":
        return value.parameters[0] if value.parameters else UNKNOWN
    return value


def infer_new(checker: Checker, node: tree.New) -> Type:
    for argument in node.arguments or ():
        checker.infer(argument)
    if node.fields is not None:
        checker.quietly(checker.infer, node.fields)
    if checker.strict:
        strictness.check_fields(checker, node)
    return Named(node.class_name)


def infer_shape(checker: Checker, node: tree.Shape) -> Type:
    if node.fields is not None:
        checker.infer(node.fields)
    if node.union is None:
        return UNKNOWN
    symbol = checker.scope.find(node.union)
    return Named(node.union) if symbol is None else symbol.type


def infer_lambda(checker: Checker, node: tree.Lambda) -> Type:
    """A block's returns are held against the function around the lambda, as the reference does."""
    checker.enter()
    for name, at in zip(node.parameters, node.places, strict=True):
        checker.define(name, UNKNOWN, "parameter", at)
    if isinstance(node.body, tree.Block):
        checker.block(node.body)
        returns: Type = VACUUM
    else:
        returns = checker.infer(node.body)
    checker.leave()
    return Callable([UNKNOWN] * len(node.parameters), returns, node.is_async)


def infer_self(checker: Checker, node: tree.Self) -> Type:
    return checker.ego


CALLS: dict[type[tree.Expression], Function[[Checker, Any], Type]] = {
    tree.Self: infer_self,
    tree.Call: infer_call,
    tree.Member: infer_member,
    tree.Index: infer_index,
    tree.Cede: infer_cede,
    tree.New: infer_new,
    tree.Shape: infer_shape,
    tree.Lambda: infer_lambda,
}

"""The check of declarations: imports, variables, functions, classes and other types."""

from __future__ import annotations

from collections.abc import Callable as Function
from functools import partial
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.check import strictness
from probatio.languages.faber.check.checker import Checker
from probatio.languages.faber.check.scopes import Symbol
from probatio.languages.faber.check.signatures import class_type, contract_type, enum_type, function_type, resolve
from probatio.languages.faber.library import EXPORTS
from probatio.languages.faber.types import (
    UNKNOWN,
    Callable,
    UnionType,
    fits,
)
from probatio.languages.faber.vocabulary import CONSTRUCTOR


def check_import(checker: Checker, node: tree.Import) -> None:
    exports = EXPORTS.get(node.module)
    if exports is None:
        # Other packages are left to whoever runs the program; a file beside this one can only be missing.
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
                checker.does_not_fit(value, type_, node.at, f", the type of '{node.name}'")
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
        word = checker.dialect.words[keyword]
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
            word = checker.dialect.words[parameter.preposition]
            checker.error("borrowed-default", parameter.at, f"A parameter taken with '{word}' cannot have a default.")
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


def check_enum(checker: Checker, node: tree.Enum) -> None:
    checker.define_once(node.name, enum_type(checker, node), "enum", node.at)


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


def check_contract(checker: Checker, node: tree.Contract) -> None:
    checker.define_once(node.name, contract_type(checker, node), "pactum", node.at)


def check_union(checker: Checker, node: tree.Union) -> None:
    variants = {v.name: [(f.name, resolve(checker, f.declared)) for f in v.fields] for v in node.variants}
    type_ = UnionType(node.name, variants)
    known = checker.scope.names.get(node.name)
    if known is None:
        checker.define(node.name, type_, "type", node.at)
    else:
        known.type = type_


DECLARATIONS: dict[type[tree.Statement], Function[[Checker, Any], None]] = {
    tree.Import: check_import,
    tree.Variable: check_variable,
    tree.ListPattern: check_list_pattern,
    tree.Destructure: check_destructure,
    tree.Function: check_function,
    tree.Alias: check_alias,
    tree.Enum: check_enum,
    tree.Class: check_class,
    tree.Contract: check_contract,
    tree.Union: check_union,
}

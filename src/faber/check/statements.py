"""The check of statements: conditions, loops, cases and whether they are exhaustive, returns."""

from __future__ import annotations

from faber import tree
from faber.check import strictness
from faber.check.checker import Checker, Statements
from faber.check.inference import infer_steps
from faber.types import (
    UNKNOWN,
    VACUUM,
    ClassType,
    Generic,
    Named,
    OneOf,
    Type,
    UnionType,
    fits,
)

ITERATED = frozenset(("lista", "copia", "cursor", "fluxus"))


def check_if(checker: Checker, node: tree.If) -> None:
    """`cape` stands between the branches and is looked at after both."""
    checker.part([node.test, node.yes, node.no, node.catch])


def check_loop(checker: Checker, node: tree.Loop) -> None:
    source = checker.infer(node.source)
    infer_steps(checker, node.steps)
    checker.enter()
    checker.define(node.name, element_type(source, node.over), "variable", node.name_at)
    checker.block(node.body)
    checker.leave()
    checker.part(node.catch)


def element_type(type_: Type, over: str) -> Type:
    if isinstance(type_, OneOf):
        return OneOf([element_type(member, over) for member in type_.members])
    if not isinstance(type_, Generic):
        return UNKNOWN
    if type_.name == "tabula":
        place = 1 if over == "ex" else 0
        return type_.parameters[place] if place < len(type_.parameters) else UNKNOWN
    if over == "ex" and type_.name in ITERATED and type_.parameters:
        return type_.parameters[0]
    return UNKNOWN


def check_with(checker: Checker, node: tree.With) -> None:
    checker.infer(node.object)
    checker.enter()
    for statement in node.body.body:
        if (
            isinstance(statement, tree.ExpressionStatement)
            and isinstance(statement.value, tree.Assign)
            and isinstance(statement.value.target, tree.Name)
        ):
            checker.infer(statement.value.value)
        else:
            checker.statement(statement)
    checker.leave()


def check_match(checker: Checker, node: tree.Match) -> None:
    types = [checker.infer(value) for value in node.values]
    unions = [checker.union_of(type_) for type_ in types]
    handled: set[str] = set()
    catches_all = node.default is not None
    for case in node.cases:
        if len(case.patterns) != len(types):
            checker.error(
                "pattern-count",
                case.at,
                f"Expected {len(types)} patterns in this case, found {len(case.patterns)}.",
            )
        if all(pattern.wildcard for pattern in case.patterns):
            catches_all = True
        handled.add(case.patterns[0].variant)
        checker.enter()
        for i, pattern in enumerate(case.patterns):
            if not pattern.wildcard:
                bind_pattern(
                    checker,
                    pattern,
                    types[i] if i < len(types) else UNKNOWN,
                    unions[i] if i < len(unions) else None,
                )
        checker.block(case.body)
        checker.leave()
    checker.part(node.default)
    if not catches_all:
        check_exhaustive(checker, node, unions, handled)
    if checker.strict:
        strictness.check_variants(checker, node)


def check_exhaustive(
    checker: Checker, node: tree.Match, unions: list[UnionType | None], handled: set[str]
) -> None:
    if len(unions) > 1:
        word = checker.words["ceterum"]
        checker.error("exhaustive", node.at, f"Several values need a last case `_, _` or '{word}'.")
    elif unions[0] is not None:
        missing = [name for name in unions[0].variants if name not in handled]
        if missing:
            names = ", ".join(f"'{name}'" for name in missing)
            checker.error("exhaustive", node.at, f"Not every variant is handled: {names} is missing.")


def bind_pattern(checker: Checker, pattern: tree.Pattern, type_: Type, union: UnionType | None) -> None:
    fields = union.variants.get(pattern.variant) if union is not None else None
    if pattern.alias is not None:
        whole = type_ if fields is None else ClassType(pattern.variant, dict(fields), {}, {})
        checker.define(pattern.alias, whole, "variable", pattern.at)
    for i, name in enumerate(pattern.bindings):
        part = fields[i][1] if fields is not None and i < len(fields) else UNKNOWN
        checker.define(name, part, "variable", pattern.at)


def check_return(checker: Checker, node: tree.Return) -> None:
    if node.value is None:
        return
    value = checker.infer(node.value)
    if checker.returns is not None and not fits(value, checker.returns):
        hint = None
        if checker.returns is VACUUM:
            hint = "The function declares no return type: add `-> T` before its body."
        checker.error(
            "return",
            node.at,
            f"A value of type {value} is returned where {checker.returns} is declared.",
            hint,
        )


def check_manage(checker: Checker, node: tree.Manage) -> None:
    type_ = checker.infer(node.resource) if node.resource is not None else Named("Allocator")
    if node.name is not None:
        checker.define(node.name, type_, "variable", node.at)
    checker.part([node.body, node.catch])


def check_dispatch(checker: Checker, node: tree.Dispatch) -> None:
    checker.part(node.arguments)
    checker.enter()
    if node.name is not None:
        checker.define(node.name, UNKNOWN, "variable", node.at)
    if node.body is not None:
        checker.block(node.body)
    checker.leave()
    checker.part(node.catch)


def check_entry(checker: Checker, node: tree.Entry) -> None:
    outside = checker.is_async
    checker.is_async = checker.is_async or node.is_async
    checker.own_block(node.body)
    checker.is_async = outside


STATEMENTS: Statements = {
    **dict.fromkeys(
        (tree.While, tree.Switch, tree.Guard, tree.Assert, tree.Break, tree.Continue, tree.Throw, tree.Print),
        Checker.parts,
    ),
    **dict.fromkeys(
        (tree.Try, tree.Do, tree.Suite, tree.Test, tree.Setup, tree.ExpressionStatement), Checker.parts
    ),
    tree.If: check_if,
    tree.Loop: check_loop,
    tree.With: check_with,
    tree.Match: check_match,
    tree.Return: check_return,
    tree.Manage: check_manage,
    tree.Dispatch: check_dispatch,
    tree.Entry: check_entry,
    tree.Block: Checker.block,
}

"""What the reference compiler leaves unchecked and a careful reader would want to know. Off in grading."""

from __future__ import annotations

from typing import Any

from faber import tree
from faber.check.checker import Checker
from faber.library import CALLS, FORMULAS
from faber.types import VACUUM, Callable, ClassType, Generic, Named, Primitive, Type, Unknown, fits
from faber.vocabulary import CONSTRUCTOR, words

NATIVE = {
    "lista": words(
        "length at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat "
        "flatMap forEach includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse "
        "shift slice some sort splice toReversed toSorted toSpliced unshift values with toString "
        "toLocaleString"
    ),
    "textus": words(
        "length at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare "
        "match matchAll normalize padEnd padStart repeat replace replaceAll search slice split startsWith "
        "substring toLowerCase toUpperCase trim trimEnd trimStart toString valueOf"
    ),
    "tabula": words("size clear delete entries forEach get has keys set values"),
    "copia": words(
        "size add clear delete entries forEach has keys values union intersection difference isSubsetOf"
    ),
    "numerus": words("toFixed toPrecision toExponential toString valueOf toLocaleString"),
}
"""JavaScript's own members, which always work."""
NATIVE["fractus"] = NATIVE["numerus"]


def check_arguments(checker: Checker, node: tree.Call) -> None:
    """Does a call of a declared function give it as many arguments as it takes, of types that fit?"""
    declared = checker.functions.get(id(node.callee.type))
    if declared is None or any(isinstance(a, tree.Spread) for a in node.arguments):
        return
    type_, function = declared
    parameters = function.parameters
    rest = any(p.rest for p in parameters)
    required = sum(not (p.optional or p.rest or p.default is not None) for p in parameters)
    given = len(node.arguments)
    if given < required or (given > len(parameters) and not rest):
        expected = f"{required}" if required == len(parameters) else f"{required} to {len(parameters)}"
        checker.error(
            "strict-arguments", node.at, f"'{function.name}' takes {expected} arguments, not {given}."
        )
    for argument, parameter, wanted in zip(node.arguments, parameters, type_.parameters, strict=False):
        if parameter.rest:
            break
        if argument.type is not None and not fits(argument.type, wanted):
            checker.report_misfit(
                argument.type, wanted, argument.at, f", the type of the parameter '{parameter.name}'"
            )


def check_member(checker: Checker, node: tree.Member, type_: Type) -> None:
    """Does the object have the member that is read?"""
    owner = node.object.type
    if isinstance(owner, (Generic, Primitive)) and owner.name in NATIVE:
        tables = (NATIVE[owner.name], CALLS.get(owner.name, {}), FORMULAS.get(owner.name, {}))
        if not any(node.name in table for table in tables):
            checker.error("strict-member", node.at, f"A value of type {owner} has no '{node.name}'.")
    elif (
        isinstance(owner, Named)
        and isinstance(type_, Unknown)
        and has_member(checker, owner.name, node.name) is False
    ):
        checker.error("strict-member", node.at, f"'{owner.name}' has no member '{node.name}'.")


def has_member(checker: Checker, class_name: str, name: str) -> bool | None:
    """None where a class or one of its parents is not known."""
    seen = set()
    while class_name not in seen:
        seen.add(class_name)
        node = checker.classes.get(class_name)
        symbol = checker.scope.find(class_name)
        if node is None or symbol is None or not isinstance(symbol.type, ClassType):
            return None
        if any(member.name == name for member in node.members):
            return True
        if node.parent is None:
            return name in ("constructor", "toString", "valueOf", "hasOwnProperty")
        class_name = node.parent
    return None


def check_fields(checker: Checker, node: tree.New) -> None:
    """Does the class have the fields a new object is given?"""
    if isinstance(node.fields, tree.Object):
        for part in node.fields.properties:
            if isinstance(part, tree.Property) and has_member(checker, node.class_name, part.key) is False:
                checker.error("strict-member", part.at, f"'{node.class_name}' has no field '{part.key}'.")


def check_end(checker: Checker, node: tree.Function, type_: Callable) -> None:
    """Does every way through a function that declares a value return one?"""
    needs_value = (
        not node.is_generator and not isinstance(type_.returns, Unknown) and type_.returns is not VACUUM
    )
    if node.body is not None and needs_value and node.name != CONSTRUCTOR and not ends(node.body):
        checker.error("strict-return", node.at, f"'{node.name}' can end without returning a {type_.returns}.")


def check_variants(checker: Checker, node: tree.Match) -> None:
    """Does the union have the variants its cases name?"""
    for i, value in enumerate(node.values):
        union = checker.union_of(value.type) if value.type is not None else None
        for case in node.cases:
            if union is None or not union.variants or i >= len(case.patterns):
                continue
            pattern = case.patterns[i]
            if not pattern.wildcard and pattern.variant not in union.variants:
                checker.error(
                    "strict-variant", pattern.at, f"'{union.name}' has no variant '{pattern.variant}'."
                )


def ends(node: tree.Statement | None) -> bool:
    """Does every way through the statement end in a return or an error?"""
    if isinstance(node, (tree.Return, tree.Throw)):
        return True
    if isinstance(node, tree.Block):
        return any(ends(statement) for statement in node.body)
    if isinstance(node, tree.If):
        return ends(node.yes) and ends(node.no)
    if isinstance(node, tree.Switch):
        return ends(node.default) and all(ends(case.body) for case in node.cases)
    if isinstance(node, tree.Match):
        return (
            (node.default is None or ends(node.default))
            and bool(node.cases)
            and all(ends(case.body) for case in node.cases)
        )
    if isinstance(node, tree.Try):
        return ends(node.always) or (ends(node.body) and (node.catch is None or ends(node.catch.body)))
    if isinstance(node, tree.Do):
        return ends(node.body) and (node.catch is None or ends(node.catch.body))
    if isinstance(node, tree.While):
        return isinstance(node.test, tree.Truth) and node.test.value and not _breaks(node.body)
    return False


def _breaks(node: Any) -> bool:
    """Is there a way out of the loop in whose body this is?"""
    if isinstance(node, (tree.Break, tree.While, tree.Loop, tree.Function)):
        return isinstance(node, tree.Break)
    if isinstance(node, tree.Block):
        return any(map(_breaks, node.body))
    parts = [getattr(node, name, None) for name in ("yes", "no", "body", "default", "always")]
    return any(_breaks(part) for part in parts if part is not None) or any(
        _breaks(case.body) for case in getattr(node, "cases", ())
    )

"""The strict check: what the reference leaves unchecked and a careful reader would want to know. Off in grading."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.check import Check, has
from probatio.languages.faber.library import CALLS, FORMULAS
from probatio.languages.faber.signatures import CONSTRUCTOR
from probatio.languages.faber.types import VACUUM, Callable, ClassType, Generic, Named, Primitive, Type, Unknown, fits
from probatio.languages.faber.vocabulary import words

NATIVE = {
    "lista": words(
        "length at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach "
        "includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice toReversed "
        "toSorted toSpliced unshift values with toString toLocaleString"
    ),
    "textus": words(
        "length at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare match matchAll "
        "normalize padEnd padStart repeat replace replaceAll search slice split startsWith substring toLowerCase toUpperCase "
        "trim trimEnd trimStart toString valueOf"
    ),
    "tabula": words("size clear delete entries forEach get has keys set values"),
    "copia": words("size add clear delete entries forEach has keys values union intersection difference isSubsetOf"),
    "numerus": words("toFixed toPrecision toExponential toString valueOf toLocaleString"),
}
"""JavaScript's own members, which always work."""
NATIVE["fractus"] = NATIVE["numerus"]


class StrictCheck(Check):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.declared: dict[
            int, tuple[Callable, tree.Function]
        ] = {}  # by identity of the type, which is kept alive here

    def quietly(self, work: Function[[Any], Any], node: Any) -> None:
        """Nothing is passed over."""
        work(node)

    def function_type(self, node: tree.Function) -> Callable:
        type_ = super().function_type(node)
        self.declared[id(type_)] = (type_, node)
        return type_

    # Calls.

    def call(self, node: tree.Call) -> Type:
        result = super().call(node)
        known = self.declared.get(id(node.callee.type))
        if known is not None and not any(isinstance(a, tree.Spread) for a in node.arguments):
            self.arguments(node, *known)
        return result

    def arguments(self, node: tree.Call, type_: Callable, function: tree.Function) -> None:
        parameters = function.parameters
        rest = any(p.rest for p in parameters)
        required = sum(not (p.optional or p.rest or p.default is not None) for p in parameters)
        given = len(node.arguments)
        if given < required or (given > len(parameters) and not rest):
            expected = f"{required}" if required == len(parameters) else f"{required} to {len(parameters)}"
            self.error("strict-arguments", node.at, f"'{function.name}' takes {expected} arguments, not {given}.")
        for argument, parameter, wanted in zip(node.arguments, parameters, type_.parameters, strict=False):
            if parameter.rest:
                break
            if argument.type is not None and not fits(argument.type, wanted):
                self.does_not_fit(argument.type, wanted, argument.at, f", the type of the parameter '{parameter.name}'")

    # Members.

    def member(self, node: tree.Member) -> Type:
        result = super().member(node)
        owner = node.object.type
        if isinstance(owner, (Generic, Primitive)) and owner.name in NATIVE:
            known = (
                node.name in NATIVE[owner.name]
                or node.name in CALLS.get(owner.name, {})
                or node.name in FORMULAS.get(owner.name, {})
            )
            if not known:
                self.error("strict-member", node.at, f"A value of type {owner} has no '{node.name}'.")
        elif (
            isinstance(owner, Named) and isinstance(result, Unknown) and self.has_member(owner.name, node.name) is False
        ):
            self.error("strict-member", node.at, f"'{owner.name}' has no member '{node.name}'.")
        return result

    def has_member(self, class_name: str, name: str) -> bool | None:
        """None where a class or one of its parents is not known."""
        seen = set()
        while class_name not in seen:
            seen.add(class_name)
            node = self.class_nodes.get(class_name)
            symbol = self.scope.find(class_name)
            if node is None or symbol is None or not isinstance(symbol.type, ClassType):
                return None
            if any(member.name == name for member in node.members):
                return True
            if node.parent is None:
                return name in ("constructor", "toString", "valueOf", "hasOwnProperty")
            class_name = node.parent
        return None

    def new(self, node: tree.New) -> Type:
        result = super().new(node)
        if isinstance(node.fields, tree.Object):
            for part in node.fields.properties:
                if isinstance(part, tree.Property) and self.has_member(node.class_name, part.key) is False:
                    self.error("strict-member", part.at, f"'{node.class_name}' has no field '{part.key}'.")
        return result

    def program(self, program: tree.Program) -> None:
        self.class_nodes = {node.name: node for node in program.body if isinstance(node, tree.Class)}
        super().program(program)

    # Functions and cases.

    def function_body(self, node: tree.Function, type_: Callable) -> None:
        super().function_body(node, type_)
        generates = node.verb in ("fiunt", "fient") or has(node, "cursor")
        needs_value = not generates and not isinstance(type_.returns, Unknown) and type_.returns is not VACUUM
        if node.body is not None and needs_value and node.name != CONSTRUCTOR and not ends(node.body):
            self.error("strict-return", node.at, f"'{node.name}' can end without returning a {type_.returns}.")

    def match(self, node: tree.Match) -> None:
        super().match(node)
        for i, value in enumerate(node.values):
            union = self.union_of(value.type) if value.type is not None else None
            for case in node.cases:
                if union is None or not union.variants or i >= len(case.patterns):
                    continue
                pattern = case.patterns[i]
                if not pattern.wildcard and pattern.variant not in union.variants:
                    self.error("strict-variant", pattern.at, f"'{union.name}' has no variant '{pattern.variant}'.")


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


def _breaks(node: tree.Block) -> bool:
    """Is there a way out of the loop whose body this is?"""
    for statement in node.body:
        if isinstance(statement, tree.Break):
            return True
        inner = (
            [statement]
            if isinstance(statement, tree.Block)
            else [
                part
                for part in (getattr(statement, name, None) for name in ("yes", "no", "body", "default", "always"))
                if part is not None
            ]
        )
        if isinstance(statement, (tree.While, tree.Loop, tree.Function)):
            continue
        cases = [case.body for case in getattr(statement, "cases", ())]
        if any(_breaks(part if isinstance(part, tree.Block) else tree.Block(0, [part])) for part in [*inner, *cases]):
            return True
    return False


StrictCheck.table = Check.table | {
    tree.Call: StrictCheck.call,
    tree.Member: StrictCheck.member,
    tree.New: StrictCheck.new,
}
StrictCheck.statements = Check.statements | {tree.Match: StrictCheck.match}

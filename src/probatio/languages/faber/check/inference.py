"""Types of literals, operators, conversions and pipelines, and what is wrong inside them."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.check.checker import Checker
from probatio.languages.faber.check.signatures import resolve
from probatio.languages.faber.types import (
    BIVALENS,
    FRACTUS,
    MAGNUS,
    NIHIL,
    NUMERIC,
    NUMERUS,
    TEXTUS,
    UNKNOWN,
    Generic,
    Named,
    OneOf,
    Primitive,
    Type,
    fits,
    nullable,
)

ARITHMETIC = frozenset(("+", "-", "*", "/", "%"))
ORDERING = frozenset(("<", ">", "<=", ">="))
TRUTHS = frozenset(("==", "!=", "&&", "||"))
INTRA_TYPES = NUMERIC | {"textus"}
CONVERTED: dict[str, Type] = {"numeratum": NUMERUS, "fractatum": FRACTUS, "textatum": TEXTUS, "bivalentum": BIVALENS}


def infer_name(checker: Checker, node: tree.Name) -> Type:
    symbol = checker.scope.find(node.name)
    if symbol is not None:
        return symbol.type
    checker.undefined(node.name, node.at)
    return UNKNOWN


def infer_number(checker: Checker, node: tree.Number) -> Type:
    return NUMERUS if node.text.isdigit() or node.value.is_integer() else FRACTUS


def infer_array(checker: Checker, node: tree.Array) -> Type:
    if not node.elements:
        return Generic("lista", [UNKNOWN])
    types: list[Type] = []
    for element in node.elements:
        type_ = checker.infer(element)
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
            checker.does_not_fit(
                type_, first, node.elements[i].at, f", the type of the list's first element, in element {i + 1}"
            )
        elif type_ is NIHIL and first is NIHIL:
            checker.does_not_fit(type_, first, node.elements[i].at, f" in element {i + 1}")
    return Generic("lista", [first])


def infer_object(checker: Checker, node: tree.Object) -> Type:
    for part in node.properties:
        checker.infer(part.value)
    return Named("objectum")


def infer_spread(checker: Checker, node: tree.Spread) -> Type:
    return checker.infer(node.value)


def infer_binary(checker: Checker, node: tree.Binary) -> Type:
    left = checker.infer(node.left)
    right = checker.infer(node.right)
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
            checker.error(
                "comparison",
                node.at,
                f"{left} and {right} cannot be compared with {operator}.",
                comparison_hint(left, right),
            )
        return BIVALENS
    if operator in TRUTHS:
        return BIVALENS
    if operator == "intra":
        if not isinstance(node.right, tree.Range):
            checker.error(
                "intra", node.at, f"'{checker.dialect.words['intra']}' needs a range on its right side, like 0..10."
            )
        if isinstance(left, Primitive) and left.name not in INTRA_TYPES:
            checker.error("intra", node.at, f"Only numbers and texts lie within a range, not {left}.")
        return BIVALENS
    if operator == "inter":
        check_inter(checker, node, left, right)
        return BIVALENS
    return UNKNOWN


def comparison_hint(left: Primitive, right: Primitive) -> str | None:
    if {left.name, right.name} == {"numerus", "fractus"}:
        return "A literal without a fraction is a numerus, even 3.0: compare with a variable declared fractus."
    return None


def check_inter(checker: Checker, node: tree.Binary, left: Type, right: Type) -> None:
    if isinstance(right, Generic) and right.name == "lista":
        element = right.parameters[0] if right.parameters else UNKNOWN
        if not fits(left, element):
            checker.error("inter", node.at, f"A value of type {left} is never among {right}.")
    elif right is not UNKNOWN:
        checker.error(
            "inter", node.at, f"'{checker.dialect.words['inter']}' needs a list on its right side, not {right}."
        )


def infer_unary(checker: Checker, node: tree.Unary) -> Type:
    value = checker.infer(node.value)
    if node.operator in ("!", "nulla", "nonnulla"):
        return BIVALENS
    if node.operator == "-":
        return value if isinstance(value, Primitive) and value.name in NUMERIC else NUMERUS
    return value


def infer_assign(checker: Checker, node: tree.Assign) -> Type:
    value = checker.infer(node.value)
    target = node.target
    if not isinstance(target, tree.Name):
        checker.infer(target)
        return value
    symbol = checker.scope.find(target.name)
    if symbol is None:
        checker.undefined(target.name, target.at)
        return value
    target.type = symbol.type
    if not symbol.mutable:
        hint = (
            "Declare it with `{varia}` to change it.".format_map(checker.dialect.words)
            if symbol.kind == "variable"
            else None
        )
        checker.error("immutable", node.at, f"'{target.name}' cannot be assigned to: it is immutable.", hint)
    elif not fits(value, symbol.type):
        checker.does_not_fit(value, symbol.type, node.at, f", the type of '{target.name}'")
    return value


def infer_conditional(checker: Checker, node: tree.Conditional) -> Type:
    checker.infer(node.test)
    yes = checker.infer(node.yes)
    no = checker.infer(node.no)
    if isinstance(yes, Primitive) and isinstance(no, Primitive) and yes.name == no.name:
        return yes
    return OneOf([yes, no])


def infer_range(checker: Checker, node: tree.Range) -> Type:
    ends = (checker.infer(node.start), checker.infer(node.stop))
    if node.step is not None:
        checker.infer(node.step)
    has_text = any(isinstance(end, Primitive) and end.name == "textus" for end in ends)
    return Generic("lista", [TEXTUS if has_text else NUMERUS])


def infer_type_test(checker: Checker, node: tree.TypeTest) -> Type:
    checker.infer(node.value)
    return BIVALENS


def infer_cast(checker: Checker, node: tree.Cast) -> Type:
    checker.infer(node.value)
    return resolve(checker, node.target)


def infer_native(checker: Checker, node: tree.Native) -> Type:
    checker.infer(node.value)
    target = resolve(checker, node.target)
    name = node.target.name
    if name == "tabula":
        if not isinstance(node.value, tree.Object):
            checker.error(
                "innatum", node.at, f"A {checker.dialect.words['tabula']} is built from an object literal {{ … }}."
            )
    elif name == "lista":
        if not isinstance(node.value, tree.Array):
            checker.error("innatum", node.at, f"A {checker.dialect.words['lista']} is built from a list literal [ … ].")
    else:
        words = checker.dialect.words
        checker.error("innatum", node.at, f"Only {words['tabula']} and {words['lista']} can be built, not {name}.")
    return target


def infer_convert(checker: Checker, node: tree.Convert) -> Type:
    checker.infer(node.value)
    result = resolve(checker, node.target) if node.target is not None else CONVERTED[node.to]
    if node.fallback is not None:
        fallback = checker.infer(node.fallback)
        if isinstance(node.fallback, tree.Nothing):
            return nullable(result)
        if not fits(fallback, result):
            checker.does_not_fit(fallback, result, node.fallback.at, ", the type of the conversion")
    return result


def infer_shift(checker: Checker, node: tree.Shift) -> Type:
    value = checker.infer(node.value)
    checker.infer(node.amount)
    return value


def infer_comptime(checker: Checker, node: tree.Comptime) -> Type:
    if isinstance(node.body, tree.Block):
        checker.quietly(checker.own_block, node.body)
        return UNKNOWN
    return checker.infer(node.body)


def infer_format(checker: Checker, node: tree.Format) -> Type:
    for argument in node.arguments:
        checker.infer(argument)
    return TEXTUS


def infer_steps(checker: Checker, steps: list[tree.Step]) -> None:
    """The check passes over what is given to the verbs."""
    for step in steps:
        if step.count is not None:
            checker.quietly(checker.infer, step.count)


def infer_pipeline(checker: Checker, node: tree.Pipeline) -> Type:
    result = checker.infer(node.source)
    infer_steps(checker, node.steps)
    return result


def infer_filter(checker: Checker, node: tree.Filter) -> Type:
    result = checker.infer(node.source)
    if node.condition is not None:
        checker.infer(node.condition)
    infer_steps(checker, node.steps)
    return result


def _always(type_: Type) -> Function[[Checker, Any], Type]:
    return lambda _checker, _node: type_


INFERENCE: dict[type[tree.Expression], Function[[Checker, Any], Type]] = {
    tree.Name: infer_name,
    tree.Number: infer_number,
    tree.BigInt: _always(MAGNUS),
    tree.Text: _always(TEXTUS),
    tree.Template: _always(TEXTUS),
    tree.Truth: _always(BIVALENS),
    tree.Nothing: _always(NIHIL),
    tree.Regex: _always(Named("Regex")),
    tree.Read: _always(TEXTUS),
    tree.Spread: infer_spread,
    tree.Array: infer_array,
    tree.Object: infer_object,
    tree.Binary: infer_binary,
    tree.Unary: infer_unary,
    tree.Assign: infer_assign,
    tree.Conditional: infer_conditional,
    tree.Range: infer_range,
    tree.TypeTest: infer_type_test,
    tree.Cast: infer_cast,
    tree.Native: infer_native,
    tree.Convert: infer_convert,
    tree.Shift: infer_shift,
    tree.Comptime: infer_comptime,
    tree.Format: infer_format,
    tree.Pipeline: infer_pipeline,
    tree.Filter: infer_filter,
}

"""Types of expressions, and what is wrong inside them."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from faber import tree
from faber.check import strictness
from faber.check.checker import Checker, Inference
from faber.check.declarations import resolve
from faber.types import (
    BIVALENS,
    FRACTUS,
    MAGNUS,
    NIHIL,
    NUMERIC,
    NUMERUS,
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
    fits,
    nullable,
)

ARITHMETIC = frozenset(("+", "-", "*", "/", "%"))
ORDERING = frozenset(("<", ">", "<=", ">="))
TRUTHS = frozenset(("==", "!=", "&&", "||"))
INTRA_TYPES = NUMERIC | {"textus"}
FRACTION_NEEDED = (
    "A literal without a fraction is a numerus, even 3.0: compare with a variable declared fractus."
)
BUILT_FROM = {
    "tabula": (tree.Object, "an object literal { … }"),
    "lista": (tree.Array, "a list literal [ … ]"),
}
CONVERTED: dict[str, Type] = {
    "numeratum": NUMERUS,
    "fractatum": FRACTUS,
    "textatum": TEXTUS,
    "bivalentum": BIVALENS,
}


def infer_name(checker: Checker, node: tree.Name) -> Type:
    symbol = checker.scope.find(node.name)
    if symbol is not None:
        return symbol.type
    checker.report_undefined(node.name, node.at)
    return UNKNOWN


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
            checker.report_misfit(
                type_,
                first,
                node.elements[i].at,
                f", the type of the list's first element, in element {i + 1}",
            )
        elif type_ is NIHIL and first is NIHIL:
            checker.report_misfit(type_, first, node.elements[i].at, f" in element {i + 1}")
    return Generic("lista", [first])


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
            hint = FRACTION_NEEDED if {left.name, right.name} == {"numerus", "fractus"} else None
            message = f"{left} and {right} cannot be compared with {operator}."
            checker.error("comparison", node.at, message, hint)
        return BIVALENS
    if operator in TRUTHS:
        return BIVALENS
    if operator == "intra":
        if not isinstance(node.right, tree.Range):
            checker.error(
                "intra", node.at, f"'{checker.words['intra']}' needs a range on its right side, like 0..10."
            )
        if isinstance(left, Primitive) and left.name not in INTRA_TYPES:
            checker.error("intra", node.at, f"Only numbers and texts lie within a range, not {left}.")
        return BIVALENS
    if operator == "inter":
        check_inter(checker, node, left, right)
        return BIVALENS
    return UNKNOWN


def check_inter(checker: Checker, node: tree.Binary, left: Type, right: Type) -> None:
    if isinstance(right, Generic) and right.name == "lista":
        element = right.parameters[0] if right.parameters else UNKNOWN
        if not fits(left, element):
            checker.error("inter", node.at, f"A value of type {left} is never among {right}.")
    elif right is not UNKNOWN:
        checker.error(
            "inter", node.at, f"'{checker.words['inter']}' needs a list on its right side, not {right}."
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
        checker.report_undefined(target.name, target.at)
        return value
    target.type = symbol.type
    if not symbol.mutable:
        hint = (
            "Declare it with `{varia}` to change it.".format_map(checker.words)
            if symbol.kind == "variable"
            else None
        )
        checker.error("immutable", node.at, f"'{target.name}' cannot be assigned to: it is immutable.", hint)
    elif not fits(value, symbol.type):
        checker.report_misfit(value, symbol.type, node.at, f", the type of '{target.name}'")
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


def infer_cast(checker: Checker, node: tree.Cast) -> Type:
    checker.infer(node.value)
    return resolve(checker, node.target)


def infer_native(checker: Checker, node: tree.Native) -> Type:
    checker.infer(node.value)
    target, name, words = resolve(checker, node.target), node.target.name, checker.words
    if name not in BUILT_FROM:
        message = f"Only {words['tabula']} and {words['lista']} can be built, not {name}."
        checker.error("innatum", node.at, message)
    elif not isinstance(node.value, BUILT_FROM[name][0]):
        checker.error("innatum", node.at, f"A {words[name]} is built from {BUILT_FROM[name][1]}.")
    return target


def infer_convert(checker: Checker, node: tree.Convert) -> Type:
    checker.infer(node.value)
    result = resolve(checker, node.target) if node.target is not None else CONVERTED[node.to]
    if node.fallback is not None:
        fallback = checker.infer(node.fallback)
        if isinstance(node.fallback, tree.Nothing):
            return nullable(result)
        if not fits(fallback, result):
            checker.report_misfit(fallback, result, node.fallback.at, ", the type of the conversion")
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


def infer_call(checker: Checker, node: tree.Call) -> Type:
    callee = checker.infer(node.callee)
    checker.part(node.arguments)
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
        words = checker.words
        hint = "Declare the function with `{fiet}`, or as a generator with `{fiunt}`.".format_map(words)
        checker.error(
            "cede", node.at, f"'{words['cede']}' stands only in asynchronous functions and generators.", hint
        )
    value = checker.infer(node.value)
    if isinstance(value, Generic) and value.name == "promissum":
        return value.parameters[0] if value.parameters else UNKNOWN
    return value


def infer_new(checker: Checker, node: tree.New) -> Type:
    checker.part(node.arguments)
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


def _always(type_: Type) -> Function[[Checker, Any], Type]:
    return lambda _checker, _node: type_


def _after_parts(type_: Type) -> Function[[Checker, Any], Type]:
    def infer(checker: Checker, node: tree.Expression) -> Type:
        checker.parts(node)
        return type_

    return infer


INFERENCE: Inference = {
    tree.Name: infer_name,
    tree.Number: lambda _, node: NUMERUS if node.text.isdigit() or node.value.is_integer() else FRACTUS,
    tree.BigInt: _always(MAGNUS),
    tree.Text: _always(TEXTUS),
    tree.Template: _always(TEXTUS),
    tree.Truth: _always(BIVALENS),
    tree.Nothing: _always(NIHIL),
    tree.Regex: _always(Named("Regex")),
    tree.Read: _always(TEXTUS),
    tree.Spread: lambda checker, node: checker.infer(node.value),
    tree.Array: infer_array,
    tree.Object: _after_parts(Named("objectum")),
    tree.Binary: infer_binary,
    tree.Unary: infer_unary,
    tree.Assign: infer_assign,
    tree.Conditional: infer_conditional,
    tree.Range: infer_range,
    tree.TypeTest: _after_parts(BIVALENS),
    tree.Cast: infer_cast,
    tree.Native: infer_native,
    tree.Convert: infer_convert,
    tree.Shift: infer_shift,
    tree.Comptime: infer_comptime,
    tree.Format: _after_parts(TEXTUS),
    tree.Pipeline: infer_pipeline,
    tree.Filter: infer_filter,
    tree.Self: lambda checker, _: checker.ego,
    tree.Call: infer_call,
    tree.Member: infer_member,
    tree.Index: infer_index,
    tree.Cede: infer_cede,
    tree.New: infer_new,
    tree.Shape: infer_shape,
    tree.Lambda: infer_lambda,
}

"""Members, calls and the methods of the standard library as TypeScript."""

from __future__ import annotations

import re

from faber import tree
from faber.emit.emitter import ASSIGN, MEMBER, PREFIX, SUM, Bound, Emitter, Expressions
from faber.library import CALLS, COLLECTION_METHODS, FORMULAS, METHODS
from faber.types import ClassType, Generic, Named, Primitive, Type

_SLOT = re.compile(r"\$(\d|,|[A-Za-z]+)")


def emit_member(emitter: Emitter, node: tree.Member) -> Bound:
    formula = FORMULAS.get(kind_of(static_type(node.object)) or "", {}).get(node.name)
    if formula is not None:
        return apply_formula(emitter, formula, node.object, [], node.mark), MEMBER
    return f"{emit_owner(emitter, node.object, node.mark)}.{node.name}", MEMBER


def emit_owner(emitter: Emitter, node: tree.Expression, mark: str) -> str:
    text = emitter.text(node, MEMBER)
    if isinstance(node, tree.Number):
        text = f"({text})"
    return text + mark


def emit_index(emitter: Emitter, node: tree.Index) -> Bound:
    owner, index = emit_owner(emitter, node.object, ""), node.index
    if kind_of(node.object.type) == "tabula":
        return f"{owner}{node.mark}.get({emitter.text(index)})", MEMBER
    if isinstance(index, tree.Range):
        return f"{owner}{node.mark}.slice({slice_bounds(emitter, index)})", MEMBER
    if isinstance(index, tree.Unary) and index.operator == "-" and isinstance(index.value, tree.Number):
        return f"{owner}{node.mark}.at({emitter.text(index)})", MEMBER
    return f"{owner}{'?.' if node.mark == '?' else node.mark}[{emitter.text(index)}]", MEMBER


def slice_bounds(emitter: Emitter, node: tree.Range) -> str:
    start = emitter.text(node.start)
    if not node.inclusive:
        return f"{start}, {emitter.text(node.stop)}"
    stop = emitter.text(node.stop, SUM)
    if re.fullmatch(r"-?\d+", stop):
        after = int(stop) + 1
        return f"{start}, {after}" if after else start
    return f"{start}, {stop} + 1"


def emit_call(emitter: Emitter, node: tree.Call) -> Bound:
    callee = node.callee
    if isinstance(callee, tree.Member) and callee.name in METHODS and node.mark != "?":
        text = library_call(emitter, callee, node)
        if text is not None:
            return text, MEMBER
    if isinstance(callee, tree.Name) and callee.name in ("_scribe", "_vide", "_mone", "_lege"):
        arguments = emitter.join(node.arguments)
        method = {"_scribe": "log", "_vide": "debug", "_mone": "warn"}.get(callee.name)
        return f"console.{method}({arguments})" if method else '(prompt() ?? "")', MEMBER
    dot = "?." if node.mark == "?" else node.mark
    return f"{emitter.text(callee, MEMBER)}{dot}({emitter.join(node.arguments)})", MEMBER


def library_call(emitter: Emitter, callee: tree.Member, node: tree.Call) -> str | None:
    """A call of a library method, or None where the name is the object's own."""
    type_ = static_type(callee.object)
    kind = kind_of(type_)
    name = callee.name
    if kind is not None:
        method = CALLS.get(kind, {}).get(name)
        if method is not None:
            return (
                f"{emit_owner(emitter, callee.object, callee.mark)}.{method}({emitter.join(node.arguments)})"
            )
        formula = FORMULAS.get(kind, {}).get(name)
        if formula is not None:
            return apply_formula(emitter, formula, callee.object, node.arguments, callee.mark)
        if name not in COLLECTION_METHODS:
            return None
    elif isinstance(type_, Named):
        if isinstance(type_, ClassType) and name in type_.methods:
            return None
        known = emitter.classes.get(type_.name)
        if known is not None and any(m.name == name for m in known.members):
            return None
    emitter.dynamic.add(name)
    emitter.needs.add("call")
    arguments = "".join(f", {emitter.text(a)}" for a in node.arguments)
    if callee.mark == "?":
        return (
            f"{emitter.need('maybe')}({emitter.text(callee.object)}, ($it) => $call($it, "
            f'"{name}"{arguments}))'
        )
    return f'$call({emitter.text(callee.object)}, "{name}"{arguments})'


def apply_formula(
    emitter: Emitter, formula: str, receiver: tree.Expression, arguments: list[tree.Expression], mark: str
) -> str:
    if mark == "?" and formula.startswith("$0."):
        return fill_formula(emitter, "$0?" + formula[2:], emit_owner(emitter, receiver, ""), arguments)
    if mark == "?":
        inner = fill_formula(emitter, formula, "$it", arguments)
        return f"{emitter.need('maybe')}({emitter.text(receiver)}, ($it) => {inner})"
    return fill_formula(emitter, formula, emit_owner(emitter, receiver, ""), arguments)


def fill_formula(emitter: Emitter, formula: str, receiver: str, arguments: list[tree.Expression]) -> str:
    tight = PREFIX if "-$1" in formula else ASSIGN

    def fill(slot: re.Match[str]) -> str:
        place = slot.group(1)
        if place == "0":
            return receiver
        if place == ",":
            return "".join(f", {emitter.text(a)}" for a in arguments)
        if place.isdigit():
            i = int(place) - 1
            return emitter.text(arguments[i], tight) if i < len(arguments) else "undefined"
        return slot.group() if place == "it" else emitter.need(place)

    return _SLOT.sub(fill, formula)


def static_type(node: tree.Expression) -> Type | None:
    """The type the check noted; a slice is what it was cut from, though the check takes it for an element."""
    if isinstance(node, tree.Index) and isinstance(node.index, tree.Range):
        return static_type(node.object)
    return node.type


def kind_of(type_: Type | None) -> str | None:
    """Which part of the library a value of this type has."""
    if isinstance(type_, (Generic, Primitive)):
        return type_.name if type_.name in FORMULAS else "?"
    return None


CALLS_AND_MEMBERS: Expressions = {
    tree.Call: emit_call,
    tree.Member: emit_member,
    tree.Index: emit_index,
}

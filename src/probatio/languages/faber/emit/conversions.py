"""Type tests and conversions from one type to another as TypeScript."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.emit.emitter import Emitter
from probatio.languages.faber.emit.precedence import AND, ASSIGN, COMPARE, EQUAL, MEMBER, OR, PREFIX, SHIFT, SUM, Bound
from probatio.languages.faber.emit.types import plain_type, typescript_type

TYPEOF = {
    "textus": "string",
    "numerus": "number",
    "fractus": "number",
    "decimus": "number",
    "bivalens": "boolean",
    "magnus": "bigint",
}
INSTANCES = {
    "tabula": "Map",
    "copia": "Set",
    "octeti": "Uint8Array",
    "erratum": "Error",
    "tempus": "Date",
    "promissum": "Promise",
}
RADIX = {"Dec": 10, "Hex": 16, "Oct": 8, "Bin": 2}


def emit_type_test(emitter: Emitter, node: tree.TypeTest) -> Bound:
    name = node.target.name
    equal = "!==" if node.negated else "==="
    if name in TYPEOF:
        return f'typeof {emitter.text(node.value, PREFIX)} {equal} "{TYPEOF[name]}"', EQUAL
    if name in ("nihil", "incertum", "vacuum"):
        return f"{emitter.text(node.value, EQUAL)} {equal} {'null' if name == 'nihil' else 'undefined'}", EQUAL
    if name == "lista":
        test = f"Array.isArray({emitter.text(node.value)})"
    elif name == "objectum":
        test = f'(typeof {emitter.text(node.value, PREFIX)} === "object")'
    else:
        test = f"({emitter.text(node.value, COMPARE)} instanceof {INSTANCES.get(name, name)})"
    return (f"!{test}", PREFIX) if node.negated else (test, MEMBER)


def emit_cast(emitter: Emitter, node: tree.Cast) -> Bound:
    name = node.target.name
    if isinstance(node.value, tree.Object):
        if name in emitter.classes:
            return f"new {typescript_type(node.target)}({emitter.text(node.value)})", MEMBER
        if name == "copia":
            keys = ", ".join(f'"{p.key}"' for p in node.value.properties if isinstance(p, tree.Property))
            return f"new {plain_type(node.target)}({f'[{keys}]' if keys else ''})", MEMBER
        if name == "tabula":
            return emit_table(emitter, node.value, node.target), MEMBER
    if isinstance(node.value, tree.Array) and name == "copia":
        return f"new {plain_type(node.target)}({emitter.text(node.value)})", MEMBER
    return f"{emitter.text(node.value, COMPARE)} as {typescript_type(node.target)}", COMPARE


def emit_native(emitter: Emitter, node: tree.Native) -> Bound:
    if isinstance(node.value, tree.Object):
        return emit_table(emitter, node.value, node.target), MEMBER
    if isinstance(node.value, tree.Array) and not node.value.elements and node.target.parameters:
        return f"[] as {typescript_type(node.target)}", COMPARE
    return emitter.text(node.value), ASSIGN


def emit_table(emitter: Emitter, node: tree.Object, target: tree.TypeName) -> str:
    entries = []
    for part in node.properties:
        if isinstance(part, tree.Spread):
            entries.append(f"...Object.entries({emitter.text(part.value)})")
        else:
            entries.append(f'["{part.key}", {emitter.text(part.value)}]')
    return f"new {plain_type(target)}({'[' + ', '.join(entries) + ']' if entries else ''})"


def emit_convert(emitter: Emitter, node: tree.Convert) -> Bound:
    value = emitter.text(node.value)
    if node.to == "numeratum":
        if node.target is not None and node.target.name == "magnus":
            return f"BigInt({value})", MEMBER
        text = f"parseInt({value}, {RADIX.get(node.radix or 'Dec')})"
    elif node.to == "fractatum":
        text = f"parseFloat({value})"
    else:
        text = f"{'String' if node.to == 'textatum' else 'Boolean'}({value})"
        if node.fallback is not None:
            return f"{text} || {emitter.text(node.fallback, AND)}", OR
    if node.fallback is None:
        return text, MEMBER
    fallback = emitter.text(node.fallback)
    return (
        f"{emitter.need('parsed')}({text}, () => {f'({fallback})' if fallback.startswith('{') else fallback})",
        MEMBER,
    )


def emit_shift(emitter: Emitter, node: tree.Shift) -> Bound:
    sign = "<<" if node.direction == "sinistratum" else ">>"
    return f"{emitter.text(node.value, SHIFT)} {sign} {emitter.text(node.amount, SUM)}", SHIFT


CONVERSIONS: dict[type[tree.Expression], Function[[Emitter, Any], Bound]] = {
    tree.TypeTest: emit_type_test,
    tree.Cast: emit_cast,
    tree.Native: emit_native,
    tree.Convert: emit_convert,
    tree.Shift: emit_shift,
}

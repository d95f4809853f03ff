"""Types as TypeScript."""

from __future__ import annotations

from probatio.languages.faber import tree

SIMPLE_TYPES = {
    "textus": "string", "numerus": "number", "fractus": "number", "decimus": "number", "bivalens": "boolean", "nihil": "null",
    "vacuum": "void", "numquam": "never", "magnus": "bigint", "ignotum": "unknown", "quodlibet": "any", "octeti": "Uint8Array",
    "objectum": "any", "signum": "symbol", "incertum": "undefined", "erratum": "Error", "tempus": "Date",
}  # fmt: skip
GENERIC_TYPES = {
    "tabula": "Map", "copia": "Set", "promissum": "Promise", "cursor": "Iterable", "fluxus": "AsyncIterable", "par": "Partial",
    "totum": "Required", "lectum": "Readonly", "registrum": "Record", "selectum": "Pick", "omissum": "Omit",
    "extractum": "Extract",
    "exclusum": "Exclude", "reditus": "ReturnType", "parametra": "Parameters", "futuracursor": "AsyncIterator",
    "futurusfluxus": "AsyncIterable",
}  # fmt: skip


def typescript_type(node: tree.TypeName | tree.Number | None) -> str:
    if node is None or isinstance(node, tree.Number):
        return "any"
    return plain_type(node) + (" | null" if node.nullable else "")


def plain_type(node: tree.TypeName) -> str:
    if node.returns is not None:
        takes = ", ".join(f"{chr(97 + i % 26)}: {typescript_type(t)}" for i, t in enumerate(node.takes or ()))
        return f"(({takes}) => {typescript_type(node.returns)})"
    simple = SIMPLE_TYPES.get(node.name)
    if simple is not None:
        return simple
    inner = [typescript_type(p) for p in node.parameters]
    if node.name == "unio":
        return f"({' | '.join(inner)})" if inner else "unknown"
    if node.name == "lista":
        element = inner[0] if inner else "any"
        return f"({element})[]" if "|" in element or "=>" in element else f"{element}[]"
    if node.name == "forsitan":
        return f"({inner[0] if inner else 'any'} | undefined)"
    name = GENERIC_TYPES.get(node.name, node.name)
    if node.name in ("tabula", "registrum") and not inner:
        inner = ["any", "any"]
    elif node.name in GENERIC_TYPES and not inner:
        inner = ["any"]
    return f"{name}<{', '.join(inner)}>" if inner else name

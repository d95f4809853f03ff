"""Emit, first part: types as TypeScript, and calls of the library's methods."""

from __future__ import annotations

import re

from probatio.languages.faber import tree
from probatio.languages.faber.library import CALLS, COLLECTION_METHODS, FORMULAS, METHODS
from probatio.languages.faber.types import ClassType, Generic, Named, Primitive, Type

# How tightly TypeScript binds; an operand that binds less than asked for is put in parentheses.
ASSIGN, CHOICE, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, COMPARE, SHIFT, SUM, PRODUCT, PREFIX, MEMBER, ATOM = range(
    1, 16
)

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
_SLOT = re.compile(r"\$(\d|,|[A-Za-z]+)")
Text = tuple[str, int]


class CallTranslator:
    """Knows what the program declares, and collects what the emitted text will need."""

    def __init__(self) -> None:
        self.needs: set[str] = set()  # functions of the prelude
        self.dynamic: set[str] = set()  # library methods looked up when the program runs
        self.classes: dict[str, tree.Class] = {}
        self.unions: dict[str, tree.Union] = {}
        self.yields = False  # does `cede` yield here, or wait?
        self.inside = False  # inside a function or method

    def block(self, block: tree.Block) -> str:
        raise NotImplementedError

    def need(self, name: str) -> str:
        self.needs.add(name)
        return f"${name}"

    def text(self, node: tree.Expression, at_least: int = ASSIGN) -> str:
        raise NotImplementedError

    def joined(self, nodes: list[tree.Expression]) -> str:
        return ", ".join(self.text(node) for node in nodes)

    # Types.

    def type_name(self, node: tree.TypeName | tree.Number | None) -> str:
        if node is None or isinstance(node, tree.Number):
            return "any"
        return self.plain_type(node) + (" | null" if node.nullable else "")

    def plain_type(self, node: tree.TypeName) -> str:
        if node.returns is not None:
            takes = ", ".join(f"{chr(97 + i % 26)}: {self.type_name(t)}" for i, t in enumerate(node.takes or ()))
            return f"(({takes}) => {self.type_name(node.returns)})"
        simple = SIMPLE_TYPES.get(node.name)
        if simple is not None:
            return simple
        inner = [self.type_name(p) for p in node.parameters]
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

    # Members, calls and the library.

    def member(self, node: tree.Member) -> Text:
        formula = FORMULAS.get(kind_of(static_type(node.object)) or "", {}).get(node.name)
        if formula is not None:
            return self.formula(formula, node.object, [], node.mark), MEMBER
        return f"{self.owner(node.object, node.mark)}.{node.name}", MEMBER

    def owner(self, node: tree.Expression, mark: str) -> str:
        text = self.text(node, MEMBER)
        if isinstance(node, tree.Number):
            text = f"({text})"
        return text + mark

    def index(self, node: tree.Index) -> Text:
        dot = "?." if node.mark == "?" else node.mark
        if kind_of(node.object.type) == "tabula":
            return f"{self.owner(node.object, node.mark)}.get({self.text(node.index)})", MEMBER
        if isinstance(node.index, tree.Range):
            return f"{self.owner(node.object, node.mark)}.slice({self.slice(node.index)})", MEMBER
        if (
            isinstance(node.index, tree.Unary)
            and node.index.operator == "-"
            and isinstance(node.index.value, tree.Number)
        ):
            return f"{self.owner(node.object, node.mark)}.at({self.text(node.index)})", MEMBER
        return f"{self.owner(node.object, '')}{dot}[{self.text(node.index)}]", MEMBER

    def slice(self, node: tree.Range) -> str:
        start = self.text(node.start)
        if not node.inclusive:
            return f"{start}, {self.text(node.stop)}"
        stop = self.text(node.stop, SUM)
        if re.fullmatch(r"-?\d+", stop):
            after = int(stop) + 1
            return f"{start}, {after}" if after else start
        return f"{start}, {stop} + 1"

    def call(self, node: tree.Call) -> Text:
        callee = node.callee
        if isinstance(callee, tree.Member) and callee.name in METHODS and node.mark != "?":
            found = self.library_call(callee, node)
            if found is not None:
                return found, MEMBER
        if isinstance(callee, tree.Name) and callee.name in ("_scribe", "_vide", "_mone", "_lege"):
            return self.intrinsic(callee.name, self.joined(node.arguments)), MEMBER
        dot = "?." if node.mark == "?" else node.mark
        return f"{self.text(callee, MEMBER)}{dot}({self.joined(node.arguments)})", MEMBER

    def intrinsic(self, name: str, arguments: str) -> str:
        method = {"_scribe": "log", "_vide": "debug", "_mone": "warn"}.get(name)
        return f"console.{method}({arguments})" if method else '(prompt() ?? "")'

    def library_call(self, callee: tree.Member, node: tree.Call) -> str | None:
        """A call of a library method, or None where the name is the object's own."""
        type_ = static_type(callee.object)
        kind = kind_of(type_)
        name = callee.name
        if kind is not None:
            method = CALLS.get(kind, {}).get(name)
            if method is not None:
                return f"{self.owner(callee.object, callee.mark)}.{method}({self.joined(node.arguments)})"
            formula = FORMULAS.get(kind, {}).get(name)
            if formula is not None:
                return self.formula(formula, callee.object, node.arguments, callee.mark)
            if name not in COLLECTION_METHODS:
                return None
        elif isinstance(type_, Named):
            if isinstance(type_, ClassType) and name in type_.methods:
                return None
            known = self.classes.get(type_.name)
            if known is not None and any(m.name == name for m in known.members):
                return None
        self.dynamic.add(name)
        self.needs.add("call")
        arguments = "".join(f", {self.text(a)}" for a in node.arguments)
        if callee.mark == "?":
            return f'{self.need("maybe")}({self.text(callee.object)}, ($it) => $call($it, "{name}"{arguments}))'
        return f'$call({self.text(callee.object)}, "{name}"{arguments})'

    def formula(self, formula: str, receiver: tree.Expression, arguments: list[tree.Expression], mark: str) -> str:
        if mark == "?" and formula.startswith("$0."):
            return self.filled("$0?" + formula[2:], self.owner(receiver, ""), arguments)
        if mark == "?":
            inner = self.filled(formula, "$it", arguments)
            return f"{self.need('maybe')}({self.text(receiver)}, ($it) => {inner})"
        return self.filled(formula, self.owner(receiver, ""), arguments)

    def filled(self, formula: str, receiver: str, arguments: list[tree.Expression]) -> str:
        tight = PREFIX if "-$1" in formula else ASSIGN

        def fill(slot: re.Match[str]) -> str:
            place = slot.group(1)
            if place == "0":
                return receiver
            if place == ",":
                return "".join(f", {self.text(a)}" for a in arguments)
            if place.isdigit():
                i = int(place) - 1
                return self.text(arguments[i], tight) if i < len(arguments) else "undefined"
            return slot.group() if place == "it" else self.need(place)

        return _SLOT.sub(fill, formula)


def static_type(node: tree.Expression) -> Type | None:
    """The type the check found; a slice is what it was cut from, though the check takes it for an element."""
    if isinstance(node, tree.Index) and isinstance(node.index, tree.Range):
        return static_type(node.object)
    return node.type


def kind_of(type_: Type | None) -> str | None:
    """Which part of the library a value of this type has."""
    if isinstance(type_, Generic):
        return type_.name if type_.name in FORMULAS else "?"
    if isinstance(type_, Primitive):
        return type_.name if type_.name in FORMULAS else "?"
    return None

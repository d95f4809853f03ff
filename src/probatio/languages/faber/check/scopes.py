"""Names and where they are known."""

from __future__ import annotations

from probatio.languages.faber.types import Type


class Symbol:
    __slots__ = ("at", "kind", "mutable", "type")

    def __init__(self, type_: Type, kind: str, mutable: bool, at: int) -> None:
        self.type = type_
        self.kind = kind  # variable, function, parameter, type, enum, genus, pactum
        self.mutable = mutable
        self.at = at


class Scope:
    __slots__ = ("names", "parent")

    def __init__(self, parent: Scope | None) -> None:
        self.names: dict[str, Symbol] = {}
        self.parent = parent

    def find(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            symbol = scope.names.get(name)
            if symbol is not None:
                return symbol
            scope = scope.parent
        return None

"""The check, second part: what the names of a program's declarations stand for."""

from __future__ import annotations

from probatio.languages.faber import tree
from probatio.languages.faber.infer import Inference
from probatio.languages.faber.types import (
    NUMERUS,
    TEXTUS,
    UNKNOWN,
    VACUUM,
    Callable,
    ClassType,
    ContractType,
    EnumType,
    Type,
    UnionType,
    Unknown,
)

CONSTRUCTOR = "creo"
Hoisted = tree.Function | tree.Class | tree.Contract | tree.Enum | tree.Union | tree.Alias
HOISTED = (tree.Function, tree.Class, tree.Contract, tree.Enum, tree.Union, tree.Alias)


class Signatures(Inference):
    # Top-level declarations.

    def placeholder(self, node: Hoisted) -> tuple[Type, str]:
        if isinstance(node, tree.Function):
            is_async = node.verb in ("fiet", "fient")
            return Callable([UNKNOWN] * len(node.parameters), UNKNOWN if node.returns else VACUUM, is_async), "function"
        if isinstance(node, tree.Class):
            return ClassType(node.name, {}, {}, {}), "genus"
        if isinstance(node, tree.Contract):
            return ContractType(node.name, {}), "pactum"
        if isinstance(node, tree.Enum):
            return self.enum_type(node), "enum"
        if isinstance(node, tree.Union):
            return UnionType(node.name, {}), "type"
        return UNKNOWN, "type"

    def sign(self, node: Hoisted) -> None:
        """Give a declared name its real type, now that all names exist."""
        symbol = self.scope.names[node.name]
        if isinstance(node, tree.Function):
            symbol.type = self.function_type(node)
        elif isinstance(node, tree.Class):
            symbol.type = self.class_type(node)
        elif isinstance(node, tree.Contract):
            symbol.type = self.contract_type(node)
        elif isinstance(node, tree.Alias):
            symbol.type = self.alias_type(node)

    def alias_type(self, node: tree.Alias) -> Type:
        if node.target is None:
            return UNKNOWN
        self.resolving.add(node.name)
        result = self.resolve(node.target)
        self.resolving.discard(node.name)
        return result

    def resolve_aliases(self, aliases: list[tree.Alias]) -> None:
        """Aliases of aliases in any order; what stays unknown goes round in a circle."""
        progress = True
        while progress:
            progress = False
            for node in aliases:
                symbol = self.scope.names[node.name]
                if isinstance(symbol.type, Unknown):
                    symbol.type = self.alias_type(node)
                    progress = progress or not isinstance(symbol.type, Unknown)
        for node in aliases:
            if isinstance(self.scope.names[node.name].type, Unknown):
                self.error(
                    "circular-type", node.at, f"The type '{node.name}' cannot be resolved: it goes round in a circle."
                )

    def function_type(self, node: tree.Function) -> Callable:
        parameters = [self.resolve(p.declared) if p.declared else UNKNOWN for p in node.parameters]
        returns = self.resolve(node.returns) if node.returns else VACUUM
        return Callable(parameters, returns, node.verb in ("fiet", "fient"))

    def class_type(self, node: tree.Class) -> ClassType:
        fields: dict[str, Type] = {}
        statics: dict[str, Type] = {}
        methods: dict[str, Callable] = {}
        for member in node.members:
            if isinstance(member, tree.Field):
                (statics if member.is_static else fields)[member.name] = self.resolve(member.declared)
        for member in node.members:
            if isinstance(member, tree.Function) and member.name != CONSTRUCTOR:
                methods[member.name] = self.function_type(member)
        return ClassType(node.name, fields, methods, statics)

    def contract_type(self, node: tree.Contract) -> ContractType:
        return ContractType(node.name, {method.name: self.function_type(method) for method in node.methods})

    def enum_type(self, node: tree.Enum) -> EnumType:
        return EnumType(
            node.name, {m.name: TEXTUS if isinstance(m.value, tree.Text) else NUMERUS for m in node.members}
        )

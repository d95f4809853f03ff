"""Types as the check knows them: what they are, when one fits another, and how they are named to a reader."""

from __future__ import annotations

from copy import copy
from typing import ClassVar, TypeVar

from msgspec import Struct


class Type(Struct, eq=False, kw_only=True):
    nullable: bool = False

    def __str__(self) -> str:
        return "?"


class Unknown(Type):
    def __str__(self) -> str:
        return "unknown"


class Primitive(Type):
    name: str

    def __str__(self) -> str:
        return self.name + "?" * self.nullable


class Generic(Type):
    """`lista`, `tabula`, `copia`, `promissum`, `cursor`, `fluxus` with their parameters."""

    name: str
    parameters: list[Type]

    def __str__(self) -> str:
        return f"{self.name}<{', '.join(map(str, self.parameters))}>" + "?" * self.nullable


class Callable(Type):
    parameters: list[Type]
    returns: Type
    is_async: bool = False

    def __str__(self) -> str:
        return f"{'futura ' * self.is_async}({', '.join(map(str, self.parameters))}) -> {self.returns}"


class OneOf(Type):
    members: list[Type]

    def __str__(self) -> str:
        return "unio<" + ", ".join(map(str, self.members)) + ">"


class Named(Type):
    """A type known by its name only."""

    word: ClassVar[str] = ""
    name: str

    def __str__(self) -> str:
        return f"{self.word} {self.name}".strip() + "?" * self.nullable


class EnumType(Named):
    word = "ordo"
    members: dict[str, Type]


class ClassType(Named):
    word = "genus"
    fields: dict[str, Type]
    methods: dict[str, Callable]
    statics: dict[str, Type]


class ContractType(Named):
    word = "pactum"
    methods: dict[str, Callable]


class UnionType(Named):
    """A `discretio`: its variants with their fields in order."""

    word = "discretio"
    variants: dict[str, list[tuple[str, Type]]]


UNKNOWN = Unknown()
TEXTUS = Primitive("textus")
NUMERUS = Primitive("numerus")
FRACTUS = Primitive("fractus")
MAGNUS = Primitive("magnus")
BIVALENS = Primitive("bivalens")
NIHIL = Primitive("nihil")
VACUUM = Primitive("vacuum")
OCTETI = Primitive("octeti")
PRIMITIVES: dict[str, Type] = {
    "textus": TEXTUS,
    "numerus": NUMERUS,
    "fractus": FRACTUS,
    "decimus": Primitive("decimus"),
    "magnus": MAGNUS,
    "bivalens": BIVALENS,
    "nihil": NIHIL,
    "vacuum": VACUUM,
    "octeti": OCTETI,
    "ignotum": UNKNOWN,
}
GENERICS = frozenset(("lista", "tabula", "copia", "promissum", "cursor", "fluxus"))
INTERCHANGEABLE = frozenset(("numerus", "fractus", "decimus"))
NUMERIC = INTERCHANGEABLE | {"magnus"}

T = TypeVar("T", bound=Type)


def nullable(type_: T) -> T:
    """The same type, but nothing fits it too."""
    if type_.nullable:
        return type_
    result = copy(type_)
    result.nullable = True
    return result


def equal(a: Type, b: Type) -> bool:
    """Do both say the same? A type known by name only equals the declared type of that name."""
    if a is b:
        return True
    if isinstance(a, Named):
        if not isinstance(b, Named) or a.name != b.name:
            return False
        return type(a) is type(b) or type(a) is Named or type(b) is Named
    if isinstance(a, Primitive) and isinstance(b, Primitive):
        return a.name == b.name
    if isinstance(a, Generic) and isinstance(b, Generic):
        return a.name == b.name and _all_equal(a.parameters, b.parameters)
    if isinstance(a, Callable) and isinstance(b, Callable):
        return (
            a.is_async == b.is_async
            and equal(a.returns, b.returns)
            and _all_equal(a.parameters, b.parameters)
        )
    if isinstance(a, OneOf) and isinstance(b, OneOf):
        return _all_equal(a.members, b.members)
    return type(a) is type(b)


def _all_equal(a: list[Type], b: list[Type]) -> bool:
    return len(a) == len(b) and all(map(equal, a, b))


def fits(source: Type, target: Type) -> bool:
    """May a value of `source` stand where `target` is asked for?"""
    if source is target and not isinstance(source, OneOf) and source is not NIHIL:
        return True
    if isinstance(source, Unknown) or isinstance(target, Unknown):
        return True
    if isinstance(source, Primitive):
        if source.name == "nihil":
            return target.nullable
        if (
            isinstance(target, Primitive)
            and source.name in INTERCHANGEABLE
            and target.name in INTERCHANGEABLE
        ):
            return True
    if isinstance(target, OneOf):
        return any(fits(source, member) for member in target.members)
    if isinstance(source, OneOf):
        return all(fits(member, target) for member in source.members)
    return equal(source, target)

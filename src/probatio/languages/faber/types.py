"""Types as the check knows them: what they are, when one fits another, and how they are named to a reader."""

from __future__ import annotations

from copy import copy
from typing import TypeVar


class Type:
    __slots__ = ("nullable",)

    nullable: bool

    def __init__(self) -> None:
        self.nullable = False

    def __str__(self) -> str:
        return "?"


class Unknown(Type):
    __slots__ = ()

    def __str__(self) -> str:
        return "unknown"


class Primitive(Type):
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.nullable = False
        self.name = name

    def __str__(self) -> str:
        return self.name + "?" * self.nullable


class Generic(Type):
    """`lista`, `tabula`, `copia`, `promissum`, `cursor`, `fluxus` with their parameters."""

    __slots__ = ("name", "parameters")

    def __init__(self, name: str, parameters: list[Type], nullable: bool = False) -> None:
        self.name = name
        self.parameters = parameters
        self.nullable = nullable

    def __str__(self) -> str:
        return f"{self.name}<{', '.join(map(str, self.parameters))}>" + "?" * self.nullable


class Callable(Type):
    __slots__ = ("is_async", "parameters", "returns")

    def __init__(self, parameters: list[Type], returns: Type, is_async: bool = False) -> None:
        self.nullable = False
        self.parameters = parameters
        self.returns = returns
        self.is_async = is_async

    def __str__(self) -> str:
        return f"{'futura ' * self.is_async}({', '.join(map(str, self.parameters))}) -> {self.returns}"


class OneOf(Type):
    __slots__ = ("members",)

    def __init__(self, members: list[Type]) -> None:
        self.nullable = False
        self.members = members

    def __str__(self) -> str:
        return "unio<" + ", ".join(map(str, self.members)) + ">"


class Named(Type):
    """A type known by its name only."""

    __slots__ = ("name",)
    word = ""

    def __init__(self, name: str, nullable: bool = False) -> None:
        self.nullable = nullable
        self.name = name

    def __str__(self) -> str:
        return f"{self.word} {self.name}".strip() + "?" * self.nullable


class EnumType(Named):
    __slots__ = ("members",)
    word = "ordo"

    def __init__(self, name: str, members: dict[str, Type]) -> None:
        super().__init__(name)
        self.members = members


class ClassType(Named):
    __slots__ = ("fields", "methods", "statics")
    word = "genus"

    def __init__(
        self, name: str, fields: dict[str, Type], methods: dict[str, Callable], statics: dict[str, Type]
    ) -> None:
        super().__init__(name)
        self.fields = fields
        self.methods = methods
        self.statics = statics


class ContractType(Named):
    __slots__ = ("methods",)
    word = "pactum"

    def __init__(self, name: str, methods: dict[str, Callable]) -> None:
        super().__init__(name)
        self.methods = methods


class UnionType(Named):
    """A `discretio`: its variants with their fields in order."""

    __slots__ = ("variants",)
    word = "discretio"

    def __init__(self, name: str, variants: dict[str, list[tuple[str, Type]]]) -> None:
        super().__init__(name)
        self.variants = variants


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
    if type(a) is not type(b):
        return False
    if isinstance(a, Primitive):
        assert isinstance(b, Primitive)
        return a.name == b.name
    if isinstance(a, Generic):
        assert isinstance(b, Generic)
        return a.name == b.name and _all_equal(a.parameters, b.parameters)
    if isinstance(a, Callable):
        assert isinstance(b, Callable)
        return a.is_async == b.is_async and equal(a.returns, b.returns) and _all_equal(a.parameters, b.parameters)
    if isinstance(a, OneOf):
        assert isinstance(b, OneOf)
        return _all_equal(a.members, b.members)
    return True


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
        if isinstance(target, Primitive) and source.name in INTERCHANGEABLE and target.name in INTERCHANGEABLE:
            return True
    if isinstance(target, OneOf):
        return any(fits(source, member) for member in target.members)
    if isinstance(source, OneOf):
        return all(fits(member, target) for member in source.members)
    return equal(source, target)

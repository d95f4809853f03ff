"""The values of a running program, and what the language's run time says of them: as text, as a truth, equal or not.

Numbers are Python floats, `magnus` is int, `nihil` is None, a lista is a list, a textus is str, a bivalens is bool.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Value = Any
Invoke = Callable[[Value, list[Value]], Value]


class Declined(Exception):
    """The evaluator does not know what the program means here."""


class Thrown(Exception):
    """A value that the program threw."""

    def __init__(self, value: Value) -> None:
        self.value = value


class OutOfSteps(Exception):
    """The program has not ended within its steps."""


class Undefined:
    """The value of what was never set."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


class Function:
    """Something that can be called."""

    __slots__ = ("invoke", "name")

    def __init__(self, name: str, invoke: Invoke) -> None:
        self.name = name
        self.invoke = invoke


class Record:
    """An object: its fields in order."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, Value]) -> None:
        self.fields = fields


class Blueprint:
    """A class: how it is called, its methods (also inherited ones), its statics, and how an object of it is made."""

    __slots__ = ("construct", "methods", "name", "parent", "statics")

    def __init__(self, name: str, parent: Blueprint | None) -> None:
        self.name = name
        self.parent = parent
        self.methods: dict[str, Function] = {}
        self.statics: dict[str, Value] = {}
        self.construct: Callable[[list[Value]], Value] | None = None

    def method(self, name: str) -> Function | None:
        found = self.methods.get(name)
        return found if found is not None or self.parent is None else self.parent.method(name)

    def is_a(self, other: Blueprint) -> bool:
        return self is other or (self.parent is not None and self.parent.is_a(other))


class Instance(Record):
    """An object of a class."""

    __slots__ = ("blueprint",)

    def __init__(self, blueprint: Blueprint) -> None:
        super().__init__({})
        self.blueprint = blueprint


class Table:
    """A tabula. Keys are kept as they are; what finds them is `key_of`."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: dict[Value, tuple[Value, Value]] = {}

    def put(self, key: Value, value: Value) -> Table:
        found = self.entries.get(key_of(key))
        self.entries[key_of(key)] = (key if found is None else found[0], value)
        return self

    def get(self, key: Value) -> Value:
        found = self.entries.get(key_of(key))
        return UNDEFINED if found is None else found[1]


class Bag:
    """A copia."""

    __slots__ = ("entries",)

    def __init__(self, values: list[Value]) -> None:
        self.entries: dict[Value, Value] = {key_of(value): value for value in reversed(values)}
        if len(self.entries) > 1:
            self.entries = {key_of(value): self.entries[key_of(value)] for value in values}

    def values(self) -> list[Value]:
        return list(self.entries.values())


class Promise:
    """What an asynchronous function gives: it has run already, and this is how it ended."""

    __slots__ = ("thrown", "value")

    def __init__(self, value: Value, thrown: Thrown | None) -> None:
        self.value = value
        self.thrown = thrown


ERROR = Blueprint("Error", None)
PANIC = Blueprint("Panic", ERROR)
TYPE_ERROR = Blueprint("TypeError", ERROR)
RANGE_ERROR = Blueprint("RangeError", ERROR)


def error(message: str, blueprint: Blueprint = ERROR) -> Instance:
    made = Instance(blueprint)
    made.fields["message"] = message
    return made


def type_error(message: str) -> Thrown:
    return Thrown(error(message, TYPE_ERROR))


def key_of(value: Value) -> Value:
    """What stands for a value in a table: the same for values that are the same, and for no others."""
    kind = type(value)
    if kind is str:
        return value
    if kind is float:
        return ("number", "NaN" if value != value else value)
    if kind is bool or kind is int or value is None or value is UNDEFINED:
        return (kind.__name__, value)
    return ("object", id(value))


def is_number(value: Value) -> bool:
    return type(value) is float


def truth(value: Value) -> bool:
    """Is it taken for true in a condition?"""
    kind = type(value)
    if kind is bool:
        return bool(value)
    if kind is float:
        return bool(value == value and value != 0.0)
    if kind is str or kind is int:
        return bool(value)
    return value is not None and value is not UNDEFINED


def number_text(value: float) -> str:
    """A number as JavaScript writes it: the shortest digits that mean it, an exponent only far from one."""
    if value != value:
        return "NaN"
    if value in (math.inf, -math.inf):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    if value < 0:
        return "-" + number_text(-value)
    if value < 1e21 and value.is_integer():
        digits = str(int(value))
        return digits if value < 2**53 else _expanded(value)
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return mantissa.removesuffix(".0")
    power = int(exponent)
    if -7 < power < 21:
        return _expanded(value)
    return f"{mantissa.removesuffix('.0')}e{'+' if power > 0 else '-'}{abs(power)}"


def _expanded(value: float) -> str:
    """The shortest digits, without an exponent."""
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    power = int(exponent or 0)
    if power < 0:
        return "0." + "0" * (-power - 1) + whole + part
    return whole + part[:power].ljust(power, "0") + ("." + part[power:] if part[power:] else "")


def text(value: Value) -> str:
    """A value as text, as `textatum` and joining to a text make it."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is float:
        return number_text(value)
    if kind is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    if value is UNDEFINED:
        return "undefined"
    if kind is int:
        return str(value)
    if kind is list:
        return ",".join("" if each is None or each is UNDEFINED else text(each) for each in value)
    if isinstance(value, Instance) and value.blueprint.is_a(ERROR):
        message = text(value.fields.get("message", ""))
        return f"{value.blueprint.name}: {message}" if message else value.blueprint.name
    if isinstance(value, Record):
        own = value.blueprint.method("toString") if isinstance(value, Instance) else None
        return "[object Object]" if own is None else text(own.invoke(value, []))
    if isinstance(value, Table):
        return "[object Map]"
    if isinstance(value, Bag):
        return "[object Set]"
    raise Declined(f"a {kind.__name__} as text")


def number(value: Value) -> float:
    """A value where arithmetic needs a number."""
    kind = type(value)
    if kind is float:
        return float(value)
    if kind is bool:
        return 1.0 if value else 0.0
    if value is None:
        return 0.0
    if value is UNDEFINED:
        return math.nan
    if kind is str:
        stripped = value.strip()
        if not stripped:
            return 0.0
        try:
            return (
                math.nan
                if "_" in stripped or stripped.lower().lstrip("+-") in ("nan", "inf", "infinity")
                else float(stripped)
            )
        except ValueError:
            if stripped[:2].lower() in ("0x", "0b", "0o"):
                raise Declined("a number with a prefix in a text") from None
            return math.nan
    if kind is list:
        return number(text(value))
    if isinstance(value, Record):
        return math.nan
    raise Declined(f"a {kind.__name__} as a number")


def same(a: Value, b: Value) -> bool:
    """`===`."""
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is float or kind is str or kind is bool or kind is int:
        return bool(a == b)
    return a is b


def alike(a: Value, b: Value) -> bool:
    """`==`, which makes numbers of what is of different kinds."""
    if type(a) is type(b):
        return same(a, b)
    nothing = (None, UNDEFINED)
    if a in nothing or b in nothing:
        return a in nothing and b in nothing
    plain = (float, str, bool)
    if type(a) in plain and type(b) in plain:
        return number(a) == number(b)
    if list in (type(a), type(b)) and {type(a), type(b)} & {float, str}:
        return alike(text(a) if type(a) is list else a, text(b) if type(b) is list else b)
    return False

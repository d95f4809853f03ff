"""Operators: what each sign does to values."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from math import fmod

from probatio.languages.faber.evaluate.builder import Run
from probatio.languages.faber.evaluate.lists import added, includes
from probatio.languages.faber.evaluate.scopes import Frame
from probatio.languages.faber.evaluate.values import (
    UNDEFINED,
    Bag,
    Declined,
    Record,
    Table,
    Value,
    alike,
    number,
    same,
    text,
    truth,
    type_error,
)

Operator = Callable[[Value, Value], Value]


def _arithmetic(of_numbers: Callable[[float, float], float], of_whole: Callable[[int, int], int]) -> Operator:
    def apply(a: Value, b: Value) -> Value:
        if type(a) is float and type(b) is float:
            return of_numbers(a, b)
        if type(a) is int or type(b) is int:
            if type(a) is not int or type(b) is not int:
                raise type_error("Cannot mix BigInt and other types, use explicit conversions")
            return of_whole(a, b)
        return of_numbers(number(a), number(b))

    return apply


def divided(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def remainder(a: float, b: float) -> float:
    """The sign is that of the left number."""
    return math.nan if b == 0 or math.isinf(a) or a != a or b != b else math.fmod(a, b)


def _whole_quotient(a: int, b: int) -> int:
    if b == 0:
        raise Declined("a magnus divided by nothing")
    return abs(a) // abs(b) * (1 if (a < 0) is (b < 0) else -1)


def _compared(compare: Callable[[Value, Value], bool]) -> Operator:
    def apply(a: Value, b: Value) -> Value:
        kind = type(a)
        if kind is type(b) and (kind is float or kind is str or kind is int):
            return compare(a, b)
        if {int, float} == {kind, type(b)}:
            return compare(a, b)
        return compare(number(a), number(b))

    return apply


def _bits(value: Value) -> int:
    size = number(value)
    if size != size or math.isinf(size):
        return 0
    bits = int(size) & 0xFFFFFFFF
    return bits - (1 << 32) if bits >> 31 else bits


def _bitwise(apply: Callable[[int, int], int]) -> Operator:
    def run(a: Value, b: Value) -> Value:
        if type(a) is int and type(b) is int:
            return apply(a, b)
        return float(_bits(float(apply(_bits(a), _bits(b)))))

    return run


SIGNS: dict[str, Operator] = {
    "+": added,
    "-": _arithmetic(operator.sub, operator.sub),
    "*": _arithmetic(operator.mul, operator.mul),
    "/": _arithmetic(divided, _whole_quotient),
    "%": _arithmetic(remainder, lambda a, b: a - b * _whole_quotient(a, b)),
    "==": alike,
    "!=": lambda a, b: not alike(a, b),
    "===": same,
    "!==": lambda a, b: not same(a, b),
    "<": _compared(operator.lt),
    "<=": _compared(operator.le),
    ">": _compared(operator.gt),
    ">=": _compared(operator.ge),
    "&": _bitwise(operator.and_),
    "|": _bitwise(operator.or_),
    "^": _bitwise(operator.xor),
    "sinistratum": _bitwise(lambda a, b: a << (b & 31)),
    "dextratum": _bitwise(lambda a, b: a >> (b & 31)),
    "inter": lambda a, b: includes(b, a) if type(b) is list else _not_a_list(),
}


def _not_a_list() -> Value:
    raise Declined("`inter` with what is no list")


def is_empty(value: Value) -> bool:
    """`nulla`."""
    if value is None or value is UNDEFINED:
        return True
    if type(value) in (str, list):
        return not value
    if isinstance(value, (Table, Bag)):
        return not value.entries
    return not value.fields if isinstance(value, Record) else not truth(value)


def negative(value: Value) -> Value:
    return -value if type(value) is int else -number(value)


def inverted(value: Value) -> Value:
    return ~value if type(value) is int else float(~_bits(value))


PREFIXES: dict[str, Callable[[Value], Value]] = {
    "!": lambda value: not truth(value),
    "-": negative,
    "~": inverted,
    "nulla": is_empty,
    "nonnulla": lambda value: not is_empty(value),
    "nihil": lambda value: value is None or value is UNDEFINED,
    "nonnihil": lambda value: value is not None and value is not UNDEFINED,
    "negativum": lambda value: number(value) < 0,
    "positivum": lambda value: number(value) > 0,
    "verum": lambda value: value is True,
    "falsum": lambda value: value is False,
}


def parsed_whole(value: Value, radix: int) -> float:
    """The digits a text begins with, as a number."""
    words = text(value).strip()
    sign = -1.0 if words[:1] == "-" else 1.0
    words = words[1:] if words[:1] in "+-" else words
    if radix == 16 and words[:2].lower() == "0x":
        words = words[2:]
    digits = ""
    for each in words.lower():
        if "0123456789abcdefghijklmnopqrstuvwxyz".find(each) not in range(radix):
            break
        digits += each
    return sign * float(int(digits, radix)) if digits else math.nan


def parsed_fraction(value: Value) -> float:
    words = text(value).strip()
    for end in range(len(words), 0, -1):
        part = words[:end]
        if part[-1] in "0123456789." and not {"_", "n", "N"} & set(part):
            try:
                return float(part)
            except ValueError:
                continue
    return (
        math.copysign(math.inf, -1 if words[:1] == "-" else 1)
        if words.lstrip("+-").startswith("Infinity")
        else math.nan
    )


def quick(sign: str, left: Run, right: Run) -> Run:
    """An operator between two operands. Numbers, which are most of what programs work on, take the shortest way."""
    general = SIGNS[sign]
    of_numbers = _OF_NUMBERS.get(sign)
    if of_numbers is None:
        return lambda frame: general(left(frame), right(frame))

    def run(frame: Frame) -> Value:
        a, b = left(frame), right(frame)
        if type(a) is float and type(b) is float:
            return of_numbers(a, b)
        return general(a, b)

    return _SHORTEST[sign](left, right, general) if sign in _SHORTEST else run


_OF_NUMBERS: dict[str, Callable[[float, float], Value]] = {
    "-": operator.sub,
    "/": divided,
    "==": operator.eq,
    "!=": operator.ne,
    "===": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "*": operator.mul,
    "%": remainder,
}


def _sum(left: Run, right: Run, general: Operator) -> Run:
    def run(frame: Frame) -> Value:
        a, b = left(frame), right(frame)
        return a + b if type(a) is float and type(b) is float else general(a, b)

    return run


def _product(left: Run, right: Run, general: Operator) -> Run:
    def run(frame: Frame) -> Value:
        a, b = left(frame), right(frame)
        return a * b if type(a) is float and type(b) is float else general(a, b)

    return run


def _rest(left: Run, right: Run, general: Operator) -> Run:
    def run(frame: Frame) -> Value:
        a, b = left(frame), right(frame)
        if type(a) is float and type(b) is float and b and -1e300 < a < 1e300:
            return fmod(a, b)
        return general(a, b)

    return run


_SHORTEST = {"+": _sum, "*": _product, "%": _rest}

"""Math & Reasoning: the final value behind each label, compared as a number, unit or expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

import msgspec

from probatio.builtin.daily.math_reasoning.algebra import same_expression
from probatio.builtin.daily.math_reasoning.final import final_values
from probatio.builtin.daily.math_reasoning.numbers import Number, exact, has_digit, readings_of, rounds
from probatio.builtin.daily.math_reasoning.units import in_unit, same_unit
from probatio.core.extras import require
from probatio.core.records.check_result import CheckResult, Part
from probatio.jail import Choice
from probatio.suites.daily_suite import Case

# Here and not at the lazy imports: no answer may count as wrong because a library is missing.
require("mpmath", "pint")


class AskedValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """What stands behind one letter."""

    label: str
    name: str
    value: str = ""
    weight: float = 1.0
    rung: int = 0


class ANumber(AskedValue, frozen=True, tag="number"):
    """An exact number. `bare_percent`: a number without the sign is percent, as the question asks."""

    bare_percent: bool = False
    rounded: float = 0.5
    """Credit for the right value, rounded to three decimals or more, where it has no end."""


class AQuantity(AskedValue, frozen=True, tag="quantity"):
    """A number with its unit; other units of the kind are as good, unless this one is asked for."""

    unit: str = ""
    this_unit: bool = False
    places: int | None = None
    """Decimals that suffice where the exact value has no end."""
    missing_unit: float = 0.5
    wrong_unit: float = 0.25


class AnExpression(AskedValue, frozen=True, tag="expression"):
    variables: tuple[str, ...] = ()
    roots: bool = False
    """Asked for in square roots: a sine of the right value says nothing."""


class Values(AskedValue, frozen=True, tag="values"):
    """Several numbers, in any order."""

    values: tuple[str, ...] = ()


class AWord(AskedValue, frozen=True, tag="word"):
    """One of several names."""

    options: tuple[str, ...] = ()


class Digits(AskedValue, frozen=True, tag="digits"):
    """A long whole number. A wrong one earns up to `near` for the digits that are right at its two ends."""

    near: float = 0.5


class Near(AskedValue, frozen=True, tag="near"):
    """A count. A wrong one earns up to `near`, less with its distance, nothing from the share `within` on."""

    near: float = 0.3
    within: float = 0.1


class NumberRow(AskedValue, frozen=True, tag="row"):
    """Several whole numbers in their order, or each behind its name; each earns its share."""

    values: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


class MathGold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answers: tuple[ANumber | AQuantity | AnExpression | Values | AWord | Digits | Near | NumberRow, ...]


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """Every value the case asks for; of several values for one letter, the last is the answer."""
    gold = msgspec.convert(case.gold, MathGold)
    values = final_values(answer, [asked.label for asked in gold.answers])
    parts = tuple(_part(asked, values[asked.label]) for asked in gold.answers)
    nothing = "The answer has no line that begins with one of the letters asked for."
    return CheckResult(parts, note=None if any(values.values()) else nothing)


def _part(asked: AskedValue, candidates: list[str]) -> Part:
    final = next((text for text in candidates if _holds_a_value(asked, text)), None)
    wanted = asked.value or ", ".join(map(str, getattr(asked, "values", ())))
    wanted += f" {asked.unit}" if isinstance(asked, AQuantity) else ""
    credit = 0.0 if final is None else _CREDIT[type(asked)](asked, final)
    there = "nothing" if final is None else repr(final[:120])
    detail = "" if credit == 1 else f"{wanted} expected, {there} there"
    return Part(f"{asked.label}: {asked.name}", credit, detail, asked.weight, asked.rung)


def _holds_a_value(asked: AskedValue, text: str) -> bool:
    if isinstance(asked, AWord):
        return bool(_find_names(asked, text))
    return isinstance(asked, AnExpression) or has_digit(text)


def _number(asked: ANumber, text: str) -> float:
    """As good as the worst of the candidates, so that naming several gains nothing."""
    value = exact(asked.value)
    assert value is not None, f"the gold {asked.value!r} is no number"
    readings = readings_of(text)
    if readings is None or _is_unfinished(value, readings[0][0]):
        return 0.0
    return min(_number_credit(asked, value, number) for number, _ in readings)


def _is_unfinished(value: Fraction, number: Number) -> bool:
    """144/16 is no answer to what 144 divided by 16 is."""
    return number.ratio and value.denominator == 1


def _number_credit(asked: ANumber, value: Fraction, number: Number) -> float:
    if asked.bare_percent and not number.percent:
        number = Number(number.value / 100, None if number.decimals is None else number.decimals + 2)
    if number.value == value:
        return 1.0
    return asked.rounded if rounds(number, value, 3) else 0.0


def _quantity(asked: AQuantity, text: str) -> float:
    value = exact(asked.value)
    assert value is not None, f"the gold {asked.value!r} is no number"
    readings = readings_of(text, units=True)
    if readings is None or _is_unfinished(value, readings[0][0]):
        return 0.0
    named = next((given for _, given in reversed(readings) if given), "")
    return min(_quantity_credit(asked, value, number, given or named) for number, given in readings)


def _quantity_credit(asked: AQuantity, value: Fraction, number: Number, given: str) -> float:
    def right(number: Number) -> bool:
        return number.value == value or (asked.places is not None and rounds(number, value, asked.places))

    if not given:
        return asked.missing_unit if right(number) else 0.0
    there = in_unit(number.value, given, asked.unit)
    if there is not None and right(Number(there, number.decimals if same_unit(given, asked.unit) else None)):
        return 1.0 if same_unit(given, asked.unit) or not asked.this_unit else asked.wrong_unit
    return asked.wrong_unit if right(number) else 0.0


def _expression(asked: AnExpression, text: str) -> float:
    return float(same_expression(_after_equals(text), asked.value, asked.variables, asked.roots) or False)


def _values(asked: Values, text: str) -> float:
    """The share of the right ones, among as many as there are or as were given."""
    wanted = {exact(value) for value in asked.values}
    text = re.sub(r"\b[a-z](?:_\{?\w\}?)?\s*(?:=|\\in|∈)|\\[{}]|[{}\[\]]", " ", text)
    given: set[Fraction | str] = set()
    for piece in re.split(r",(?!\d{3}\b)|;|\band\b|\bor\b|→", text):
        both = re.fullmatch(r"\s*(?:±|\+/-|\+-)\s*(.+)", piece)
        number = exact(both[1] if both else piece)
        if number is None:
            given.update({piece.strip()} - {""})
        else:
            given.update({number, -number} if both else {number})
    return len(wanted & given) / max(len(wanted), len(given))


def _find_names(asked: AWord, text: str) -> set[str]:
    return {option for option in asked.options if re.search(rf"\b{re.escape(option)}\b", text, re.IGNORECASE)}


def _whole(asked: Digits | Near, text: str) -> float:
    """As good as the worst of the candidates, as for any number."""
    readings = readings_of(text)
    if readings is None or readings[0][0].ratio:
        return 0.0
    wanted = int(asked.value)
    if isinstance(asked, Digits):
        return min(ends(number.value, wanted, asked.near) for number, _ in readings)
    return min(distance(number.value, wanted, asked.near, asked.within) for number, _ in readings)


_CREDIT: dict[type, Callable[..., float]] = {
    ANumber: _number, AQuantity: _quantity, AnExpression: _expression, Values: _values,
    Digits: _whole, Near: _whole,
    AWord: lambda asked, text: float(_find_names(asked, text) == {asked.value}),
    NumberRow: lambda asked, text: row_share(text, asked.values, asked.names),
}  # fmt: skip


def _after_equals(text: str) -> str:
    """What a calculation comes to, less what it is about."""
    text = re.split(r"[≈→]", text.split("=")[-1] if "=" in text else text)[0]
    return re.sub(r"\s\(.*[a-z]{4,}.*\)$", "", text).strip()


_FREE = 2  # digits that anybody gets right: one at each end
_LONGEST_ROW = 400  # characters of a row that are read
_INTEGER = re.compile(r"(?<![\w.])([-+]?\d+)(?:\.0+)?(?![\w%^/]|\.\d)")


def ends(given: Fraction, wanted: int, near: float) -> float:
    """1 for the number; else up to `near` for right digits at its end and, if as long, at its start."""
    if given == wanted:
        return 1.0
    if given.denominator != 1 or (given < 0) != (wanted < 0):
        return 0.0
    there, asked = str(abs(given.numerator)), str(abs(wanted))
    right = _same(there[::-1], asked[::-1])
    if len(there) == len(asked):
        right += _same(there, asked)
    return near * max(0, right - _FREE) / max(1, len(asked) - _FREE)


def _same(there: str, asked: str) -> int:
    """How many characters two texts begin with in common."""
    for at, (one, other) in enumerate(zip(there, asked, strict=False)):
        if one != other:
            return at
    return min(len(there), len(asked))


def distance(given: Fraction, wanted: int, near: float, within: float) -> float:
    """1 for the number; else up to `near`, falling with the distance to 0 at the share `within`."""
    if given == wanted:
        return 1.0
    if not wanted:
        return 0.0
    return near * max(0.0, 1 - float(abs(given - wanted) / abs(wanted)) / within)


def row_share(text: str, wanted: Sequence[int], names: Sequence[str]) -> float:
    """The share of right numbers, by their names if each stands before a number, else in order.

    More numbers than were asked for are a list of candidates, and earn nothing.
    """
    text = text[:_LONGEST_ROW]
    given = [int(number) for number in _INTEGER.findall(text)]
    if len(given) > len(wanted):
        return 0.0
    named = [
        re.search(
            rf"(?<!\w){re.escape(name)}(?!\w)[^\w+-]{{0,6}}(?:(?:has|is)\s)?(?P<number>[-+]?\d+)",
            text,
            re.IGNORECASE,
        )
        for name in names
    ]
    if names and all(named):
        given = [int(found["number"]) for found in named if found]
    return sum(one == other for one, other in zip(given, wanted, strict=False)) / len(wanted)


def warm() -> None:
    """Load algebra and units, and fill the tables they make at the first question."""
    for text in (r"\frac{1}{2}", "sqrt(2)/2", r"\sqrt{2}"):
        same_expression(text, "1/2", ())
    in_unit(Fraction(90), "km/h", "m/s")

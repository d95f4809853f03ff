"""Math & Reasoning, graded: the final value behind each label, compared as a number, unit or expression, never as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

import msgspec

from probatio.builtin.daily.math_reasoning.algebra import same_expression
from probatio.builtin.daily.math_reasoning.final import final_values
from probatio.builtin.daily.math_reasoning.numbers import Number, exact, rounds
from probatio.builtin.daily.math_reasoning.partial import distance, ends, row_share
from probatio.builtin.daily.math_reasoning.readings import has_digit, readings_of
from probatio.builtin.daily.math_reasoning.units import in_unit, same_unit
from probatio.extras import require
from probatio.grade.check_result import CheckResult, Part
from probatio.sandbox import Choice
from probatio.suite.daily_suite import Case

# Here and not beside the lazy imports: an answer must never count as wrong because a reader of answers is missing.
require("mpmath", "pint")


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """What stands behind one letter."""

    label: str
    name: str
    value: str = ""
    weight: float = 1.0
    rung: int = 0


class ANumber(Answer, frozen=True, tag="number"):
    """An exact number. `bare_percent`: the question asks for percent, so a number without the sign is meant so."""

    bare_percent: bool = False
    rounded: float = 0.5
    """Credit for the right value, rounded to three decimals or more, where it has no end."""


class AQuantity(Answer, frozen=True, tag="quantity"):
    """A number with its unit; other units of the same kind are as good, unless the question asks for this one."""

    unit: str = ""
    this_unit: bool = False
    places: int | None = None
    """Decimals that suffice where the exact value has no end."""
    missing_unit: float = 0.5
    wrong_unit: float = 0.25


class AnExpression(Answer, frozen=True, tag="expression"):
    variables: tuple[str, ...] = ()
    roots: bool = False
    """Asked for in square roots: a sine of the right value says nothing."""


class Values(Answer, frozen=True, tag="values"):
    """Several numbers, in any order."""

    values: tuple[str, ...] = ()


class AWord(Answer, frozen=True, tag="word"):
    """One of several names."""

    options: tuple[str, ...] = ()


class Digits(Answer, frozen=True, tag="digits"):
    """A long whole number. A wrong one earns up to `near` for the digits that are right at its two ends."""

    near: float = 0.5


class Near(Answer, frozen=True, tag="near"):
    """A count. A wrong one earns up to `near`, less the further off it is, and nothing from `within` (a share of it) on."""

    near: float = 0.3
    within: float = 0.1


class Row(Answer, frozen=True, tag="row"):
    """Several whole numbers in their order, or each behind its name; each earns its share."""

    values: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answers: tuple[ANumber | AQuantity | AnExpression | Values | AWord | Digits | Near | Row, ...]


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """Every value the case asks for; of several values for one letter, the last is the answer."""
    gold = msgspec.convert(case.gold, Gold)
    values = final_values(answer, [asked.label for asked in gold.answers])
    parts = tuple(_part(asked, values[asked.label]) for asked in gold.answers)
    note = None if any(values.values()) else "The answer has no line that begins with one of the letters asked for."
    return CheckResult(parts, note=note)


def _part(asked: Answer, candidates: list[str]) -> Part:
    final = next((text for text in candidates if _holds_a_value(asked, text)), None)
    wanted = asked.value or ", ".join(map(str, getattr(asked, "values", ())))
    wanted += f" {asked.unit}" if isinstance(asked, AQuantity) else ""
    if final is None:
        return Part(f"{asked.label}: {asked.name}", 0.0, f"{wanted} expected, nothing there", asked.weight, asked.rung)
    credit = _CREDIT[type(asked)](asked, final)
    detail = "" if credit == 1 else f"{wanted} expected, {final[:120]!r} there"
    return Part(f"{asked.label}: {asked.name}", credit, detail, asked.weight, asked.rung)


def _holds_a_value(asked: Answer, text: str) -> bool:
    if isinstance(asked, AWord):
        return bool(_named(asked, text))
    return isinstance(asked, AnExpression) or has_digit(text)


def _number(asked: ANumber, text: str) -> float:
    """As good as the worst of the candidates, so that naming several gains nothing."""
    value = exact(asked.value)
    assert value is not None, f"the gold {asked.value!r} is no number"
    readings = readings_of(text)
    if readings is None or _unfinished(value, readings[0][0]):
        return 0.0
    return min(_number_credit(asked, value, number) for number, _ in readings)


def _unfinished(value: Fraction, number: Number) -> bool:
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
    if readings is None or _unfinished(value, readings[0][0]):
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


def _word(asked: AWord, text: str) -> float:
    return float(_named(asked, text) == {asked.value})


def _named(asked: AWord, text: str) -> set[str]:
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


def _row(asked: Row, text: str) -> float:
    return row_share(text, asked.values, asked.names)


_CREDIT: dict[type, Callable[..., float]] = {
    ANumber: _number, AQuantity: _quantity, AnExpression: _expression, Values: _values, AWord: _word,
    Digits: _whole, Near: _whole, Row: _row,
}  # fmt: skip


def _after_equals(text: str) -> str:
    """What a calculation comes to, less what it is about."""
    text = re.split(r"[≈→]", text.split("=")[-1] if "=" in text else text)[0]
    return re.sub(r"\s\(.*[a-z]{4,}.*\)$", "", text).strip()

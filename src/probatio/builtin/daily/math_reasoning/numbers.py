"""Numbers as people and models write them, read into exact fractions with their units."""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec

from probatio.builtin.daily.math_reasoning.units import in_unit, unit

_DIGITS = 64  # 40 digits with their thousands separated
_MOST = 20  # numbers in one final value: who gives more gives a list of candidates
_LONGEST_STEPS = 100  # characters of "2 hours, 12 minutes and 30 seconds"

_GROUPED = r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?:[ '’]\d{3})+(?!\d)(?:\.\d+)?"
_DOTTED = r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}(?!\d)"  # 1.234,5 and 1.234.567: no other reading
_COMMA = r"0,\d+|\d+,(?:\d{1,2}|\d{4,})(?!\d)"  # 2,5: a comma before three digits would be one of thousands
_NUMBER = rf"(?:{_DOTTED}|{_GROUPED}|{_COMMA}|\d+(?:\.\d+)?|\.\d+)"
_BRACED = r"\{{\s*(?P<{name}>[-+]?{number})\s*\}}"
_OVER, _UNDER = (_BRACED.format(name=name, number=_NUMBER) for name in ("over", "under"))
_FRACTION = rf"\\frac\s*(?:{_OVER}\s*{_UNDER}|(?P<o>\d)\s*(?P<u>\d))"
_POWER_OF_TEN = (
    r"\s*\*\s*10\s*\^\s*(?:\{\s*(?P<braced>-?\d{1,2})\s*\}|(?P<power>-?\d{1,2}))|[eE](?P<e>[-+]?\d{1,2})\b"
)
_VALUE = re.compile(
    rf"(?P<sign>[-+])?\s*(?:(?:(?P<whole>\d+)\s+)?(?P<a>\d+)\s*/\s*(?P<b>\d+)(?!\d)|(?P<mixed>\d+)?\s*{_FRACTION}"
    rf"|(?P<top>{_NUMBER})(?:\s*/\s*(?P<bottom>{_NUMBER})|{_POWER_OF_TEN})?)"
    r"(?:\s*(?P<percent>%|per\s?cent\b))?"
)


class Number(msgspec.Struct, frozen=True):
    """A number as it was written."""

    value: Fraction
    decimals: int | None = None
    """Digits behind the point it shows; None for a fraction."""
    percent: bool = False
    ratio: bool = False
    """Written as one number over another."""


def read_leading(text: str) -> tuple[Number, str] | None:
    """The number a text begins with, and what follows it."""
    match = _VALUE.match(text)
    if match is None or len(match[0]) > _DIGITS:
        return None
    decimals: int | None = None
    over, under = match["over"] or match["o"], match["under"] or match["u"]
    if match["b"]:
        value = _ratio(match["a"], match["b"])
    elif under:
        value = _ratio(over, under)
    elif match["bottom"]:
        value = _ratio(match["top"], match["bottom"])
    else:
        digits = _western(match["top"])
        power = int(match["braced"] or match["power"] or match["e"] or 0)
        value = Fraction(digits) * Fraction(10) ** power
        decimals = max(0, len(digits.partition(".")[2]) - power)
    if value is None:
        return None
    value += int(match["whole"] or match["mixed"] or 0)
    if match["sign"] == "-":
        value = -value
    percent = match["percent"] is not None
    if percent:
        value /= 100
        decimals = None if decimals is None else decimals + 2
    return Number(value, decimals, percent, ratio=decimals is None), text[match.end() :]


def exact(text: str) -> Fraction | None:
    """The value of a text that is one number and nothing else."""
    number = read_leading(text.strip())
    return number[0].value if number and not number[1].strip() else None


def rounds(number: Number, value: Fraction, places: int) -> bool:
    """Whether a decimal that shows at least `places` digits is the value rounded to the digits it shows."""
    if number.decimals is None or number.decimals < places:
        return False
    return abs(number.value - value) <= Fraction(1, 2 * 10**number.decimals)


def _ratio(over: str, under: str) -> Fraction | None:
    below = Fraction(_western(under))
    return Fraction(_western(over)) / below if below else None


def _western(digits: str) -> str:
    """The digits with a point for decimals and nothing for thousands."""
    sign = digits[:1] if digits[:1] in "+-" else ""
    digits = digits.removeprefix(sign) if sign else digits
    if re.fullmatch(_DOTTED, digits):
        return sign + digits.replace(".", "").replace(",", ".")
    if re.fullmatch(_GROUPED, digits):
        return sign + re.sub(r"[, '’]", "", digits)
    return sign + digits.replace(",", ".")


_CANDIDATES = re.compile(r"\bor\b|\band\b|;|,\s")
_REMARK = re.compile(r"(?<=[%€}\w])\s+\(([^()]*)\)")
_WORDS_BEFORE = re.compile(r"[A-Za-z'’:,~<>≤≥€$£*.\s]*?(?=[-+]?\s?(?:\.?\d|\\frac))")


def has_digit(text: str) -> bool:
    return any(sign.isdigit() for sign in text)


def readings_of(text: str, units: bool = False) -> list[tuple[Number, str]] | None:
    """Every number in a final value with the unit behind it; None if something can't be read as a number.

    A rounding next to an exact value (855/11 ≈ 77.73 km/h) is no second candidate, but may bring the unit.
    """
    parts = [part for part in text.split("≈") if has_digit(part)]
    readings = _numbers_in(parts[0], units) if parts else None
    if readings and len(parts) > 1 and not any(given for _, given in readings):
        rounding = _numbers_in(parts[-1], units)
        return [(number, rounding[-1][1]) for number, _ in readings] if rounding else readings
    return readings


def _numbers_in(text: str, units: bool) -> list[tuple[Number, str]] | None:
    readings: list[tuple[Number, str]] = []
    text = _right_side(text)
    remarks = [remark for remark in _REMARK.finditer(text) if has_digit(text[: remark.start()])]
    value = text[: remarks[0].start()] + text[remarks[-1].end() :] if remarks else text
    for block in (value, *(remark[1] for remark in remarks)):
        block = block.split("=")[-1]
        if units and (whole := _read_steps(block)):
            readings.append(whole)
            continue
        for piece in filter(has_digit, _CANDIDATES.split(block)):
            read = _one(piece, units)
            if read is None:
                return None
            readings.append(read)
            if len(readings) > _MOST:
                return None
    return readings or None


def _right_side(text: str) -> str:
    """What stands after the last equals sign outside of brackets, if that has a number."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if text[at] == "=" and depth == 0:
            return text[at + 1 :] if has_digit(text[at + 1 :]) else text
    return text


def _one(piece: str, units: bool) -> tuple[Number, str] | None:
    """The one number in a piece of text, with the unit behind it; words may stand before it."""
    begin = _WORDS_BEFORE.match(piece)
    read = read_leading(piece[begin.end() :].strip()) if begin else None
    if read is None:
        return None
    number, rest = read
    if not units and re.match(r"[A-Za-z]\b", rest):
        return None  # 12x
    rest = re.sub(r"\\frac\s*\{([A-Za-z ]+)\}\s*\{([A-Za-z ]+)\}", r"\1/\2", rest)
    rest = re.sub(r"\s*\b([A-Za-z]+)\s?\^\s?(?:-1|\{-1\})", r"/\1", rest).strip(" .*`")
    squared = r"(?<=[A-Za-z])\^?[23]\b" if units else r"(?<=[A-Za-z]{2})\^?[23]\b"  # cm^2, but not x^2
    left = re.sub(squared, "", rest)
    if has_digit(left) or left.startswith(("!", "^")):
        return None
    return number, _unit_words(rest) if units else ""


def _unit_words(rest: str) -> str:
    """The unit at the beginning of some words: all of them, or as many as make one."""
    if not rest or unit(rest) is not None:
        return rest
    words = rest.split()
    for count in range(min(4, len(words) - 1), 0, -1):
        if unit(" ".join(words[:count])) is not None:
            return " ".join(words[:count])
    return rest


_STEP = re.compile(r"\s*(?:,|and)?\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[A-Za-z]+)")


def _read_steps(text: str) -> tuple[Number, str] | None:
    """2 h 12 min: one quantity in steps of ever smaller units."""
    text = text.strip()
    if len(text) > _LONGEST_STEPS:
        return None
    steps = list(_STEP.finditer(text))
    if len(steps) < 2 or len(steps) > 3 or "".join(step[0] for step in steps) != text:
        return None
    smallest = steps[-1]["unit"]
    total, above = Fraction(0), None
    for step in steps:
        size = in_unit(Fraction(1), step["unit"], smallest)
        if size is None or (above is not None and size >= above):
            return None
        total, above = total + Fraction(step["number"]) * size, size
    return Number(total), smallest

"""Numbers as people and models write them, read into exact fractions: signs, thousands, decimals, fractions, percent."""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec

_DIGITS = 64  # 40 digits with their thousands separated

_GROUPED = r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?:[ '’]\d{3})+(?!\d)(?:\.\d+)?"
_DOTTED = r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}(?!\d)"  # 1.234,5 and 1.234.567: no other reading
_COMMA = r"0,\d+|\d+,(?:\d{1,2}|\d{4,})(?!\d)"  # 2,5: a comma before three digits would be one of thousands
_NUMBER = rf"(?:{_DOTTED}|{_GROUPED}|{_COMMA}|\d+(?:\.\d+)?|\.\d+)"
_BRACED = r"\{{\s*(?P<{name}>[-+]?{number})\s*\}}"
_OVER, _UNDER = (_BRACED.format(name=name, number=_NUMBER) for name in ("over", "under"))
_FRACTION = rf"\\frac\s*(?:{_OVER}\s*{_UNDER}|(?P<o>\d)\s*(?P<u>\d))"
_POWER_OF_TEN = r"\s*\*\s*10\s*\^\s*(?:\{\s*(?P<braced>-?\d{1,2})\s*\}|(?P<power>-?\d{1,2}))|[eE](?P<e>[-+]?\d{1,2})\b"
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


def leading(text: str) -> tuple[Number, str] | None:
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
    number = leading(text.strip())
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

"""Values as people write them: numbers with any separators, days in any clear form, text without case."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from datetime import date
from typing import Any

from probatio.builtin.daily.reading.figures import MONTHS
from probatio.builtin.daily.reading.folding import fold_letters

MAGNITUDES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_MONTHS = {name: at for at, month in enumerate(MONTHS, 1) for name in (month, month[:3])} | {"sept": 9}
_CURRENCY = re.compile(r"[$€£¥]|\b(?:usd|eur|gbp|chf|dkk|sek|nok|euros?|dollars?|pounds?)\b", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?P<sign>[-+−–]?)\s*(?P<digits>\d[\d.,'’\s]*)\s*(?P<percent>%|percent|per cent)?\s*"
    rf"(?P<magnitude>(?:{'|'.join(MAGNITUDES)})\b)?\.?",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+", re.UNICODE)


def fold_text(text: str) -> str:
    """Text without case, spacing, quotes round it and punctuation at its end."""
    flat = " ".join(unicodedata.normalize("NFKC", fold_letters(text)).casefold().split())
    flat = flat.replace("’", "'").replace("–", "-").replace("—", "-")
    return flat.strip("\"'`*“”„ ").rstrip(".,;:!").strip("\"'`*“”„ ")


def overlap(answer: str, gold: str) -> float:
    """How much of the words two texts share: the F1 of their words."""
    left, right = Counter(_WORD.findall(fold_text(answer))), Counter(_WORD.findall(fold_text(gold)))
    shared = (left & right).total()
    return 2 * shared / (left.total() + right.total()) if shared else 0.0


def number(value: Any) -> float | None:
    """The one number that is the whole of `value`; None if it holds none, several, or anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _finite(value)
    if not isinstance(value, str) or len(value) > 60:
        return None
    text = _CURRENCY.sub("", unicodedata.normalize("NFKC", fold_letters(value))).strip()
    negative = text.startswith("(") and text.endswith(")")
    match = _FIGURE.fullmatch(text.strip("()").strip() if negative else text)
    if match is None or (amount := _amount(match["digits"])) is None:
        return None
    amount *= MAGNITUDES[match["magnitude"].lower()] if match["magnitude"] else 1
    return -amount if negative or match["sign"] in {"-", "−", "–"} else amount


def _finite(value: int | float) -> float | None:
    try:
        read = float(value)
    except OverflowError:
        return None
    return read if abs(read) < 1e300 else None


def _amount(digits: str) -> float | None:
    """1,234.5 and 1.234,5 and 1 234,5 and 1'234.5; one comma may separate thousands, one point never."""
    text = digits.strip().rstrip(".,")
    if re.search(r"[\s'’]", text):
        if not re.fullmatch(r"\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d+)?", text):
            return None
        text = re.sub(r"[\s'’]", "", text)
        return float(text.replace(",", "."))
    for group, point in ((",", "."), (".", ",")):
        if re.fullmatch(rf"\d{{1,3}}(?:\{group}\d{{3}})+\{point}\d+", text):
            return float(text.replace(group, "").replace(point, "."))
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", text) or re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", text):
        return float(text.replace(",", "").replace(".", ""))
    if re.fullmatch(r"\d+(?:[.,]\d+)?", text):
        return float(text.replace(",", "."))
    return None


_DAY_FORMS = (
    re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})"),
    re.compile(r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})"),
    re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?(?:\s+of)?\s+(?P<name>[a-z]+)\.?,?\s+(?P<year>\d{4})"),
    re.compile(r"(?P<name>[a-z]+)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})"),
)
_SLASHED = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_WEEKDAY = re.compile(r"^(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?,?\s+", re.IGNORECASE)


def is_iso(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value.strip()) is not None


def day(value: Any) -> date | None:
    """The day `value` names; None if it names none or could be read as two (03/04/2024)."""
    if not isinstance(value, str) or len(value) > 60:
        return None
    text = _WEEKDAY.sub("", fold_text(value))
    text = re.sub(r"t\d\d:\d\d.*$", "", text)
    for form in _DAY_FORMS:
        if match := form.fullmatch(text):
            parts = match.groupdict()
            month = _MONTHS.get(parts["name"]) if "name" in parts else int(parts["month"])
            return _date(int(parts["year"]), month or 0, int(parts["day"]))
    if match := _SLASHED.fullmatch(text):
        first, second, year = (int(part) for part in match.groups())
        if first > 12 or first == second:
            return _date(year, second, first)
        if second > 12:
            return _date(year, first, second)
    return None


def _date(year: int, month: int, number_: int) -> date | None:
    try:
        return date(year, month, number_)
    except ValueError:
        return None

"""Reads a final value: every number in it with its unit; tells candidates, remarks and roundings apart."""

from __future__ import annotations

import re
from fractions import Fraction

from probatio.builtin.daily.math_reasoning.numbers import Number, leading
from probatio.builtin.daily.math_reasoning.units import in_unit, unit

_CANDIDATES = re.compile(r"\bor\b|\band\b|;|,\s")
_REMARK = re.compile(r"(?<=[%€}\w])\s+\(([^()]*)\)")
_WORDS_BEFORE = re.compile(r"[A-Za-z'’:,~<>≤≥€$£*.\s]*?(?=[-+]?\s?(?:\.?\d|\\frac))")


def has_digit(text: str) -> bool:
    return any(sign.isdigit() for sign in text)


def readings_of(text: str, units: bool = False) -> list[tuple[Number, str]] | None:
    """Every number in a final value with the unit behind it; None where something can't be read as a number.

    A rounding beside an exact value (855/11 ≈ 77.73 km/h) is no second candidate, but may bring the unit.
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
        if units and (whole := _composed(block)):
            readings.append(whole)
            continue
        for piece in filter(has_digit, _CANDIDATES.split(block)):
            read = _one(piece, units)
            if read is None:
                return None
            readings.append(read)
    return readings or None


def _right_side(text: str) -> str:
    """What stands behind the last equals sign outside of brackets, if there is a number: brackets before it are no remarks."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if text[at] == "=" and depth == 0:
            return text[at + 1 :] if has_digit(text[at + 1 :]) else text
    return text


def _one(piece: str, units: bool) -> tuple[Number, str] | None:
    """The one number in a piece of text, with the unit behind it; words may stand before it."""
    begin = _WORDS_BEFORE.match(piece)
    read = leading(piece[begin.end() :].strip()) if begin else None
    if read is None:
        return None
    number, rest = read
    if not units and re.match(r"[A-Za-z]\b", rest):
        return None  # 12x
    rest = re.sub(r"\\frac\s*\{([A-Za-z ]+)\}\s*\{([A-Za-z ]+)\}", r"\1/\2", rest)
    rest = re.sub(r"\s*\b([A-Za-z]+)\s?\^\s?(?:-1|\{-1\})", r"/\1", rest).strip(" .*`")
    left = re.sub(r"(?<=[A-Za-z])\^?[23]\b" if units else r"(?<=[A-Za-z]{2})\^?[23]\b", "", rest)  # cm^2, but not x^2
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


def _composed(text: str) -> tuple[Number, str] | None:
    """2 h 12 min: one quantity in steps of ever smaller units."""
    text = text.strip()
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

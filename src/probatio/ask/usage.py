"""Usage: what a reply says of its tokens and its price, and whether that can be believed.

The answer beside it is paid for and is kept whatever its usage says. What can't be believed is left out, and the fault is told.
"""

from __future__ import annotations

from typing import Any

import msgspec

MOST_TOKENS = 10_000_000
"""Tokens of one request or answer; the longest context on offer takes a tenth."""

MOST_DOLLARS = 1_000.0
"""The price of one answer; a hundred times the dearest one."""

NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
"""What some servers write where JSON has no word; `chat.py` reads them as texts."""


class Usage(msgspec.Struct, frozen=True):
    """What a reply says of itself; zero tokens and no cost where it does not say, or can't be believed."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    fault: str | None = None


def read_usage(raw: msgspec.Raw | bytes) -> Usage:
    """The usage of a reply, from its own bytes: nothing in there can spoil the answer."""
    if not bytes(raw):
        return Usage()
    try:
        given = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Usage(fault="the usage can't be read")
    if given is None:
        return Usage()
    if not isinstance(given, dict):
        return Usage(fault="the usage is not an object")
    faults: list[str] = []
    tokens_in = _tokens("prompt_tokens", given, faults)
    tokens_out = _tokens("completion_tokens", given, faults)
    cost = _dollars("cost", given, faults)
    return Usage(tokens_in, tokens_out, cost, "; ".join(faults) or None)


def believable(cost: float | None) -> float | None:
    """A cost as it may be counted: None in place of one that no answer has, and NaN is none."""
    return cost if cost is not None and 0 <= cost <= MOST_DOLLARS else None


def _tokens(name: str, given: dict[str, Any], faults: list[str]) -> int:
    value = given.get(name)
    if value is None:
        return 0
    if _is_number(value) and 0 <= value <= MOST_TOKENS and value == int(value):
        return int(value)
    faults.append(f"{name} is {_told(value)}")
    return 0


def _dollars(name: str, given: dict[str, Any], faults: list[str]) -> float | None:
    value = given.get(name)
    if value is None:
        return None
    if _is_number(value) and believable(value) is not None:
        return abs(float(value))  # −0.0 is nothing, too
    faults.append(f"{name} is {_told(value)}")
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _told(value: Any) -> str:
    if value in NO_NUMBERS:
        return str(value)
    if not _is_number(value):
        return {str: "a text", bool: "true or false", list: "a list", dict: "an object"}.get(type(value), "no number")
    told = str(value)
    return told if len(told) <= 24 else f"a number of {len(told)} characters"

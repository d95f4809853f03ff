"""Prices: the tokens and the price in a reply, as far as they are plausible, and what an answer cost.

The answer is paid for and is kept whatever its usage says. An impossible number is left out, with a note. The
cost is the one in the reply, else it is computed by the prices in models.yml.
"""

from __future__ import annotations

from typing import Any

import msgspec

from probatio.ask.providers import provider_of
from probatio.core.jsonfile import decode
from probatio.core.records import Answer, Model


def cost_of(model: Model, tokens_in: int, tokens_out: int, reported: float | None = None) -> float | None:
    """US dollars; None if neither the reply nor the price list has a price."""
    if reported is not None:
        return reported
    if provider_of(model).free:
        return 0.0
    if model.cost_per_1m_input is None or model.cost_per_1m_output is None:
        return None
    return (tokens_in * model.cost_per_1m_input + tokens_out * model.cost_per_1m_output) / 1_000_000


def cost_of_answer(model: Model, answer: Answer) -> float | None:
    """What an answer cost; None if the price is unknown, or by tokens and the reply does not count them.

    Every answer takes tokens: a server that does not count them is not free.
    """
    if (
        answer.cost is not None
        or provider_of(model).free
        or not (model.cost_per_1m_input or model.cost_per_1m_output)
    ):
        return cost_of(model, answer.tokens_in, answer.tokens_out, answer.cost)
    if not answer.tokens_in or (answer.text and not answer.tokens_out):
        return None
    return cost_of(model, answer.tokens_in, answer.tokens_out)


MOST_TOKENS = 10_000_000
"""Tokens of one request or answer; the longest context on offer takes a tenth."""

MOST_DOLLARS = 1_000.0
"""The price of one answer; a hundred times the dearest one."""

NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
"""What some servers write and JSON does not know; `chat.py` reads them as texts."""


class Usage(msgspec.Struct, frozen=True):
    """Tokens and cost; zero tokens and no cost if the reply does not say, or says something impossible."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    fault: str | None = None


def read_usage(raw: msgspec.Raw | bytes) -> Usage:
    """The usage of a reply, from its own bytes: nothing in there can spoil the answer."""
    if not bytes(raw):
        return Usage()
    try:
        given = decode(bytes(raw))
    except msgspec.DecodeError:
        return Usage(fault="the usage can't be read")
    if given is None:
        return Usage()
    if not isinstance(given, dict):
        return Usage(fault="the usage is not an object")
    faults: list[str] = []
    tokens_in = _read_tokens("prompt_tokens", given, faults)
    tokens_out = _read_tokens("completion_tokens", given, faults)
    cost = _read_dollars("cost", given, faults)
    return Usage(tokens_in, tokens_out, cost, "; ".join(faults) or None)


def check_cost(cost: float | None) -> float | None:
    """The cost; None for one that no answer can have. NaN counts as missing."""
    return cost if cost is not None and 0 <= cost <= MOST_DOLLARS else None


def _read_tokens(name: str, given: dict[str, Any], faults: list[str]) -> int:
    value = given.get(name)
    if value is None:
        return 0
    if _is_number(value) and 0 <= value <= MOST_TOKENS and value == int(value):
        return int(value)
    faults.append(f"{name} is {_describe(value)}")
    return 0


def _read_dollars(name: str, given: dict[str, Any], faults: list[str]) -> float | None:
    value = given.get(name)
    if value is None:
        return None
    if _is_number(value) and check_cost(value) is not None:
        return abs(float(value))  # −0.0 is nothing, too
    faults.append(f"{name} is {_describe(value)}")
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _describe(value: Any) -> str:
    if value in NO_NUMBERS:
        return str(value)
    if not _is_number(value):
        return {str: "a text", bool: "true or false", list: "a list", dict: "an object"}.get(
            type(value), "no number"
        )
    text = str(value)
    return text if len(text) <= 24 else f"a number of {len(text)} characters"

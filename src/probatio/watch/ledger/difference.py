"""The first difference between what is recorded and what is computed again, named by its path."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

TOLERANCE = 1e-9
"""Relative. Sums in another order, or another machine's exp, differ in the last digits; nothing else may."""


class Unequal(NamedTuple):
    """One place where two records differ."""

    path: str
    stored: Any
    computed: Any

    def __str__(self) -> str:
        return (
            f"{self.path} is {_format_value(self.stored)}, computed again it is "
            f"{_format_value(self.computed)}"
        )


def first_difference(stored: object, computed: object) -> Unequal | None:
    """Where two records (or lists, mappings and numbers) first differ, or None if they are equal."""
    # Nearly always: the long way is for those that differ.
    if type(stored) is type(computed) and stored == computed:
        return None
    return next(_differences(msgspec.to_builtins(stored), msgspec.to_builtins(computed), ""), None)


def _differences(stored: Any, computed: Any, path: str) -> Iterator[Unequal]:
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key in dict.fromkeys([*stored, *computed]):
            yield from _differences(stored.get(key), computed.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(stored, list | tuple) and isinstance(computed, list | tuple):
        for place in range(max(len(stored), len(computed))):
            old, new = (side[place] if place < len(side) else None for side in (stored, computed))
            yield from _differences(old, new, f"{path}[{_label(stored, computed, place)}]")
    elif not _same(stored, computed):
        yield Unequal(path or "the record", stored, computed)


def _label(stored: Any, computed: Any, place: int) -> str:
    """The name of a list's item if it has one, else its place."""
    held = (stored if place < len(stored) else computed)[place]
    if isinstance(held, dict):
        for key in ("use_case", "model", "name"):
            if isinstance(held.get(key), str):
                return str(held[key])
    return str(place)


def _same(stored: Any, computed: Any) -> bool:
    if isinstance(stored, float) or isinstance(computed, float):
        numbers = isinstance(stored, int | float) and isinstance(computed, int | float)
        return numbers and math.isclose(stored, computed, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(stored == computed)


def _format_value(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 120 else f"{text[:117]}…"

"""Values as they come back from the jail: plain builtin types, compared strictly."""

from __future__ import annotations

import math
from typing import Any

import msgspec

_CLOSE = 1e-9  # how far a float may be from the expected one, relative and absolute


class Opaque(msgspec.Struct, frozen=True):
    """Something that is no plain value: an object of a class, a function, a generator."""

    kind: str


def decode(data: Any) -> Any:
    """The value the driver wrote as JSON. Raises ValueError, TypeError or KeyError for what the driver never
    writes."""
    if isinstance(data, list):
        return [decode(one) for one in data]
    if not isinstance(data, dict):
        return data
    ((tag, inner),) = data.items()
    return _TAGS[tag](inner)


_TAGS: dict[str, Any] = {
    "tuple": lambda inner: tuple(decode(one) for one in inner),
    "set": lambda inner: {decode(one) for one in inner},
    "dict": lambda inner: {decode(key): decode(value) for key, value in inner},
    "bytes": bytes.fromhex,
    "float": float,
    "other": lambda inner: Opaque(str(inner)[:80].encode("utf-8", "replace").decode("utf-8")),
}


def same(expected: Any, got: Any) -> bool:
    """Whether `got` is the expected value: same kind of container, True is not 1, floats within rounding, 2
    may be 2.0."""
    if isinstance(expected, bool) or isinstance(got, bool) or expected is None or got is None:
        return expected is got
    if isinstance(expected, int | float) and isinstance(got, int | float):
        return _same_number(expected, got)
    if type(expected) is not type(got):
        return False
    if isinstance(expected, list | tuple):
        return len(expected) == len(got) and all(map(same, expected, got))
    if isinstance(expected, dict):
        return expected.keys() == got.keys() and all(same(value, got[key]) for key, value in expected.items())
    return bool(expected == got)


def _same_number(expected: float, got: float) -> bool:
    if isinstance(expected, int) and isinstance(got, int):
        return expected == got
    try:
        return math.isclose(expected, got, rel_tol=_CLOSE, abs_tol=_CLOSE)
    except OverflowError:
        return False

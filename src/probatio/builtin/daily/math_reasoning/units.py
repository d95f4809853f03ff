"""Units, by pint: 90 km/h is 25 m/s. A text that names no unit is something else than a wrong unit."""

from __future__ import annotations

import functools
import re
import threading
from fractions import Fraction
from typing import Any

# pint evaluates what it is given, so only products and quotients of a few words, squared or cubed, reach it.
_WORD = r"[A-Za-zµ]{1,20}(?:\s?\^?\s?[23])?"
_UNIT = re.compile(rf"{_WORD}(?:\s*(?:/|\*|\bper\b|\s)\s*{_WORD}){{0,3}}")
_SPELT = {
    "kmh": "km/h", "kph": "km/h", "kmph": "km/h", "mps": "m/s",
    "hrs": "h", "mins": "min", "secs": "s", "kms": "km",
}  # fmt: skip

_asking = threading.RLock()
"""Units of two registries can't be compared, so there must be one, and it fills its tables as it is asked."""


@functools.cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(non_int_type=Fraction)


def unit(text: str) -> Any | None:
    """The unit a text names; None if it names none."""
    with _asking:
        return _unit(text)


@functools.lru_cache(maxsize=512)
def _unit(text: str) -> Any | None:
    text = re.sub(r"[()]", "", text).strip(" .")
    if not _UNIT.fullmatch(text):
        return None
    text = re.sub(r"\s*\bper\b\s*", "/", _SPELT.get(text.lower(), text))
    for spelling in (text, text.lower()):
        try:
            named = _registry().Unit(spelling)
            # Logarithmic units (dB^2, km dB, octave) are parsed and fail only here, with errors of any kind.
            _registry().Quantity(Fraction(1), named).to_root_units()
        except Exception:  # pint has a dozen errors for what is no unit, its tokenizer's among them
            continue
        return named
    return None


def in_unit(value: Fraction, given: str, wanted: str) -> Fraction | None:
    """The value, given in one unit, in another; None if that can't be."""
    ours, theirs = unit(wanted), unit(given)
    if ours is None or theirs is None:
        return None
    with _asking:
        try:
            if not theirs.is_compatible_with(ours):
                return None
            return Fraction(_registry().Quantity(value, theirs).to(ours).magnitude)
        except Exception:  # a product with an offset unit (km °C) has a dimension but no conversion
            return None


def same_unit(given: str, wanted: str) -> bool:
    """Whether both name the very same unit, however they are written."""
    ours, theirs = unit(wanted), unit(given)
    return ours is not None and ours == theirs

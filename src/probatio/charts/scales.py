"""Scales: from a value to a place in the picture, and the ticks a reader expects on the way."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

import msgspec

EXPONENTS_FROM = 6
"""Powers of ten above this are written as powers: 10¹⁴ is read faster than 100,000,000,000,000."""


class Scale(msgspec.Struct, frozen=True):
    """A line from values (`low` to `high`) to pixels (`start` to `end`). A value beyond the ends is drawn at the end."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        low, high, here = self.low, self.high, min(self.high, max(self.low, value))
        if self.logarithmic:
            low, high, here = log10(low), log10(high), log10(here)
        share = (here - low) / (high - low) if high > low else 0.0
        return self.start + (self.end - self.start) * share


def slots(count: int, start: float, end: float) -> list[float]:
    """The middles of so many equal slots: a place for each day."""
    return [start + (end - start) * (number + 0.5) / count for number in range(count)]


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Ticks at round values (1, 2 or 5 times a power of ten) from `low` to `high`, with at most `most` steps (three or more)."""
    if high <= low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def decade_ticks(high: float, most: int) -> list[int]:
    """At most so many powers of ten from 10⁰ to `high`."""
    decades = floor(log10(high) + 1e-9)
    step = max(1, ceil((decades + 1) / most))
    return list(range(0, decades + 1, step))


def decade_label(power: int, highest: int) -> str:
    """A power of ten as markup: written out where the whole axis is short, else as 10 with a raised exponent."""
    if highest <= EXPONENTS_FROM:
        return f"{10**power:,}"
    return f'10<tspan dy="-4" font-size="8">{power}</tspan>'


def thinned(labels: Sequence[str], room: float, letter: float = 6.5, between: float = 18) -> list[int]:
    """Which of evenly spaced labels have room, by their number: every n-th from the first."""
    widest = letter * max(map(len, labels), default=0) + between
    step = max(1, ceil(len(labels) * widest / room))
    return list(range(0, len(labels), step))


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The places moved apart until neighbours have the gap between them, in the same order and within `low` and `high`."""
    order = sorted(range(len(places)), key=lambda number: places[number])
    moved = list(places)
    floor_of_next = low
    for number in order:
        moved[number] = max(places[number], floor_of_next)
        floor_of_next = moved[number] + gap
    ceiling_of_next = high
    for number in reversed(order):
        moved[number] = min(moved[number], ceiling_of_next)
        ceiling_of_next = moved[number] - gap
    return moved

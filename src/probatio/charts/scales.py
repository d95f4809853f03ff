"""Scales: from a value to a place in the picture; ticks and dates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from math import ceil, floor, log10

import msgspec

EXPONENTS_FROM = 6
"""Powers of ten above this are written as powers: 10¹⁴ is read faster than 100,000,000,000,000."""

_Fits = Callable[[date], bool]
_STEPS: tuple[tuple[_Fits, str], ...] = (
    (lambda _day: True, "{0.day} {0:%b}"),
    (lambda day: day.toordinal() % 2 == 0, "{0.day} {0:%b}"),
    (lambda day: day.weekday() == 0, "{0.day} {0:%b}"),
    (lambda day: day.toordinal() % 14 == 1, "{0.day} {0:%b}"),  # every other Monday
    (lambda day: day.day == 1, "{0:%b}"),
    (lambda day: day.day == 1 and day.month % 2 == 1, "{0:%b}"),
    (lambda day: day.day == 1 and day.month in (1, 4, 7, 10), "{0:%b}"),
    (lambda day: day.day == 1 and day.month in (1, 7), "{0:%b}"),
    (lambda day: day.day == 1 and day.month == 1, "{0.year}"),
)
"""Which days get a label, the closest first, and how it is written."""


class Scale(msgspec.Struct, frozen=True):
    """A line from values (`low` to `high`) to pixels (`start` to `end`). A value beyond an end is drawn at
    that end."""

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
    """The middles of `count` equal slots: a place for each day."""
    return [start + (end - start) * (number + 0.5) / count for number in range(count)]


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Ticks at round values (1, 2 or 5 times a power of ten) from `low` to `high`, with at most `most`
    steps (three or more)."""
    if high <= low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def amount_ticks(low: float, high: float, most: int) -> list[float]:
    """Round values of a logarithmic axis: 1, 2 and 5 times the powers of ten, of these 1 alone or every n-th
    power if they are more than `most`."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for times in ((1, 2, 5), (1, 3), (1,)):
        found = [each for power in powers for time in times if low <= (each := time * 10.0**power) <= high]
        if len(found) <= most:
            return found
    return found[:: ceil(len(found) / most)]


def decade_ticks(high: float, most: int) -> list[int]:
    """At most `most` powers of ten from 10⁰ to `high`."""
    decades = floor(log10(high) + 1e-9)
    step = max(1, ceil((decades + 1) / most))
    return list(range(0, decades + 1, step))


def decade_label(power: int, highest: int) -> str:
    """A power of ten in full if the whole axis is short, else as `10^9`, which `days` draws with a raised
    exponent."""
    return f"{10**power:,}" if highest <= EXPONENTS_FROM else f"10^{power}"


def thin_labels(labels: Sequence[str], room: float, letter: float = 6.5, between: float = 18) -> list[int]:
    """The numbers of the evenly spaced labels that have room: every n-th from the first."""
    widest = letter * max(map(len, labels), default=0) + between
    step = max(1, ceil(len(labels) * widest / room))
    return list(range(0, len(labels), step))


def date_ticks(dates: Sequence[str], most: int) -> tuple[tuple[int, str], ...]:
    """The numbers of at most `most` days with their labels. A January has its year. Empty if a date can't be
    read."""
    return _find_ticks(tuple(dates), most)


@lru_cache(maxsize=16)
def _find_ticks(dates: tuple[str, ...], most: int) -> tuple[tuple[int, str], ...]:
    """Kept, because all charts of a page have the same days."""
    try:
        days = [date.fromisoformat(each) for each in dates]
    except ValueError:
        return ()
    for fits, form in _STEPS:
        found = [number for number, day in enumerate(days) if fits(day)]
        if len(found) <= most:
            return tuple((number, _label(days[number], form)) for number in found)
    return ()


def _label(day: date, form: str) -> str:
    label = form.format(day)
    return f"{label} {day.year}" if form == "{0:%b}" and day.month == 1 else label

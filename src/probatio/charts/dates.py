"""Dates below a chart: as many as have room, on days people count by, written as people write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache

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


def date_ticks(dates: Sequence[str], most: int) -> tuple[tuple[int, str], ...]:
    """The numbers of at most so many days with their labels. A January says its year. None where a date is no date."""
    return _ticks(tuple(dates), most)


@lru_cache(maxsize=16)
def _ticks(dates: tuple[str, ...], most: int) -> tuple[tuple[int, str], ...]:
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

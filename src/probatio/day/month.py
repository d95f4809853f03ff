"""The month's cap: what a day may still cost, so that the days of a month together stay within it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.errors import Incomplete, Say
from probatio.store.spending import month_cost, month_of, next_month


class MonthBudget(msgspec.Struct, frozen=True):
    """A cap on a month of days, and what the other days of the month have cost. A day counts in the month of its date."""

    month: str
    cap: float
    others: float

    @property
    def left(self) -> float:
        """For this day, with what it has cost already."""
        return max(self.cap - self.others, 0.0)

    @property
    def used_up(self) -> bool:
        return self.left <= 0

    @property
    def sentence(self) -> str:
        return (
            f"The month's cap of ${self.cap:.2f} is reached: the other days of {self.month} have cost ${self.others:.2f}. "
            f"Nothing is asked until {next_month(self.month)}, unless you raise it (--max-month-cost, or `max_month_cost` under "
            f"`daily:` in models.yml)."
        )


def month_budget(results: Path, day: str, cap: float | None) -> MonthBudget | None:
    """None where there is no cap."""
    if cap is None:
        return None
    month = month_of(day)
    return MonthBudget(month, cap, month_cost(results, month, but=day))


def limited(month: MonthBudget | None, most: float | None, say: Say, *, asking: bool) -> float | None:
    """What the day may cost: `most`, and no more than is left of the month. A month that is used up ends the day here, unless it
    is only planned."""
    if month is None:
        return most
    if month.used_up:
        if asking:
            raise Incomplete(month.sentence)
        say(month.sentence)
    return month.left if most is None else min(month.left, most)


def spent_so_far(results: Path, day: str, cap: float | None) -> str:
    """The month's cost in one sentence, with the cap where there is one."""
    month = month_of(day)
    most = f", of at most ${cap:.2f}" if cap is not None else ""
    return f"{month} has cost ${month_cost(results, month):.2f} so far{most}."

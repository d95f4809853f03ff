"""The month's cap: what a day may still cost, so that the days of a month together stay within it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.core.errors import Incomplete, Say
from probatio.runs.store.spending import month_cost, month_of, next_month


class MonthBudget(msgspec.Struct, frozen=True):
    """A cap on the cost of a month, and what the other days have cost. A day counts in the month of its
    date."""

    month: str
    cap: float
    others: float

    @property
    def left(self) -> float:
        """What this day may cost in total."""
        return max(self.cap - self.others, 0.0)

    @property
    def used_up(self) -> bool:
        return self.left <= 0

    @property
    def sentence(self) -> str:
        return (
            f"The month's cap of ${self.cap:.2f} is reached: the other days of {self.month} have cost "
            f"${self.others:.2f}. Nothing is asked until {next_month(self.month)}, unless you raise it "
            "(--max-month-cost, or `max_month_cost` under `daily:` in models.yml)."
        )


def month_budget(results: Path, day: str, cap: float | None) -> MonthBudget | None:
    """The budget of the day's month, or None without a cap."""
    if cap is None:
        return None
    month = month_of(day)
    return MonthBudget(month, cap, month_cost(results, month, but=day))


def limit_day_cost(month: MonthBudget | None, most: float | None, say: Say, *, asking: bool) -> float | None:
    """What the day may cost: at most `most`, and at most what is left of the month. With nothing left the day
    ends here, unless it is only planned."""
    if month is None:
        return most
    if month.used_up:
        if asking:
            raise Incomplete(month.sentence)
        say(month.sentence)
    return month.left if most is None else min(month.left, most)


def describe_month_cost(results: Path, day: str, cap: float | None) -> str:
    """The month's cost in one sentence, and the cap if there is one."""
    month = month_of(day)
    most = f", of at most ${cap:.2f}" if cap is not None else ""
    return f"{month} has cost ${month_cost(results, month):.2f} so far{most}."

"""When a day runs: its hour and jitter, whether it is due, which days were missed. No clock in here: `now` is
an argument."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta

from probatio.core.errors import UsageError

_HOUR = re.compile(r"\d{2}:\d{2}(:\d{2})?")


def parse_hour(text: str) -> time:
    """`06:00` or `06:00:30` as an hour of the day in UTC."""
    try:
        hour = time.fromisoformat(text) if _HOUR.fullmatch(text) else None
    except ValueError:
        hour = None
    if hour is None:
        raise UsageError(
            f"--every {text}: write an hour of the day in UTC such as 06:00, or a length of time such as 12h."
        )
    return hour


def require_one_date(at: time, jitter: timedelta) -> None:
    """Refuse a start that may fall after midnight: chance would decide the date of the day."""
    latest = datetime.combine(date.min, at) + jitter
    if latest.date() > date.min:
        raise UsageError(
            f"--every {at:%H:%M} with that --jitter may start a day after midnight UTC, on the date of the "
            f"next."
        )


def is_due(now: datetime, at: time, closed: bool) -> bool:
    """Whether today's day should have run by now and has not."""
    return not closed and now.astimezone(UTC).time() >= at


def find_next_start(now: datetime, at: time, jitter: timedelta, chance: float) -> datetime:
    """The next start after `now`: the hour, and up to `jitter` later. `chance`, from 0 to 1, says how
    much."""
    now = now.astimezone(UTC)
    hour = datetime.combine(now.date(), at, UTC)
    if hour <= now:
        hour += timedelta(days=1)
    return hour + jitter * chance


def find_missed_days(closed: Collection[date], today: date) -> list[date]:
    """The days between the last closed one and today. A model can't be asked for them any more."""
    before = [day for day in closed if day < today]
    if not before:
        return []
    last = max(before)
    return [last + timedelta(days=number) for number in range(1, (today - last).days)]

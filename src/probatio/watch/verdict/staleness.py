"""How old a verdict may be. Past that age it is STALE, whatever it says: nothing old is shown as OK.

Pure: the moment comes in. Days that were replayed, simulated or imported are read as of their own last day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

import msgspec

from probatio.core.records import Day, DayRecord, ModelVerdict

MAX_AGE = timedelta(hours=36)
"""A day and a half: a day that is late by some hours is not stale, one that is missing is."""


def time_of(record: DayRecord) -> datetime:
    """When a day was asked: when it was begun, or its end if that was later."""
    end = datetime.fromisoformat(record.date).replace(tzinfo=UTC) + timedelta(days=1)
    try:
        begun = datetime.fromisoformat(record.created)
    except ValueError:
        return end
    return min(end, begun if begun.tzinfo else begun.replace(tzinfo=UTC))


def moment_of(days: Iterable[Day], now: datetime) -> datetime:
    """The moment to read these days at: now, or the last of them if no model was asked on its date."""
    last = max(days, key=lambda day: day.date)
    record = last.record
    return time_of(record) if record.replayed or record.simulated or record.imported else now


def goes_stale(record: DayRecord, limit: timedelta = MAX_AGE) -> datetime | None:
    """The moment from which answers of this day are too old; None if it is always read as of itself."""
    set_by_hand = record.replayed or record.simulated or record.imported
    return None if set_by_hand else time_of(record) + limit


def last_answered(days: Iterable[Day]) -> dict[str, Day]:
    """Model → the last day on which it gave an answer that was scored."""
    found: dict[str, Day] = {}
    for day in sorted(days, key=lambda day: day.date):
        found |= {
            model: day
            for model, lines in day.lines.items()
            if any(line.score is not None for line in lines.values())
        }
    return found


def mark_stale(
    verdict: ModelVerdict,
    answered: Mapping[str, Day],
    as_of: datetime,
    limit: timedelta = MAX_AGE,
    newest: str = "",
) -> ModelVerdict:
    """The verdict as it stands at a moment: STALE if the model's last answers are older than the limit, or if
    it was not asked on the `newest` day."""
    day = answered.get(verdict.model)
    if day is not None and as_of - time_of(day.record) <= limit and verdict.date >= newest:
        return verdict
    since = None if day is None else day.date
    told = f"; before: {verdict.reason}" if verdict.reason else ""
    return msgspec.structs.replace(
        verdict,
        headline="STALE",
        confirmed=False,
        recovered=False,
        collapsed=(),
        ungraded=(),
        changed_route=None,
        headline_since=since,
        reason=f"STALE: {describe_age(since)}{told}",
    )


def find_unknown(
    verdicts: Iterable[ModelVerdict], expected: Iterable[str], date: str, *, age_only: bool = False
) -> dict[str, str]:
    """Model → why nothing is known of it on this date, as a clause: such a model passes no gate."""
    made = {verdict.model: verdict for verdict in verdicts}
    unknown: dict[str, str] = {}
    for model in expected:
        verdict = made.get(model)
        if verdict is None:
            unknown[model] = "it has no day yet"
        elif verdict.shown == "STALE":
            unknown[model] = describe_age(verdict.headline_since)
        elif age_only:
            continue
        elif verdict.date != date:
            unknown[model] = f"it was not asked on {date}"
        elif verdict.incomplete:
            unknown[model] = f"it was not fully scored on {date}"
    return unknown


def describe_age(since: str | None) -> str:
    return f"its last answers are of {since}" if since else "no answer of it was ever scored"

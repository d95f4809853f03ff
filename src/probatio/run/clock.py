"""The clock: a moment as it stands in the files."""

from __future__ import annotations

from datetime import UTC, datetime


def today() -> str:
    """The date of now, in UTC."""
    return datetime.now(UTC).date().isoformat()


def now_text(now: datetime | None = None) -> str:
    """A moment as it stands in the journal: UTC, milliseconds."""
    return (now or datetime.now(UTC)).isoformat(timespec="milliseconds").replace("+00:00", "Z")

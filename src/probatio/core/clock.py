"""Time: moments as files have them, and lengths of time in one grammar: `15`, `15s`, `10m`, `2h`, `2d`."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from probatio.core.errors import UsageError

SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)([smhd]?)", re.ASCII)


def today() -> str:
    """Today's date in UTC."""
    return datetime.now(UTC).date().isoformat()


def now_text(now: datetime | None = None) -> str:
    """A moment as the journal has it: UTC, in milliseconds."""
    return (now or datetime.now(UTC)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_duration(text: str | float, where: str) -> float:
    """The seconds of a length of time; a bare number is seconds. Errors call its flag or key `where`.

    >>> parse_duration("10m", "--max-wait")
    600.0
    """
    parts = _DURATION.fullmatch(str(text).strip())
    if parts is None:
        raise UsageError(f"{where} {text}: write a length of time such as 15, 15s, 10m, 2h or 2d.")
    return float(parts[1]) * SECONDS[parts[2]]

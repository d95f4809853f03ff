"""What the days of a month have cost: the costs of all answers and judge's replies on disk."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.jsonfile import read_json
from probatio.runs.store.layout import ANSWERS, DAILY, DAY_FILE, JUDGE_REPLIES
from probatio.runs.store.lines import read_placed


class _Paid(msgspec.Struct):
    cost: float | None = None


class _DayOrigin(msgspec.Struct):
    simulated: bool = False
    imported: str = ""


def month_of(day: str) -> str:
    """`2026-11` of `2026-11-16`."""
    return day[:7]


def next_month(month: str) -> str:
    """The first day of the month after: `2026-12-01` of `2026-11`."""
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04d}-{number % 12 + 1:02d}-01"


def month_cost(results: Path, month: str, but: str | None = None) -> float:
    """US dollars that the days of a month have cost, without the day `but`. Answers of unknown price count 0,
    and so do simulated and imported days."""
    folders = sorted((results / DAILY).glob(f"{month}-??"))
    return math.fsum(day_cost(folder, results) for folder in folders if folder.name != but)


def day_cost(folder: Path, results: Path) -> float:
    """What one day has cost so far, complete or not."""
    if not _was_asked(folder / DAY_FILE, results):
        return 0.0
    paid = (
        line.cost
        for name in (ANSWERS, JUDGE_REPLIES)
        for _, line in read_placed(folder / name, _Paid, lenient=True, folder=results)
    )
    return math.fsum(cost for cost in paid if cost is not None and 0 < cost < math.inf)


def _was_asked(path: Path, results: Path) -> bool:
    try:
        kind = read_json(path, _DayOrigin, "a day's record", results)
    except (OSError, UsageError):
        return True  # money may have been spent
    return not kind.simulated and not kind.imported

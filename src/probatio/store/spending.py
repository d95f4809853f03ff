"""What the days of a month have cost: the sum of what every answer and every reply of the judge on disk says it cost."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from probatio.errors import UsageError
from probatio.inside import read_inside
from probatio.store.layout import ANSWERS, DAILY, DAY_FILE, JUDGE_REPLIES
from probatio.store.lines import placed_lines


class _Paid(msgspec.Struct):
    cost: float | None = None


class _Kind(msgspec.Struct):
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
    """US dollars that the days of a month have cost, without the day `but`. An answer of unknown price counts as nothing, and so
    does a day on which we asked nobody (simulated, imported)."""
    folders = sorted((results / DAILY).glob(f"{month}-??"))
    return math.fsum(day_cost(folder, results) for folder in folders if folder.name != but)


def day_cost(folder: Path, results: Path) -> float:
    """What one day has cost so far, complete or not."""
    if not _asked(folder / DAY_FILE, results):
        return 0.0
    paid = (
        line.cost
        for name in (ANSWERS, JUDGE_REPLIES)
        for _, line in placed_lines(folder / name, _Paid, lenient=True, folder=results)
    )
    return math.fsum(cost for cost in paid if cost is not None and 0 < cost < math.inf)


def _asked(path: Path, results: Path) -> bool:
    try:
        kind = msgspec.json.decode(read_inside(path, results), type=_Kind)
    except (OSError, UsageError, msgspec.DecodeError, UnicodeDecodeError):
        return True  # money may have been spent all the same
    return not kind.simulated and not kind.imported

"""The rule once more, for one use case, as plainly as it can be written: the reference for the vectorised
one.

It shares nothing with the code under test but the manifest's constants. No routes: those have their own
claims.
"""

from __future__ import annotations

from statistics import fmean, stdev
from typing import NamedTuple

from probatio.core.records import RuleConstants, Thresholds


class PlainDay(NamedTuple):
    day: int
    score: float | None
    full: bool
    barred: bool
    version: int


def plain_statuses(days: list[PlainDay], rule: RuleConstants, limits: Thresholds, judged: bool) -> list[str]:
    statuses: list[str] = []
    status = "CALIBRATING"
    history: list[tuple[int, float]] = []
    cooked_before: int | None = None
    version = None
    for today in days:
        if today.version != version:
            version, status, history, cooked_before = today.version, "CALIBRATING", [], None
        if today.score is None:
            statuses.append("GAP")
            continue
        if today.barred and judged:
            statuses.append(status)
            continue
        window = [score for day, score in history if today.day - rule.baseline_days <= day < today.day]
        history.append((today.day, today.score))
        if len(window) < rule.baseline_min:
            status, cooked_before = "CALIBRATING", None
            statuses.append(status)
            continue
        mean, sd = fmean(window), max(stdev(window), limits.sd_floor)
        z = round((today.score - mean) / sd, 8)
        drop = round((mean - today.score) / mean, 8) if mean > 0 else None

        def meets(test_z: float, test_drop: float, z: float = z, drop: float | None = drop) -> bool:
            return z <= test_z or (drop is not None and drop >= test_drop)

        cooked_level = meets(limits.cooked.z, limits.cooked.drop)
        collapse = drop is not None and drop >= limits.collapse and today.full
        again = (
            cooked_level
            and cooked_before is not None
            and today.day - cooked_before <= rule.consecutive_within
        )
        if collapse or again:
            status = "COOKED"
        elif meets(limits.suspicious.z, limits.suspicious.drop) or cooked_level:
            status = "SUSPICIOUS"
        else:
            status = "OK"
        cooked_before = today.day if cooked_level else None
        statuses.append(status)
    return statuses

"""Usual noise: how far a day's score is from its usual level at most, 19 times in 20, if nothing changed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import sqrt
from operator import attrgetter

from probatio.core.records import UseCaseVerdict
from probatio.site.snapshot import TrackedModel

BEYOND = 2.0
"""Spreads of one day; a usual day is further away about one time in twenty."""

LATEST_DAYS = 7
"""A use case without a score for longer has no usual noise."""


def usual_noise(each: UseCaseVerdict) -> float | None:
    """In points, of one use case: from the spread of the days before, which the rule gives a floor."""
    return None if each.sd is None else BEYOND * each.sd


def mean_noise(noises: Sequence[float | None]) -> float | None:
    """Of the mean over use cases, whose days vary on their own; None if one of them is not known."""
    known = [each for each in noises if each is not None]
    return (
        sqrt(sum(each * each for each in known)) / len(known) if known and len(known) == len(noises) else None
    )


def find_noise(model: TrackedModel, start: str | None) -> dict[str, float]:
    """Use case → its noise on the last days before a fall: during a fall the spread grows with it."""
    end = bisect_left(model.verdicts, start, key=attrgetter("date")) if start else len(model.verdicts)
    return {
        each.use_case: noise
        for verdict in model.verdicts[max(0, end - LATEST_DAYS) : end]
        for each in verdict.use_cases
        if (noise := usual_noise(each)) is not None
    }

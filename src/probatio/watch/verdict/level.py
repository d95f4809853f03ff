"""A model's level: how many points it scores on some days, over its use cases."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from probatio.core.records import Day


def compare_levels(model: str, before: Iterable[Day], after: Iterable[Day]) -> tuple[float, float] | None:
    """The model's level on these days and on those: the mean over the use cases that have scores on both.
    None if there is no such use case."""
    old, new = _mean_scores(model, before), _mean_scores(model, after)
    both = [use_case for use_case in old if use_case in new]
    if not both:
        return None
    return fmean(old[each] for each in both), fmean(new[each] for each in both)


def _mean_scores(model: str, days: Iterable[Day]) -> dict[str, float]:
    scores: dict[str, list[float]] = {}
    for day in days:
        for use_case, line in day.lines.get(model, {}).items():
            if line.score is not None and not line.asked_late:
                scores.setdefault(use_case, []).append(line.score)
    return {use_case: fmean(each) for use_case, each in scores.items()}

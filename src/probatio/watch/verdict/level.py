"""A model's level: how many points it scores on some days, over its use cases."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from probatio.core.records import Day

Scores = dict[str, list[float]]
"""Use case → its scores."""


def collect_scores(model: str, days: Iterable[Day]) -> Scores:
    """The model's scores on these days, without those asked late and those of a barred judge."""
    scores: Scores = {}
    for day in days:
        for use_case, line in day.lines.get(model, {}).items():
            if line.score is not None and not line.asked_late and not line.barred:
                scores.setdefault(use_case, []).append(line.score)
    return scores


def compare_levels(before: Scores, after: Scores) -> tuple[float, float] | None:
    """The level before and after: the mean over the use cases that have scores in both. None if there is no
    such use case."""
    both = [use_case for use_case in before if use_case in after]
    if not both:
        return None
    return fmean(fmean(before[each]) for each in both), fmean(fmean(after[each]) for each in both)

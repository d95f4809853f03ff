"""When it changed: the date of a confirmed change, and the use cases that carry it."""

from __future__ import annotations

import numpy as np

from probatio.verdict.reference import Reference
from probatio.verdict.streams import Bools, Floats, Ints, Streams


def changed_on(
    numbers: Ints,
    cases: Floats,
    judged: Floats,
    streams: Streams,
    reference: Reference,
    model: int,
    named: Bools | None = None,
    since: int | None = None,
) -> int | None:
    """The first day of the new level of one model: the best single break in the mean of its pooled daily series.

    `numbers` [days], `cases` [days, C] and `judged` [days, J] are the days of its present series up to today as the evidence
    read them (NaN: no bet), the reference's included: they are the level before. `named` [U] narrows the pool to the use
    cases whose own M passed the suspicion line, since a break in one of ten drowns in the noise of the others; with none
    named all are pooled. `since` leaves out the days before it: after a recovery, those of the earlier episode, whose break
    would be found instead; the days that made the recovery are then the level before. None where there are too few days to part.
    """
    if since is not None:
        current = numbers >= since
        numbers, cases, judged = numbers[current], cases[current], judged[current]
    departures = streams.with_pools(
        streams.mean_of_cases(cases - reference.mean[model]), (judged - reference.judged_mean[model]) / 100
    )[:, : len(streams.use_cases)]
    if named is not None and named.any():
        departures = departures[:, named]
    there = ~np.isnan(departures)
    scored = there.any(axis=1)
    pooled = np.where(there, departures, 0.0).sum(axis=1)[scored] / there.sum(axis=1)[scored]
    if len(pooled) < 4:
        return None
    place = best_break(pooled)
    return int(numbers[scored][place])


def best_break(values: Floats) -> int:
    """Where the second of two levels begins: the parting, at least two days on either side, with the least squared distance
    from the two means. What ruptures' Binseg finds for one break, and a test holds it to that; its import brings scipy and a
    second of CPU, half of what a verdict over a year may cost."""
    count = len(values)
    before = np.arange(2, count - 1)
    left = np.cumsum(values)[before - 1]
    right = values.sum() - left
    return int(before[np.argmax(left**2 / before + right**2 / (count - before))])

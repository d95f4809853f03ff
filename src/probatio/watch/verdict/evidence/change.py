"""When it changed: the date of a confirmed change, and the use cases that carry it."""

from __future__ import annotations

import numpy as np

from probatio.watch.verdict.evidence.reference import Reference
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, Streams


def date_change(
    numbers: Ints,
    cases: Floats,
    judged: Floats,
    streams: Streams,
    reference: Reference,
    model: int,
    named: Bools | None = None,
    since: int | None = None,
) -> int | None:
    """The first day of the new level of one model: the best single break in the mean of its pooled daily
    series.

    `numbers` [days], `cases` [days, C] and `judged` [days, J] are the days of its present series up to today
    as the evidence read them (NaN: no bet), with those of the reference, which are the level before. `named`
    [U] limits the pool to the use cases whose own M passed the suspicion line: a break in one of ten drowns
    in the noise of the others. Without names all are pooled. `since` leaves out earlier days: after a
    recovery, the break of the earlier episode would be found instead, and the days of the recovery are the
    level before. None if there are too few days.
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
    """The place where the second of two levels begins: the split, with at least two days on either side, with
    the least squared distance from the two means.

    It is what ruptures' Binseg finds for one break, and a test compares the two. Its import brings scipy and
    a second of CPU, half of what a verdict over a year may cost.
    """
    count = len(values)
    before = np.arange(2, count - 1)
    left = np.cumsum(values)[before - 1]
    right = values.sum() - left
    return int(before[np.argmax(left**2 / before + right**2 / (count - before))])

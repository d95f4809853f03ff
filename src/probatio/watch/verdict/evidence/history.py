"""Which days are in the reference: the first 28 scored days of a series, and later those that lie well back.

Every `reference_every` scored days all days older than `reference_lag` scored days are taken in, up to
`reference_most`. A change is confirmed within days or not at all, so what enters was lived through without an
alarm; and a reference that grows shows what 28 days can't: failures that last a week, the days of a month.
While CONFIRMED nothing enters, and neither do the days that waited when it was confirmed: the fall is among
them.

The days themselves are kept once, for all models; `place` says of each day and model which scored day of its
series it was. For the proof by draws the base sample of each case is kept, too, with the code of its answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probatio.core.records import EvidenceConstants
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints

OUT = -1  # the place of a day that is in no reference, and never will be


@dataclass(frozen=True, slots=True)
class History:
    cases: tuple[Floats, ...]  # of each day [m, C]
    judged: tuple[Floats, ...]  # [m, J]
    numbers: Ints  # [days]
    place: Ints  # [days, m] its number among the scored days of the model's series, or OUT
    scored: Ints  # [m] scored days of the series so far
    border: Ints  # [m] scored days before this one are in the reference
    begins: Ints  # [m] the first day of the model's series, by its place here
    base: tuple[Floats, ...] = ()  # of each day [m, C] scores of base samples; empty before edition 3
    codes: tuple[Ints, ...] = ()  # [m, C] of their answers


def no_history(models: int, constants: EvidenceConstants) -> History:
    none = np.zeros(models, dtype=np.int64)
    return History(
        (),
        (),
        np.zeros(0, dtype=np.int64),
        np.zeros((0, models), dtype=np.int64),
        none,
        none + constants.reference_days,
        none,
    )


def restart(history: History, rows: Bools, constants: EvidenceConstants) -> History:
    """These models at the beginning of a series."""
    return replace(
        history,
        place=np.where(rows, OUT, history.place),
        scored=np.where(rows, 0, history.scored),
        border=np.where(rows, constants.reference_days, history.border),
        begins=np.where(rows, len(history.numbers), history.begins),
    )


def record_day(
    history: History,
    number: int,
    cases: Floats,
    judged: Floats,
    scored: Bools,
    confirmed: Bools,
    constants: EvidenceConstants,
    doubted: Ints | None = None,
) -> tuple[History, Bools]:
    """The history with today, and which models have a new reference for tomorrow. `doubted` [m]: of an open
    question the first scored day; it and later ones stay out."""
    place = np.where(scored & ~confirmed, history.scored, OUT)
    places = np.concatenate([history.place, place[None]])
    waiting = confirmed & (places >= history.border)
    if waiting.any():
        places = np.where(waiting, OUT, places)
    count = history.scored + scored
    beyond = count - constants.reference_days
    due = scored & ~confirmed & (beyond >= 0) & (beyond % constants.reference_every == 0)
    reached = np.maximum(history.border, count - constants.reference_lag)
    if doubted is not None:
        reached = np.maximum(history.border, np.minimum(reached, doubted))
    border = np.where(due, reached, history.border)
    members = (places >= 0) & (places < border)
    grown = due & ((beyond == 0) | (members & (places >= history.border)).any(axis=0))
    grown &= (beyond == 0) | ((places >= 0) & (places < history.border)).sum(
        axis=0
    ) < constants.reference_most
    kept = replace(
        history,
        cases=(*history.cases, cases),
        judged=(*history.judged, judged),
        numbers=np.append(history.numbers, number),
        place=places,
        scored=count,
        border=border,
    )
    return kept, grown


def reference_days(
    history: History, rows: Ints, constants: EvidenceConstants
) -> tuple[Floats, Floats, Ints, Ints]:
    """Of these models the days of the reference: cases [rows, n, C], judged [rows, n, J], numbers [rows, n],
    and how many of the n each has; the rest is NaN."""
    members = (history.place[:, rows] >= 0) & (history.place[:, rows] < history.border[rows])
    members &= members.cumsum(axis=0) <= constants.reference_most
    counts = members.sum(axis=0)
    most = int(counts.max(initial=0))
    if (members == members[:, :1]).all():  # the usual case: all models were scored on the same days
        same = np.flatnonzero(members[:, 0])
        cases = np.stack([history.cases[day][rows] for day in same], axis=1)
        judged = np.stack([history.judged[day][rows] for day in same], axis=1)
        return cases, judged, np.tile(history.numbers[same], (len(rows), 1)), counts
    cases = np.full((len(rows), most, history.cases[0].shape[1]), np.nan)
    judged = np.full((len(rows), most, history.judged[0].shape[1]), np.nan)
    numbers = np.tile(
        history.numbers[-1] + 10**6 * np.arange(1, most + 1), (len(rows), 1)
    )  # pairs with nothing
    slot = members.cumsum(axis=0) - 1
    for day in np.flatnonzero(members.any(axis=1)):
        there = np.flatnonzero(members[day])
        at = slot[day, there]
        cases[there, at], judged[there, at] = (
            history.cases[day][rows[there]],
            history.judged[day][rows[there]],
        )
        numbers[there, at] = history.numbers[day]
    return cases, judged, numbers, counts


def record_answers(history: History, base: Floats, codes: Ints) -> History:
    """The history with today's base samples; called before `record_day`."""
    return replace(history, base=(*history.base, base), codes=(*history.codes, codes))


def series_days(
    history: History, number: int, rows: Ints, constants: EvidenceConstants
) -> tuple[Floats, Ints, Ints, Bools]:
    """Of these models the scored days of their series, today (`number`) last: base scores [rows, n, C], codes
    of their answers, day numbers [rows, n], and which are in the reference. NaN before a model's first
    day."""
    scores = np.stack([day[rows] for day in history.base], axis=1)
    codes = np.stack([day[rows] for day in history.codes], axis=1)
    days = len(history.base)
    member = np.zeros((days, len(rows)), dtype=bool)
    place = history.place[:days, rows]
    member[: len(place)] = (place >= 0) & (place < history.border[rows])
    member &= member.cumsum(axis=0) <= constants.reference_most
    scored = ~np.isnan(scores).all(axis=2) & (np.arange(days) >= history.begins[rows, None])
    numbers = np.broadcast_to(np.append(history.numbers, number)[:days], scored.shape)
    # Scored days move to the end; what is before them is no day.
    order = np.argsort(scored, axis=1, kind="stable")
    most = int(scored.sum(axis=1).max(initial=0))
    order = order[:, days - most :]
    there = np.take_along_axis(scored, order, axis=1)
    scores = np.take_along_axis(scores, order[:, :, None], axis=1)
    codes = np.take_along_axis(codes, order[:, :, None], axis=1)
    return (
        np.where(there[:, :, None], scores, np.nan),
        codes,
        np.where(there, np.take_along_axis(numbers, order, axis=1), -1),
        np.take_along_axis(member.T, order, axis=1) & there,
    )

"""Which days are in the reference: the first 28 scored days of a series, and later those that lie well back.

Every `reference_every` scored days all days older than `reference_lag` scored days are taken in, up to
`reference_most`. A change is confirmed within days or not at all, so what enters was lived through without an
alarm; and a reference that grows shows what 28 days can't: failures that last a week, the days of a month.
While CONFIRMED nothing enters, and neither do the days that waited when it was confirmed: the fall is among
them. While a question is open, its days stay out.

The days themselves are kept once, for all models; `place` says of each day and model which scored day of its
series it was. For the proof by draws the base samples are kept, too, with the codes of their answers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probatio.core.records import EvidenceConstants
from probatio.watch.verdict.evidence.answered_days import NONE, UNCHANGED, AnsweredDays, Referred, Units
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, PerModel

OUT = -1  # the place of a day that is in no reference, and never will be
LONG_AGO = -(10**6)


class DayTable:
    """Rows that are only ever added: each addition gives a table of its own, and all share one array."""

    def __init__(self, data: NDArray[Any], count: int = 0, used: list[int] | None = None) -> None:
        self._data, self._count = data, count
        self._used = [count] if used is None else used

    @classmethod
    def empty(cls, *shape: int, dtype: Any) -> DayTable:
        return cls(np.empty((64, *shape), dtype=dtype))

    @property
    def days(self) -> NDArray[Any]:
        return self._data[: self._count]

    def add(self, row: NDArray[Any]) -> DayTable:
        data, used = self._data, self._used
        if self._count == len(data) or used[0] != self._count:  # full, or another went on from here
            data = np.empty((2 * len(data), *data.shape[1:]), dtype=data.dtype)
            data[: self._count], used = self.days, [self._count]
        data[self._count] = row
        used[0] += 1
        return DayTable(data, self._count + 1, used)

    def rows(self, which: Ints) -> DayTable:
        """Only these models, in this order."""
        kept = np.ascontiguousarray(self.days[:, which])
        return DayTable(kept, len(kept))


@dataclass(frozen=True, slots=True)
class History:
    numbers: Ints  # [days]
    place: Ints  # [days, m] its number among the scored days of the model's series, or OUT
    scored: Ints  # [m] scored days of the series so far
    border: Ints  # [m] scored days before this one are in the reference
    begins: Ints  # [m] the first day of the model's series, by its place here
    cases: DayTable  # [days, m, C]
    judged: DayTable  # [days, m, J]
    base: DayTable  # [days, m, C] of the base samples alone
    means: DayTable  # [days, m, U] of the base samples of a case; judged ones by the marks of their texts
    codes: DayTable  # [days, m, P] of their answers
    squares: DayTable  # [days, m, U] of steps to another answer, by twice the draws each took …
    other: DayTable  # [days, m, U] … where there is one
    last: Ints  # [m, P] codes of the last scored day …
    last_means: Floats  # [m, U] … its means …
    last_on: Ints  # [m] … and its number
    texts: Texts

    def rows(self, which: Ints) -> History:
        """Only these models, in this order."""
        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, DayTable | PerModel):
                changed[field.name] = value.rows(which)
            elif field.name == "place":
                changed[field.name] = value[:, which]
            elif field.name != "numbers":
                changed[field.name] = value[which]
        return replace(self, **changed)


def no_history(models: int, shape: tuple[int, int], units: Units, constants: EvidenceConstants) -> History:
    """`shape`: how many cases, and how many judged use cases."""
    none = np.zeros(models, dtype=np.int64)
    samples, cases = len(units.home), len(units.cases)
    return History(
        numbers=np.zeros(0, dtype=np.int64),
        place=np.zeros((0, models), dtype=np.int64),
        scored=none,
        border=none + constants.reference_days,
        begins=none,
        cases=DayTable.empty(models, shape[0], dtype=np.float64),
        judged=DayTable.empty(models, shape[1], dtype=np.float64),
        base=DayTable.empty(models, shape[0], dtype=np.float64),
        means=DayTable.empty(models, cases, dtype=np.float64),
        codes=DayTable.empty(models, samples, dtype=np.int32),
        squares=DayTable.empty(models, cases, dtype=np.float64),
        other=DayTable.empty(models, cases, dtype=np.bool_),
        last=np.full((models, samples), NONE, dtype=np.int64),
        last_means=np.full((models, cases), np.nan),
        last_on=none + LONG_AGO,
        texts=no_texts(models, int(units.judged.sum())),
    )


def restart(history: History, rows: Bools, constants: EvidenceConstants) -> History:
    """These models at the beginning of a series."""
    return replace(
        history,
        place=np.where(rows, OUT, history.place),
        scored=np.where(rows, 0, history.scored),
        border=np.where(rows, constants.reference_days, history.border),
        begins=np.where(rows, len(history.numbers), history.begins),
        last_on=np.where(rows, LONG_AGO, history.last_on),
    )


def record_day(
    history: History,
    number: int,
    cases: Floats,
    judged: Floats,
    scored: Bools,
    confirmed: Bools,
    constants: EvidenceConstants,
    doubted: Ints,
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
    reached = np.minimum(count - constants.reference_lag, doubted)
    border = np.where(due, np.maximum(history.border, reached), history.border)
    members = (places >= 0) & (places < border)
    grown = due & ((beyond == 0) | (members & (places >= history.border)).any(axis=0))
    grown &= (beyond == 0) | ((places >= 0) & (places < history.border)).sum(
        axis=0
    ) < constants.reference_most
    kept = replace(
        history,
        cases=history.cases.add(cases),
        judged=history.judged.add(judged),
        numbers=np.append(history.numbers, number),
        place=places,
        scored=count,
        border=border,
    )
    return kept, grown


def reference_days(
    history: History, rows: Ints, constants: EvidenceConstants
) -> tuple[Floats, Floats, Floats, Ints, Ints]:
    """Of these models the days of the reference: cases [rows, n, C], judged [rows, n, J], cases of the base
    samples alone, numbers [rows, n], and how many of the n each has; the rest is NaN."""
    members = (history.place[:, rows] >= 0) & (history.place[:, rows] < history.border[rows])
    members &= members.cumsum(axis=0) <= constants.reference_most
    counts = members.sum(axis=0)
    most = int(counts.max(initial=0))
    tables = history.cases, history.judged, history.base
    if np.array_equal(
        members, np.broadcast_to(members[:, :1], members.shape)
    ):  # the usual case: all models were scored on the same days
        same = np.flatnonzero(members[:, 0])
        found = [table.days[np.ix_(same, rows)].swapaxes(0, 1) for table in tables]
        return found[0], found[1], found[2], np.tile(history.numbers[same], (len(rows), 1)), counts
    found = [np.full((len(rows), most, table.days.shape[2]), np.nan) for table in tables]
    # pairs with nothing
    numbers = np.tile(history.numbers[-1] + 10**6 * np.arange(1, most + 1), (len(rows), 1))
    day, there = np.nonzero(members)
    at = (members.cumsum(axis=0) - 1)[day, there]
    for values, table in zip(found, tables, strict=True):
        values[there, at] = table.days[day, rows[there]]
    numbers[there, at] = history.numbers[day]
    return found[0], found[1], found[2], numbers, counts


@dataclass(frozen=True, slots=True)
class Texts(PerModel):
    """The marks of judged answers so far: Q judged cases, and their answers by code."""

    counts: Floats  # [m, Q, answers]
    sums: Floats  # [m, Q, answers]
    apart: Floats  # [m] squared distance of marks from the mean of their text …
    free: Floats  # [m] … and its degrees of freedom

    @property
    def scatter(self) -> Floats:
        """[m] ω², the variance of a text's marks."""
        return self.apart / np.maximum(self.free, 1)


def no_texts(models: int, cases: int) -> Texts:
    return Texts(
        np.zeros((models, cases, 1)), np.zeros((models, cases, 1)), np.zeros(models), np.zeros(models)
    )


def _mark(texts: Texts, marks: Floats, codes: Ints, home: Ints) -> tuple[Texts, Floats]:
    """With the day's marks of judged samples [m, P′], of the cases `home` [P′]; and for each the mean of all
    marks that its text has."""
    most = max(int(codes.max(initial=0)) + 1, texts.counts.shape[2])
    grow = ((0, 0), (0, 0), (0, most - texts.counts.shape[2]))
    counts, sums = np.pad(texts.counts, grow), np.pad(texts.sums, grow)
    apart, free = texts.apart.copy(), texts.free.copy()
    each = np.arange(len(marks))
    for column, case in enumerate(home.tolist()):
        rows = each[codes[:, column] != NONE]
        code, mark = codes[rows, column], marks[rows, column]
        count, total = counts[rows, case, code], sums[rows, case, code]
        seen = count > 0
        apart[rows] += np.where(seen, (mark - total / np.maximum(count, 1)) ** 2 * count / (count + 1), 0.0)
        free[rows] += seen
        counts[rows, case, code] += 1
        sums[rows, case, code] += mark
    at = np.maximum(codes, 0)
    known = counts[each[:, None], home, at]
    means = np.where(known > 0, sums[each[:, None], home, at] / np.maximum(known, 1), np.nan)
    return Texts(counts, sums, apart, free), means


def record_answers(
    history: History, number: int, base: Floats, scores: Floats, codes: Ints, units: Units
) -> History:
    """The history with today's base samples; called before `record_day`."""
    there, texts = codes != NONE, history.texts
    if units.judged.any():
        judged = units.judged[units.home]
        home = units.home[judged] - int(np.argmax(units.judged))
        scores = scores.copy()
        texts, scores[:, judged] = _mark(texts, scores[:, judged], codes[:, judged], home)
    counts = np.add.reduceat(there, units.starts, axis=1, dtype=np.float64)
    sums = np.add.reduceat(np.where(there, scores, 0.0), units.starts, axis=1)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    today = there.any(axis=1)
    follows = np.asarray(history.last_on == number - 1)[:, None]
    draws = np.where(follows, _count_draws(codes, history.last, units), 0.0)
    other = (draws > UNCHANGED) & ~np.isnan(means) & ~np.isnan(history.last_means)
    step = np.where(other, means - history.last_means, 0.0)
    return replace(
        history,
        base=history.base.add(base),
        means=history.means.add(means),
        codes=history.codes.add(codes),
        squares=history.squares.add(step**2 / np.where(other, 2 * draws, 1.0)),
        other=history.other.add(other),
        last=np.where(today[:, None], codes, history.last),
        last_means=np.where(today[:, None], means, history.last_means),
        last_on=np.where(today, number, history.last_on),
        texts=texts,
    )


def _count_draws(now: Ints, then: Ints, units: Units) -> Floats:
    """[m, U] Σ(share now − share then)² over the answers of a case; 0 without answers on one of the days."""

    def shares(of: Ints, among: Ints) -> Floats:
        """[m, P] the share of each answer of a day among those of another day."""
        same = (of[:, :, None] == among[:, units.siblings]) & (units.siblings >= 0)
        counts = np.add.reduceat(among != NONE, units.starts, axis=1, dtype=np.float64)[:, units.home]
        return np.where(of != NONE, same.sum(axis=2), 0.0) / np.maximum(counts, 1)

    def mean(values: Floats, of: Ints) -> Floats:
        counts = np.add.reduceat(of != NONE, units.starts, axis=1, dtype=np.float64)
        return np.where(
            counts > 0, np.add.reduceat(values, units.starts, axis=1) / np.maximum(counts, 1), np.nan
        )

    changed = mean(shares(now, now) - 2 * shares(now, then), now) + mean(shares(then, then), then)
    return np.asarray(np.nan_to_num(changed))


def answered_days(
    history: History, rows: Ints, constants: EvidenceConstants, referred: Referred
) -> AnsweredDays:
    """Of these models the scored days of their series up to the last recorded answers, aligned at the end, as
    far as `referred` does not have them."""
    days = len(history.codes.days)
    place = history.place[:days, rows]
    member = np.zeros((days, len(rows)), dtype=bool)
    member[: len(place)] = (place >= 0) & (place < history.border[rows])
    member &= member.cumsum(axis=0) <= constants.reference_most
    scored = ~np.isnan(history.means.days[:, rows]).all(axis=2)
    scored &= np.arange(days)[:, None] >= history.begins[rows]
    count = scored.sum(axis=0)
    length = min(int((count - referred.upto).max(initial=0)) + 1, int(count.max(initial=0)))
    tables = [table.days for table in (history.means, history.codes, history.squares, history.other)]
    nothing: tuple[Any, ...] = (np.nan, NONE, 0.0, False)
    if scored[days - length :].all():
        found = [table[days - length :, rows] for table in tables]
        member = member[days - length :]
    else:
        order = np.argsort(scored, axis=0, kind="stable")[days - length :]
        there = np.take_along_axis(scored, order, axis=0)
        found = [
            np.where(there[..., None], table[order, rows], none)
            for table, none in zip(tables, nothing, strict=True)
        ]
        member = np.take_along_axis(member, order, axis=0) & there
    means, codes, squares, other = (np.ascontiguousarray(each.swapaxes(0, 1)) for each in found)
    scatter = history.texts.scatter[rows]
    return AnsweredDays(means, codes, squares, other, member.T, count, scatter, referred)

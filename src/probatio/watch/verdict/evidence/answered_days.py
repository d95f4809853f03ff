"""Answered days of many models, and their sums before and after a window: what the proof by draws reads.

Models have their scored days aligned at the end, today last, and NaN before their first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probatio.core.records import EvidenceConstants
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, PerModel, Streams

NONE = -1
"""The code of a sample without an answer."""
UNCHANGED = 1e-9
"""V of a case whose answers are the same in A and B."""


@dataclass(frozen=True, slots=True)
class Units:
    """The cases as the proof weighs them: deterministic ones in the streams' order, then judged ones."""

    cases: tuple[tuple[str, str], ...]  # [U] use case and case
    weights: Floats  # [S, U] of the streams' own order
    prior: Floats  # [U] variance of one draw, before anything is known
    judged: Bools  # [U]
    ladders: Bools  # [U] answers are known by their score
    own: Bools  # [S] a use case's own stream, which must pass a higher line
    home: Ints  # [P] unit of each base sample
    starts: Ints  # [U] where the samples of each unit begin
    siblings: Ints  # [P, most] the samples of the same unit, or −1


def units_of(
    streams: Streams,
    constants: EvidenceConstants,
    judged: Mapping[str, Sequence[str]] | None = None,
    samples: Mapping[str, int] | None = None,
) -> Units:
    """`judged`: use case → its cases, where a judge marks it. `samples`: use case → base samples of a case;
    one, if not given."""
    judged, samples = judged or {}, samples or {}
    names = [streams.use_cases[streams.deterministic[place]] for place in streams.home]
    cases = list(zip(names, streams.cases, strict=True))
    cases += [(name, case) for name in streams.use_cases for case in judged.get(name, ())]
    at = {name: place for place, name in enumerate(streams.use_cases)}
    of_use_case = np.zeros((len(streams.use_cases), len(cases)))
    for unit, (name, _) in enumerate(cases):
        of_use_case[at[name], unit] = 1.0
    of_use_case /= np.maximum(of_use_case.sum(axis=1, keepdims=True), 1)
    pools = [
        of_use_case[members].sum(axis=0) / max(len(members), 1) for members in map(list, streams.pools())
    ]
    is_judged = np.arange(len(cases)) >= len(names)
    rungs = np.concatenate([streams.rungs, np.ones(is_judged.sum(), dtype=np.int64)])
    home = np.repeat(np.arange(len(cases)), [samples.get(name, 1) for name, _ in cases])
    starts = np.searchsorted(home, np.arange(len(cases)))
    counts = np.bincount(home, minlength=len(cases))
    offsets = np.arange(counts.max(initial=1))
    siblings = np.where(offsets < counts[home][:, None], starts[home][:, None] + offsets, -1)
    prior = np.where(
        is_judged, constants.draws.judged_sd**2, np.minimum(0.25, 1 / rungs.astype(np.float64) ** 2)
    )
    return Units(
        tuple(cases),
        np.concatenate([of_use_case, np.reshape(pools, (len(pools), len(cases)))]),
        prior,
        is_judged,
        ~is_judged & (rungs >= constants.ladder.rungs),
        np.arange(streams.count) < len(streams.use_cases),
        home,
        starts,
        siblings,
    )


@dataclass(frozen=True, slots=True)
class Referred(PerModel):
    """What the proof takes from a reference once: sums over its days before any window, and what all of its
    days share."""

    upto: Ints  # [m] scored days of the series that are in the sums
    days: Floats  # [m, U]
    scores: Floats  # [m, U]
    squares: Floats  # [m, U]
    changes: Floats  # [m, U]
    answers: Floats  # [m, U, answers]
    weights: Floats  # [m, S, U] of the cases with days enough …
    shared: Floats  # [m, S] … and S of the streams with these


def no_reference_yet(models: int, units: Units) -> Referred:
    cases, streams = len(units.cases), len(units.weights)

    def none(*shape: int) -> Floats:
        return np.zeros((models, *shape))

    return Referred(
        np.zeros(models, dtype=np.int64),
        none(cases),
        none(cases),
        none(cases),
        none(cases),
        none(cases, 1),
        none(streams, cases),
        none(streams),
    )


@dataclass(frozen=True, slots=True)
class AnsweredDays(PerModel):
    """The last scored days of a series, for each model aligned at the end: those that `referred` does not
    have, and one more."""

    means: Floats  # [m, n, U] of the base samples of a case, 0–1; NaN without an answer
    codes: Ints  # [m, n, P] 0, 1, 2 … in the order in which the answers of a case first came, or NONE
    squares: Floats  # [m, n, U] of the step from the calendar day before, by twice the draws it took …
    other: Bools  # [m, n, U] … where the answer is another one
    member: Bools  # [m, n] in the reference
    scored: Ints  # [m] scored days of the series, today's with them
    scatter: Floats  # [m] ω², of the marks of one text
    referred: Referred

    @property
    def places(self) -> Ints:
        """[m, n] number of each day among the scored days of its series; below 0 before the first."""
        return np.asarray(self.scored[:, None] - self.means.shape[1] + np.arange(self.means.shape[1]))


@dataclass(frozen=True, slots=True)
class Move:
    """From A to B, per case [m, U]."""

    fall: Floats  # D; NaN where it has too few days
    before: Floats  # mean in A
    changed: Floats  # V
    days_before: Floats
    days_after: Floats
    squares: Floats  # Q
    freedom: Floats  # F: half a degree for each change, as an answer that comes back makes two


class SumsOfDays:
    """Sums over the days of A and B for each cut: A is what lies in the reference before it, B all after it.

    The cuts split the days into segments; each sum is made once per segment, and those of A add up from the
    left, those of B from the right.
    """

    def __init__(self, days: AnsweredDays, units: Units, cuts: Sequence[int]) -> None:
        models, count, cases = days.means.shape
        self._cuts, self._referred = list(cuts), days.referred
        self._order = sorted(set(cuts))
        self._shape = (models, cases)
        ends = [0, *self._order]
        there = ~np.isnan(days.means)
        filled = np.where(there, days.means, 0.0)
        new = days.member & (days.places >= days.referred.upto[:, None])
        follows = np.zeros_like(new)
        follows[:, 1:] = new[:, 1:] & days.member[:, :-1]
        inside, within = new[:, :, None], follows[:, :, None]

        def by_segment(values: NDArray[Any]) -> Floats:
            """[m, n, U] → [segments, m, U]."""
            if count == 0:
                return np.zeros((len(ends), models, cases))
            return np.moveaxis(np.add.reduceat(values, ends, axis=1, dtype=np.float64), 1, 0)

        changes = [days.squares, days.other]
        self._a = [by_segment(values * inside) for values in (there, filled)]
        self._b = [by_segment(values) for values in (there, filled)]
        # A step belongs to the segment of its second day; the one across a cut is in neither A nor B of it.
        self._steps_a = [by_segment(values * within) for values in changes]
        self._steps_b = [by_segment(values) for values in changes]
        self._across = {cut: [values[:, cut] for values in changes] for cut in self._order}
        # The weight of a day is split evenly over its answers.
        samples = days.codes != NONE
        weight = samples.astype(np.float64)
        if len(units.home) > cases:
            weight /= np.maximum(np.add.reduceat(weight, units.starts, axis=2), 1.0)[:, :, units.home]
        self._most = max(int(days.codes.max(initial=0)) + 1, days.referred.answers.shape[2])
        segment = np.searchsorted(self._order, np.arange(count), side="right")
        at = (segment[None, :, None] * models + np.arange(models)[:, None, None]) * cases + units.home
        at = (at * self._most + np.maximum(days.codes, 0)).ravel()
        shape = (len(ends), models, cases, self._most)
        size = len(ends) * models * cases * self._most

        def by_answer(values: Floats) -> Floats:
            return np.bincount(at, values.ravel(), size).astype(np.float64, copy=False).reshape(shape)

        self._answers_a, self._answers_b = by_answer(weight * inside), by_answer(weight)
        self._answers_a[0, :, :, : days.referred.answers.shape[2]] += days.referred.answers

    def all_of_reference(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Days, scores, squares, changes [m, U] and answers [m, U, answers] of the whole reference."""
        known = self._referred
        days, scores = (values.sum(axis=0) for values in self._a)
        squares, changes = (values.sum(axis=0) for values in self._steps_a)
        return (
            days + known.days,
            scores + known.scores,
            squares + known.squares,
            changes + known.changes,
            self._answers_a.sum(axis=0),
        )

    def move(self, place: int, least: int) -> Move:
        """From A to B at one of the cuts."""
        cut, known = self._cuts[place], self._referred
        at = self._order.index(cut) + 1
        days_a, sum_a = (values[:at].sum(axis=0) for values in self._a)
        days_a, sum_a = days_a + known.days, sum_a + known.scores
        days_b, sum_b = (values[at:].sum(axis=0) for values in self._b)
        many_a, many_b = np.maximum(days_a, 1), np.maximum(days_b, 1)
        shares = self._answers_b[at:].sum(axis=0) / many_b[..., None]
        shares -= self._answers_a[:at].sum(axis=0) / many_a[..., None]
        squares, changes = (
            before + of_a[:at].sum(axis=0) + of_b[at:].sum(axis=0) - across
            for before, of_a, of_b, across in zip(
                (known.squares, known.changes),
                self._steps_a,
                self._steps_b,
                self._across[cut],
                strict=True,
            )
        )
        enough = (days_a >= least) & (days_b >= 1)
        return Move(
            fall=np.where(enough, sum_b / many_b - sum_a / many_a, np.nan),
            before=sum_a / many_a,
            changed=np.einsum("muk,muk->mu", shares, shares),
            days_before=many_a,
            days_after=many_b,
            squares=squares,
            freedom=changes / 2,
        )

    def lose_all(self, days: int, least: int) -> Move:
        """From all of the reference to so many days of one new answer that scores nothing."""
        days_a, sum_a, squares, changes, answers = self.all_of_reference()
        many = np.maximum(days_a, 1)
        shares = answers / many[..., None]
        return Move(
            fall=np.where(days_a >= least, -sum_a / many, np.nan),
            before=sum_a / many,
            changed=np.einsum("muk,muk->mu", shares, shares) + 1,
            days_before=many,
            days_after=np.full(self._shape, float(days)),
            squares=squares,
            freedom=changes / 2,
        )


@dataclass(frozen=True, slots=True)
class SharedDays:
    """What the days of the reference share: Newey and West's variances of its daily departures."""

    departures: Floats  # [m, n, U] 0 on days without a value
    there: Bools  # [m, n, U]
    lag: Ints  # [m]
    of_cases: Floats  # [m, U]

    @classmethod
    def of(cls, all_days: AnsweredDays, lag: Ints) -> SharedDays:
        """From all days of the series."""
        means = all_days.means
        there = ~np.isnan(means) & all_days.member[:, :, None]
        counts = there.sum(axis=1)
        filled = np.where(there, means, 0.0)
        mean = filled.sum(axis=1) / np.maximum(counts, 1)
        departures = np.where(there, filled - mean[:, None, :], 0.0)
        days = there.any(axis=2)
        # The days of the reference next to each other: a gap is no day.
        order = np.argsort(~days, axis=1, kind="stable")[:, : int(days.sum(axis=1).max(initial=0)), None]
        departures = np.take_along_axis(departures, order, axis=1)
        there = np.take_along_axis(there, order, axis=1)
        return cls(departures, there, lag, _long_run(departures, there.sum(axis=1), lag))

    def beyond(self, weights: Floats) -> Floats:
        """[m, S] S of streams with these weights [m, S, U]."""
        turned = weights.transpose(0, 2, 1)
        scale = self.there.astype(np.float64) @ turned
        daily = self.departures @ turned / np.where(scale > 0, scale, 1.0)
        squares = weights**2
        whole = _long_run(daily, (scale > 0).sum(axis=1), self.lag)
        apart = np.einsum("msu,mu->ms", squares, self.of_cases)
        rest = 1 - squares.sum(axis=2)
        shared = np.maximum(whole - apart, 0.0) / np.where(rest > 1e-12, rest, 1.0)
        return np.where(rest > 1e-12, shared, whole)  # of one case alone: its own


def _long_run(values: Floats, counts: Ints, lag: Ints) -> Floats:
    """[m, n, k] → [m, k], not centred again; `counts` [m, k] of days with a value."""
    total = np.einsum("mdk,mdk->mk", values, values)
    for back in range(1, min(int(lag.max(initial=0)), values.shape[1] - 1) + 1):
        weight = np.maximum(2 * (1 - back / (lag + 1)), 0.0)
        total += weight[:, None] * np.einsum("mdk,mdk->mk", values[:, back:], values[:, :-back])
    return np.asarray(np.maximum(total, 0.0) / np.maximum(counts - lag[:, None] - 1, 1))


LAGS = range(1, 8)


def share_repeated(days: AnsweredDays, units: Units) -> Floats:
    """[m, U] how often an answer of the reference is there again 1 to 7 scored days later: 1 where answers
    are frozen."""
    there = (days.codes != NONE) & days.member[:, :, None]
    same, pairs = np.zeros(there.shape[::2]), np.zeros(there.shape[::2])
    for back in LAGS:
        both = there[:, back:] & there[:, :-back]
        pairs += both.sum(axis=1)
        same += (both & (days.codes[:, back:] == days.codes[:, :-back])).sum(axis=1)
    by_unit = (np.add.reduceat(values, units.starts, axis=1) for values in (same, pairs))
    same, pairs = by_unit
    return np.asarray(same / np.maximum(pairs, 1))

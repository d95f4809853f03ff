"""Proof by draws: could a new draw of the same answers have been so low? Vectorised over models.

At temperature 0 answers repeat, and a case whose answer was drawn a little lower once is lower every day.
Days are then no units of proof; answers are. For each window B of last days, against the reference days A
before it:

- **Same answer.** A sample is known by its code: equal codes are the same answer (`codes_of`). Of answer k of
  a case, aₖ and bₖ are its shares of the days of A and B; the case changed by V = Σ(bₖ − aₖ)² draws.
- **Spread** of one draw, σ²: from days on which the answer was another one than the day before, ¼ of the
  squared step each, shrunk to a common factor c times the prior (one rung). c comes in two versions: from the
  prior and the steps, and from how differently the cases moved. The larger z counts.
- **Day effect** S: what cases share beyond their own swings, by Newey and West's variance.
- t = −(D + band · μ)/√(Σ w²σ²V + S · Σ w(1/nA + 1/nB)), as a normal z by its degrees of freedom.

Worked: 25 ladders of 14 rungs, every answer drawn again once, 10 points lower, and kept: V is 2 for each, σ
one rung (.071), so √(2 · .071²/25) = .020 and z is 4.2 at 17 degrees of freedom.

Models have their scored days aligned at the end, today last, and NaN before their first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probatio.core.records import DrawsConstants
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, Streams

NONE = -1
"""The code of a case without an answer."""
SAME_SCORE = 1e-6
"""Scores of a ladder that differ by less are the same answer."""
UNCHANGED = 1e-9
"""V of a case whose answers are the same in A and B."""


@dataclass(frozen=True, slots=True)
class Units:
    """The cases as the proof weighs them, and its streams: each deterministic use case, then their pool."""

    weights: Floats  # [S, C]
    prior: Floats  # [C] variance of one draw, before anything is known
    own: Bools  # [S] a use case's own stream, which must pass a higher line


@dataclass(frozen=True, slots=True)
class Proof:
    """The strongest proof of each stream [m, S] over windows and versions; NaN where none was made."""

    z: Floats
    fall: Floats  # D
    error: Floats
    freedom: Floats
    window: Ints


def units_of(streams: Streams) -> Units:
    """Equal weights over the cases of a use case, and over the use cases of the pool."""
    of_use_case = (streams.membership / np.maximum(streams.case_counts, 1)).T
    pool = of_use_case.mean(axis=0, keepdims=True)
    own = np.arange(len(of_use_case) + 1) < len(of_use_case)
    prior = np.minimum(0.25, 1 / streams.rungs.astype(np.float64) ** 2)
    return Units(np.concatenate([of_use_case, pool]), prior, own)


def codes_of(scores: Floats) -> Ints:
    """[…, C] answers known by their score alone, as those of a ladder are."""
    return np.where(np.isnan(scores), NONE, np.round(np.nan_to_num(scores) / SAME_SCORE)).astype(np.int64)


def prove(
    scores: Floats,
    codes: Ints,
    numbers: Ints,
    member: Bools,
    units: Units,
    constants: DrawsConstants,
    lag: Ints,
) -> Proof:
    """Scores [m, n, C] 0–1 and codes [m, n, C] of base samples, calendar days [m, n], and which days are in
    the reference [m, n]. `lag` [m] is Newey and West's."""
    models, days, _ = scores.shape
    lived = (~np.isnan(scores)).any(axis=2).sum(axis=1)
    windows = [window for window in constants.windows if window < days]
    sums = _Sums(scores, codes, numbers, member, [days - window for window in windows])
    shared = _SharedDays(scores, member, lag)
    whole = shared.beyond(np.broadcast_to(units.weights, (models, *units.weights.shape)))
    shape = (models, len(units.weights))
    unknown = np.full(shape, np.nan)
    best = Proof(unknown, unknown, unknown, unknown, np.zeros(shape, dtype=np.int64))
    for place, window in enumerate(windows):
        able = lived - window >= constants.least_days
        if not able.any():
            continue
        moved = sums.move(place, constants.least_days)
        included = ~np.isnan(moved.fall) & able[:, None]
        weights = units.weights[None] * included[:, None, :]
        total = weights.sum(axis=2)
        weights = weights / np.where(total > 0, total, 1.0)[..., None]
        of_days = whole if included.all() else shared.beyond(weights)
        for version in (1, 2):
            test = _Test(moved, included, weights, total >= 0.5, of_days, units.prior, constants)
            found = test.of(version, window)
            better = ~(found.z <= best.z) & ~np.isnan(found.z)
            best = Proof(
                *(
                    np.where(better, getattr(found, field.name), getattr(best, field.name))
                    for field in fields(Proof)
                )
            )
    return best


@dataclass(frozen=True, slots=True)
class _Move:
    """From A to B, per case [m, C]."""

    fall: Floats  # D; NaN where it has too few days
    before: Floats  # mean in A
    changed: Floats  # V
    days_before: Floats
    days_after: Floats
    squares: Floats  # Q
    freedom: Floats  # F: half a degree for each change, as an answer that comes back makes two


class _Sums:
    """Sums over the days of A and B for each cut: A is what lies in the reference before it, B all after it.

    The cuts split the days into segments; each sum is made once per segment, and those of A add up from the
    left, those of B from the right.
    """

    def __init__(
        self, scores: Floats, codes: Ints, numbers: Ints, member: Bools, cuts: Sequence[int]
    ) -> None:
        models, days, cases = scores.shape
        self._order = sorted(set(cuts))
        self._cuts = list(cuts)
        segment = np.searchsorted(self._order, np.arange(days), side="right")
        there = ~np.isnan(scores)
        filled = np.where(there, scores, 0.0)
        inside = there & member[:, :, None]
        other = there[:, 1:] & there[:, :-1] & (codes[:, 1:] != codes[:, :-1])
        other &= (np.diff(numbers, axis=1) == 1)[:, :, None]
        squares = np.where(other, filled[:, 1:] - filled[:, :-1], 0.0) ** 2 / 4
        both = (member[:, 1:] & member[:, :-1])[:, :, None]

        def by_segment(values: NDArray[Any], of: Ints) -> Floats:
            """[m, n, C] → [segments, m, C]."""
            ends = np.searchsorted(of, np.arange(len(self._order) + 2))
            return np.stack(
                [values[:, begin:end].sum(axis=1, dtype=np.float64) for begin, end in pairwise(ends)]
            )

        self._a = [by_segment(values, segment) for values in (inside, filled * inside)]
        self._b = [by_segment(values, segment) for values in (there, filled)]
        # A step belongs to the segment of its second day; the one across a cut is in neither A nor B of it.
        self._steps_a = [by_segment(values * both, segment[1:]) for values in (squares, other)]
        self._steps_b = [by_segment(values, segment[1:]) for values in (squares, other)]
        self._across = {cut: (squares[:, cut - 1], other[:, cut - 1]) for cut in self._order}
        dense = _dense(codes)
        most = int(dense.max(initial=0)) + 1
        parts = len(self._order) + 1
        place = (segment[None, :, None] * models + np.arange(models)[:, None, None]) * cases + np.arange(
            cases
        )
        place = (place * most + np.maximum(dense, 0)).ravel()
        shape = (parts, models, cases, most)
        size = parts * models * cases * most
        self._answers_a = np.bincount(place, inside.ravel(), minlength=size).reshape(shape)
        self._answers_b = np.bincount(place, there.ravel(), minlength=size).reshape(shape)

    def move(self, place: int, least: int) -> _Move:
        """From A to B at one of the cuts."""
        cut = self._cuts[place]
        at = self._order.index(cut) + 1
        days_a, sum_a = (values[:at].sum(axis=0) for values in self._a)
        days_b, sum_b = (values[at:].sum(axis=0) for values in self._b)
        many_a, many_b = np.maximum(days_a, 1), np.maximum(days_b, 1)
        shares = self._answers_b[at:].sum(axis=0) / many_b[..., None]
        shares -= self._answers_a[:at].sum(axis=0) / many_a[..., None]
        squares, freedom = (
            of_a[:at].sum(axis=0) + of_b[at:].sum(axis=0) - across
            for of_a, of_b, across in zip(self._steps_a, self._steps_b, self._across[cut], strict=True)
        )
        enough = (days_a >= least) & (days_b >= 1)
        return _Move(
            fall=np.where(enough, sum_b / many_b - sum_a / many_a, np.nan),
            before=sum_a / many_a,
            changed=(shares**2).sum(axis=2),
            days_before=many_a,
            days_after=many_b,
            squares=squares,
            freedom=freedom / 2,
        )


def _dense(codes: Ints) -> Ints:
    """The codes of each model and case as 0, 1, 2 …, in the order of their size."""
    by_case = np.ascontiguousarray(codes.transpose(0, 2, 1))
    order = np.argsort(by_case, axis=2)
    ranked = np.take_along_axis(by_case, order, axis=2)
    new = np.zeros_like(ranked)
    new[..., 1:] = (ranked[..., 1:] != ranked[..., :-1]) & (ranked[..., :-1] != NONE)
    place = np.empty_like(new)
    np.put_along_axis(place, order, new.cumsum(axis=2), axis=2)
    return np.where(codes == NONE, NONE, place.transpose(0, 2, 1))


class _SharedDays:
    """Newey and West's variances of the reference's daily departures: of each case, and of a stream."""

    def __init__(self, scores: Floats, member: Bools, lag: Ints) -> None:
        self._there = ~np.isnan(scores) & member[:, :, None]
        counts = self._there.sum(axis=1)
        filled = np.where(self._there, scores, 0.0)
        mean = filled.sum(axis=1) / np.maximum(counts, 1)
        self._departures = np.where(self._there, filled - mean[:, None, :], 0.0)
        self._lag = lag
        days = self._there.any(axis=2)
        # The days of the reference next to each other: a gap is no day.
        order = np.argsort(~days, axis=1, kind="stable")[:, : int(days.sum(axis=1).max(initial=0)), None]
        self._departures = np.take_along_axis(self._departures, order, axis=1)
        self._there = np.take_along_axis(self._there, order, axis=1)
        self._of_cases = self._variance(self._departures, self._there.sum(axis=1))

    def beyond(self, weights: Floats) -> Floats:
        """[m, S] S of streams with these weights [m, S, C]."""
        scale = np.einsum("mnc,msc->mns", self._there, weights)
        daily = np.einsum("mnc,msc->mns", self._departures, weights) / np.where(scale > 0, scale, 1.0)
        squares = weights**2
        whole = self._variance(daily, (scale > 0).sum(axis=1))
        apart = np.einsum("msc,mc->ms", squares, self._of_cases)
        rest = 1 - squares.sum(axis=2)
        shared = np.maximum(whole - apart, 0.0) / np.where(rest > 1e-12, rest, 1.0)
        return np.where(rest > 1e-12, shared, whole)  # of one case alone: its own

    def _variance(self, values: Floats, counts: Ints) -> Floats:
        """[m, n, k] → [m, k], not centred again; `counts` [m, k] of days with a value."""
        total = np.einsum("mdk,mdk->mk", values, values)
        for back in range(1, min(int(self._lag.max(initial=0)), values.shape[1] - 1) + 1):
            weight = np.maximum(2 * (1 - back / (self._lag + 1)), 0.0)
            total += weight[:, None] * np.einsum("mdk,mdk->mk", values[:, back:], values[:, :-back])
        return np.asarray(np.maximum(total, 0.0) / np.maximum(counts - self._lag[:, None] - 1, 1))


@dataclass(frozen=True, slots=True)
class _Test:
    """What a window gives the test."""

    moved: _Move
    included: Bools  # [m, C] cases with days enough
    weights: Floats  # [m, S, C] over these
    asked: Bools  # [m, S] streams with at least half of their weight
    shared: Floats  # [m, S] S
    prior: Floats  # [C]
    constants: DrawsConstants

    def of(self, version: int, window: int) -> Proof:
        """t of every stream, as z [m, S]."""
        moved, constants = self.moved, self.constants
        squares = np.where(self.included, moved.squares, 0.0)
        freedom = np.where(self.included, moved.freedom, 0.0)
        seen, free = (squares / self.prior).sum(axis=1), freedom.sum(axis=1)
        weight = constants.prior_weight
        if version == 2:
            scattered, count = self._scatter()
            weight, seen, free = constants.spread_weight, seen + scattered, free + np.maximum(count - 1, 0)
        of_kind = weight + free
        own = constants.own_weight
        common = ((weight + seen) / of_kind)[:, None] * self.prior
        draw = np.maximum(constants.least_share * self.prior, (own * common + squares) / (own + freedom))
        fall, level = self._weigh(moved.fall), self._weigh(moved.before)
        of_draws = np.einsum(
            "msc,mc->ms", self.weights**2, np.where(self.included, draw * moved.changed, 0.0)
        )
        variance = of_draws + self.shared * self._weigh(1 / moved.days_before + 1 / moved.days_after)
        most = np.einsum("msc,mc->ms", (self.weights > 0).astype(np.float64), own + freedom)
        limited = np.minimum(of_kind[:, None], np.maximum(most, 1.0))
        possible = self.asked & (variance > 0)
        error = np.sqrt(np.where(possible, variance, 1.0))
        t = -(fall + constants.band * level) / error
        z = np.sign(t) * (8 * limited + 1) / (8 * limited + 3) * np.sqrt(limited * np.log1p(t**2 / limited))
        unknown = np.nan
        return Proof(
            np.where(possible, z, unknown),
            np.where(possible, fall, unknown),
            np.where(possible, error, unknown),
            np.where(possible, limited, unknown),
            np.where(possible, window, 0),
        )

    def _weigh(self, values: Floats) -> Floats:
        return np.asarray(np.einsum("msc,mc->ms", self.weights, np.where(self.included, values, 0.0)))

    def _scatter(self) -> tuple[Floats, Ints]:
        """How differently the changed cases moved, in units of their priors, and how many changed [m]."""
        moved = self.moved
        changed = self.included & (moved.changed > UNCHANGED)
        weight = np.where(changed, 1 / np.where(changed, moved.changed * self.prior, 1.0), 0.0)
        fall = np.where(changed, moved.fall, 0.0)
        total = weight.sum(axis=1)
        common = (weight * fall).sum(axis=1) / np.where(total > 0, total, 1.0)
        return (weight * (fall - common[:, None]) ** 2).sum(axis=1), changed.sum(axis=1)

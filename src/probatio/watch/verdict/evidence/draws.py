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

from dataclasses import dataclass

import numpy as np

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
    scores: Floats, codes: Ints, numbers: Ints, member: Bools, units: Units, constants: DrawsConstants, lag: Ints
) -> Proof:
    """Scores [m, n, C] 0–1 and codes [m, n, C] of base samples, calendar days [m, n], and which days are in
    the reference [m, n]. `lag` [m] is Newey and West's."""
    models, days, _ = scores.shape
    there = ~np.isnan(scores)
    lived = there.any(axis=2).sum(axis=1)
    steps = _Steps(scores, codes, there, numbers)
    dense = _dense(codes)
    shared = _SharedDays(scores, there, member, lag)
    shape = (models, len(units.weights))
    best = Proof(*(np.full(shape, np.nan) for _ in range(4)), window=np.zeros(shape, dtype=np.int64))
    for window in constants.windows:
        first = days - window
        able = lived - window >= constants.least_days
        if first < 1 or not able.any():
            continue
        before = member.copy()
        before[:, first:] = False
        after = np.zeros_like(member)
        after[:, first:] = True
        moved = _move(scores, dense, there, before, after, constants)
        included = ~np.isnan(moved.fall) & able[:, None]
        squares, freedom = steps.sums(before, after, included)
        for version in (1, 2):
            found = _test(moved, included, squares, freedom, shared, units, constants, version)
            better = ~(found.z <= best.z) & ~np.isnan(found.z)
            best = Proof(
                *(
                    np.where(better, new, old)
                    for new, old in zip(
                        (found.z, found.fall, found.error, found.freedom),
                        (best.z, best.fall, best.error, best.freedom),
                        strict=True,
                    )
                ),
                window=np.where(better, window, best.window),
            )
    return best


@dataclass(frozen=True, slots=True)
class _Move:
    """From A to B, per case [m, C]; NaN where it has too few days."""

    fall: Floats  # D
    before: Floats  # mean in A
    changed: Floats  # V
    days_before: Floats
    days_after: Floats


def _move(
    scores: Floats, dense: Ints, there: Bools, before: Bools, after: Bools, constants: DrawsConstants
) -> _Move:
    models, _, cases = scores.shape
    of_a, of_b = there & before[:, :, None], there & after[:, :, None]
    days_a, days_b = of_a.sum(axis=1), of_b.sum(axis=1)
    enough = (days_a >= constants.least_days) & (days_b >= 1)
    filled = np.where(there, scores, 0.0)
    mean_a = np.einsum("mnc,mnc->mc", filled, of_a) / np.maximum(days_a, 1)
    mean_b = np.einsum("mnc,mnc->mc", filled, of_b) / np.maximum(days_b, 1)
    share = of_b / np.maximum(days_b, 1)[:, None, :] - of_a / np.maximum(days_a, 1)[:, None, :]
    most = int(dense.max(initial=0)) + 1
    place = np.where(dense < 0, 0, dense) + most * np.arange(models * cases).reshape(models, 1, cases)
    shares = np.bincount(place.ravel(), share.ravel(), minlength=models * cases * most)
    changed = (shares.reshape(models, cases, most) ** 2).sum(axis=2)
    return _Move(
        np.where(enough, mean_b - mean_a, np.nan), mean_a, changed, days_a.astype(float), days_b.astype(float)
    )


def _dense(codes: Ints) -> Ints:
    """The codes of each model and case as 0, 1, 2 …, in the order of their size."""
    models, days, cases = codes.shape
    order = np.argsort(codes, axis=1, kind="stable")
    ranked = np.take_along_axis(codes, order, axis=1)
    new = np.zeros((models, days, cases), dtype=np.int64)
    new[:, 1:] = (ranked[:, 1:] != ranked[:, :-1]) & (ranked[:, :-1] != NONE)
    place = np.empty_like(new)
    np.put_along_axis(place, order, new.cumsum(axis=1), axis=1)
    return np.where(codes == NONE, NONE, place)


class _Steps:
    """Days on which a case's answer was another one than on the calendar day before."""

    def __init__(self, scores: Floats, codes: Ints, there: Bools, numbers: Ints) -> None:
        next_day = (np.diff(numbers, axis=1) == 1)[:, :, None]
        self._other = next_day & there[:, 1:] & there[:, :-1] & (codes[:, 1:] != codes[:, :-1])
        step = np.where(self._other, np.nan_to_num(scores[:, 1:]) - np.nan_to_num(scores[:, :-1]), 0.0)
        self._squares = step**2 / 4

    def sums(self, before: Bools, after: Bools, included: Bools) -> tuple[Floats, Floats]:
        """Q and F of each case [m, C], within A and within B: a change is half a degree of freedom, as an
        answer that comes back makes two."""
        within = (before[:, 1:] & before[:, :-1]) | (after[:, 1:] & after[:, :-1])
        squares = np.einsum("mnc,mn->mc", self._squares, within)
        freedom = np.einsum("mnc,mn->mc", self._other.astype(np.float64), within) / 2
        return np.where(included, squares, 0.0), np.where(included, freedom, 0.0)


class _SharedDays:
    """Newey and West's variances of the reference's daily departures: of each case, and of a stream."""

    def __init__(self, scores: Floats, there: Bools, member: Bools, lag: Ints) -> None:
        self._there = there & member[:, :, None]
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
class _Found:
    z: Floats
    fall: Floats
    error: Floats
    freedom: Floats


def _test(
    moved: _Move,
    included: Bools,
    squares: Floats,
    freedom: Floats,
    shared: _SharedDays,
    units: Units,
    constants: DrawsConstants,
    version: int,
) -> _Found:
    """t of every stream, as z [m, S]."""
    prior = units.prior
    seen, free = (squares / prior).sum(axis=1), freedom.sum(axis=1)
    if version == 1:
        factor = (constants.prior_weight + seen) / (constants.prior_weight + free)
        of_kind = constants.prior_weight + free
    else:
        scattered, count = _scatter(moved, included, prior)
        of_kind = constants.spread_weight + free + np.maximum(count - 1, 0)
        factor = (constants.spread_weight + seen + scattered) / of_kind
    own = constants.own_weight
    draw = np.maximum(
        constants.least_share * prior, (own * factor[:, None] * prior + squares) / (own + freedom)
    )
    weights = units.weights[None] * included[:, None, :]
    total = weights.sum(axis=2)
    asked = total >= 0.5
    weights = weights / np.where(total > 0, total, 1.0)[..., None]

    def weigh(values: Floats) -> Floats:
        return np.asarray(np.einsum("msc,mc->ms", weights, np.where(included, values, 0.0)))

    fall, level = weigh(moved.fall), weigh(moved.before)
    variance = np.einsum("msc,mc->ms", weights**2, np.where(included, draw * moved.changed, 0.0))
    days = 1 / np.maximum(moved.days_before, 1) + 1 / np.maximum(moved.days_after, 1)
    variance = variance + shared.beyond(weights) * weigh(days)
    most = np.einsum("msc,mc->ms", (weights > 0).astype(float), own + freedom)
    limited = np.minimum(of_kind[:, None], most)
    possible = asked & (variance > 0)
    error = np.sqrt(np.where(possible, variance, 1.0))
    t = -(fall + constants.band * level) / error
    z = np.sign(t) * (8 * limited + 1) / (8 * limited + 3) * np.sqrt(limited * np.log1p(t**2 / limited))
    nan = np.nan
    return _Found(
        np.where(possible, z, nan), np.where(possible, fall, nan), np.where(possible, error, nan), limited
    )


def _scatter(moved: _Move, included: Bools, prior: Floats) -> tuple[Floats, Ints]:
    """How differently the changed cases moved, in units of their priors, and how many changed [m]."""
    changed = included & (moved.changed > UNCHANGED)
    weight = np.where(changed, 1 / np.where(changed, moved.changed * prior, 1.0), 0.0)
    fall = np.where(changed, moved.fall, 0.0)
    total = weight.sum(axis=1)
    common = (weight * fall).sum(axis=1) / np.where(total > 0, total, 1.0)
    return (weight * (fall - common[:, None]) ** 2).sum(axis=1), changed.sum(axis=1)

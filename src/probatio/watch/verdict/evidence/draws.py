"""Proof by draws: could a new draw of the same answers have been so low? Vectorised over models.

At temperature 0 answers repeat, and a case whose answer was drawn a little lower once is lower every day.
Days are then no units of proof; answers are. For each window B of last days, against the reference days A
before it:

- **Same answer.** A sample is known by its code: equal codes are the same answer. Of answer k of a case, aₖ
  and bₖ are its shares of the days of A and B; the case changed by V = Σ(bₖ − aₖ)² draws. A judged answer
  scores the mean of all marks that its text has got so far.
- **Spread** of one draw, σ²: from days on which the answer was another one than the day before, the squared
  step by the draws it took (two where all of it changed), shrunk to a common factor c times the prior (one
  rung), for each kind of case. c comes in two versions: from the prior and the steps, and from how
  differently the cases moved. The larger z counts.
- **Day effect** S: what cases share beyond their own swings, by Newey and West's variance.
- t = −(D + band · μ)/√(Σ w²σ²V + S · Σ w(1/nA + 1/nB)), as a normal z by its degrees of freedom. Judged cases
  add what one text's marks scatter.

Worked: 25 ladders of 14 rungs, every answer drawn again once, 10 points lower, and kept: V is 2 for each, σ
one rung (.071), so √(2 · .071²/25) = .020 and z is 4.2 at 17 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from probatio.core.records import DrawsConstants
from probatio.watch.verdict.evidence.answered_days import (
    UNCHANGED,
    AnsweredDays,
    Move,
    Referred,
    SharedDays,
    SumsOfDays,
    Units,
    share_repeated,
)
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Proof:
    """The strongest proof of each stream [m, S] over windows and versions; NaN where none was made."""

    z: Floats
    better: Floats  # the same for a rise
    fall: Floats  # D
    error: Floats
    freedom: Floats
    window: Ints


SharedOf = Callable[[Ints, Floats], Floats]
"""S of streams of these models with other weights [rows, S, U] than those of their reference."""


def prove(days: AnsweredDays, units: Units, constants: DrawsConstants, shared: SharedOf) -> Proof:
    """How strong a fall and a rise are."""
    models, count, _ = days.means.shape
    windows = [window for window in constants.windows if window < count]
    shape = (models, len(units.weights))
    unknown = np.full(shape, np.nan)
    best = Proof(unknown, unknown, unknown, unknown, unknown, np.zeros(shape, dtype=np.int64))
    if not windows:
        return best
    sums = SumsOfDays(days, units, [count - window for window in windows])
    for place, window in enumerate(windows):
        able = days.scored - window >= constants.least_days
        if not able.any():
            continue
        moved = sums.move(place, constants.least_days)
        best = _test(moved, able, days, units, shared, constants, window, best)
    return best


def refer(days: AnsweredDays, units: Units, constants: DrawsConstants, lag: Ints) -> Referred:
    """From all scored days of the series; `lag` [m] is Newey and West's."""
    upto = np.maximum(days.scored - max(constants.windows), 0)
    before = replace(days, member=days.member & (days.places < upto[:, None]))
    days_before, scores, squares, changes, answers = SumsOfDays(before, units, []).all_of_reference()
    included = (~np.isnan(days.means) & days.member[:, :, None]).sum(axis=1) >= constants.least_days
    weights, _ = _weigh_streams(units, included)
    shared = SharedDays.of(days, lag).beyond(weights)
    return Referred(upto, days_before, scores, squares, changes, answers, weights, shared)


def find_provable(days: AnsweredDays, units: Units, constants: DrawsConstants) -> Bools:
    """[m, S] which streams a total loss could prove, from the reference alone: all answers of the longest
    window at 0, and one that was never seen."""
    window = max(constants.windows)
    moved = SumsOfDays(days, units, []).lose_all(window, constants.least_days)
    able = np.ones(len(moved.fall), dtype=bool)
    unknown = np.full((len(moved.fall), len(units.weights)), np.nan)
    nothing = Proof(unknown, unknown, unknown, unknown, unknown, np.zeros(unknown.shape, dtype=np.int64))
    found = _test(moved, able, days, units, None, constants, window, nothing)
    return np.asarray(np.nan_to_num(found.z, nan=-np.inf) >= lines_of(units, constants))


def lines_of(units: Units, constants: DrawsConstants) -> Floats:
    """[S] z at which a stream is proven."""
    return np.asarray(constants.confirmed + np.where(units.own, constants.use_case_margin, 0.0))


def _weigh_streams(units: Units, included: Bools) -> tuple[Floats, Bools]:
    """[m, S, U] the weights of these cases [m, U], and [m, S] the streams with at least half of theirs."""
    weights = units.weights[None] * included[:, None, :]
    total = weights.sum(axis=2)
    return weights / np.where(total > 0, total, 1.0)[..., None], total >= 0.5


POWER = 0.84
"""So many standard errors beyond the line a fall is proven with 80 %."""


def smallest_falls(
    days: AnsweredDays, units: Units, constants: DrawsConstants, within: int
) -> tuple[Floats, Floats]:
    """Of each stream [m, S] the least fall, 0–1, that new draws would prove within so many days in 80 %, and
    its mean. Where answers are frozen, a draw stays one however long it is asked. `days`: all of them."""
    moved = SumsOfDays(days, units, []).lose_all(within, constants.least_days)
    included = ~np.isnan(moved.fall)
    weights, asked = _weigh_streams(units, included)
    squares, freedom = (np.where(included, values, 0.0) for values in (moved.squares, moved.freedom))
    own = constants.own_weight
    draw = np.zeros(squares.shape)
    for kind in (~units.judged, units.judged):
        inside = included & kind
        factor, _ = _common_factor(1, moved, inside, squares, freedom, units.prior, constants)
        expected = (own * factor[:, None] * units.prior + squares) / (own + freedom)
        draw = np.where(inside, np.maximum(constants.least_share * units.prior, expected), draw)
    by_chance = np.clip(moved.changed - 1, 0.0, 1.0 - 1e-9)  # how often two days have one answer anyway
    frozen = np.clip((share_repeated(days, units) - by_chance) / (1 - by_chance), 0.0, 1.0)
    fresh = 1 / moved.days_before + 1 / within
    changed = np.where(included, frozen * moved.changed + (1 - frozen) * fresh, 0.0)
    half = 1 / moved.days_before + 2 / within  # most falls are proven about half of these days after
    shared = days.referred.shared * np.einsum("msu,mu->ms", weights, np.where(included, half, 0.0))
    error = np.sqrt(np.einsum("msu,mu->ms", weights**2, draw * changed) + shared)
    level = np.einsum("msu,mu->ms", weights, np.where(included, moved.before, 0.0))
    fall = constants.band * level + (lines_of(units, constants) + POWER) * error
    return np.where(asked, fall, np.nan), np.where(asked, level, np.nan)


def _test(
    moved: Move,
    able: Bools,
    days: AnsweredDays,
    units: Units,
    shared: SharedOf | None,
    constants: DrawsConstants,
    window: int,
    best: Proof,
) -> Proof:
    """The better of `best` and what this window proves, in both versions."""
    included = ~np.isnan(moved.fall) & able[:, None]  # [m, U]
    weights, asked = _weigh_streams(units, included)
    of_days = days.referred.shared
    if (
        shared is not None
        and (rows := np.flatnonzero((weights != days.referred.weights).any(axis=(1, 2)) & able)).size
    ):
        of_days = of_days.copy()
        of_days[rows] = shared(rows, weights[rows])

    def weigh(values: Floats) -> Floats:
        return np.asarray(np.einsum("msu,mu->ms", weights, np.where(included, values, 0.0)))

    squared = weights**2
    between = 1 / moved.days_before + 1 / moved.days_after
    rest = of_days * weigh(between)
    rest += days.scatter[:, None] * np.einsum("msu,mu->ms", squared, np.where(units.judged, between, 0.0))
    fall, level = weigh(moved.fall), weigh(moved.before)
    squares, freedom = (np.where(included, values, 0.0) for values in (moved.squares, moved.freedom))
    own = constants.own_weight
    most = np.einsum("msu,mu->ms", (weights > 0).astype(np.float64), own + freedom)
    kinds = [kind for kind in (~units.judged, units.judged) if kind.any()]
    for version in (1, 2):
        of_draws = np.zeros(fall.shape)
        doubt = np.zeros(fall.shape)  # Σ variance² / degrees of freedom, over the kinds
        for kind in kinds:
            inside = included & kind
            factor, free = _common_factor(version, moved, inside, squares, freedom, units.prior, constants)
            expected = own * factor[:, None] * units.prior + squares
            draw = np.maximum(constants.least_share * units.prior, expected / (own + freedom))
            part = np.einsum("msu,mu->ms", squared, np.where(inside, draw * moved.changed, 0.0))
            of_draws += part
            doubt += part**2 / free[:, None]
        variance = of_draws + rest
        possible = asked & (variance > 0)
        degrees = of_draws**2 / np.where(doubt > 0, doubt, 1.0)
        degrees = np.where(doubt > 0, np.minimum(degrees, np.maximum(most, 1.0)), np.maximum(most, 1.0))
        error = np.sqrt(np.where(possible, variance, 1.0))
        unknown = np.where(possible, 0.0, np.nan)
        found = Proof(
            _as_normal(-(fall + constants.band * level) / error, degrees) + unknown,
            _as_normal((fall - constants.band * (1 - level)) / error, degrees) + unknown,
            fall + unknown,
            error + unknown,
            degrees + unknown,
            np.where(possible, window, 0),
        )
        stronger = ~(found.z <= best.z) & possible
        rises = np.fmax(found.better, best.better)
        best = Proof(
            *(
                rises
                if field.name == "better"
                else np.where(stronger, getattr(found, field.name), getattr(best, field.name))
                for field in fields(Proof)
            )
        )
    return best


def _common_factor(
    version: int,
    moved: Move,
    inside: Bools,
    squares: Floats,
    freedom: Floats,
    prior: Floats,
    constants: DrawsConstants,
) -> tuple[Floats, Floats]:
    """c of one kind of case and its degrees of freedom [m]."""
    seen = np.where(inside, squares / prior, 0.0).sum(axis=1)
    free = np.where(inside, freedom, 0.0).sum(axis=1)
    if version == 1:
        degrees = constants.prior_weight + free
        return (constants.prior_weight + seen) / degrees, degrees
    # How differently the changed cases moved, in units of their priors.
    changed = inside & (moved.changed > UNCHANGED)
    weight = np.where(changed, 1 / np.where(changed, moved.changed * prior, 1.0), 0.0)
    fall = np.where(changed, moved.fall, 0.0)
    total = weight.sum(axis=1)
    common = (weight * fall).sum(axis=1) / np.where(total > 0, total, 1.0)
    seen += (weight * (fall - common[:, None]) ** 2).sum(axis=1)
    degrees = constants.spread_weight + free + np.maximum(changed.sum(axis=1) - 1, 0)
    return (constants.spread_weight + seen) / degrees, degrees


def _as_normal(t: Floats, degrees: Floats) -> Floats:
    """Student's t as a normal number."""
    return np.asarray(
        np.sign(t) * (8 * degrees + 1) / (8 * degrees + 3) * np.sqrt(degrees * np.log1p(t**2 / degrees))
    )

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

Models have their scored days aligned at the end, today last, and NaN before their first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probatio.core.records import DrawsConstants, EvidenceConstants
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
        """[m, n] number of each day among the scored days of its series; below 0 where there is none."""
        return np.asarray(self.scored[:, None] - self.means.shape[1] + np.arange(self.means.shape[1]))


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
    sums = _Sums(days, units, [count - window for window in windows])
    for place, window in enumerate(windows):
        able = days.scored - window >= constants.least_days
        if not able.any():
            continue
        moved = sums.move(place, constants.least_days)
        best = _test(moved, able, days, units, shared, constants, window, best)
    return best


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


def refer(days: AnsweredDays, units: Units, constants: DrawsConstants, lag: Ints) -> Referred:
    """From all scored days of the series; `lag` [m] is Newey and West's."""
    upto = np.maximum(days.scored - max(constants.windows), 0)
    before = replace(days, member=days.member & (days.places < upto[:, None]))
    days_before, scores, squares, changes, answers = _Sums(before, units, []).all_of_reference()
    included = (~np.isnan(days.means) & days.member[:, :, None]).sum(axis=1) >= constants.least_days
    weights, _ = _weigh_streams(units, included)
    shared = SharedDays.of(days, lag).beyond(weights)
    return Referred(upto, days_before, scores, squares, changes, answers, weights, shared)


def find_provable(days: AnsweredDays, units: Units, constants: DrawsConstants) -> Bools:
    """[m, S] which streams a total loss could prove, from the reference alone: all answers of the longest
    window at 0, and one that was never seen."""
    window = max(constants.windows)
    moved = _Sums(days, units, []).lose_all(window, constants.least_days)
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
    moved = _Sums(days, units, []).lose_all(within, constants.least_days)
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
    frozen = np.clip((_share_repeated(days, units) - by_chance) / (1 - by_chance), 0.0, 1.0)
    fresh = 1 / moved.days_before + 1 / within
    changed = np.where(included, frozen * moved.changed + (1 - frozen) * fresh, 0.0)
    half = 1 / moved.days_before + 2 / within  # most falls are proven about half of these days after
    shared = days.referred.shared * np.einsum("msu,mu->ms", weights, np.where(included, half, 0.0))
    error = np.sqrt(np.einsum("msu,mu->ms", weights**2, draw * changed) + shared)
    level = np.einsum("msu,mu->ms", weights, np.where(included, moved.before, 0.0))
    fall = constants.band * level + (lines_of(units, constants) + POWER) * error
    return np.where(asked, fall, np.nan), np.where(asked, level, np.nan)


LAGS = range(1, 8)


def _share_repeated(days: AnsweredDays, units: Units) -> Floats:
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


class _Sums:
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

    departures: Floats  # [m, n, U] 0 where there is none
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

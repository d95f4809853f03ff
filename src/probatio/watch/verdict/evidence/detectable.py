"""Minimum detectable effect: the smallest drop that an OK rules out, by simulation from the model's own
reference noise.

The smallest permanent drop, as a share of the reference mean, such that it and every larger one would be
CONFIRMED within `detectable_days` with `detectable_probability`: for each use case alone, and for all
together. The reference's days are drawn again in blocks of a week and more, whole days at a time, so that
failures that last and cases that fail together stay so; some quiet days come first, then the drop, through
the detector's own bets. A yes/no case loses a share of its passes, a case with partial credit and a judged
score that share of its points. All sizes are tried on the same draws, so that none is easier to detect by
luck, and from the largest down: the first that is not confirmed often enough ends the search, and the border
is halved between the two, and at last taken on the line between them.

What the model truly is the reference shows only so well: the days of each replica come from a world of its
own, the reference's days drawn again once before. (Without that the promise of 80 % was kept in 72 % on 25
cases.)

Days on which the evidence would ask for more samples are drawn so: the other samples are those of other days.
But a case that was low for two days and more may have been so for a reason that lasts: on such a day it is
low in all samples, and no such day lends a sample to another. (Mixed without regard to that, sticky failures
were found at half of the promised rate.) How many of these days are so is what they are more than chance
makes them.

Before the drop the bets have the value they have after weeks of healthy days, and the reference is as sure as
it will be in the middle of the days to come. (Without the second, partial credit kept 89 % instead of 80.)

Where answers can be asked for a proof by draws, a drop must also be one that new draws would prove: the
larger of the two is given.

Nothing here is random from call to call: the seed is the reference's fingerprint, and so the result can be
kept under it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from probatio.core.records import Detectable, EvidenceConstants
from probatio.watch.verdict.evidence.answered_days import no_reference_yet
from probatio.watch.verdict.evidence.draws import smallest_falls
from probatio.watch.verdict.evidence.evidence import EvidenceState
from probatio.watch.verdict.evidence.history import answered_days, reference_days
from probatio.watch.verdict.evidence.ladders import Bets, bet_on_fall, new_bets, refer_ladders
from probatio.watch.verdict.evidence.reference import fingerprint, reference_of
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, Streams

REPLICAS, FIRST = 100, 34  # 80 % ± 4 points; so many come first …
DOUBT = (0.55, 0.95)  # … and the others where these were confirmed in a share between
STRETCH, STRETCHES = 7, 5  # days at least, and so many parts at most where the reference is longer
FEWER = 0.5
"""Share of the days of a world if failures last: drawn in stretches, worlds would differ too little."""
OFFERED = 16  # places to go on from at every join
QUIET_DAYS = 7  # low cases and memories forget where they started within days …
BURN_IN = 60  # … and M within so many …
LIVES = 20  # … through which so many detectors live; each replica begins as one of these
GROWTH = 10  # days a reference grows until the middle of the days in which a drop is to be seen
SIZES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.13, 0.09, 0.06, 0.04, 0.025)
HALVINGS = 2
VERSION = 5  # of this computation; a change makes kept results stale


class KeptEffects(Protocol):
    """Effects that were computed before, by key: a dict, or a cache on disk."""

    def get(self, key: str, /) -> Detectable | None: ...

    def __setitem__(self, key: str, effect: Detectable, /) -> None: ...


def smallest_drops(
    state: EvidenceState,
    model: int,
    kept: KeptEffects | None = None,
    *,
    compute: bool = True,
    alone: bool = True,
) -> Detectable | None:
    """What drops one model's reference can show; None while the reference is being recorded.

    Taken from `kept` where it is there, else computed and put there; with `compute` off, None where it is not
    there. `alone`: of each use case alone, too; only such are kept.
    """
    if not state.ready[model]:
        return None
    key, simulate = _prepare(state, model)
    effect = None if kept is None else kept.get(key)
    if effect is None and compute:
        effect = simulate(alone=alone)
        if kept is not None and alone:
            kept[key] = effect
    return effect and _larger(effect, _proven_drops(state, model))


def _prepare(state: EvidenceState, model: int) -> tuple[str, Callable[..., Detectable]]:
    """The key of a model's reference, and the simulation that computes its effect."""
    cases, judged, _, numbers, _ = reference_days(state.history, np.array([model]), state.constants)
    reference = cases[0], judged[0], numbers[0], state.streams, state.constants
    content = fingerprint(*reference)
    return f"{content}-{VERSION}", partial(detectable, *reference, int(content[:16], 16))


def _proven_drops(state: EvidenceState, model: int) -> Detectable:
    """The drops that new draws would prove, of all use cases together and of each alone; 0 where no proof is
    asked for, None where not even a total loss would be one."""
    streams, constants, question = state.streams, state.constants, state.question
    every, asked = len(streams.use_cases), question.provable[model]
    if not asked.any():
        return Detectable(0.0, dict.fromkeys(streams.use_cases, 0.0))
    one = np.array([model])
    none = replace(no_reference_yet(1, state.units), shared=question.referred.shared[one])
    days = answered_days(state.history, one, constants, none)
    found = smallest_falls(days, state.units, constants.draws, constants.detectable_days)
    fall, level = (part[0] for part in found)
    weights = state.units.weights
    own = weights[:every] > 0  # [U, units]
    share = weights @ own.T  # [S, U] of a stream, in a use case
    mean = np.where(level[:every] > 0, level[:every], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = np.where(asked[:, None] & (share > 0), fall[:, None] / (share * mean), np.nan)
        together = np.where(asked, fall / level, np.nan)
    least = np.fmin.reduce(alone, axis=0)

    def limit(drop: float) -> float | None:
        return round(float(drop), 4) if drop <= 1 else None

    each = {
        name: 0.0 if question.silent[model, at] else limit(least[at])
        for at, name in enumerate(streams.use_cases)
    }
    return Detectable(limit(np.fmin.reduce(together)), each)


def _larger(effect: Detectable, proven: Detectable) -> Detectable:
    def larger(simulated: float | None, drop: float | None) -> float | None:
        return None if simulated is None or drop is None else max(simulated, drop)

    each = {name: larger(drop, proven.use_cases[name]) for name, drop in effect.use_cases.items()}
    return Detectable(larger(effect.overall, proven.overall), each)


def detectable(
    cases: Floats,
    judged: Floats,
    numbers: Ints,
    streams: Streams,
    constants: EvidenceConstants,
    seed: int,
    *,
    alone: bool = True,
) -> Detectable:
    """From one model's reference days: cases [days, C], judged [days, J]. `alone`: of each use case alone,
    too."""
    rng = np.random.default_rng(seed)
    later = GROWTH if constants.reference_days < len(cases) < constants.reference_most else 0
    reference = reference_of(cases[None], judged[None], numbers[None], streams, constants, later=later)
    referred = new_bets(1, streams, constants, window=1)
    ladder = referred.ladder
    if ladder is not None:
        one, count = np.zeros(1, dtype=np.int64), np.array([len(cases)])
        ladder = refer_ladders(
            ladder, one, cases[None], cases[None], streams, numbers[None], count, later=later
        )
    referred = Bets(replace(referred.cases, reference=reference), ladder)
    length = QUIET_DAYS + constants.detectable_days
    samples = round(constants.full_factor)
    low = cases < reference.mean[0] - constants.low
    lasting, share = _lasting(low, rng)
    fewer = round(len(cases) * (1 - FEWER * share))
    worlds = _stretches(np.tile(np.arange(len(cases)), (REPLICAS, 1)), low, fewer, rng)
    order = np.stack([_stretches(worlds, low, length, rng) for _ in range(samples)])
    yes_no = ((cases == 0) | (cases == 1) | np.isnan(cases)).all(axis=0)
    drawn = _Replicas(
        cases[order],
        judged[order],
        lasting[order],
        rng.random((samples, REPLICAS, length, len(streams.cases))),
        yes_no,
        streams,
    )
    # about how many days it has been bet against: more samples are asked for the later, the longer
    grown = len(cases) - constants.reference_days
    bets = grown + constants.reference_lag if grown > 0 else 0
    quiet = _settle(cases, judged, referred, drawn, bets, constants, rng)
    targets = np.vstack(
        [np.ones(len(streams.use_cases), dtype=bool), np.eye(len(streams.use_cases), dtype=bool)]
    )
    overall, *each = _smallest(quiet, drawn, targets if alone else targets[:1], constants)
    return Detectable(overall, dict(zip(streams.use_cases, each, strict=False)))


def _settle(
    cases: Floats,
    judged: Floats,
    referred: Bets,
    drawn: _Replicas,
    bets: int,
    constants: EvidenceConstants,
    rng: np.random.Generator,
) -> Bets:
    """[replicas] the bets before the drop, with what they hold after so many healthy days."""
    streams, window = drawn.streams, drawn.cases.shape[2]
    living = _begin(referred, LIVES, streams, constants, 1)
    begin, everyone = rng.integers(len(cases), size=LIVES), np.ones(LIVES, dtype=bool)
    fresh = np.ones((LIVES, len(streams.cases)), dtype=bool)
    for day in range(max(min(bets, BURN_IN) - QUIET_DAYS, 0)):
        at = (begin + day) % len(cases)
        living = bet_on_fall(
            streams, constants, living, cases[at], cases[at], judged[at], everyone, fresh, ~everyone
        )
    replicas = np.arange(REPLICAS)
    quiet = _begin(referred, REPLICAS, streams, constants, min(window, constants.memory.days))
    lives = replicas % LIVES
    memory = replace(quiet.cases.memory, bets=np.full(REPLICAS, bets))
    ladder = quiet.ladder
    if ladder is not None and living.ladder is not None:
        won = living.ladder.detector.streams[lives]
        ladder = replace(ladder, detector=replace(ladder.detector, streams=won))
    quiet = Bets(replace(quiet.cases, streams=living.cases.streams[lives], memory=memory), ladder)
    nothing = np.zeros((REPLICAS, len(streams.use_cases)))
    for day in range(QUIET_DAYS):
        quiet = _one_day(quiet, drawn, replicas, day, nothing, constants)
    return quiet


def _begin(referred: Bets, count: int, streams: Streams, constants: EvidenceConstants, window: int) -> Bets:
    """So many bets with the reference of one model."""
    same, new = np.zeros(count, dtype=np.int64), new_bets(count, streams, constants, window)
    ladder = new.ladder
    if ladder is not None and referred.ladder is not None:
        reference = referred.ladder.detector.reference.rows(same)
        ladder = replace(ladder, detector=replace(ladder.detector, reference=reference))
    return Bets(replace(new.cases, reference=referred.cases.reference.rows(same)), ladder)


@dataclass(frozen=True, slots=True)
class _Replicas:
    """The days of every replica, with as many samples of each as a full count has; the first is the base
    sample."""

    cases: Floats  # [samples, replicas, days, C]
    judged: Floats  # [samples, replicas, days, J]
    lasting: Bools  # [samples, replicas, days, C] low, and on the day before or after, too
    luck: Floats  # [samples, replicas, days, C]
    yes_no: Bools  # [C]
    streams: Streams

    def day(self, replica: Ints, day: int, lost: Floats, full: Bools) -> tuple[Floats, Floats, Floats]:
        """What the evidence would read, with the share `lost` [rows, use cases] of each use case gone: cases,
        those of the base samples alone, and judged use cases."""
        of_case = lost[:, self.streams.deterministic][:, self.streams.home]
        base = self.cases[0, replica, day]
        lower = self._lower_cases(base, self.luck[0, replica, day], of_case)
        cases = lower
        judged = self.judged[0, replica, day]
        if full.any():
            rows = replica[full]
            count = len(self.cases)
            cases = lower.copy()
            total = cases[full]
            for sample in range(1, count):
                other = self.cases[sample, rows, day]
                same = self.lasting[0, rows, day] | self.lasting[sample, rows, day] | np.isnan(other)
                there = np.where(same, base[full], other)
                total = total + self._lower_cases(there, self.luck[sample, rows, day], of_case[full])
            cases[full] = total / count
        return cases, lower, judged * (1 - lost[:, self.streams.judged])

    def _lower_cases(self, cases: Floats, luck: Floats, lost: Floats) -> Floats:
        failing = np.where((luck < lost) & ~np.isnan(cases), 0.0, cases)
        return np.where(self.yes_no, failing, cases * (1 - lost))


def _lasting(low: Bools, rng: np.random.Generator) -> tuple[Bools, float]:
    """[days, C] low days that are low for a reason that lasts: of those with another beside them the share
    that chance does not explain; and that share."""
    beside = np.zeros_like(low)
    beside[1:] |= low[:-1]
    beside[:-1] |= low[1:]
    rate = low.mean(axis=0)
    # how often a low day follows a low one, were days independent
    by_chance = float((rate**2).sum() / max(rate.sum(), 1e-9))
    follows = float((low[1:] & low[:-1]).sum() / max(int(low[:-1].sum()), 1))
    share = max(0.0, 1 - by_chance / follows) if follows > 0 else 0.0
    return low & beside & (rng.random(low.shape) < share), share


def _stretches(source: Ints, low: Bools, length: int, rng: np.random.Generator) -> Ints:
    """[replicas, length] days of the reference, from each replica's own `source` [replicas, n] in circular
    stretches.

    Every join cuts failures that last and begins others, which looks like cases that fall. So of some places
    to go on from the one is taken whose day before had most nearly the same cases low as the last day
    (matched blocks).
    """
    days = source.shape[1]
    stretch = max(STRETCH, days // STRETCHES)
    each = np.arange(REPLICAS)
    begin = rng.integers(days, size=REPLICAS)
    parts: list[Ints] = []
    for _ in range(-(-length // stretch)):
        if parts:
            offered = rng.integers(days, size=(REPLICAS, OFFERED))
            before = low[source[each[:, None], offered - 1]]  # [replicas, offered, C]
            apart = (before != low[parts[-1][:, -1]][:, None, :]).sum(axis=2)
            begin = offered[each, apart.argmin(axis=1)]
        parts.append(source[each[:, None], (begin[:, None] + np.arange(stretch)) % days])
    return np.concatenate(parts, axis=1)[:, :length]


def _smallest(
    quiet: Bets, drawn: _Replicas, targets: Bools, constants: EvidenceConstants
) -> list[float | None]:
    def count_seen(which: Ints, drop: Floats, replicas: Ints) -> Floats:
        """In how many replicas these targets, each with its drop, are CONFIRMED in time."""
        replica = np.tile(replicas, len(which))
        of = np.repeat(np.arange(len(which)), len(replicas))
        times = np.zeros(len(which))
        bets = quiet.rows(replica)
        for day in range(QUIET_DAYS, QUIET_DAYS + constants.detectable_days):
            before = bets.value()
            lost = drop[of, None] * targets[which[of]]
            bets = _one_day(bets, drawn, replica, day, lost, constants)
            there = (bets.value() >= constants.confirmed) & (before >= constants.confirmed_after)
            times += np.bincount(of[there], minlength=len(which))
            if there.any():
                replica, of, bets = replica[~there], of[~there], bets.rows(~there)
            if not len(of):
                break
        return times

    def share_seen(which: Ints, drop: Floats) -> Floats:
        """How often. What a third of the replicas leave no doubt about is not tried in the others."""
        every = np.arange(REPLICAS)
        share = count_seen(which, drop, every[:FIRST]) / FIRST
        doubt = np.flatnonzero((share > DOUBT[0]) & (share < DOUBT[1]))
        if len(doubt):
            more = count_seen(which[doubt], drop[doubt], every[FIRST:])
            share[doubt] = (FIRST * share[doubt] + more) / REPLICAS
        return share

    promised = constants.detectable_probability
    # the border lies between these sizes …
    above, below = np.full(len(targets), np.nan), np.zeros(len(targets))
    often, seldom = np.ones(len(targets)), np.zeros(len(targets))  # … which are confirmed so often

    def narrow(which: Ints, size: Floats) -> Bools:
        share = share_seen(which, size)
        enough = share >= promised
        above[which[enough]], often[which[enough]] = size[enough], share[enough]
        below[which[~enough]], seldom[which[~enough]] = size[~enough], share[~enough]
        return enough

    which = np.arange(len(targets))
    for size in SIZES:
        which = which[narrow(which, np.full(len(which), size))]
        if not len(which):
            break
    which = np.flatnonzero(~np.isnan(above))
    for _ in range(HALVINGS if len(which) else 0):
        narrow(which, (above[which] + below[which]) / 2)
    part = (promised - seldom) / np.maximum(often - seldom, 1e-9)
    smallest = below + part * (above - below)
    return [None if np.isnan(drop) else round(float(drop), 4) for drop in smallest]


def _one_day(
    bets: Bets, drawn: _Replicas, replica: Ints, day: int, lost: Floats, constants: EvidenceConstants
) -> Bets:
    full = bets.value() >= constants.full_from + bets.cases.memory.bets
    cases, base, judged = drawn.day(replica, day, lost, full)
    everyone = np.ones(len(cases), dtype=bool)
    fresh = np.ones(cases.shape, dtype=bool)
    return bet_on_fall(drawn.streams, constants, bets, cases, base, judged, everyone, fresh, full)

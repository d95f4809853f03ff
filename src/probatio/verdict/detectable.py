"""Minimum detectable effect: the smallest drop that an OK rules out, by simulation from the model's own reference noise.

The smallest permanent drop, as a share of the reference mean, such that it and every larger one would be CONFIRMED within
`detectable_days` with `detectable_probability`: for each use case alone, and for all together. The reference's days are
drawn again in blocks of a week and more, whole days at a time, so that failures that last and cases that fail together stay
so; some quiet days come first, then the drop, through the detector's own bets. A yes/no case loses a share of its passes, a
case with partial credit and a judged score that share of its points. All sizes are tried on the same draws, so that none is
easier to detect by luck, and from the largest down: the first that is not confirmed often enough ends the search, and the
border is halved between the two, and at last taken on the line between them.

What the model truly is the reference shows only so well: the days of each replica come from a world of its own, the
reference's days drawn again once before. (Without that the promise of 80 % was kept in 72 % on 25 cases.)

Days on which the evidence would ask for more samples are drawn so: the other samples are those of other days. But a case that
was low for two days and more was so for a reason that lasts: on such a day it is low in all samples, and no such day
lends a sample to another. (Mixed without regard to that, sticky failures were found at half of the promised rate.)

Nothing here is random from call to call: the seed is the reference's fingerprint, and so the result can be kept under it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from probatio.records import Detectable, EvidenceConstants
from probatio.verdict.detector import Detector, bet, new_detector, statistic
from probatio.verdict.evidence import EvidenceState
from probatio.verdict.history import reference_days
from probatio.verdict.reference import fingerprint, reference_of
from probatio.verdict.streams import Bools, Floats, Ints, Streams

REPLICAS = 100  # 80 % ± 4 points
BLOCK, BLOCKS = 7, 5  # days at least, and in so many parts at most where the reference is longer
QUIET_DAYS = 7  # M and the low cases forget where they started within days
SIZES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.13, 0.09, 0.06, 0.04, 0.025)
HALVINGS = 2
VERSION = 3  # of this computation; a change makes kept results stale


class KeptEffects(Protocol):
    """Effects that were computed before, by key: a dict, or a cache on disk."""

    def get(self, key: str, /) -> Detectable | None: ...

    def __setitem__(self, key: str, effect: Detectable, /) -> None: ...


def smallest_drops(
    state: EvidenceState, model: int, kept: KeptEffects | None = None, *, compute: bool = True
) -> Detectable | None:
    """What drops one model's reference can show; None while the reference is being recorded.

    Taken from `kept` where it is there, else computed and put there; with `compute` off, None where it is not there.
    """
    if not state.ready[model]:
        return None
    cases, judged, numbers, _ = reference_days(state.history, np.array([model]), state.constants)
    content = fingerprint(cases[0], judged[0], numbers[0], state.streams, state.constants)
    key = f"{content}-{VERSION}"
    effect = None if kept is None else kept.get(key)
    if effect is None and compute:
        effect = detectable(cases[0], judged[0], numbers[0], state.streams, state.constants, seed=int(content[:16], 16))
        if kept is not None:
            kept[key] = effect
    return effect


def detectable(
    cases: Floats, judged: Floats, numbers: Ints, streams: Streams, constants: EvidenceConstants, seed: int
) -> Detectable:
    """From one model's reference days: cases [days, C], judged [days, J]."""
    rng = np.random.default_rng(seed)
    reference = reference_of(cases[None], judged[None], numbers[None], streams, constants)
    length = QUIET_DAYS + constants.detectable_days
    samples = round(constants.full_factor)
    worlds = _blocks(len(cases), len(cases), rng)
    order = np.stack([_days_of(worlds, length, rng) for _ in range(samples)])
    yes_no = ((cases == 0) | (cases == 1) | np.isnan(cases)).all(axis=0)
    drawn = _Drawn(
        cases[order],
        judged[order],
        _lasting(cases < reference.mean[0] - constants.low)[order],
        rng.random((samples, REPLICAS, length, len(streams.cases))),
        yes_no,
        streams,
    )
    everyone = np.zeros(REPLICAS, dtype=np.int64)
    quiet = new_detector(REPLICAS, streams, constants, window=min(length, constants.memory.days))
    memory = replace(quiet.memory, bets=everyone + _days_bet(len(cases), constants))
    quiet = Detector(reference.rows(everyone), quiet.low_days, quiet.streams, memory)
    nothing = np.zeros((REPLICAS, len(streams.use_cases)))
    for day in range(QUIET_DAYS):
        quiet = _one_day(quiet, drawn, np.arange(REPLICAS), day, nothing, constants)
    targets = np.vstack([np.ones(len(streams.use_cases), dtype=bool), np.eye(len(streams.use_cases), dtype=bool)])
    drops = _smallest(quiet, drawn, targets, constants)
    return Detectable(drops[0], dict(zip(streams.use_cases, drops[1:], strict=True)))


def _days_bet(days: int, constants: EvidenceConstants) -> int:
    """About how many days a reference of so many days has been bet against: more samples are asked for the later, the longer."""
    grown = days - constants.reference_days
    return grown + constants.reference_lag if grown > 0 else 0


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The days of every replica, with as many samples of each as a full count has; the first is the base sample."""

    cases: Floats  # [samples, replicas, days, C]
    judged: Floats  # [samples, replicas, days, J]
    lasting: Bools  # [samples, replicas, days, C] low, and on the day before or after, too
    luck: Floats  # [samples, replicas, days, C]
    yes_no: Bools  # [C]
    streams: Streams

    def day(self, replica: Ints, day: int, lost: Floats, full: Bools) -> tuple[Floats, Floats]:
        """What the evidence would read, with the share `lost` [rows, use cases] of each use case gone."""
        of_case = lost[:, self.streams.deterministic][:, self.streams.home]
        base = self.cases[0, replica, day]
        cases = self._fallen(base, self.luck[0, replica, day], of_case)
        judged = self.judged[0, replica, day]
        if full.any():
            rows = replica[full]
            count = len(self.cases)
            total = cases[full]
            for sample in range(1, count):
                other = self.cases[sample, rows, day]
                same = self.lasting[0, rows, day] | self.lasting[sample, rows, day] | np.isnan(other)
                there = np.where(same, base[full], other)
                total = total + self._fallen(there, self.luck[sample, rows, day], of_case[full])
            cases[full] = total / count
        return cases, judged * (1 - lost[:, self.streams.judged])

    def _fallen(self, cases: Floats, luck: Floats, lost: Floats) -> Floats:
        failing = np.where((luck < lost) & ~np.isnan(cases), 0.0, cases)
        return np.where(self.yes_no, failing, cases * (1 - lost))


def _lasting(low: Bools) -> Bools:
    """[days, C] low days that have another beside them."""
    beside = np.zeros_like(low)
    beside[1:] |= low[:-1]
    beside[:-1] |= low[1:]
    return low & beside


def _days_of(worlds: Ints, length: int, rng: np.random.Generator) -> Ints:
    """[replicas, length] places among the reference's days: each replica's days from its own world."""
    places = _blocks(worlds.shape[1], length, rng)
    return np.asarray(np.take_along_axis(worlds, places, axis=1))


def _blocks(days: int, length: int, rng: np.random.Generator) -> Ints:
    """[replicas, length] places among so many days, in circular blocks."""
    block = max(BLOCK, days // BLOCKS)  # every border cuts the failures that last
    count = -(-length // block)
    begin = rng.integers(days, size=(REPLICAS, count, 1))
    return ((begin + np.arange(block)) % days).reshape(REPLICAS, -1)[:, :length]


def _smallest(quiet: Detector, drawn: _Drawn, targets: Bools, constants: EvidenceConstants) -> list[float | None]:
    def seen(which: Ints, drop: Floats) -> Floats:
        """How often these targets, each with its drop, are CONFIRMED in time."""
        replica = np.tile(np.arange(REPLICAS), len(which))
        of = np.repeat(np.arange(len(which)), REPLICAS)
        times = np.zeros(len(which))
        detector = quiet.rows(replica)
        for day in range(QUIET_DAYS, QUIET_DAYS + constants.detectable_days):
            before = statistic(detector)
            lost = drop[of, None] * targets[which[of]]
            detector = _one_day(detector, drawn, replica, day, lost, constants)
            there = (statistic(detector) >= constants.confirmed) & (before >= constants.confirmed_after)
            times += np.bincount(of[there], minlength=len(which))
            if there.any():
                replica, of, detector = replica[~there], of[~there], detector.rows(~there)
            if not len(of):
                break
        return times / REPLICAS

    promised = constants.detectable_probability
    above, below = np.full(len(targets), np.nan), np.zeros(len(targets))  # the border lies between these sizes …
    often, seldom = np.ones(len(targets)), np.zeros(len(targets))  # … which are confirmed so often

    def narrow(which: Ints, size: Floats) -> Bools:
        share = seen(which, size)
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
    detector: Detector, drawn: _Drawn, replica: Ints, day: int, lost: Floats, constants: EvidenceConstants
) -> Detector:
    full = statistic(detector) >= constants.full_from + detector.memory.bets
    cases, judged = drawn.day(replica, day, lost, full)
    everyone = np.ones(len(cases), dtype=bool)
    fresh = np.ones(cases.shape, dtype=bool)
    return bet(drawn.streams, constants, detector, cases, judged, everyone, fresh, full)

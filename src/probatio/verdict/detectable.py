"""Minimum detectable effect: the smallest drop that an OK rules out, by simulation from the model's own reference noise.

The smallest permanent drop, as a share of the reference mean, that the evidence would CONFIRM within `detectable_days` with
`detectable_probability`: for each use case alone, and for all together. The reference's days are drawn again in blocks of a
week, whole days at a time, so that failures that last and cases that fail together stay so; some quiet days come first, then
the drop, through the detector's own bets. A yes/no case loses a share of its passes, a case with partial credit and a judged
score that share of its points. All sizes are tried on the same draws, so that none is easier to detect by luck. They are tried
from below, and halved between the first that is detected and the last that was not: plain bisection would miss that a larger drop
can take longer to confirm (cases that lost more than 0.25 are low, and only the slow dead-case component bets on those).

Nothing here is random from call to call: the seed is the reference's fingerprint, and so the result can be kept under it.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from probatio.records import Detectable, EvidenceConstants
from probatio.verdict.betting import Detector, bet, statistic
from probatio.verdict.evidence import EvidenceState
from probatio.verdict.reference import fingerprint, reference_of
from probatio.verdict.streams import Bools, Floats, Ints, Streams

REPLICAS = 100  # 80 % ± 4 points
BLOCK = 7
QUIET_DAYS = 7  # M and the low cases forget where they started within days
SIZES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0)
HALVINGS = 2
VERSION = 2  # of this computation; a change makes kept results stale


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
    if state.seen[model] < state.constants.reference_days:
        return None
    days = state.days_cases[model], state.days_judged[model], state.days_number[model]
    content = fingerprint(*days, state.streams, state.constants)
    key = f"{content}-{VERSION}"
    effect = None if kept is None else kept.get(key)
    if effect is None and compute:
        effect = detectable(*days, state.streams, state.constants, seed=int(content[:16], 16))
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
    order = _blocks(len(cases), length, rng)
    cases_drawn, judged_drawn = cases[order], judged[order]
    luck = rng.random((REPLICAS, constants.detectable_days, len(streams.cases)))

    quiet = Detector(
        reference,
        np.zeros((REPLICAS, len(streams.cases)), dtype=bool),
        np.zeros((REPLICAS, streams.count, len(constants.deltas) + 1)),
    )
    for day in range(QUIET_DAYS):
        quiet = _one_day(quiet, cases_drawn[:, day], judged_drawn[:, day], streams, constants)

    yes_no = ((cases == 0) | (cases == 1) | np.isnan(cases)).all(axis=0)
    targets = np.vstack([np.ones(len(streams.use_cases), dtype=bool), np.eye(len(streams.use_cases), dtype=bool)])
    after = slice(QUIET_DAYS, length)
    drops = _smallest(quiet, cases_drawn[:, after], judged_drawn[:, after], luck, yes_no, targets, streams, constants)
    return Detectable(drops[0], dict(zip(streams.use_cases, drops[1:], strict=True)))


def _blocks(days: int, length: int, rng: np.random.Generator) -> Ints:
    """[replicas, length] places among the reference's days, in circular blocks."""
    count = -(-length // BLOCK)
    begin = rng.integers(days, size=(REPLICAS, count, 1))
    return ((begin + np.arange(BLOCK)) % days).reshape(REPLICAS, -1)[:, :length]


def _smallest(
    quiet: Detector,
    cases: Floats,
    judged: Floats,
    luck: Floats,
    yes_no: Bools,
    targets: Bools,
    streams: Streams,
    constants: EvidenceConstants,
) -> list[float | None]:
    hit_case = targets[:, streams.deterministic][:, streams.home]
    hit_judged = targets[:, streams.judged]

    def seen(which: Ints, drop: Floats) -> Bools:
        """Which of these targets, each with its drop, are CONFIRMED in time often enough."""
        replica = np.tile(np.arange(REPLICAS), len(which))
        of = np.repeat(np.arange(len(which)), REPLICAS)
        times = np.zeros(len(which))
        detector = Detector(quiet.reference, quiet.low[replica], quiet.streams[replica])
        for day in range(cases.shape[1]):
            lost = drop[of, None] * hit_case[which[of]]
            today = cases[replica, day]
            failing = np.where(luck[replica, day] < lost, 0.0, today)
            today = np.where(yes_no, failing, today * (1 - lost))
            marks = judged[replica, day] * (1 - drop[of, None] * hit_judged[which[of]])
            detector = _one_day(detector, today, marks, streams, constants)
            there = statistic(detector) >= constants.confirmed
            times += np.bincount(of[there], minlength=len(which))
            replica, of = replica[~there], of[~there]
            detector = Detector(detector.reference, detector.low[~there], detector.streams[~there])
        return times >= constants.detectable_probability * REPLICAS

    smallest = np.full(len(targets), np.nan)
    unseen = np.zeros(len(targets))
    for size in SIZES:
        which = np.flatnonzero(np.isnan(smallest))
        if not len(which):
            break
        enough = seen(which, np.full(len(which), size))
        smallest[which[enough]] = size
        unseen[which[~enough]] = size
    which = np.flatnonzero(~np.isnan(smallest))
    for _ in range(HALVINGS):
        middle = (smallest[which] + unseen[which]) / 2
        enough = seen(which, middle)
        smallest[which[enough]] = middle[enough]
        unseen[which[~enough]] = middle[~enough]
    return [None if np.isnan(drop) else round(float(drop), 4) for drop in smallest]


def _one_day(
    detector: Detector, cases: Floats, judged: Floats, streams: Streams, constants: EvidenceConstants
) -> Detector:
    everyone = np.ones(len(cases), dtype=bool)
    return bet(streams, constants, detector, cases, judged, everyone, np.ones(cases.shape, dtype=bool))

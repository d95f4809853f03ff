"""The memory of the evidence: did some cases fall on one of the last days, and stay low since?

The dense bets forget which cases lost yesterday: a few cases that die are a small loss of the mean, day after
day. So for each supposed change day ν of the last 40 bet days every case has a wealth Λ(ν), the product of ℓ
since ν:

- after a not-low day, becoming low pays 1 + 0.98 (1 − h)/h, staying up 0.02; the mean is 1 if the rate of
  becoming low is h;
- after a low day, staying low pays 1 + 0.98 ρ/(1 − ρ), recovering 0.02; the mean is 1 if the rate of
  recovery is ρ.

h is an upper and ρ a lower estimate. Which cases fell is not known: E(ν) is the mean over the shares π of
Πᵢ(1 − π + π Λᵢ), a mixture over all sets of cases, of mean at most 1 if cases are independent given the past.
Where they are not, E is tempered by κ as the dense bets are; κ is fixed for a ν when ν begins, since a power
that changed in between would be no martingale.

What counts is K(ν, t) = min(E^κ, 10⁴ · K(ν, t − 1)), K(ν, ν − 1) = 1: one terrible day can't decide, its
surplus is banked and paid out on later days if it lasts. M is the sum of K over the ν of the window: one for
each deterministic use case, one for their pool. Worked: with h = 0.02 and ρ = 0.05 a case that dies has Λ =
49, 51.6, 54.2 … on its days. Six dead of 25 give, at π = 0.2, 0.8¹⁹ · 10.6⁶ = 20,000 on the first day and
28,000 on the second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probatio.core.records import EvidenceConstants
from probatio.watch.verdict.evidence.betting import CEILING
from probatio.watch.verdict.evidence.reference import Reference
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, PerModel, Streams

RICHEST = 1e12  # of one case: keeps products finite, and lowers them only
TOGETHER = 128  # models at a time: their numbers then stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Memory(PerModel):
    """W supposed change days, each in the slot of its bet day's number modulo W. D + 1: the deterministic use
    cases, then their pool."""

    wealth: Floats  # [m, C, W] Λ
    power: Floats  # [m, D + 1, W] κ
    kept: Floats  # [m, D + 1, W] K; 0 where ν is empty
    bets: Ints  # [m] days bet so far

    def clear(self, rows: Bools) -> Memory:
        """Nothing is supposed of these models any more."""
        return replace(self, kept=np.where(rows[:, None, None], 0.0, self.kept))


def no_memory(
    models: int, streams: Streams, constants: EvidenceConstants, window: int | None = None
) -> Memory:
    days, parts = window or constants.memory.days, len(streams.deterministic) + 1
    return Memory(
        wealth=np.ones((models, len(streams.cases), days)),
        power=np.ones((models, parts, days)),
        kept=np.zeros((models, parts, days)),
        bets=np.zeros(models, dtype=np.int64),
    )


def remember(
    streams: Streams,
    constants: EvidenceConstants,
    reference: Reference,
    memory: Memory,
    low_days: Ints,
    cases: Floats,
    fresh: Bools,
    full: Bools,
    power: Floats,
) -> Memory:
    """The memory after a day on which all these models bet. `low_days` [m, C]: how long each case had been
    low; `power` [m, D + 1]: κ of a ν that begins today."""
    models, window = len(cases), memory.kept.shape[2]
    slot = memory.bets % window
    bets = memory.bets + 1
    if not len(streams.deterministic):
        return replace(memory, bets=bets)
    known = ~np.isnan(cases) & ~np.isnan(reference.mean)
    each = np.arange(models)
    wealth, powers, kept = memory.wealth.copy(), memory.power.copy(), memory.kept.copy()
    wealth[each, :, slot], powers[each, :, slot], kept[each, :, slot] = 1.0, power, 1.0
    wealth *= _win_factors(constants, reference, low_days, cases, known & fresh, full)[:, :, None]
    np.minimum(wealth, RICHEST, out=wealth)

    there = np.logical_or.reduceat(known, streams.starts, axis=1)
    there = np.concatenate([there, there.any(axis=1, keepdims=True)], axis=1)
    with np.errstate(over="ignore"):
        evidence = _mixture(wealth, streams, constants)
        tempered = powers != 1  # a power takes long, and κ is mostly 1
        evidence[tempered] **= powers[tempered]
        grown = np.minimum(np.minimum(evidence, constants.memory.growth * kept), CEILING)
    kept = np.where(there[:, :, None], grown, memory.kept)
    empty = ~there
    if empty.any():  # no score today: nothing is supposed to have begun in that stream
        kept[each, :, slot] = np.where(empty, 0.0, kept[each, :, slot])
    return Memory(wealth, powers, kept, bets)


def _win_factors(
    constants: EvidenceConstants,
    reference: Reference,
    low_days: Ints,
    cases: Floats,
    betting: Bools,
    full: Bools,
) -> Floats:
    """[m, C] ℓ."""
    stake = constants.memory.stake
    low = cases < reference.mean - constants.low
    entry = np.where(full[:, None], reference.entry_at_full, reference.entry)
    recovery = np.where(low_days > 1, reference.later_recovery[:, None], reference.first_recovery[:, None])
    fell = 1 + stake * np.where(low_days > 0, recovery / (1 - recovery), (1 - entry) / entry)
    return np.where(betting, np.where(low, fell, 1 - stake), 1.0)


def _mixture(wealth: Floats, streams: Streams, constants: EvidenceConstants) -> Floats:
    """[m, D + 1, W] E."""
    models, cases, window = wealth.shape
    total = np.zeros((len(streams.deterministic) + 1, models, window))
    ends = [*streams.starts[1:].tolist(), cases]
    for first in range(0, models, TOGETHER):
        rows = slice(first, first + TOGETHER)
        by_case = np.ascontiguousarray(wealth[rows].transpose(1, 0, 2))  # a case's numbers beside each other
        for share in constants.memory.shares:
            each = by_case * share
            each += 1 - share
            pool = np.ones(each.shape[1:])
            for place, (begin, end) in enumerate(zip(streams.starts.tolist(), ends, strict=True)):
                own = each[begin]
                for case in range(begin + 1, end):
                    own *= each[case]
                total[place, rows] += own
                pool *= own
            total[-1, rows] += pool
    total /= len(constants.memory.shares)
    return total.transpose(1, 0, 2)


def memory_values(memory: Memory) -> Floats:
    """[m, D + 1] M of each memory."""
    return np.asarray(memory.kept.sum(axis=2))

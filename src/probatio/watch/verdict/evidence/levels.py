"""The levels of the cases: what each is expected to reach, how often it becomes low, and how soon a low one
recovers.

A case is **low** on a day where it lies more than `low` below its own mean. All counts are over pairs of
consecutive days.

**r**, the level of a case, is from the days that follow a not-low day. Each case has some 27 of them, too few
for a failure rate of a per cent; so it is shrunk towards the failure rate of all cases, the more so the less
cases differ beyond their noise (v_b). A case fails at least `least_failures` times in its days and one more:
r must stay under 1, or nothing could be staked.

**h**, the rate of becoming low on a day after a not-low day, is the case's own count with `entry_weight` days
of the common rate, times `entry_factor`: an upper estimate, since the memory wins where a case becomes low.

**ρ**, the daily rate at which a low case recovers, is counted over all cases of the model: one case is low on
a handful of days, and the prior's weight of 6 would drown that. "Less 1.3 standard errors" is taken as
Wilson's lower limit, which is never negative. Where short and long failures mix, a case that is still low on
its second day is likely one of the long ones: from the second low day on there is a count of its own, never
above the first. Where no case was ever low, both are `unseen_recovery`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probatio.core.records import EvidenceConstants
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Levels:
    """Of the cases of each model."""

    level: Floats  # [m, C] r, before τ
    usual: Floats  # [m, C] the plain mean on the same days
    entry: Floats  # [m, C] h
    first_recovery: Floats  # [m] ρ on the day after the first low day
    later_recovery: Floats  # [m] ρ from the second low day on
    after: Bools  # [m, days − 1, C] the days that bet: those that follow a not-low day


def levels_of(cases: Floats, low: Bools, paired: Bools, constants: EvidenceConstants) -> Levels:
    """From the recorded days: cases [m, days, C]; `paired` [m, days − 1, C] says which days follow the one
    before."""
    after = paired & ~low[:, :-1]
    counts = after.sum(axis=1)
    many = np.maximum(counts, 1)
    failures = np.where(after, 1 - cases[:, 1:], 0.0)
    failed = failures.sum(axis=1) / many
    scatter = np.maximum(np.einsum("mdc,mdc->mc", failures, failures) - many * failed**2, 0.0) / np.maximum(
        counts - 1, 1
    )
    seen = counts > 0
    return Levels(
        level=_shrunk(failed, scatter, counts, seen, constants),
        usual=np.where(seen, 1 - failed, np.nan),
        entry=_entries(low, after, counts, constants),
        first_recovery=(recovery := _recoveries(low, paired, constants))[0],
        later_recovery=recovery[1],
        after=after,
    )


def _shrunk(
    failed: Floats, scatter: Floats, counts: Ints, seen: Bools, constants: EvidenceConstants
) -> Floats:
    known = np.maximum(seen.sum(axis=1), 1)[:, None]
    many = np.maximum(counts, 1)

    def over_cases(values: Floats) -> Floats:
        return np.asarray(np.where(seen, values, 0.0).sum(axis=1, keepdims=True) / known)

    common_scatter, mean_days = over_cases(scatter), np.maximum(over_cases(counts.astype(np.float64)), 1)
    common = (failed * counts).sum(axis=1, keepdims=True) / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    spread = over_cases((failed - over_cases(failed)) ** 2) * known / np.maximum(known - 1, 1)
    between = np.maximum(0.0, spread - common_scatter / mean_days)
    own = np.maximum(scatter, common_scatter) / many
    shrink = np.where(own + between > 0, own / np.where(own + between > 0, own + between, 1.0), 1.0)
    expected = np.maximum((1 - shrink) * failed + shrink * common, constants.least_failures / (counts + 1))
    return np.where(seen, 1 - np.minimum(expected, 1.0), np.nan)


def _entries(low: Bools, after: Bools, counts: Ints, constants: EvidenceConstants) -> Floats:
    memory = constants.memory
    entered = (after & low[:, 1:]).sum(axis=1)
    common = entered.sum(axis=1, keepdims=True) / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    rate = (entered + memory.entry_weight * common) / (counts + memory.entry_weight)
    rate = np.maximum(rate, constants.least_failures / (counts + 1))
    return np.asarray(np.minimum(memory.entry_most, memory.entry_factor * rate))


def _recoveries(low: Bools, paired: Bools, constants: EvidenceConstants) -> tuple[Floats, Floats]:
    memory, weight = constants.memory, constants.recovery_weight
    from_low = paired & low[:, :-1]
    still_low = from_low.copy()
    still_low[:, 0] = False
    still_low[:, 1:] &= from_low[:, :-1]

    def estimate(days: Bools, prior: float) -> tuple[Ints, Floats]:
        chances = np.count_nonzero(days, axis=(1, 2))
        gone = np.count_nonzero(days & ~low[:, 1:], axis=(1, 2))
        rate = (weight * prior + gone) / (weight + chances)
        return np.asarray(chances), lower_limit(rate, weight + chances, constants.recovery_se)

    chances, first = estimate(from_low, constants.recovery_prior)
    chances_later, later = estimate(still_low, memory.later_recovery)
    first = np.where(chances > 0, first, memory.unseen_recovery)
    later = np.minimum(np.where(chances_later > 0, later, memory.later_recovery), first)
    return np.maximum(first, memory.least_recovery), np.maximum(later, memory.least_recovery)


def lower_limit(rate: Floats, trials: Floats, errors: float) -> Floats:
    """Wilson's lower limit of a rate, so many standard errors down: between 0 and the rate."""
    square = errors * errors
    half = errors * np.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    return np.asarray((rate + square / (2 * trials) - half) / (1 + square / trials))

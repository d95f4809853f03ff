"""The dense bets of the evidence: what a day's scores win or lose in every stream, and each stream's M, what
was won so far.

Why a false CONFIRMED has a chance of at most 1 % a year: each component of each stream holds M ← (M + 1) · L,
where L is the day's evidence, at least 0 and of conditional mean at most 1 given all days before, while the
model is no worse. Then M − t can't rise in expectation, nor can a mixture of such M (and of the memories of
`memory.py`) with fixed weights, and by Doob's inequality P(M ≥ 36,500 within 365 days) ≤ 365/36,500. What
gives each L its mean of at most 1:

- **Not low yesterday**, δ: L = 1 + λ(r − x), λ = δ/(1 − r), so L ≥ 1 − δ ≥ 0 for x ≤ 1. E L = 1 + λ(r − E
  x) ≤ 1 whenever E[x | a not-low day before] ≥ r, which is the reference's own conditional mean less τ:
  sticky failures are no surprise. Where the case was not low on its previous scored day but that lies
  further back than the reference's days usually did (`reach`), the condition was never measured: no bet,
  today only serves as the next yesterday.
- **Low yesterday**: only the component "dead case" bets, the δ components hold still for that case. At a
  true recovery rate p, E L = p · q/ρ + (1 − p)(1 − q)/(1 − ρ), which is 1 at p = ρ and falls in p; ρ is a
  lower estimate.
- **Judged**, δ: E exp(l(m₀ − S) − l²s²/2) ≤ 1 for S with conditional mean at least m₀ and tails no heavier
  than a Gaussian's with sd s; s is 1.5 times the long-run sd, which leaves room for days that resemble each
  other. The pool of the judged is one such bet on the mean departure of its use cases.
- **Product over cases**: of mean at most 1 where cases of one day are independent given the past (each is
  its own call). Where the reference has days that were bad for many at once, the product is tempered: E L^κ
  ≤ 1 by Jensen for κ ≤ 1. The cap at 500 only lowers L.
- **Estimated reference**: r, ρ, m₀, s, κ carry the error of the reference; τ with its band and the lower
  estimates are there for that. This is the one approximate step, and what the simulator measures.

A day on which a stream has no score leaves its M as it is. The ceiling of 10¹⁵ keeps numbers finite, and
lowers M only.
"""

from __future__ import annotations

import numpy as np

from edition_2.constants import EvidenceConstants
from edition_2.reference import Reference
from edition_2.streams import ALL, KIND, OWN, Bools, Floats, Streams

CEILING = 1e15
OVERFLOW = 50.0  # e to this is far beyond the cap already


def day_evidence(
    streams: Streams,
    constants: EvidenceConstants,
    reference: Reference,
    was_low: Bools,
    cases: Floats,
    judged: Floats,
    fresh: Bools,
    tempering: Floats | None = None,
) -> tuple[Floats, Bools]:
    """L of each stream and component [m, S, δ… + dead case] before the cap, and which streams have a score at
    all [m, S].

    `tempering` [m, S] is the power κ of the part that is a product over cases; 1 everywhere, if None.
    """
    models, use_cases = len(cases), len(streams.use_cases)
    everything, deterministic, of_judge = range(use_cases, streams.count)
    there = np.zeros((models, streams.count), dtype=bool)
    evidence = np.ones((models, streams.count, len(constants.deltas) + 1))

    known = ~np.isnan(cases) & ~np.isnan(reference.level[:, OWN])
    stakes = known & fresh & ~was_low
    short = np.where(stakes[:, None, :], (reference.level - cases[:, None, :]) / (1 - reference.level), 0.0)
    judge_known = ~np.isnan(judged) & ~np.isnan(reference.judged_level)
    there[:, streams.judged] = judge_known
    if len(streams.deterministic):
        there[:, streams.deterministic] = np.logical_or.reduceat(known, streams.starts, axis=1)
    there[:, deterministic], there[:, of_judge] = known.any(axis=1), judge_known.any(axis=1)
    there[:, everything] = there[:, deterministic] | there[:, of_judge]

    own_gain, own_cost = _gaussian(judged, reference.judged_level, reference.judged_sd, judge_known)
    gain, cost = _pool(reference, judged, judge_known)
    for at, delta in enumerate(constants.deltas):
        won = 1 + delta * short
        if len(streams.deterministic):
            evidence[:, streams.deterministic, at] = np.multiply.reduceat(won[:, OWN], streams.starts, axis=1)
        evidence[:, streams.judged, at] = _exp(delta * own_gain - delta**2 * own_cost)
        evidence[:, deterministic, at] = won[:, KIND].prod(axis=1)
        evidence[:, everything, at] = won[:, ALL].prod(axis=1)
        evidence[:, of_judge, at] = _exp(delta * gain[:, KIND] - delta**2 * cost[:, KIND])

    dead = known & fresh & was_low
    if dead.any():
        recovery, share = reference.later_recovery[:, None], constants.dead_share
        still_low = cases < reference.mean - constants.low
        bets = np.where(still_low, (1 - share * recovery) / (1 - recovery), share)  # q/ρ is the share itself
        bets = np.where(dead, bets, 1.0)
        evidence[:, streams.deterministic, -1] = np.multiply.reduceat(bets, streams.starts, axis=1)
        evidence[:, deterministic, -1] = evidence[:, everything, -1] = bets.prod(axis=1)
    if tempering is not None:
        tempered = [*streams.deterministic, deterministic, everything]
        evidence[:, tempered] = evidence[:, tempered] ** tempering[:, tempered, None]
    for at, delta in enumerate(constants.deltas):
        evidence[:, everything, at] *= _exp(delta * gain[:, ALL] - delta**2 * cost[:, ALL])
    return evidence, there


def _gaussian(score: Floats, level: Floats, sd: Floats, known: Bools) -> tuple[Floats, Floats]:
    """What a bet of size δ wins, δ · gain − δ² · cost, the logarithm of L: the bet is on a fall by the share
    δ of the level."""
    precision = level / sd**2
    return np.where(known, precision * (level - score), 0.0), np.where(known, precision * level / 2, 0.0)


def _pool(reference: Reference, judged: Floats, known: Bools) -> tuple[Floats, Floats]:
    """[m, scopes] of the judged pool: one bet on the mean departure of the use cases that have a score."""
    counts = known.sum(axis=1)
    of_all = np.maximum((~np.isnan(reference.judged_level)).sum(axis=1), 1)
    departure = np.where(known, judged - reference.judged_mean, 0.0).sum(axis=1) / np.maximum(counts, 1)
    sd = reference.pool_sd * np.sqrt(of_all / np.maximum(counts, 1))  # a mean of fewer scatters more
    score = (reference.pool_mean + departure)[:, None]
    return _gaussian(score, reference.pool_level, sd[:, None], (counts > 0)[:, None])


def _exp(exponent: Floats) -> Floats:
    return np.asarray(np.exp(np.minimum(exponent, OVERFLOW)))

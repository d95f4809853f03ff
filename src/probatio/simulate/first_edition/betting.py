"""The bets of the first edition, as they were: what a day's scores win or lose in every stream, and each stream's M.

Why a false CONFIRMED has a chance of at most 1 % a year: each component of each stream holds M ← (M + 1) · L, where L is the
day's evidence, at least 0 and of conditional mean at most 1 given all days before, while the model is no worse. Then M − t
can't rise in expectation, nor can a mixture of such M with weights fixed before the first bet, and by Doob's inequality
P(M ≥ 36,500 within 365 days) ≤ 365/36,500. What gives each L its mean of at most 1:

- **Not low yesterday**, δ: L = 1 + λ(r − x), λ = δ/(1 − r), so L ≥ 1 − δ ≥ 0 for x ≤ 1. E L = 1 + λ(r − E x) ≤ 1 whenever
  E[x | a not-low day before] ≥ r, which is the reference's own conditional mean less τ: sticky failures are no
  surprise. Where the case was not low on its previous scored day but that lies further back than the reference's days usually
  did (`reach`), the condition was never measured: no bet, today only serves as the next yesterday.
- **Low yesterday**: only the component "dead case" bets, the δ components hold still for that case. At a true recovery rate p,
  E L = p · q/ρ + (1 − p)(1 − q)/(1 − ρ), which is 1 at p = ρ and falls in p; ρ is a lower estimate. It is a component of its own
  beside the four δ: within a δ the other cases' stakes (1 − δ each healthy day) would eat what one dead case earns.
- **Judged**, δ: E exp(l(m₀ − S) − l²s²/2) ≤ 1 for S with conditional mean at least m₀ and tails no heavier than a Gaussian's
  with sd s; s is 1.5 times the long-run sd, which leaves room for days that resemble each other.
- **Product over cases**: of mean at most 1 where cases of one day are independent given the past (each is its own call). A
  day that is bad for all of them shows in the HAC error of the stream's mean, hence in τ. The cap at 100 only lowers L.
- **Estimated reference**: r, ρ, m₀, s carry the error of 28 days; τ and the lower estimates are there for that. This is the one
  approximate step, and what the simulator measures.

A day on which a stream has no score leaves its M as it is. The ceiling of 10¹⁵ keeps numbers finite, and lowers M only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probatio.simulate.first_edition.constants import FirstEdition as EvidenceConstants
from probatio.simulate.first_edition.reference import Reference
from probatio.verdict.streams import ALL, KIND, OWN, Bools, Floats, Streams

CEILING = 1e15
OVERFLOW = 50.0  # e to this is far beyond the cap already


@dataclass(frozen=True, slots=True)
class Detector:
    """One direction of the evidence, worse or better: its reference, and what its bets have won so far."""

    reference: Reference
    low: Bools  # [m, C] on its last scored day
    streams: Floats  # [m, S, components] M


def bet(
    streams: Streams,
    constants: EvidenceConstants,
    detector: Detector,
    cases: Floats,
    judged: Floats,
    betting: Bools,
    fresh: Bools,
) -> Detector:
    """Every stream's M after the day, and which cases are low now."""
    if not betting.any():
        return detector
    evidence, there = day_evidence(streams, constants, detector.reference, detector.low, cases, judged, fresh)
    there &= betting[:, None]
    grown = np.minimum((detector.streams + 1) * np.minimum(evidence, constants.day_cap), CEILING)
    low = np.where(np.isnan(cases), detector.low, cases < detector.reference.mean - constants.low)
    return replace(detector, low=low, streams=np.where(there[..., None], grown, detector.streams))


def day_evidence(
    streams: Streams,
    constants: EvidenceConstants,
    reference: Reference,
    was_low: Bools,
    cases: Floats,
    judged: Floats,
    fresh: Bools,
) -> tuple[Floats, Bools]:
    """L of each stream and component [m, S, δ… + dead case] before the cap, and which streams have a score at all [m, S]."""
    models, use_cases = len(cases), len(streams.use_cases)
    everything, deterministic, of_judge = range(use_cases, streams.count)
    there = np.zeros((models, streams.count), dtype=bool)
    evidence = np.ones((models, streams.count, len(constants.deltas) + 1))

    known = ~np.isnan(cases) & ~np.isnan(reference.level[:, OWN])
    stakes = known & fresh & ~was_low
    short = np.where(stakes[:, None, :], (reference.level - cases[:, None, :]) / (1 - reference.level), 0.0)
    judge_known = ~np.isnan(judged) & ~np.isnan(reference.judged_level[:, OWN])
    there[:, streams.judged] = judge_known
    if len(streams.deterministic):
        there[:, streams.deterministic] = np.logical_or.reduceat(known, streams.starts, axis=1)
    there[:, deterministic], there[:, of_judge] = known.any(axis=1), judge_known.any(axis=1)
    there[:, everything] = there[:, deterministic] | there[:, of_judge]

    precision = reference.judged_level / reference.judged_sd[:, None, :] ** 2
    gain = np.where(judge_known[:, None, :], precision * (reference.judged_level - judged[:, None, :]), 0.0)
    cost = np.where(judge_known[:, None, :], precision * reference.judged_level / 2, 0.0)
    for at, delta in enumerate(constants.deltas):
        won = 1 + delta * short
        exponent = np.minimum(delta * gain - delta * delta * cost, OVERFLOW)
        if len(streams.deterministic):
            evidence[:, streams.deterministic, at] = np.multiply.reduceat(won[:, OWN], streams.starts, axis=1)
        evidence[:, streams.judged, at] = np.exp(exponent[:, OWN])
        evidence[:, deterministic, at] = won[:, KIND].prod(axis=1)
        evidence[:, of_judge, at] = np.exp(exponent[:, KIND].sum(axis=1))
        evidence[:, everything, at] = won[:, ALL].prod(axis=1) * np.exp(exponent[:, ALL].sum(axis=1))

    dead = known & fresh & was_low
    if dead.any():
        recovery, share = reference.recovery[:, None], constants.dead_share
        still_low = cases < reference.mean - constants.low
        bets = np.where(still_low, (1 - share * recovery) / (1 - recovery), share)  # q/ρ is the share itself
        bets = np.where(dead, bets, 1.0)
        evidence[:, streams.deterministic, -1] = np.multiply.reduceat(bets, streams.starts, axis=1)
        evidence[:, deterministic, -1] = evidence[:, everything, -1] = bets.prod(axis=1)
    return evidence, there


def statistic(detector: Detector) -> Floats:
    """[m] the model statistic: half over the pools, half over the use cases, as the reference's weights say."""
    return np.asarray((detector.reference.weights * detector.streams).sum(axis=(1, 2)))

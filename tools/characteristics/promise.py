"""Does the minimum detectable effect keep its promise? The drop it names, on new days of the very model it
was computed for.

A synthetic model lives through its reference; from that alone the smallest drop is computed that would be
CONFIRMED within 14 days with 80 %. Then many futures of the same model lose just that much, and we count how
many are confirmed in time.
"""

from __future__ import annotations

import zlib
from dataclasses import replace

import msgspec
import numpy as np
from evidence_alone import watch_evidence

from probatio.watch.simulate.faults import SimulatedFault
from probatio.watch.simulate.noise import Population
from probatio.watch.simulate.profiles import FROZEN_PROFILES, HARD_PROFILES, JUDGED, PROFILES
from probatio.watch.simulate.synthetic import SuitePlan, start_evidence
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.detectable import smallest_drops
from probatio.watch.verdict.evidence.evidence import CONFIRMED, EvidenceState
from probatio.watch.verdict.evidence.streams import Bools

LIVED = 91  # days of a model before: its reference then has 77 of them
A_JUDGE = 10  # futures with the same judge
QUIET = 7  # days before the drop, as the computation has it


PROMISED = {
    **PROFILES,
    "ladders": HARD_PROFILES["ladders"],
    **{name: FROZEN_PROFILES[name] for name in ("fresh-.069", "frozen-.041", "frozen-.069")},
}


class PromiseKept(msgspec.Struct, frozen=True):
    """One profile: the promise on average, and how often it was kept."""

    profile: str
    whole_suite: bool  # else 25 deterministic cases
    models: int  # references
    futures: int  # of each
    drop: float  # mean smallest drop, all use cases together
    none: int  # models of which no drop can be named
    kept: float  # share confirmed in time, mean over models
    low: float  # 95 % interval over models
    high: float


def promise(plan: SuitePlan, profile: str, models: int, futures: int, seed: int) -> PromiseKept:
    chosen = PROMISED[profile]
    rng = np.random.default_rng([seed, zlib.crc32(f"promise/{profile}".encode())])
    population = Population(chosen, JUDGED[chosen.judged], plan.streams, models, rng)
    state = start_evidence(plan, models)
    for day in watch_evidence(plan, population, LIVED, lambda: np.zeros(models, dtype=bool)):
        state, _ = evidence.step(state, day)
    drops, kept = [], []
    for model in range(models):
        effect = smallest_drops(state, model, alone=False)
        if effect is None or effect.overall is None:
            continue
        drops.append(effect.overall)
        parts = range(0, futures, A_JUDGE)  # futures with one judge are not independent of each other
        shares_in_time = [
            _share_confirmed(plan, population, state, model, effect.overall, A_JUDGE) for _ in parts
        ]
        kept.append(float(np.mean(shares_in_time)))
    shares = np.array(kept)
    half = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares)) if len(shares) > 1 else np.nan
    return PromiseKept(
        profile,
        bool(len(plan.streams.judged)),
        models,
        futures,
        round(float(np.mean(drops)), 4) if drops else float("nan"),
        models - len(drops),
        round(float(shares.mean()), 4) if kept else float("nan"),
        round(float(shares.mean() - half), 4),
        round(float(shares.mean() + half), 4),
    )


def _share_confirmed(
    plan: SuitePlan, population: Population, state: EvidenceState, model: int, drop: float, futures: int
) -> float:
    """How often this model is CONFIRMED in time after this loss."""
    state = repeat_model(state, model, futures)
    again = Population(population.profile, population.noise, plan.streams, futures, population.rng)
    again.level = population.level[model].repeat(futures).reshape(-1, futures).T
    days = QUIET + plan.manifest.evidence.detectable_days
    if population.kept is not None:  # the futures begin with the answers it has now
        again.kept, again.days = population.kept[np.full(futures, model)], population.days
    # With partial credit the drop is taken off what is scored: off what is meant, less would be cut off at
    # the top. A ladder's answers are drawn again.
    scored = population.profile.spread > 0 and not population.profile.rungs
    fault = None if scored else SimulatedFault("a drop", reach=None, drop=drop)
    in_time: Bools = np.zeros(futures, dtype=bool)
    first = int(state.history.numbers[-1]) + 1
    stream = watch_evidence(
        plan, again, days, lambda: evidence.asks_full(state), fault=fault, fault_day=QUIET
    )
    for count, day in enumerate(stream):
        read = replace(day, number=first + count)
        if scored and count >= QUIET:
            read = replace(read, cases=read.cases * (1 - drop), judged=read.judged * (1 - drop))
        state, outcome = evidence.step(state, read)
        if count >= QUIET:
            in_time = in_time | (outcome.status == CONFIRMED)
    return float(in_time.mean())


def repeat_model(state: EvidenceState, model: int, times: int) -> EvidenceState:
    """The state of one model, repeated."""
    rows = np.full(times, model, dtype=np.int64)
    return replace(state.rows(rows), history=state.history.rows(rows))

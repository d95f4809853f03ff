"""Does the minimum detectable effect keep its promise? The drop it names, on new days of the very model it was computed for.

A synthetic model lives through its reference; from that alone the smallest drop is computed that would be CONFIRMED within
14 days with 80 %. Then many futures of the same model lose just that much, and we count how many are confirmed in time.
"""

from __future__ import annotations

import zlib
from dataclasses import replace

import msgspec
import numpy as np

from probatio.simulate.faults import Fault
from probatio.simulate.noise import Population
from probatio.simulate.profiles import HARD_PROFILES, JUDGED, PROFILES
from probatio.simulate.synthetic import Plan
from probatio.simulate.watched import watched_days
from probatio.verdict import evidence
from probatio.verdict.detectable import smallest_drops
from probatio.verdict.evidence import CONFIRMED, EvidenceState
from probatio.verdict.streams import Bools

LIVED = 91  # days of a model before: its reference then has 77 of them
A_JUDGE = 10  # futures with the same judge
QUIET = 7  # days before the drop, as the computation has it


PROMISED = {**PROFILES, "ladders": HARD_PROFILES["ladders"]}


class Promise(msgspec.Struct, frozen=True):
    """Of one profile: what was promised on average, and what came of it."""

    profile: str
    whole_suite: bool  # else 25 deterministic cases
    models: int  # references
    futures: int  # of each
    drop: float  # mean smallest drop, all use cases together
    none: int  # models of which no drop can be named
    kept: float  # share confirmed in time, mean over models
    low: float  # 95 % interval over models
    high: float


def promise(plan: Plan, profile: str, models: int, futures: int, seed: int, lived: int = LIVED) -> Promise:
    chosen = PROMISED[profile]
    rng = np.random.default_rng([seed, zlib.crc32(f"promise/{profile}".encode())])
    population = Population(chosen, JUDGED[chosen.judged], plan.streams, models, rng)
    state = evidence.start(models, plan.streams, plan.manifest.evidence, improvement=False)
    for day in watched_days(plan, population, lived, lambda: _nobody(models)):
        state, _ = evidence.step(state, day.read)
    drops, kept = [], []
    for model in range(models):
        effect = smallest_drops(state, model, alone=False)
        if effect is None or effect.overall is None:
            continue
        drops.append(effect.overall)
        parts = range(0, futures, A_JUDGE)  # futures with one judge are not independent of each other
        shares_in_time = [_confirmed(plan, population, state, model, effect.overall, A_JUDGE) for _ in parts]
        kept.append(float(np.mean(shares_in_time)))
    shares = np.array(kept)
    half = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares)) if len(shares) > 1 else np.nan
    return Promise(
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


def _confirmed(
    plan: Plan, population: Population, state: EvidenceState, model: int, drop: float, futures: int
) -> float:
    """How often this model is CONFIRMED in time after losing so much."""
    state = repeated(state, model, futures)
    again = Population(population.profile, population.noise, plan.streams, futures, population.rng)
    again.level = population.level[model].repeat(futures).reshape(-1, futures).T
    days = QUIET + plan.manifest.evidence.detectable_days
    # With partial credit the drop is taken off what is scored: off what is meant, less would be cut off at the top
    scored = population.profile.spread > 0
    fault = None if scored else Fault("a drop", reach=None, drop=drop)
    in_time: Bools = _nobody(futures)
    first = int(state.history.numbers[-1]) + 1
    stream = watched_days(plan, again, days, lambda: evidence.asks_full(state), fault=fault, fault_day=QUIET)
    for count, day in enumerate(stream):
        read = replace(day.read, number=first + count)
        if scored and count >= QUIET:
            read = replace(read, cases=read.cases * (1 - drop), judged=read.judged * (1 - drop))
        state, outcome = evidence.step(state, read)
        if count >= QUIET:
            in_time = in_time | (outcome.status == CONFIRMED)
    return float(in_time.mean())


def repeated(state: EvidenceState, model: int, times: int) -> EvidenceState:
    """The state of one model, so many times."""
    rows = np.full(times, model, dtype=np.int64)
    history = state.history
    return replace(
        state,
        history=replace(
            history,
            cases=tuple(day[rows] for day in history.cases),
            judged=tuple(day[rows] for day in history.judged),
            place=history.place[:, rows],
            scored=history.scored[rows],
            border=history.border[rows],
        ),
        scored_on=state.scored_on[rows],
        worse=state.worse.rows(rows),
        better=state.better and state.better.rows(rows),
        before=state.before[rows],
        confirmed=state.confirmed[rows],
        passed=state.passed[rows],
        recent=state.recent[rows],
        recovered_on=state.recovered_on[rows],
    )


def _nobody(models: int) -> Bools:
    return np.zeros(models, dtype=bool)

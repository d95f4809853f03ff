"""Minimum detectable effect: the smallest drop an OK rules out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from probatio.records import Detectable
from probatio.simulate.noise import JUDGED, PROFILES, Fault, Population
from probatio.simulate.synthetic import Plan, bets, plan_of, run_days
from probatio.verdict import evidence
from probatio.verdict.detectable import smallest_drops
from probatio.verdict.evidence import EvidenceState
from probatio.verdict.reference import Reference
from verdict.synthetic_suite import CONSTANTS, MANIFEST, STREAMS, folded, noisy, referenced

REFERENCE, DAYS = CONSTANTS.reference_days, CONSTANTS.detectable_days


def test_while_the_reference_is_recorded_nothing_can_be_said() -> None:
    state, _ = folded(noisy(np.random.default_rng(0), 1, REFERENCE - 1))
    assert smallest_drops(state, 0) is None


def test_equal_references_see_equally_far() -> None:
    state = referenced(seed=2, models=2)
    other = referenced(seed=2, models=2)
    assert smallest_drops(state, 1) == smallest_drops(other, 1)
    assert smallest_drops(state, 0) != smallest_drops(state, 1)


def test_a_loss_everywhere_is_seen_no_later_than_one_in_a_single_use_case() -> None:
    drops = smallest_drops(referenced(seed=2), 0)
    assert drops is not None and drops.overall is not None
    assert set(drops.use_cases) == set(STREAMS.use_cases)
    assert all(alone is None or drops.overall <= alone for alone in drops.use_cases.values())


def test_a_noisier_judge_hides_larger_drops() -> None:
    seen = []
    for sd in (1.0, 8.0):
        state, _ = folded(noisy(np.random.default_rng(5), 1, REFERENCE, sd=sd))
        drops = smallest_drops(state, 0)
        assert drops is not None
        seen.append(drops.use_cases["write"] or 1.0)
    assert seen[0] < seen[1]


def confirmed_share(plan: Plan, state: EvidenceState, population: Population, drop: float) -> float:
    """How often a drop everywhere of a model with this very reference is confirmed in time, on new days of the same model."""
    models = len(population.level)
    rows = np.zeros(models, dtype=np.int64)
    state_of_all = evidence.start(models, plan.streams, CONSTANTS, improvement=False)
    state_of_all = replace(
        state_of_all,
        seen=state.seen[rows],
        scored_on=np.full_like(state_of_all.scored_on, 0),
        worse=replace(
            state_of_all.worse,
            reference=state_of_all.worse.reference.put(rows == 0, _repeated(state.worse.reference, models)),
        ),
    )
    outcome = None
    fault = Fault("a drop", reach=None, drop=drop)
    for day in run_days(plan, population, 7 + DAYS, fault=fault, fault_day=7):
        state_of_all, outcome = evidence.step(state_of_all, bets(plan, day))
    assert outcome is not None
    return float((outcome.status == evidence.CONFIRMED).mean())


def _repeated(reference: Reference, models: int) -> Reference:
    from dataclasses import fields

    return replace(
        reference,
        **{field.name: getattr(reference, field.name)[:1].repeat(models, axis=0) for field in fields(reference)},
    )


@pytest.mark.slow
def test_the_drop_it_names_is_confirmed_about_as_often_as_it_says() -> None:
    plan = plan_of(MANIFEST)
    rng = np.random.default_rng(8)

    def population(models: int) -> Population:
        return Population(PROFILES["binomial-0.9"], JUDGED["gaussian"], plan.streams, models, rng)

    state = evidence.start(1, plan.streams, CONSTANTS, improvement=False)
    for day in run_days(plan, population(1), REFERENCE):
        state, _ = evidence.step(state, bets(plan, day))
    drops = smallest_drops(state, 0)
    assert drops is not None and drops.overall is not None
    assert confirmed_share(plan, state, population(400), 1.6 * drops.overall) > CONSTANTS.detectable_probability
    assert confirmed_share(plan, state, population(400), 0.5 * drops.overall) < CONSTANTS.detectable_probability


def test_a_kept_effect_is_taken_instead_of_computing() -> None:
    state, kept = referenced(seed=2), dict[str, Detectable]()
    assert smallest_drops(state, 0, kept, compute=False) is None
    drops = smallest_drops(state, 0, kept)
    assert list(kept.values()) == [drops]
    kept[next(iter(kept))] = Detectable(0.123, {})
    assert smallest_drops(state, 0, kept) == smallest_drops(state, 0, kept, compute=False) == Detectable(0.123, {})

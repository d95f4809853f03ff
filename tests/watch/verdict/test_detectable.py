"""Minimum detectable effect: the smallest drop an OK rules out."""

from __future__ import annotations

import numpy as np
import pytest
from promise import promise

from probatio.core.records import Detectable, Grading
from probatio.watch.simulate.faults import SimulatedFault
from probatio.watch.simulate.noise import Population
from probatio.watch.simulate.profiles import JUDGED, PROFILES
from probatio.watch.simulate.synthetic import SuitePlan, plan_of, watch
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.detectable import smallest_drops
from watch.verdict.synthetic_suite import CONSTANTS, MANIFEST, STREAMS, folded, noisy, referenced

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


@pytest.mark.soak
@pytest.mark.parametrize("gradings", [None, ["deterministic"] * 5], ids=["whole suite", "25 cases"])
def test_the_drop_it_names_is_confirmed_about_as_often_as_it_says(gradings: list[Grading] | None) -> None:
    """Few references of each profile: one of six is off by ten points and more. The mean over all profiles is
    not."""
    plan = plan_of(MANIFEST, gradings=gradings)
    kept = {profile: promise(plan, profile, 6, 20, 1).kept for profile in PROFILES}
    assert np.mean(list(kept.values())) == pytest.approx(CONSTANTS.detectable_probability, abs=0.06), kept
    assert min(kept.values()) > 0.5, kept


@pytest.mark.slow
def test_every_larger_drop_is_seen_too() -> None:
    """Partial credit, where a loss of a quarter could be found and larger ones not."""
    plan = plan_of(MANIFEST, gradings=["deterministic"] * 5)
    for drop in (0.1, 0.3, 0.6, 1.0):
        assert delay_of(plan, SimulatedFault("a drop", reach=None, drop=drop)) <= DAYS


def delay_of(plan: SuitePlan, fault: SimulatedFault) -> float:
    population = Population(
        PROFILES["partial"], JUDGED["gaussian"], plan.streams, 20, np.random.default_rng(1)
    )
    first = np.full(20, np.inf)
    stream = watch(plan, population, REFERENCE + 10 + DAYS, fault=fault, fault_day=REFERENCE + 10)
    for count, (_, outcome, _) in enumerate(stream):
        there = outcome.status == evidence.CONFIRMED
        first[there & np.isinf(first)] = count - REFERENCE - 9
    return float(np.quantile(first, 0.8))


def test_a_kept_effect_is_taken_instead_of_computing() -> None:
    state, kept = referenced(seed=2), dict[str, Detectable]()
    assert smallest_drops(state, 0, kept, compute=False) is None
    drops = smallest_drops(state, 0, kept)
    assert list(kept.values()) == [drops]
    kept[next(iter(kept))] = Detectable(0.123, {})
    assert (
        smallest_drops(state, 0, kept)
        == smallest_drops(state, 0, kept, compute=False)
        == Detectable(0.123, {})
    )

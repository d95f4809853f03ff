"""Minimum detectable effect: what an OK could have seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from probatio.simulate.noise import JUDGED, PROFILES, Fault, Population
from probatio.simulate.synthetic import Plan, bets, plan_of, run_days
from probatio.verdict import detectable, evidence
from probatio.verdict.detectable import Detectable, smallest_drops
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
    found = smallest_drops(referenced(seed=2), 0)
    assert found is not None and found.overall is not None
    assert set(found.use_cases) == set(STREAMS.use_cases)
    assert all(alone is None or found.overall <= alone for alone in found.use_cases.values())


def test_a_noisier_judge_hides_larger_drops() -> None:
    seen = []
    for sd in (1.0, 8.0):
        state, _ = folded(noisy(np.random.default_rng(5), 1, REFERENCE, sd=sd))
        found = smallest_drops(state, 0)
        assert found is not None
        seen.append(found.use_cases["write"] or 1.0)
    assert seen[0] < seen[1]


def confirmed_share(plan: Plan, state: EvidenceState, population: Population, drop: float) -> float:
    """How often a drop everywhere of a model with this very reference is confirmed in time, on new days of the same model."""
    models = len(population.level)
    rows = np.zeros(models, dtype=np.int64)
    wealth = evidence.start(models, plan.streams, CONSTANTS, improvement=False)
    wealth = replace(
        wealth,
        seen=state.seen[rows],
        scored_on=np.full_like(wealth.scored_on, 0),
        worse=replace(
            wealth.worse, reference=wealth.worse.reference.put(rows == 0, _repeated(state.worse.reference, models))
        ),
    )
    outcome = None
    fault = Fault("a drop", reach=None, drop=drop)
    for day in run_days(plan, population, 7 + DAYS, fault=fault, fault_day=7):
        wealth, outcome = evidence.step(wealth, bets(plan, day))
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
    found = smallest_drops(state, 0)
    assert found is not None and found.overall is not None
    assert confirmed_share(plan, state, population(400), 1.6 * found.overall) > CONSTANTS.detectable_probability
    assert confirmed_share(plan, state, population(400), 0.5 * found.overall) < CONSTANTS.detectable_probability


def test_a_kept_result_is_taken_instead_of_computing(tmp_path: Path) -> None:
    state = referenced(seed=2)
    found = smallest_drops(state, 0, tmp_path)
    [kept] = tmp_path.iterdir()
    assert msgspec.json.decode(kept.read_bytes(), type=Detectable) == found
    other = Detectable(0.123, {})
    kept.write_bytes(msgspec.json.encode(other))
    assert smallest_drops(state, 0, tmp_path) == other


@pytest.mark.parametrize("content", [b"", b"{", b'{"overall": "far"}'])
def test_a_broken_kept_result_is_computed_again(tmp_path: Path, content: bytes) -> None:
    state = referenced(seed=2)
    found = smallest_drops(state, 0, tmp_path)
    [kept] = tmp_path.iterdir()
    kept.write_bytes(content)
    assert smallest_drops(state, 0, tmp_path) == found
    assert msgspec.json.decode(kept.read_bytes(), type=Detectable) == found


def test_where_nothing_can_be_kept_it_still_answers(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert smallest_drops(referenced(seed=2), 0, blocked / "cache") is not None


def test_the_cache_is_in_the_users_cache_folder() -> None:
    assert detectable.cache_folder().parts[-2:] == ("probatio", "detectable")

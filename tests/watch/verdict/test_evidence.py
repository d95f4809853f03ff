"""The evidence: what a bet may win, what stops it, and what is said of it."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.watch.simulate.faults import SimulatedFault
from probatio.watch.simulate.noise import Population
from probatio.watch.simulate.profiles import JUDGED as JUDGED_NOISE
from probatio.watch.simulate.profiles import PROFILES
from probatio.watch.simulate.synthetic import plan_of, watch
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.betting import day_evidence
from probatio.watch.verdict.evidence.detector import statistic
from probatio.watch.verdict.evidence.evidence import (
    CALIBRATING,
    CONFIRMED,
    QUIET,
    RECOVERED,
    SUSPECTED,
    EvidenceDay,
    EvidenceState,
)
from probatio.watch.verdict.evidence.reference import reference_of
from probatio.watch.verdict.evidence.streams import ALL, KIND, OWN, streams_of
from watch.verdict.synthetic_suite import (
    CASES,
    CONSTANTS,
    JUDGED,
    MANIFEST,
    STREAMS,
    folded,
    noisy,
    referenced,
    steady,
)

REFERENCE = CONSTANTS.reference_days
EXTRACT, WRITE, MATH, DESIGN, EVERYTHING, DETERMINISTIC, OF_JUDGE = range(7)
DEAD = len(CONSTANTS.deltas)


def expected_evidence(state: EvidenceState, low: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """[S, components] the exact mean of L over all outcomes of the cases, case i passing with chance
    rate[i]."""
    reference = state.worse.reference
    total = np.zeros((STREAMS.count, DEAD + 1))
    for outcome in product((0.0, 1.0), repeat=CASES):
        chance = np.prod(np.where(np.array(outcome) == 1, rate, 1 - rate))
        won, _ = day_evidence(
            STREAMS,
            CONSTANTS,
            reference,
            low,
            np.array([outcome]),
            np.full((1, JUDGED), np.nan),
            np.ones((1, CASES), dtype=bool),
        )
        total += chance * won[0]
    return total


@pytest.mark.parametrize(
    ("scope", "streams"), [(OWN, [EXTRACT, MATH]), (KIND, [DETERMINISTIC]), (ALL, [EVERYTHING])]
)
def test_a_bet_on_cases_has_mean_1_at_the_level_and_less_above_it(scope: int, streams: list[int]) -> None:
    state = referenced(seed=3)
    level = state.worse.reference.level[0, scope]
    none_low = np.zeros((1, CASES), dtype=bool)
    assert expected_evidence(state, none_low, level)[streams] == pytest.approx(1.0)
    above = expected_evidence(state, none_low, level + 0.5 * (1 - level))
    assert (above[streams, :DEAD] < 1).all()
    below = expected_evidence(state, none_low, level * 0.8)
    assert (below[streams, :DEAD] > 1).all()


def test_a_bet_on_low_cases_has_mean_1_at_the_recovery_rate_and_less_above_it() -> None:
    state = referenced(seed=3)
    recovery = state.worse.reference.later_recovery[0]
    all_low = np.ones((1, CASES), dtype=bool)
    streams = [EXTRACT, MATH, DETERMINISTIC, EVERYTHING]
    assert expected_evidence(state, all_low, np.full(CASES, recovery))[streams, DEAD] == pytest.approx(1.0)
    assert (expected_evidence(state, all_low, np.full(CASES, recovery + 0.1))[streams, DEAD] < 1).all()
    assert (expected_evidence(state, all_low, np.full(CASES, recovery - 0.1))[streams, DEAD] > 1).all()


def test_only_the_dead_case_component_bets_on_a_low_case() -> None:
    state = referenced(seed=3)
    every_score = expected_evidence(state, np.ones((1, CASES), dtype=bool), np.full(CASES, 0.2))
    assert every_score[:, :DEAD] == pytest.approx(1.0)


def test_the_mean_of_a_bet_depends_on_the_mean_score_alone_not_on_how_credit_is_given() -> None:
    state = referenced(seed=3)
    reference = state.worse.reference
    level = reference.level[0, OWN]

    def won(score: np.ndarray) -> np.ndarray:
        judged, fresh, low = (
            np.full((1, JUDGED), np.nan),
            np.ones((1, CASES), dtype=bool),
            np.zeros((1, CASES), bool),
        )
        return day_evidence(STREAMS, CONSTANTS, reference, low, score[None], judged, fresh)[0][
            0, [EXTRACT, MATH], :DEAD
        ]

    assert won(level) == pytest.approx(1.0)


@pytest.mark.slow
def test_a_bet_on_a_judged_use_case_has_mean_1_at_the_level_for_gaussian_noise() -> None:
    state, _ = folded(noisy(np.random.default_rng(3), 1, REFERENCE, sd=12.0))
    reference = state.worse.reference
    assert mean_of_bets(state, reference.judged_level[0], reference.judged_sd[0])[
        [WRITE, DESIGN], :DEAD
    ] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("scope", "stream"), [(KIND, OF_JUDGE), (ALL, EVERYTHING)])
def test_the_judged_pool_is_one_bet_on_the_mean_departure_of_its_use_cases(scope: int, stream: int) -> None:
    state, _ = folded(noisy(np.random.default_rng(3), 1, REFERENCE, sd=12.0))
    reference = state.worse.reference
    level = reference.judged_mean[0] + (reference.pool_level[0, scope] - reference.pool_mean[0])
    alone = np.full(JUDGED, reference.pool_sd[0] * np.sqrt(JUDGED))
    assert mean_of_bets(state, level, alone)[stream, :DEAD] == pytest.approx(1.0, rel=1e-6)


def test_judged_use_cases_that_fall_together_are_counted_once() -> None:
    state, _ = folded(noisy(np.random.default_rng(3), 1, REFERENCE))
    reference = state.worse.reference
    fallen = reference.judged_mean[0] - 10
    swapped = reference.judged_mean[0] - np.array([20.0, 0.0])  # the same mean departure
    one, other = (judged_bets(state, scores)[0, OF_JUDGE] for scores in (fallen, swapped))
    assert one == pytest.approx(other)


def judged_bets(state: EvidenceState, scores: np.ndarray) -> np.ndarray:
    won, _ = day_evidence(
        STREAMS,
        CONSTANTS,
        state.worse.reference,
        np.zeros((1, CASES), dtype=bool),
        np.full((1, CASES), np.nan),
        scores[None],
        np.zeros((1, CASES), dtype=bool),
    )
    return won


def mean_of_bets(state: EvidenceState, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """[S, components] of independent Gaussian scores."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    total = np.zeros((STREAMS.count, DEAD + 1))
    for (one, chance), (other, also) in product(zip(nodes, weights, strict=True), repeat=2):
        total += chance * also * judged_bets(state, mean + sd * np.array([one, other]))[0]
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    "rate", [pytest.param(0.8, marks=pytest.mark.soak), 0.9, pytest.param(0.98, marks=pytest.mark.soak)]
)
def test_with_an_estimated_reference_the_mean_over_models_stays_at_most_1(rate: float) -> None:
    rng = np.random.default_rng(11)
    models = 20_000
    days = noisy(rng, models, REFERENCE + 1, rate=rate)
    cases, judged = (
        np.stack([day.cases for day in days], axis=1),
        np.stack([day.judged for day in days], axis=1),
    )
    numbers = np.tile(np.arange(REFERENCE), (models, 1))
    reference = reference_of(cases[:, :-1], judged[:, :-1], numbers, STREAMS, CONSTANTS)
    low = cases[:, -2] < reference.mean - CONSTANTS.low
    fresh = np.ones((models, CASES), dtype=bool)
    won, _ = day_evidence(STREAMS, CONSTANTS, reference, low, cases[:, -1], judged[:, -1], fresh)
    won = np.minimum(won, CONSTANTS.day_cap)
    error = won.std(axis=0) / np.sqrt(models)
    assert (won.mean(axis=0) <= 1 + 4 * error).all()


def test_a_days_evidence_is_capped() -> None:
    state, _ = folded([steady(number=day) for day in range(REFERENCE)])
    state, _ = folded([steady(case=0.0, judged=0.0, number=REFERENCE)], state)
    assert state.worse.streams.max() == CONSTANTS.day_cap
    state, _ = folded([steady(case=0.0, judged=0.0, number=REFERENCE + 1)], state)
    assert state.worse.streams.max() == CONSTANTS.day_cap * (CONSTANTS.day_cap + 1)


def test_one_day_never_confirms_however_bad_and_the_second_may() -> None:
    state, _ = folded([steady(number=day) for day in range(REFERENCE)])
    _, outcomes = folded([steady(case=0.0, judged=0.0, number=REFERENCE + day) for day in range(4)], state)
    assert [int(outcome.status[0]) for outcome in outcomes][1:] == [CONFIRMED, CONFIRMED, CONFIRMED]
    assert outcomes[0].status[0] in (QUIET, SUSPECTED)


def test_confirmed_needs_some_evidence_on_the_day_before() -> None:
    lines = msgspec.structs.replace(CONSTANTS, confirmed=10.0, confirmed_after=1e30)
    state = evidence.start(1, STREAMS, lines)
    outcome = None
    for day in range(REFERENCE + 5):
        fallen = day >= REFERENCE
        state, outcome = evidence.step(state, steady(judged=60.0 if fallen else 85.0, number=day))
    assert outcome is not None and outcome.value[0] > lines.confirmed
    assert outcome.status[0] != CONFIRMED, "never so much the day before"


@pytest.mark.parametrize(("at_least", "status"), [(0.0, CONFIRMED), (1e-9, SUSPECTED)])
def test_the_confirmation_line_itself_confirms(at_least: float, status: int) -> None:
    days = [*(steady(number=day) for day in range(REFERENCE)), steady(judged=60.0, number=REFERENCE)]
    value = folded(days)[1][-1].value[0]
    line = msgspec.structs.replace(
        CONSTANTS, confirmed=value * (1 + at_least), suspected=value, confirmed_after=0.0
    )
    outcome = None
    state = evidence.start(1, STREAMS, line)
    for day in days:
        state, outcome = evidence.step(state, day)
    assert outcome is not None and outcome.status[0] == status


def test_the_suspicion_line_itself_suspects() -> None:
    state = referenced(seed=5)
    for share, status in ((1 + 1e-12, SUSPECTED), (1 - 1e-12, QUIET)):
        rich = replace(state, before=np.array([share * CONSTANTS.suspected]))
        _, [outcome] = folded([silent(number=REFERENCE)], rich)
        assert outcome.status[0] == status


def silent(models: int = 1, number: int = 0) -> EvidenceDay:
    return steady(models, case=np.nan, judged=np.nan, number=number)


def test_a_day_without_scores_places_no_bet() -> None:
    state, _ = folded(noisy(np.random.default_rng(1), 3, REFERENCE + 5))
    after, [outcome] = folded([silent(3, number=REFERENCE + 5)], state)
    assert (after.worse.streams == state.worse.streams).all()
    assert not outcome.bet.any()
    assert (after.history.scored == state.history.scored).all()
    assert (after.worse.memory.kept == state.worse.memory.kept).all()


def test_a_barred_judge_leaves_the_judged_streams_as_they_are_and_the_others_bet() -> None:
    state, _ = folded(noisy(np.random.default_rng(1), 1, REFERENCE + 5))
    [day] = noisy(np.random.default_rng(2), 1, 1, first=REFERENCE + 5)
    after, _ = folded([replace(day, judged=np.full((1, JUDGED), np.nan))], state)
    same = (after.worse.streams == state.worse.streams)[0].all(axis=1)
    assert list(same) == [False, True, False, True, False, False, True]


def test_gaps_in_the_reference_phase_are_not_reference_days() -> None:
    days = noisy(np.random.default_rng(1), 1, REFERENCE)
    _, outcomes = folded([*days[:10], silent(number=10), *days[10:-1]])
    assert outcomes[-1].reference_days[0] == REFERENCE - 1
    assert outcomes[-1].status[0] == CALIBRATING
    assert np.isnan(outcomes[-1].value[0])


def test_after_a_gap_longer_than_usual_the_cases_wait_a_day() -> None:
    state, _ = folded(noisy(np.random.default_rng(1), 1, REFERENCE))
    later, _ = folded([steady(case=0.0, judged=np.nan, number=REFERENCE + 3)], state)
    assert later.worse.streams.max() == 1.0, "no bet: M + 1 from 0, times 1"
    next_day, _ = folded([steady(case=0.0, judged=np.nan, number=REFERENCE)], state)
    assert next_day.worse.streams.max() > 1.0


def test_a_watch_on_every_other_day_bets_every_time() -> None:
    def spread(days: list[EvidenceDay]) -> list[EvidenceDay]:
        return [replace(day, number=2 * day.number) for day in days]

    days = noisy(np.random.default_rng(1), 1, REFERENCE + 10)
    daily, _ = folded(days)
    sparse, _ = folded(spread(days))
    assert (daily.worse.streams == sparse.worse.streams).all()


def test_models_that_begin_on_different_days_are_as_if_alone() -> None:
    rng = np.random.default_rng(4)
    late = 9
    together = noisy(rng, 2, REFERENCE + 30)
    for day in together[:late]:
        day.cases[1], day.judged[1] = np.nan, np.nan
    state, outcomes = folded(together)
    alone, of_late = folded(
        [EvidenceDay(day.number, day.cases[1:], day.judged[1:]) for day in together[late:]]
    )
    assert (state.worse.streams[1] == alone.worse.streams[0]).all()
    assert [outcome.status[1] for outcome in outcomes[late:]] == [outcome.status[0] for outcome in of_late]


def test_a_new_series_begins_from_nothing() -> None:
    days = noisy(np.random.default_rng(4), 2, REFERENCE + 5)
    state, _ = folded(days)
    restarted = replace(days[-1], number=REFERENCE + 5, restart=np.array([True, False]))
    after, [outcome] = folded([restarted], state)
    assert list(outcome.reference_days) == [1, REFERENCE]
    assert list(outcome.status == CALIBRATING) == [True, False]
    assert after.worse.streams[0].max() == 0
    assert np.isnan(after.worse.reference.mean[0]).all()
    fresh, _ = folded([EvidenceDay(REFERENCE + 5, days[-1].cases[:1], days[-1].judged[:1])])
    again = noisy(np.random.default_rng(8), 1, REFERENCE + 3, first=REFERENCE + 6)
    doubled = [
        EvidenceDay(day.number, np.repeat(day.cases, 2, 0), np.repeat(day.judged, 2, 0)) for day in again
    ]
    assert (folded(doubled, after)[0].worse.streams[0] == folded(again, fresh)[0].worse.streams[0]).all()


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(REFERENCE - 2, REFERENCE + 8))
def test_the_evidence_never_uses_the_future(seed: int, known: int) -> None:
    rng = np.random.default_rng(seed)
    days = noisy(rng, 2, known)
    other_futures = [noisy(rng, 2, 6, first=known, rate=rate) for rate in (1.0, 0.2)]
    outcomes_of = [folded([*days, *future])[1][:known] for future in other_futures]
    for one, other in zip(*outcomes_of, strict=True):
        for field in fields(one):
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name))


def test_a_step_leaves_the_state_before_it_untouched() -> None:
    state, _ = folded(noisy(np.random.default_rng(4), 2, REFERENCE - 1))
    for _ in range(3):
        kept = [getattr(state, field.name) for field in fields(state)]
        copies = [part.copy() for part in kept if isinstance(part, np.ndarray)]
        before = state.worse.streams.copy(), state.worse.low.copy(), state.worse.reference.level.copy()
        after, _ = folded([steady(2, case=0.0, number=int(state.seen[0]))], state)
        for part, copy in zip([part for part in kept if isinstance(part, np.ndarray)], copies, strict=True):
            np.testing.assert_array_equal(part, copy)
        for part, copy in zip(
            (state.worse.streams, state.worse.low, state.worse.reference.level), before, strict=True
        ):
            np.testing.assert_array_equal(part, copy)
        state = after


def test_a_model_that_comes_back_is_recovered_after_seven_days_and_its_evidence_is_gone() -> None:
    state, _ = folded([steady(number=day) for day in range(REFERENCE)])
    bad = [steady(judged=60.0, number=REFERENCE + day) for day in range(5)]
    good = [steady(number=REFERENCE + 5 + day) for day in range(15)]
    state, outcomes = folded([*bad, *good], state)
    statuses = [int(outcome.status[0]) for outcome in outcomes]
    assert statuses[4] == CONFIRMED
    back = statuses.index(RECOVERED)
    assert back == 5 + CONSTANTS.recovered_days - 1, "seven days within τ, no bad day among them"
    assert outcomes[back].value[0] == 0
    assert statuses[back:] == [RECOVERED] * CONSTANTS.recovered_days + [QUIET] * (
        15 - 2 * CONSTANTS.recovered_days + 1
    )
    assert not outcomes[back].named.any()


def test_confirmed_is_held_while_days_stay_below() -> None:
    state, _ = folded([steady(number=day) for day in range(REFERENCE)])
    bad = [steady(judged=60.0, number=REFERENCE + day) for day in range(5)]
    between = [steady(judged=80.0, number=REFERENCE + 5 + day) for day in range(20)]
    _, outcomes = folded([*bad, *between], state)
    assert all(outcome.status[0] == CONFIRMED for outcome in outcomes[2:])


def test_use_cases_whose_own_evidence_passed_are_named_and_no_others() -> None:
    state, _ = folded([steady(number=day) for day in range(REFERENCE)])
    bad = [replace(steady(number=REFERENCE + day), judged=np.array([[85.0, 60.0]])) for day in range(5)]
    _, outcomes = folded(bad, state)
    assert outcomes[-1].status[0] == CONFIRMED
    assert list(outcomes[-1].named[0]) == [False, False, False, True]


def test_a_rise_is_an_improvement_and_no_loss() -> None:
    state, _ = folded([steady(case=0.5, judged=60.0, number=day) for day in range(REFERENCE)])
    _, outcomes = folded([steady(case=1.0, judged=80.0, number=REFERENCE + day) for day in range(10)], state)
    assert outcomes[-1].improvement[0]
    assert outcomes[-1].status[0] == QUIET


def test_a_fall_is_no_improvement() -> None:
    state, _ = folded([steady(case=0.5, judged=60.0, number=day) for day in range(REFERENCE)])
    _, outcomes = folded([steady(case=0.0, judged=40.0, number=REFERENCE + day) for day in range(10)], state)
    assert outcomes[-1].status[0] == CONFIRMED
    assert not any(outcome.improvement[0] for outcome in outcomes)


def test_the_improvement_detector_is_the_same_detector_on_mirrored_scores() -> None:
    days = noisy(np.random.default_rng(6), 3, REFERENCE + 40, rate=0.6, judged=50.0)
    mirrored = [EvidenceDay(day.number, 1 - day.cases, 100 - day.judged) for day in days]
    state, _ = folded(days)
    other, _ = folded(mirrored)
    assert state.better is not None
    np.testing.assert_allclose(state.better.streams, other.worse.streams, rtol=1e-9)


def test_a_case_that_always_failed_brings_nothing_by_failing_on() -> None:
    days = [steady(case=0.0, judged=np.nan, number=day) for day in range(REFERENCE + 60)]
    state, outcomes = folded(days)
    assert (state.worse.streams <= 60).all(), "no more than one for each day"
    assert outcomes[-1].status[0] == QUIET


def test_a_quarter_of_dead_cases_is_confirmed_within_days_and_the_cases_named() -> None:
    plan = plan_of(MANIFEST)
    population = Population(
        PROFILES["flips"], JUDGED_NOISE["gaussian"], plan.streams, 20, np.random.default_rng(2)
    )
    fault = SimulatedFault("five of 25 cases dead", dead_cases=5)
    outcome = state = None
    days = watch(plan, population, REFERENCE + 8, fault=fault, fault_day=REFERENCE)
    for _, outcome, state in days:  # noqa: B007
        pass
    assert outcome is not None and state is not None
    confirmed = outcome.status == CONFIRMED
    assert confirmed.mean() >= 0.9
    assert outcome.named[confirmed][:, 0].mean() >= 0.9
    assert outcome.named[confirmed][:, 1:].mean() < 0.02
    memory = state.worse.memory
    wealth = np.where(memory.kept[:, -1:] > 0, memory.wealth, 0.0).max(axis=2)  # of the days that still count
    most = np.argsort(wealth[confirmed], axis=1)[:, -5:]
    assert (np.sort(most, axis=1) == np.arange(5)).mean() >= 0.95


def test_a_suite_without_judged_use_cases_has_two_pools() -> None:
    streams = streams_of({"one": ["a", "b"], "two": ["c"]})
    state = evidence.start(1, streams, CONSTANTS)
    rng = np.random.default_rng(0)
    for day in range(REFERENCE):
        state, _ = evidence.step(state, EvidenceDay(day, rng.random((1, 3)), np.empty((1, 0))))
    weights = state.worse.reference.weights[0]
    assert weights[:2].sum() == pytest.approx(0.35)
    assert weights[2:4].sum() == pytest.approx(0.35)
    assert weights[4].sum() == 0
    assert state.worse.reference.memory_weights[0] == pytest.approx([0.075, 0.075, 0.15])
    assert np.isfinite(statistic(state.worse)).all()


def test_a_suite_of_judged_use_cases_alone_bets() -> None:
    streams = streams_of({"one": None})
    state = evidence.start(1, streams, CONSTANTS)
    outcome = None
    for day in range(REFERENCE + 5):
        score = 85.0 if day < REFERENCE else 60.0
        state, outcome = evidence.step(state, EvidenceDay(day, np.empty((1, 0)), np.array([[score]])))
    assert outcome is not None and outcome.status[0] == CONFIRMED

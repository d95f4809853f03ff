"""The frozen reference: levels, recovery, doubt and weights, each against numbers worked by hand or by a plain loop."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pytest

from probatio.verdict.reference import Reference, fingerprint, lower_limit, reference_of
from probatio.verdict.streams import OWN
from verdict.synthetic_suite import CASES, CONSTANTS, JUDGED, STREAMS

DAYS = CONSTANTS.reference_days
EXTRACT, WRITE, MATH, DESIGN, EVERYTHING, DETERMINISTIC, OF_JUDGE = range(7)


def of(
    cases: np.ndarray | None = None, judged: np.ndarray | None = None, numbers: np.ndarray | None = None
) -> Reference:
    """One model's reference; what is not given is perfect and steady."""
    cases = np.ones((DAYS, CASES)) if cases is None else cases
    judged = np.full((DAYS, JUDGED), 85.0) if judged is None else judged
    numbers = np.arange(DAYS) if numbers is None else numbers
    return reference_of(cases[None], judged[None], numbers[None], STREAMS, CONSTANTS)


def with_first_case(scores: Sequence[float]) -> np.ndarray:
    cases = np.ones((DAYS, CASES))
    cases[: len(scores), 0] = scores
    return cases


def before_tau(reference: Reference) -> np.ndarray:
    own = STREAMS.deterministic[STREAMS.home]
    return np.asarray(reference.level[0, OWN] / (1 - reference.tau[0, own]))


def test_a_perfect_case_is_expected_to_fail_once_in_twice_the_days() -> None:
    assert before_tau(of())[0] == pytest.approx((27 + 0.5) / 28)


def test_an_always_failing_case_is_expected_to_fail() -> None:
    assert (of(np.zeros((DAYS, CASES))).level == 0).all()


def test_the_level_counts_only_days_after_a_day_that_was_not_low() -> None:
    spell = with_first_case([1, 1, 0, 0, 0, 0, 1])
    assert before_tau(of(spell))[0] == pytest.approx(22.5 / 24), "27 pairs, four after a low day, one failure left"


def test_days_further_apart_than_usual_are_no_pair() -> None:
    numbers = np.arange(DAYS)
    numbers[14:] += 5
    cases = with_first_case([1] * 14 + [0])
    assert before_tau(of(cases, numbers=numbers))[0] == pytest.approx(25.5 / 26), "the failure came after the long gap"
    assert of(cases, numbers=numbers).reach[0] == 1


def test_a_watch_on_every_other_day_reaches_two_days_back() -> None:
    assert of(numbers=2 * np.arange(DAYS)).reach[0] == 2


@pytest.mark.parametrize(
    ("low_days", "recovery"),
    [(0, 0.04), (7, 0.43)],
    ids=["never low: the prior alone", "seven low days, each gone the next"],
)
def test_the_recovery_rate_is_as_worked_in_the_module(low_days: int, recovery: float) -> None:
    cases = np.ones((DAYS, CASES))
    cases[1 : 2 * low_days : 2, 0] = 0
    assert of(cases).recovery[0] == pytest.approx(recovery, abs=0.005)


def test_long_failures_among_short_ones_lower_the_recovery_rate() -> None:
    short = np.ones((DAYS, CASES))
    short[1::4, 0] = 0
    mixed = short.copy()
    mixed[8:18, 3] = 0
    rate = lower_limit(np.array([(0.9 + 8) / 23]), np.array([23.0]), CONSTANTS.recovery_se)[0]
    assert of(mixed).recovery[0] < rate < of(short).recovery[0], "lower than ten more low days alone would make it"


def test_the_lower_limit_lies_between_nothing_and_the_rate() -> None:
    rate, trials = np.meshgrid(np.linspace(0, 1, 21), [1.0, 6.0, 100.0])
    limit = lower_limit(rate, trials, 1.3)
    assert (limit >= -1e-12).all()
    assert (limit <= rate + 1e-12).all()


def test_spells_of_low_days_are_measured() -> None:
    cases = np.ones((DAYS, CASES))
    cases[3:7, 0] = 0
    cases[10, 0] = 0
    cases[5, 4] = 0
    reference = of(cases)
    assert (reference.spells[0], reference.spell_mean[0], reference.spell_longest[0]) == (3, 2.0, 4)


def test_without_spells_there_is_no_mean_length() -> None:
    assert np.isnan(of().spell_mean[0])


def plain_newey_west(values: np.ndarray, lag: int) -> float:
    centred = values - values.mean()
    total = sum(float(value) ** 2 for value in centred)
    for back in range(1, lag + 1):
        total += (
            2 * (1 - back / (lag + 1)) * sum(centred[day] * centred[day - back] for day in range(back, len(values)))
        )
    return max(total, 0.0) / (len(values) - lag - 1)


def test_the_error_of_a_judged_mean_is_newey_and_wests() -> None:
    rng = np.random.default_rng(3)
    judged = 80 + 5 * rng.standard_normal((DAYS, JUDGED)).cumsum(axis=0) / 3
    reference = of(judged=judged)
    for place, at in enumerate(STREAMS.judged):
        long_run = plain_newey_west(judged[:, place], CONSTANTS.hac_lag)
        assert reference.stream_error[0, at] * 100 == pytest.approx(sqrt(long_run / DAYS))
        assert reference.tau[0, at] == pytest.approx(2.33 * sqrt(long_run / DAYS) / judged[:, place].mean())
        assert reference.judged_sd[0, place] == pytest.approx(1.5 * sqrt(long_run))


def test_the_error_of_a_pool_sees_that_its_use_cases_move_together() -> None:
    rng = np.random.default_rng(3)
    together = 80 + 5 * rng.standard_normal((DAYS, 1)).repeat(JUDGED, axis=1)
    reference = of(judged=together)
    assert reference.stream_error[0, OF_JUDGE] == pytest.approx(reference.stream_error[0, WRITE])


def test_steady_cases_have_at_least_the_error_of_independent_yes_no_answers() -> None:
    rate = 28.5 / 29
    of_three = sqrt(rate * (1 - rate) / 3 / DAYS)
    assert of().stream_error[0, EXTRACT] == pytest.approx(of_three)


def test_steady_judged_scores_have_at_least_the_floors_error() -> None:
    reference = of()
    assert reference.stream_error[0, WRITE] == pytest.approx(CONSTANTS.judged_sd_floor / 100 / sqrt(DAYS))
    assert (reference.judged_sd == CONSTANTS.judged_sd_floor).all()


def test_a_pools_doubt_is_less_than_its_use_cases() -> None:
    tau = of().tau[0]
    assert tau[DETERMINISTIC] < min(tau[EXTRACT], tau[MATH])
    assert tau[OF_JUDGE] < min(tau[WRITE], tau[DESIGN])


def test_weights_are_half_the_pools_half_the_use_cases_over_all_that_can_bet() -> None:
    weights = of().weights[0]
    assert weights.sum() == pytest.approx(1)
    assert weights[: len(STREAMS.use_cases)].sum() == pytest.approx(0.5)
    assert (weights[[WRITE, DESIGN, OF_JUDGE], -1] == 0).all(), "no dead case without cases"
    own = weights[: len(STREAMS.use_cases)]
    assert np.unique(own[own > 0]).size == 1
    assert np.count_nonzero(own) == 2 * 5 + 2 * 4


@pytest.mark.parametrize(("missing", "has"), [(14, True), (15, False)])
def test_a_use_case_scored_on_fewer_than_half_of_the_days_has_no_reference(missing: int, has: bool) -> None:
    judged = np.full((DAYS, JUDGED), 85.0)
    judged[:missing, 0] = np.nan
    reference = of(judged=judged)
    assert np.isfinite(reference.judged_level[0, OWN, 0]) == has
    assert (reference.weights[0, WRITE].sum() > 0) == has
    assert reference.weights[0].sum() == pytest.approx(1)


def test_models_are_taken_one_by_one() -> None:
    rng = np.random.default_rng(1)
    cases, judged = (rng.random((3, DAYS, CASES)) < 0.8).astype(float), 80 + rng.standard_normal((3, DAYS, JUDGED))
    numbers = np.tile(np.arange(DAYS), (3, 1))
    together = reference_of(cases, judged, numbers, STREAMS, CONSTANTS)
    for model in range(3):
        alone = of(cases[model], judged[model])
        np.testing.assert_allclose(together.level[model], alone.level[0])
        np.testing.assert_allclose(together.tau[model], alone.tau[0])
        np.testing.assert_allclose(together.recovery[model], alone.recovery[0])


def test_the_fingerprint_is_of_the_content_not_of_the_date() -> None:
    cases, judged, numbers = np.ones((DAYS, CASES)), np.full((DAYS, JUDGED), 85.0), np.arange(DAYS)
    one = fingerprint(cases, judged, numbers, STREAMS, CONSTANTS)
    assert one == fingerprint(cases, judged, numbers + 100, STREAMS, CONSTANTS)
    other = cases.copy()
    other[3, 2] = 0.5
    assert one != fingerprint(other, judged, numbers, STREAMS, CONSTANTS)

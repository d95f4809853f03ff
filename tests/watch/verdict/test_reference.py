"""The reference: levels, recovery, doubt and weights, each against numbers worked by hand or by a plain
loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from math import sqrt

import msgspec
import numpy as np
import pytest

from probatio.watch.verdict.evidence.caution import lag_of
from probatio.watch.verdict.evidence.levels import lower_limit
from probatio.watch.verdict.evidence.reference import Reference, fingerprint, reference_of
from probatio.watch.verdict.evidence.streams import OWN
from watch.verdict.synthetic_suite import CASES, CONSTANTS, JUDGED, STREAMS

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


def test_a_perfect_case_is_expected_to_fail_a_quarter_time_in_its_days_and_one_more() -> None:
    assert before_tau(of())[0] == pytest.approx(1 - 0.25 / 28)


def test_where_all_always_fail_they_are_expected_to_fail() -> None:
    assert (of(np.zeros((DAYS, CASES))).level == 0).all()


def test_cases_that_differ_by_no_more_than_their_noise_share_one_level() -> None:
    cases = np.ones((DAYS, CASES))
    for place in range(CASES):
        cases[4 + 3 * place, place] = 0  # one failure each, followed by a good day
    level = before_tau(of(cases))
    assert level == pytest.approx(np.full(CASES, 1 - 1 / 26)), "27 pairs each, one of them after the low day"


def test_a_case_that_stands_out_keeps_most_of_its_own_level() -> None:
    cases = np.ones((DAYS, CASES))
    cases[::2, 0] = 0
    reference = of(cases)
    counts, failed = np.array([14.0, 27, 27, 27, 27]), np.array([13 / 14, 0, 0, 0, 0])
    scatter = np.array([13 / 14 * (1 / 14) * 14 / 13, 0, 0, 0, 0])
    common = (failed * counts).sum() / counts.sum()
    between = max(0.0, failed.var(ddof=1) - scatter.mean() / counts.mean())
    own = np.maximum(scatter, scatter.mean()) / counts
    shrink = own / (own + between)
    expected = np.maximum((1 - shrink) * failed + shrink * common, 0.25 / (counts + 1))
    low_from = reference.mean[0, 0] - CONSTANTS.low
    assert low_from > 0, "a failure makes the first case low"
    assert before_tau(reference)[1:] == pytest.approx(1 - expected[1:], abs=0.02)


def test_the_level_counts_only_days_after_a_day_that_was_not_low() -> None:
    spell = with_first_case([1, 1, 0, 0, 0, 0, 1])
    once = with_first_case([1, 1, 0])
    assert before_tau(of(spell))[0] == pytest.approx(before_tau(of(once))[0], abs=0.01), (
        "a spell counts as one failure"
    )


def test_days_further_apart_than_usual_are_no_pair() -> None:
    numbers = np.arange(DAYS)
    numbers[14:] += 5
    cases = with_first_case([1] * 14 + [0])
    assert before_tau(of(cases, numbers=numbers))[0] == pytest.approx(1 - 0.25 / 26), (
        "the failure came after the long gap"
    )
    assert of(cases, numbers=numbers).reach[0] == 1


def test_a_watch_on_every_other_day_reaches_two_days_back() -> None:
    assert of(numbers=2 * np.arange(DAYS)).reach[0] == 2


def test_where_no_case_was_ever_low_the_recovery_rate_is_a_guess() -> None:
    reference = of()
    assert reference.first_recovery[0] == reference.later_recovery[0] == CONSTANTS.memory.unseen_recovery


def test_seven_low_days_each_gone_the_next_recover_soon() -> None:
    cases = np.ones((DAYS, CASES))
    cases[1:14:2, 0] = 0
    reference = of(cases)
    rate = lower_limit(np.array([(0.9 + 7) / 13]), np.array([13.0]), CONSTANTS.recovery_se)[0]
    assert reference.first_recovery[0] == pytest.approx(rate)
    assert reference.later_recovery[0] == pytest.approx(min(0.4, rate)), "never seen low for a second day"


def test_long_failures_among_short_ones_lower_the_recovery_rate_of_the_second_day_on() -> None:
    short = np.ones((DAYS, CASES))
    short[1::4, 0] = 0
    mixed = short.copy()
    mixed[8:18, 3] = 0
    reference = of(mixed)
    later = lower_limit(np.array([(6 * 0.4 + 1) / 15]), np.array([15.0]), CONSTANTS.recovery_se)[0]
    assert reference.later_recovery[0] == pytest.approx(later), (
        "nine chances from the second low day on, one recovery"
    )
    assert reference.later_recovery[0] < reference.first_recovery[0] < of(short).first_recovery[0]


def test_the_chance_of_becoming_low_is_twice_the_rate_with_twenty_days_of_the_common_one() -> None:
    cases = np.ones((DAYS, CASES))
    cases[[5, 15], 0] = 0
    entry = of(cases).entry[0]
    counts = np.array([25, 27, 27, 27, 27])
    common = 2 / counts.sum()
    assert entry[0] == pytest.approx(2 * (2 + 20 * common) / 45)
    assert entry[1] == pytest.approx(2 * max(20 * common / 47, 0.25 / 28))


def test_at_full_count_a_steady_case_becomes_low_by_one_failure_of_three() -> None:
    reference = of()
    entry = reference.entry[0]
    assert reference.entry_at_full[0] == pytest.approx(1 - (1 - entry) ** 3)
    doubtful = np.ones((DAYS, CASES))
    doubtful[::7, 0] = 0
    first = of(doubtful)
    assert first.entry_at_full[0, 0] == pytest.approx(first.entry[0, 0]), (
        "two failures are needed: not more likely"
    )


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
    assert reference.spell_mean[0] == 2.0, "three spells, of six low days"


def test_without_spells_there_is_no_mean_length() -> None:
    assert np.isnan(of().spell_mean[0])


def plain_newey_west(values: np.ndarray, lag: int) -> float:
    centred = values - values.mean()
    total = sum(float(value) ** 2 for value in centred)
    for back in range(1, lag + 1):
        total += (
            2
            * (1 - back / (lag + 1))
            * sum(centred[day] * centred[day - back] for day in range(back, len(values)))
        )
    return max(total, 0.0) / (len(values) - lag - 1)


def test_the_lag_grows_with_the_reference() -> None:
    assert lag_of(np.array([14, 28, 70, 400]), CONSTANTS).tolist() == [3, 4, 10, 14]


def test_the_error_of_a_judged_mean_is_newey_and_wests() -> None:
    rng = np.random.default_rng(3)
    judged = 80 + 5 * rng.standard_normal((DAYS, JUDGED)).cumsum(axis=0) / 3
    reference = of(judged=judged)
    for place, at in enumerate(STREAMS.judged):
        long_run = plain_newey_west(judged[:, place], DAYS // CONSTANTS.hac_days)
        assert reference.stream_error[0, at] * 100 == pytest.approx(sqrt(long_run / DAYS))
        assert reference.tau[0, at] == pytest.approx(2.33 * sqrt(long_run / DAYS) / judged[:, place].mean())
        assert reference.judged_sd[0, place] == pytest.approx(1.5 * sqrt(long_run))
    departures = (judged - judged.mean(axis=0)).mean(axis=1)
    assert reference.pool_sd[0] == pytest.approx(
        1.5 * sqrt(plain_newey_west(departures, DAYS // CONSTANTS.hac_days))
    )


def test_no_bet_is_placed_against_a_loss_within_the_band() -> None:
    narrow = msgspec.structs.replace(CONSTANTS, caution=0.0)
    numbers = np.arange(DAYS)[None]
    tau = reference_of(
        np.ones((1, DAYS, CASES)), np.full((1, DAYS, JUDGED), 85.0), numbers, STREAMS, narrow
    ).tau[0]
    assert tau[[EXTRACT, MATH, DETERMINISTIC]] == pytest.approx(0.01)
    assert tau[[WRITE, DESIGN, OF_JUDGE]] == pytest.approx(0.015)
    assert tau[EVERYTHING] == pytest.approx(0.0125)


def test_days_that_are_bad_for_many_cases_at_once_temper_the_product() -> None:
    rng = np.random.default_rng(4)
    alone = (rng.random((DAYS, CASES)) < 0.7).astype(float)
    together = (rng.random((DAYS, 1)) < 0.7).astype(float).repeat(CASES, axis=1)
    assert of(together).dispersion[0, DETERMINISTIC] > 2 * of(alone).dispersion[0, DETERMINISTIC]
    assert of(together).dispersion[0, EVERYTHING] == of(together).dispersion[0, DETERMINISTIC]
    assert (of(together).dispersion[0, [WRITE, DESIGN, OF_JUDGE]] == 1).all()


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
    error = of().stream_error[0]
    assert error[DETERMINISTIC] < min(error[EXTRACT], error[MATH])
    assert error[OF_JUDGE] < min(error[WRITE], error[DESIGN])


def test_weights_are_those_of_the_manifest_over_all_that_can_bet() -> None:
    reference = of()
    weights, memories = reference.weights[0], reference.memory_weights[0]
    assert weights.sum() + memories.sum() == pytest.approx(1)
    assert weights[: len(STREAMS.use_cases)].sum() == pytest.approx(0.35)
    assert weights[len(STREAMS.use_cases) :].sum() == pytest.approx(0.35)
    assert memories == pytest.approx([0.075, 0.075, 0.15])
    assert (weights[[WRITE, DESIGN, OF_JUDGE], -1] == 0).all(), "no dead case without cases"
    own = weights[: len(STREAMS.use_cases)]
    assert np.unique(own[own > 0]).size == 1
    assert np.count_nonzero(own) == 2 * 6 + 2 * 5


@pytest.mark.parametrize(("missing", "has"), [(14, True), (15, False)])
def test_a_use_case_scored_on_fewer_than_half_of_the_days_has_no_reference(missing: int, has: bool) -> None:
    judged = np.full((DAYS, JUDGED), 85.0)
    judged[:missing, 0] = np.nan
    reference = of(judged=judged)
    assert np.isfinite(reference.judged_level[0, 0]) == has
    assert (reference.weights[0, WRITE].sum() > 0) == has
    assert reference.weights[0].sum() + reference.memory_weights[0].sum() == pytest.approx(1)


def test_models_are_taken_one_by_one() -> None:
    rng = np.random.default_rng(1)
    cases, judged = (
        (rng.random((3, DAYS, CASES)) < 0.8).astype(float),
        80 + rng.standard_normal((3, DAYS, JUDGED)),
    )
    numbers = np.tile(np.arange(DAYS), (3, 1))
    together = reference_of(cases, judged, numbers, STREAMS, CONSTANTS)
    for model in range(3):
        alone = of(cases[model], judged[model])
        np.testing.assert_allclose(together.level[model], alone.level[0])
        np.testing.assert_allclose(together.tau[model], alone.tau[0])
        np.testing.assert_allclose(together.first_recovery[model], alone.first_recovery[0])
        np.testing.assert_allclose(together.dispersion[model], alone.dispersion[0])


def test_models_with_fewer_days_are_as_if_alone() -> None:
    rng = np.random.default_rng(1)
    cases, judged = (
        (rng.random((2, DAYS + 9, CASES)) < 0.8).astype(float),
        80 + rng.standard_normal((2, DAYS + 9, JUDGED)),
    )
    numbers = np.tile(np.arange(DAYS + 9), (2, 1))
    cases[1, DAYS:], judged[1, DAYS:], numbers[1, DAYS:] = np.nan, np.nan, 10**6 * np.arange(1, 10)
    together = reference_of(cases, judged, numbers, STREAMS, CONSTANTS, np.array([DAYS + 9, DAYS]))
    alone = of(cases[1, :DAYS], judged[1, :DAYS])
    for field in fields(alone):
        np.testing.assert_allclose(
            getattr(together, field.name)[1], getattr(alone, field.name)[0], err_msg=field.name
        )


def test_the_fingerprint_is_of_the_content_not_of_the_date() -> None:
    cases, judged, numbers = np.ones((DAYS, CASES)), np.full((DAYS, JUDGED), 85.0), np.arange(DAYS)
    one = fingerprint(cases, judged, numbers, STREAMS, CONSTANTS)
    assert one == fingerprint(cases, judged, numbers + 100, STREAMS, CONSTANTS)
    other = cases.copy()
    other[3, 2] = 0.5
    assert one != fingerprint(other, judged, numbers, STREAMS, CONSTANTS)

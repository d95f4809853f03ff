"""The published rule: a case for every line of it and for every decision."""

from __future__ import annotations

import numpy as np
import pytest

from probatio.core.records import Grading
from probatio.watch.verdict.rule.baseline import rule_for, suspicious
from probatio.watch.verdict.rule.model_status import NEVER, STATUSES
from probatio.watch.verdict.rule.rule import FIRED, HELD, expect, rule_day, start, step
from watch.verdict.made_up import FIRST, RULE, D, fold_rule, last, statuses

STEADY = [90.0] * 14  # sd 0, so the floor: 2 deterministic, 4 judged
SWINGING = [40.0, 60.0] * 7  # mean 50, sd 10.4: here only a drop can fire
LEVELS = [
    # grading, days before, score, status, the tests that fire
    ("deterministic", STEADY, 86.0, "SUSPICIOUS", ["suspicious z"]),  # z exactly −2
    ("deterministic", STEADY, 86.001, "OK", []),
    ("deterministic", STEADY, 84.0, "SUSPICIOUS", ["suspicious z", "cooked z"]),  # z exactly −3
    ("deterministic", STEADY, 84.001, "SUSPICIOUS", ["suspicious z"]),
    ("deterministic", SWINGING, 45.0, "SUSPICIOUS", ["suspicious drop"]),  # drop exactly 10 %
    ("deterministic", SWINGING, 45.001, "OK", []),
    ("deterministic", SWINGING, 40.0, "SUSPICIOUS", ["suspicious drop", "cooked drop"]),  # drop exactly 20 %
    ("deterministic", SWINGING, 40.001, "SUSPICIOUS", ["suspicious drop"]),
    (
        "deterministic",
        SWINGING,
        32.5,
        "COOKED",
        ["suspicious drop", "cooked drop", "collapse"],
    ),  # exactly 35 %
    ("deterministic", SWINGING, 32.501, "SUSPICIOUS", ["suspicious drop", "cooked drop"]),
    ("judge", STEADY, 80.0, "SUSPICIOUS", ["suspicious z"]),  # z exactly −2.5
    ("judge", STEADY, 80.001, "OK", []),
    ("judge", STEADY, 76.0, "SUSPICIOUS", ["suspicious z", "suspicious drop", "cooked z"]),  # z exactly −3.5
    ("judge", SWINGING, 42.5, "SUSPICIOUS", ["suspicious drop"]),  # drop exactly 15 %
    ("judge", SWINGING, 42.501, "OK", []),
    ("judge", SWINGING, 37.5, "SUSPICIOUS", ["suspicious drop", "cooked drop"]),  # drop exactly 25 %
    ("judge", SWINGING, 37.501, "SUSPICIOUS", ["suspicious drop"]),
    ("judge", SWINGING, 30.0, "COOKED", ["suspicious drop", "cooked drop", "collapse"]),  # exactly 40 %
    ("judge", SWINGING, 30.001, "SUSPICIOUS", ["suspicious drop", "cooked drop"]),
    ("hybrid", STEADY, 80.001, "OK", []),  # hybrid counts as judged
    ("hybrid", STEADY, 80.0, "SUSPICIOUS", ["suspicious z"]),
    ("hybrid", SWINGING, 30.0, "COOKED", ["suspicious drop", "cooked drop", "collapse"]),
]


@pytest.mark.parametrize(("grading", "before", "score", "status", "fired"), LEVELS)
def test_a_test_fires_at_its_limit_and_not_before_it(
    grading: Grading, before: list[float], score: float, status: str, fired: list[str]
) -> None:
    outcome = fold_rule([*before, score], grading)[-1]
    assert STATUSES[outcome.status[0, 0]] == status
    assert [name for bit, name in enumerate(FIRED) if outcome.fired[0, 0] >> bit & 1] == fired


@pytest.mark.slow
def test_a_limit_is_met_however_the_sums_were_rounded() -> None:
    met = naive = 0
    values = [round(number / 10, 1) for number in range(500, 1000)]
    for mean in values:
        met += last([*[mean] * 14, round(mean - 4, 1)]) == "SUSPICIOUS"
        naive += bool((round(mean - 4, 1) - np.mean([mean] * 14)) / 2 <= -2)
    assert met == len(values)
    assert naive < len(values)  # else this test would show nothing


def test_the_baseline_is_the_fourteen_calendar_days_before_today() -> None:
    outcome = fold_rule([10.0, *[90.0] * 13, 90.0, 90.0])
    assert outcome[13].expected.days[0, 0] == 13  # the first day is in it …
    assert outcome[14].expected.mean[0, 0] < 90  # … on day 15 still, 14 days back …
    assert outcome[15].expected.mean[0, 0] == 90  # … and on day 16 no more
    assert outcome[15].expected.days[0, 0] == 14


def test_a_day_that_was_not_run_takes_its_place_in_the_window() -> None:
    outcome = fold_rule([*[90.0] * 14, D(90.0, after=8)])[-1]
    assert outcome.expected.days[0, 0] == 7


def test_today_is_never_in_its_own_baseline() -> None:
    low, high = (fold_rule([*STEADY, score])[-1].expected for score in (0.0, 100.0))
    assert low.mean[0, 0] == high.mean[0, 0] == 90


def test_flagged_days_stay_in_the_baseline() -> None:
    outcomes = fold_rule([*STEADY, 60.0, 90.0])
    assert STATUSES[outcomes[-2].status[0, 0]] == "SUSPICIOUS"
    assert outcomes[-1].expected.mean[0, 0] == pytest.approx((13 * 90 + 60) / 14)


def test_the_sd_is_the_samples_and_then_the_floor() -> None:
    swinging, steady = fold_rule([*SWINGING, 50.0])[-1].expected, fold_rule([*STEADY, 50.0])[-1].expected
    assert swinging.sd[0, 0] == pytest.approx(np.std(SWINGING, ddof=1))
    assert steady.sd[0, 0] == 2
    assert fold_rule([*STEADY, 50.0], "judge")[-1].expected.sd[0, 0] == 4


@pytest.mark.parametrize(
    ("days", "status"),
    [
        ([90.0] * 4 + [10.0], "CALIBRATING"),  # four days before: too few
        ([90.0] * 5 + [10.0], "COOKED"),  # five: judged
        ([90.0] * 4 + [None, 10.0], "CALIBRATING"),  # a gap is no day
        ([90.0] * 5 + [D(10.0, after=14)], "CALIBRATING"),  # those days are too old by now
        ([90.0] * 5 + [D(10.0, after=10)], "COOKED"),  # the window just holds the five
    ],
)
def test_five_days_make_a_baseline(days: list[D | float | None], status: str) -> None:
    assert last(days) == status


def test_there_is_no_drop_from_a_mean_of_nothing() -> None:
    for score in (0.0, 50.0):
        outcome = fold_rule([*[0.0] * 14, score])[-1]
        assert np.isnan(outcome.drop[0, 0])
        assert STATUSES[outcome.status[0, 0]] == "OK"


COOKED_LEVEL = 80.0  # from a steady 90: z −5, drop 11 %
CONSECUTIVE = [
    # what follows 14 steady days, and the status on its last day
    ([COOKED_LEVEL], "SUSPICIOUS"),
    ([COOKED_LEVEL, 80.0], "COOKED"),
    ([COOKED_LEVEL, None, 80.0], "COOKED"),  # a gap between neither cooks nor saves
    ([COOKED_LEVEL, None, None, 80.0], "COOKED"),  # three days apart
    ([COOKED_LEVEL, None, None, None, 80.0], "SUSPICIOUS"),  # four: two episodes
    ([COOKED_LEVEL, D(80.0, after=3)], "COOKED"),  # days that were not run are gaps, too
    ([COOKED_LEVEL, D(80.0, after=4)], "SUSPICIOUS"),
    ([COOKED_LEVEL, 90.0, 80.0], "SUSPICIOUS"),  # a good day between
    ([COOKED_LEVEL, 84.0, 80.0], "SUSPICIOUS"),  # a merely suspicious day between
    (
        [COOKED_LEVEL, 80.0, 80.0],
        "SUSPICIOUS",
    ),  # the baseline follows: still low, but not at cooked level any more
    ([COOKED_LEVEL, D(80.0, version=1)], "CALIBRATING"),  # a bump in between
    ([COOKED_LEVEL, D(80.0, full=False)], "COOKED"),  # only the collapse asks for full power
    ([COOKED_LEVEL, 80.0, 60.0], "COOKED"),  # and it stays
]


@pytest.mark.parametrize(("days", "status"), CONSECUTIVE)
def test_cooked_takes_two_consecutive_days_at_cooked_level(days: list[D | float | None], status: str) -> None:
    assert last([*STEADY, *days]) == status


def test_either_criterion_counts_on_either_day() -> None:
    outcomes = fold_rule([*STEADY, 83.0, *[83.0]])  # z, then z
    assert STATUSES[outcomes[-1].status[0, 0]] == "COOKED"
    first, second = fold_rule([*SWINGING, 39.0, D(15.0, full=False)])[-2:]  # drop alone, then both
    assert first.fired[0, 0] == 0b01010
    assert second.fired[0, 0] == 0b01111
    assert STATUSES[second.status[0, 0]] == "COOKED"


@pytest.mark.parametrize(
    ("day", "status"),
    [(D(30.0, full=True), "COOKED"), (D(30.0, full=False), "SUSPICIOUS"), (D(0.0, full=False), "SUSPICIOUS")],
)
def test_a_collapse_counts_only_from_full_power(day: D, status: str) -> None:
    assert last([*SWINGING, day]) == status


def test_a_gap_day_is_never_a_zero() -> None:
    outcomes = fold_rule([*STEADY, None, 90.0])
    assert STATUSES[outcomes[-2].status[0, 0]] == "GAP"
    assert np.isnan(outcomes[-2].z[0, 0])
    assert outcomes[-1].expected.mean[0, 0] == 90
    assert STATUSES[outcomes[-1].status[0, 0]] == "OK"


def test_a_barred_day_holds_what_was_said_before_it() -> None:
    for before, held in (([], "OK"), ([60.0], "SUSPICIOUS"), ([60.0, 60.0], "COOKED")):
        outcome = fold_rule([*STEADY, *before, D(5.0, barred=True)], "judge")[-1]
        assert STATUSES[outcome.status[0, 0]] == held
        assert HELD[outcome.held[0, 0]] == "barred"
        assert outcome.drop[0, 0] > 0.9  # shown all the same
        assert outcome.fired[0, 0] == 0
    assert (
        statuses([*STEADY, 70.0, D(90.0, barred=True)], "hybrid")[-1] == "SUSPICIOUS"
    )  # two-sided: nor does it save


def test_a_barred_day_is_not_in_the_baseline() -> None:
    assert fold_rule([*STEADY, D(5.0, barred=True), 90.0], "judge")[-1].expected.mean[0, 0] == 90


def test_a_barred_day_neither_makes_nor_breaks_a_row_of_cooked_days() -> None:
    assert statuses([*STEADY, 60.0, D(60.0, barred=True)], "judge")[-1] == "SUSPICIOUS"
    assert statuses([*STEADY, 60.0, D(90.0, barred=True), 60.0], "judge")[-1] == "COOKED"


def test_a_barred_judge_says_nothing_about_deterministic_use_cases() -> None:
    assert last([*STEADY, D(30.0, barred=True)]) == "COOKED"


A, B, C = 0, 1, 2


def _at(route: int, score: float = 90.0, **more: object) -> D:
    return D(score, route=route, **more)  # type: ignore[arg-type]


def test_a_day_from_another_route_is_held_and_stays_out_of_the_baseline() -> None:
    outcomes = fold_rule([*[_at(A)] * 14, _at(B, 20.0), _at(A)])
    assert STATUSES[outcomes[-2].status[0, 0]] == "OK"
    assert HELD[outcomes[-2].held[0, 0]] == "routing"
    assert outcomes[-2].routing_changed[0]
    assert outcomes[-1].expected.mean[0, 0] == 90
    assert not outcomes[-1].routing_changed[0]


def test_a_new_route_that_stays_three_days_starts_a_new_series_with_those_days() -> None:
    outcomes = fold_rule([*[_at(A)] * 14, *[_at(B, 60.0)] * 8])
    shown = [STATUSES[outcome.status[0, 0]] for outcome in outcomes[14:]]
    assert shown == ["OK", "OK", "CALIBRATING", "CALIBRATING", "CALIBRATING", "OK", "OK", "OK"]
    assert [outcome.new_series[0] for outcome in outcomes[14:17]] == [False, False, True]
    assert [int(outcome.expected.days[0, 0]) for outcome in outcomes[16:20]] == [2, 3, 4, 5]
    assert outcomes[-1].expected.mean[0, 0] == 60


def test_a_route_that_goes_back_home_starts_nothing() -> None:
    outcomes = fold_rule([*[_at(A)] * 14, _at(B), _at(B), _at(A), _at(B), _at(B), _at(A, 90.0)])
    assert not any(outcome.new_series[0] for outcome in outcomes)
    assert outcomes[-1].expected.days[0, 0] == 10  # of the 14 days before, four were served elsewhere


def test_an_earlier_visit_to_the_new_route_is_not_in_its_baseline() -> None:
    outcomes = fold_rule([*[_at(A)] * 14, _at(B, 10.0), _at(B, 10.0), _at(A), *[_at(B, 60.0)] * 3])
    assert outcomes[-1].new_series[0]
    assert (outcomes[-1].expected.days[0, 0], outcomes[-1].expected.mean[0, 0]) == (2, 60)


def test_three_days_on_two_new_routes_are_no_series() -> None:
    assert not any(
        outcome.new_series[0] for outcome in fold_rule([*[_at(A)] * 14, _at(B), _at(C), _at(B), _at(C)])
    )


def test_a_mixed_day_is_held_and_belongs_to_nobody() -> None:
    outcomes = fold_rule([*[_at(A)] * 14, _at(B), _at(B, mixed=True), _at(B), _at(B)])
    assert [bool(outcome.routing_changed[0]) for outcome in outcomes[14:]] == [True, True, True, False]
    assert [bool(outcome.new_series[0]) for outcome in outcomes[14:]] == [False, False, False, True]
    assert outcomes[-1].expected.days[0, 0] == 2  # the mixed day is in no baseline


def test_a_gap_day_says_nothing_about_the_route() -> None:
    outcomes = fold_rule([*[_at(A)] * 14, _at(B), _at(B), D(None, route=A), _at(B)])
    assert outcomes[-1].new_series[0]


def test_a_barred_day_of_a_new_route_does_not_enter_its_baseline() -> None:
    outcomes = fold_rule([*[_at(A)] * 14, _at(B), _at(B, 5.0, barred=True), _at(B)], "judge")
    assert outcomes[-1].new_series[0]
    assert outcomes[-1].expected.days[0, 0] == 1


def test_a_model_nobody_names_a_route_for_is_judged_all_the_same() -> None:
    assert last([*STEADY, 30.0]) == "COOKED"


def test_any_bump_starts_all_baselines_anew() -> None:
    outcomes = fold_rule([*STEADY, D(80.0), *[D(80.0, version=1)] * 6])
    shown = [STATUSES[outcome.status[0, 0]] for outcome in outcomes[15:]]
    assert shown == [*["CALIBRATING"] * 5, "OK"]
    assert outcomes[15].expected.days[0, 0] == 0


def test_going_back_to_an_old_version_is_a_bump_as_well() -> None:
    assert last([*STEADY, D(90.0, version=1), D(30.0, version=0)]) == "CALIBRATING"


def test_a_use_case_is_ok_on_the_first_day_that_meets_no_test_and_marked_recovered_for_a_week() -> None:
    outcomes = fold_rule([*STEADY, 70.0, 70.0, *[90.0] * 9])
    assert [STATUSES[outcome.status[0, 0]] for outcome in outcomes[14:17]] == ["SUSPICIOUS", "COOKED", "OK"]
    assert [bool(outcome.recovered[0, 0]) for outcome in outcomes[15:]] == [False, *[True] * 7, False, False]


def test_leaving_calibration_is_no_recovery() -> None:
    assert not any(outcome.recovered[0, 0] for outcome in fold_rule(STEADY))


def test_improved_is_for_information_and_fires_at_three() -> None:
    at, below = fold_rule([*STEADY, 96.0])[-1], fold_rule([*STEADY, 95.999])[-1]
    assert at.improved[0, 0]
    assert not below.improved[0, 0]
    assert STATUSES[at.status[0, 0]] == "OK"


def test_since_is_the_first_day_of_the_present_status_whatever_gaps_lie_between() -> None:
    outcomes = fold_rule([*STEADY, 70.0, None, D(70.0, after=5), 90.0])
    first = FIRST.toordinal()
    assert [int(outcome.since[0, 0]) - first for outcome in outcomes[12:]] == [5, 5, 14, 15, 14, 21]


def test_the_base_samples_alarm_is_the_same_test_as_the_verdicts() -> None:
    rule = rule_for(RULE, ["deterministic", "judge"])
    state = start(rule, 1)
    for number in range(14):
        state, _ = step(rule, state, rule_day(number, [[90.0, 90.0]]))
    expected = expect(rule, state, 14)
    for scores, alarm in (
        ([86.0, 80.0], [True, True]),
        ([86.001, 80.001], [False, False]),
        ([np.nan, 0.0], [False, True]),
    ):
        assert suspicious(rule, np.array([scores]), expected).tolist() == [alarm]
    assert not suspicious(rule, np.array([[0.0, 0.0]]), expect(rule, state, 14, version=1)).any()


def test_a_status_before_the_first_score_is_calibrating() -> None:
    outcomes = fold_rule([None, D(5.0, barred=True), 90.0], "judge")
    assert [STATUSES[outcome.status[0, 0]] for outcome in outcomes] == ["GAP", "CALIBRATING", "CALIBRATING"]
    assert outcomes[0].since[0, 0] != NEVER

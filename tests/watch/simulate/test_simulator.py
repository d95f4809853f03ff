"""The simulator: the same seed gives the same figures, and the figures are those the page quotes."""

from __future__ import annotations

import datetime as dt

import msgspec
import numpy as np
import pytest

from probatio.watch.simulate.days import simulate_days
from probatio.watch.simulate.faults import FAULTS
from probatio.watch.simulate.figures import AfterFault, QuietYears
from probatio.watch.simulate.noise import Population
from probatio.watch.simulate.profiles import JUDGED, PROFILES
from probatio.watch.simulate.simulator import after_fault, quiet_years, simulate_suite
from probatio.watch.simulate.synthetic import plan_of, run_days
from watch.verdict.synthetic_suite import MANIFEST

pytestmark = pytest.mark.slow  # long simulations


def quiet(profile: str, models: int = 200, days: int = 120, seed: int = 1, what_if: str = "") -> QuietYears:
    return quiet_years(MANIFEST, profile, "gaussian", models, days, seed, what_if)


def fault(name: str, profile: str = "partial", models: int = 60) -> AfterFault:
    return after_fault(MANIFEST, name, profile, "gaussian", models, 1)


def test_equal_seeds_give_equal_figures_and_others_do_not() -> None:
    one, again, other = (quiet("binomial-0.9", 20, 30, seed) for seed in (1, 1, 2))
    assert one == again
    assert one.suspicious != other.suspicious


@pytest.mark.soak
def test_independent_90_percent_cases_flag_falsely_on_an_eighth_of_use_case_days() -> None:
    figures = quiet("binomial-0.9")
    assert 0.12 < figures.suspicious.value < 0.15
    assert figures.suspicious.low < figures.suspicious.value < figures.suspicious.high


@pytest.mark.soak
def test_independent_90_percent_cases_are_falsely_cooked_in_most_years() -> None:
    assert 0.5 < quiet("binomial-0.9", models=150, days=365).cooked.value < 0.8


@pytest.mark.soak
def test_partial_credit_hardly_ever_flags_and_never_cooks() -> None:
    figures = quiet("partial")
    assert figures.suspicious.value < 0.001, "0 %, as far as per cent are told"
    assert figures.cooked.value == 0
    assert 0 < figures.cooked.high < 0.05, "never in this many models still has an upper end"


@pytest.mark.parametrize(
    "profile",
    [
        "partial",
        *(
            pytest.param(name, marks=pytest.mark.soak)
            for name in ("flips", "sticky", "borderline", "binomial-0.9")
        ),
    ],
)
def test_the_evidence_rarely_confirms_where_nothing_is_wrong(profile: str) -> None:
    assert quiet(profile).confirmed.value <= 0.02


@pytest.mark.soak
def test_pooling_the_triggering_sample_flags_several_times_as_often() -> None:
    fresh, pooled = quiet("flips").suspicious, quiet("flips", what_if="pooled").suspicious
    assert 0.004 < fresh.value < 0.011
    assert 0.038 < pooled.value < 0.055


@pytest.mark.soak
def test_leaving_flagged_days_out_of_the_baseline_cooks_again_and_again() -> None:
    assert quiet("binomial-0.9", 50, what_if="flagged out").cooked_episodes.value > 20


def test_a_fifth_lost_everywhere_is_cooked_on_day_2_and_forgotten_by_day_10() -> None:
    figures = fault("drop-20-all", "binomial-0.9", 200)
    assert figures.cooked_by_day_2.value > 0.9
    assert figures.forgotten_by_day_10 is not None
    assert figures.forgotten_by_day_10.value > 0.7


@pytest.mark.parametrize(
    ("name", "soonest", "latest"),
    [
        ("drop-20-all", 2, 3),
        pytest.param("drop-10-all", 2, 6, marks=pytest.mark.soak),
        pytest.param("decline", 12, 26, marks=pytest.mark.soak),
    ],
)
def test_the_evidence_confirms_a_loss_everywhere_within_days(name: str, soonest: int, latest: int) -> None:
    for profile in ("flips", "binomial-0.9", "partial"):
        figures = fault(name, profile)
        assert figures.confirmed.share.value == 1
        assert figures.confirmed.median is not None
        assert soonest <= figures.confirmed.median <= latest


@pytest.mark.soak
def test_a_harsher_judge_under_its_gate_confirms_nothing() -> None:
    assert fault("judge-drift", "flips").confirmed.share.value <= 0.05


def test_a_smooth_decline_is_never_cooked() -> None:
    assert fault("decline").cooked.share.value == 0


@pytest.mark.soak
def test_a_tenth_lost_in_one_noisy_use_case_is_hardly_seen() -> None:
    assert fault("drop-10-one", "binomial-0.9").confirmed.share.value < 0.3


@pytest.mark.soak
def test_a_judge_beyond_its_gate_an_outage_and_a_new_route_raise_no_alarm() -> None:
    for name in ("judge-shift", "outage", "route-change"):
        figures = fault(name)
        assert figures.harmless
        assert figures.cooked.share.value == 0
        assert figures.confirmed.share.value == 0


def test_confirmed_losses_are_named_right() -> None:
    figures = fault("drop-20-one", "partial")
    assert figures.named_right is not None
    assert figures.named_right.value > 0.95


def test_a_days_reruns_are_where_the_rules_own_test_fires_and_share_no_sample() -> None:
    plan = plan_of(MANIFEST)
    population = Population(
        PROFILES["binomial-0.8"], JUDGED["gaussian"], plan.streams, 50, np.random.default_rng(0)
    )
    reruns = 0
    for day in run_days(plan, population, 40):
        reruns += int(day.rerun.sum())
        quiet_cells = ~day.rerun & (day.trigger == 0)
        np.testing.assert_array_equal(day.score[quiet_cells], day.base[quiet_cells])
        np.testing.assert_array_equal(day.full_power, day.rerun | (day.trigger > 0))
    assert reruns > 100


def test_demo_days_are_records_a_run_could_have_written() -> None:
    start = dt.date(2026, 1, 1)
    faults = {"b": ("drop-20-all", 20), "c": ("outage", 10)}
    days = list(simulate_days(MANIFEST, ["a", "b", "c"], start, 30, faults=faults, seed=3))
    assert [date for date, _ in days] == [start + dt.timedelta(days=day) for day in range(30)]
    first = days[0][1]
    assert len(first) == 3 * len(MANIFEST.use_cases)
    assert all(record.trigger == "calibrating" and record.full_power for record in first)
    assert all(
        record.cases.keys() if record.grading == "deterministic" else not record.cases for record in first
    )
    gaps = {(record.model, date.day) for date, records in days for record in records if record.score is None}
    assert gaps == {("c", day) for day in range(11, 16)}
    fallen = [record for record in days[20][1] if record.model == "b" and record.grading == "deterministic"]
    assert all(record.full_power and record.trigger for record in fallen)
    assert msgspec.json.decode(msgspec.json.encode(first[0]), type=type(first[0])) == first[0]


def test_equal_seeds_give_equal_demo_days_whoever_else_is_in_them() -> None:
    start = dt.date(2026, 1, 1)
    alone = list(simulate_days(MANIFEST, ["a"], start, 8, seed=3))
    with_another = list(simulate_days(MANIFEST, ["a", "b"], start, 8, seed=3))
    assert [records for _, records in alone] == [
        [record for record in records if record.model == "a"] for _, records in with_another
    ]


@pytest.mark.soak
def test_every_fault_and_profile_runs() -> None:
    for name in FAULTS:
        assert after_fault(MANIFEST, name, "flips", "autocorrelated", 3, 0).models == 3
    for name in PROFILES:
        assert quiet_years(MANIFEST, name, "autocorrelated", 3, 10, 0).models == 3


def test_the_figures_of_a_suite_are_of_its_own_number_of_cases() -> None:
    names = [entry.id for entry in MANIFEST.use_cases]
    few, more = (simulate_suite(MANIFEST, dict.fromkeys(names, cases), 4, 0) for cases in (2, 4))
    assert few.cases == dict.fromkeys(names, 2)
    assert few.quiet != more.quiet

"""Adaptive sampling, as the day reads it from the days before and as the simulator draws by it: one
decision."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from probatio.core.records import Day
from probatio.watch.simulate.days import simulate_days
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.expectation import Expectation, expectations
from probatio.watch.verdict.rule.baseline import Baseline, rule_for
from probatio.watch.verdict.rule.sampling import CALIBRATING, FLAGGED, TRIGGERS, full_round_follows
from watch.verdict.made_up import CONSTANTS, FIRST, MANIFEST, RULE, day_at, made_up_day, record, steady


def expectation(days: list[Day], number: int, version: str = MANIFEST.version) -> Expectation:
    return Expectation(Days(days), CONSTANTS, (version, "made up"), day_at(number))


def test_what_has_no_baseline_is_asked_at_full_count_from_the_start() -> None:
    known = expectation(steady(RULE.baseline_min, ["m"], ["a"]), RULE.baseline_min)
    assert known.trigger("m", "a", "deterministic") is None
    assert known.trigger("n", "a", "deterministic") == CALIBRATING
    assert known.trigger("m", "b", "deterministic") == CALIBRATING
    assert known.trigger("m", "a", "judge") == CALIBRATING  # graded another way, it is another use case
    young = expectation(steady(RULE.baseline_min - 1, ["m"], ["a"]), RULE.baseline_min - 1)
    assert young.trigger("m", "a", "deterministic") == CALIBRATING
    other = expectation(steady(20, ["m"], ["a"]), 20, "another version")
    assert other.trigger("m", "a", "deterministic") == CALIBRATING


@pytest.mark.parametrize(
    ("days_later", "trigger"),
    [(1, FLAGGED), (RULE.consecutive_within, FLAGGED), (RULE.consecutive_within + 1, None)],
)
def test_what_was_flagged_is_asked_at_full_count_while_the_days_are_consecutive(
    days_later: int, trigger: str | None
) -> None:
    days = [*steady(20, ["m"], ["a", "b"]), made_up_day(20, {"m": {"a": 60.0, "b": 90.0}})]
    today = expectation(days, 20 + days_later)
    assert today.trigger("m", "a", "deterministic") == trigger
    assert today.trigger("m", "b", "deterministic") is None


def test_a_suspicious_base_score_is_followed_by_a_full_round_and_says_why() -> None:
    today = expectation(steady(20, ["m"], ["a", "j"]), 20)
    assert today.suspicion("m", "a", "deterministic", 89.0) is None
    assert today.suspicion("m", "a", "deterministic", 80.0) == (
        "base score 80.0 against 90.0 ± 2.0: z -5.00, drop 11.1 %"
    )
    assert today.suspicion("n", "a", "deterministic", 0.0) is None  # no baseline to be far from


def test_no_judged_use_case_is_asked_again_while_the_judge_is_barred() -> None:
    rule = rule_for(RULE, ["deterministic", "hybrid", "judge"])
    expected = Baseline(np.full((1, 3), 90.0), np.full((1, 3), 2.0), np.full((1, 3), 14))
    low = np.full((1, 3), 20.0)
    assert full_round_follows(rule, low, expected, barred=False).tolist() == [[True, True, True]]
    assert full_round_follows(rule, low, expected, barred=True).tolist() == [[True, False, False]]
    today = expectation(steady(20, ["m"], ["a", "j"]), 20)
    assert today.suspicion("m", "j", "judge", 20.0, barred=True) is None
    assert today.suspicion("m", "a", "deterministic", 20.0, barred=True) is not None


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["drop-10-three", "outage", "judge-shift", "route-change"])
def test_the_day_would_sample_as_the_simulator_did(fault: str) -> None:
    """Every day of a simulated month and a half is expected from the days before it, and sampled for the
    reason it records."""
    earlier: list[Day] = []
    full = 0
    for day, scores in simulate_days(
        MANIFEST, ["m"], FIRST, 45, profile="binomial-0.8", faults={"m": (fault, 25)}, seed=3
    ):
        today = Expectation(Days(earlier), CONSTANTS, (MANIFEST.version, "made up"), day.isoformat())
        for line in scores:
            if line.score is None or line.base_score is None:
                continue  # a gap records no reason
            trigger = today.trigger("m", line.use_case, line.grading)
            assert trigger == (line.trigger if line.trigger in TRIGGERS else None), (day, line.use_case)
            again = (
                today.suspicion("m", line.use_case, line.grading, line.base_score, barred=line.barred)
                is not None
            )
            assert (again and trigger is None) == (line.trigger not in TRIGGERS), (day, line.use_case)
            full += line.trigger in (FLAGGED,)
        earlier.append(Day(record(day.isoformat(), ["m"], calibration=None), tuple(scores)))
    assert full > 10  # else this test would show little
    assert earlier[-1].date == date.fromordinal(FIRST.toordinal() + 44).isoformat()


def test_days_folded_once_expect_what_days_folded_for_each_day_do() -> None:
    recorded = [
        Day(record(day.isoformat(), ["m"], calibration=None), tuple(scores))
        for day, scores in simulate_days(
            MANIFEST, ["m"], FIRST, 40, profile="binomial-0.8", faults={"m": ("outage", 20)}, seed=3
        )
    ]
    suite = (MANIFEST.version, "made up")
    days = Days(recorded)
    dates = []
    for when, once in expectations(days, CONSTANTS, suite):
        anew = Expectation(days.before(when), CONSTANTS, suite, when)
        for line in days[when].scores:
            of = (line.model, line.use_case, line.grading)
            assert once.trigger(*of) == anew.trigger(*of), (when, line.use_case)
            assert once.suspicion(*of, 70.0) == anew.suspicion(*of, 70.0)
            assert once.usual_cases(*of) == anew.usual_cases(*of)
        assert once.usual_route("m") == anew.usual_route("m")
        dates.append(when)
    assert dates == days.dates

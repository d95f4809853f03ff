"""A day that was asked late is shown, and part of no baseline, reference, series or status."""

from __future__ import annotations

from typing import Any

import pytest

from probatio.core.records import Calibration, Day, ModelVerdict
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.expectation import Expectation
from probatio.watch.verdict.rule.fold import fold_rule
from probatio.watch.verdict.verdicts import verdicts
from watch.verdict.made_up import CONSTANTS, MANIFEST, day_at, made_up_day, steady

LATE: dict[str, Any] = {"asked_late": "2026-06-01"}


def _day(number: int, score: float, *, late: bool, **more: Any) -> Day:
    return made_up_day(number, {"m": {"a": score, "b": score}}, {**(LATE if late else {}), **more})


def _last(days: list[Day]) -> ModelVerdict:
    return verdicts(Days(days), CONSTANTS)[-1]


def test_its_scores_are_in_no_baseline() -> None:
    healthy = steady(8, ["m"], ["a", "b"])
    days = [*healthy, _day(8, 30.0, late=True), _day(9, 90.0, late=False)]
    use_case = _last(days).use_cases[0]
    assert (use_case.mean, use_case.days) == (90.0, 8)
    counted = _last([*healthy, _day(8, 30.0, late=False), _day(9, 90.0, late=False)]).use_cases[0]
    assert counted.days == 9  # asked on its date, the same day is in


@pytest.mark.parametrize("score", [10.0, 90.0])
def test_its_own_status_is_held_and_the_reason_says_why(score: float) -> None:
    verdict = _last([*steady(8, ["m"], ["a", "b"]), _day(8, score, late=True)])
    assert verdict.status == "OK"
    assert {each.held for each in verdict.use_cases} == {"asked late"}
    assert {each.score for each in verdict.use_cases} == {score}
    assert "asked late" in verdict.reason


def test_it_can_neither_clear_an_alarm_nor_be_half_of_one() -> None:
    fallen = [*steady(8, ["m"], ["a", "b"]), _day(8, 70.0, late=False)]
    assert _last(fallen).status == "SUSPICIOUS"
    assert _last([*fallen, _day(9, 90.0, late=True)]).status == "SUSPICIOUS"
    assert _last([*fallen, _day(9, 70.0, late=True)]).status == "SUSPICIOUS"
    assert _last([*fallen, _day(9, 70.0, late=False)]).status == "COOKED"


def test_the_evidence_neither_bets_on_it_nor_counts_it_in_the_reference() -> None:
    days = [_day(number, 90.0, late=number % 2 == 1) for number in range(20)]
    assert _last(days).reference_days == 10
    healthy = steady(30, ["m"], ["a", "b"])
    alone = _last(healthy).evidence_value
    assert (
        _last([*healthy, *(_day(number, 10.0, late=True) for number in range(30, 40))]).evidence_value
        == alone
    )


def test_its_route_starts_no_series_and_is_not_the_usual_one() -> None:
    elsewhere = {"route": "Elsewhere", "providers": {"Elsewhere": 5}}
    days = [
        *steady(8, ["m"], ["a", "b"]),
        *(_day(number, 90.0, late=True, **elsewhere) for number in (8, 9, 10)),
    ]
    assert not _last(days).routing_changed
    expected = Expectation(Days(days), CONSTANTS, (MANIFEST.version, "made up"), day_at(11))
    assert expected.usual_route("m") == "Host"
    assert _last([*days, _day(11, 90.0, late=False)]).use_cases[0].days == 8


def test_another_model_of_the_day_is_not_held() -> None:
    days = steady(8, ["m", "n"], ["a"])
    both = made_up_day(8, {"m": {"a": 10.0}, "n": {"a": 10.0}})
    lines = tuple(
        type(line)(
            **{name: getattr(line, name) for name in line.__struct_fields__}
            | (LATE if line.model == "n" else {})
        )
        for line in both.scores
    )
    made = {
        verdict.model: verdict for verdict in verdicts(Days([*days, Day(both.record, lines)]), CONSTANTS)[-2:]
    }
    assert (made["m"].use_cases[0].status, made["n"].use_cases[0].status) == ("COOKED", "OK")


def test_a_judge_that_was_calibrated_late_is_in_no_reference_of_the_judge() -> None:
    days = [
        made_up_day(
            number,
            {"m": {"j": 90.0}},
            LATE if number < 20 else {},
            calibration=Calibration(judge="judge", shift=0.2),
        )
        for number in range(48)
    ]
    series = Days(days)
    from probatio.watch.verdict.rule.baseline import rule_for

    folded = list(fold_rule(rule_for(CONSTANTS.rule, series.columns.gradings), series, CONSTANTS))
    known = [each.judge.usual is not None for each in folded]
    assert CONSTANTS.evidence.reference_days == 28
    assert not any(known)  # 28 days on time are just complete on the last one

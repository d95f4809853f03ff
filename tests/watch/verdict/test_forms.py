"""A model in a smaller form is judged by its own cases: as if it were alone, and never by those of others."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from probatio.core.records import DailyScore, Day, Form, ModelVerdict
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.verdicts import verdicts
from probatio.watch.verdict.words import Rarity, describe
from watch.verdict.made_up import CONSTANTS, MANIFEST, line, made_up_day

CASES = {
    entry.id: tuple(entry.cases or ()) for entry in MANIFEST.use_cases if entry.grading == "deterministic"
}
FIRST, SECOND, LEFT_OUT, *_ = CASES
FORM = Form("small", {FIRST: CASES[FIRST][:3], SECOND: CASES[SECOND][:2]}, 1)


def days_of(count: int, *, beside: bool, fall: int | None = None, change: int | None = None) -> list[Day]:
    """Days of `small`, alone or beside `whole`. `fall`: the day from which `small` answers half as well.
    `change`: the day from which `small` is asked whole."""
    rng = np.random.default_rng(5)
    days = []
    for number in range(count):
        level = 0.4 if fall is not None and number >= fall else 0.8
        drawn = {case: round(float(rng.normal(0.8, 0.02)), 3) for own in CASES.values() for case in own}
        mine = {case: round(float(rng.normal(level, 0.02)), 3) for own in CASES.values() for case in own}
        date = made_up_day(number, {"small": {}}).date
        form = None if change is not None and number >= change else FORM
        lines = score(date, "small", mine, form)
        if beside:
            lines += score(date, "whole", drawn, None)
        record = made_up_day(
            number, {model: {} for model in (["small", "whole"] if beside else ["small"])}
        ).record
        record = msgspec.structs.replace(record, forms={} if form is None else {"small": form})
        days.append(Day(record, tuple(lines)))
    return days


def score(date: str, model: str, values: dict[str, float], form: Form | None) -> list[DailyScore]:
    return [
        line(date, model, name, round(100 * sum(cases.values()) / len(cases), 4), cases=cases)
        for name, own in (CASES if form is None else form.cases).items()
        if (cases := {case: values[case] for case in own})
    ]


def judge(days: Sequence[Day], model: str) -> list[ModelVerdict]:
    return verdicts(Days(days), CONSTANTS, models={model}, detectable={}, compute=True)


@pytest.mark.parametrize("fall", [None, 40])
def test_a_small_form_is_judged_beside_whole_models_as_it_would_be_alone(fall: int | None) -> None:
    alone, beside = (judge(days_of(60, beside=each, fall=fall), "small") for each in (False, True))
    assert [each.headline for each in alone] == [each.headline for each in beside]
    assert [each.evidence for each in alone] == [each.evidence for each in beside]
    assert alone[-1].evidence_value == pytest.approx(beside[-1].evidence_value)
    if fall is None:
        assert alone[-1].smallest_drop == pytest.approx(beside[-1].smallest_drop, rel=0.1)
    assert beside[-1].headline == ("OK" if fall is None else "COOKED")
    assert {each.use_case for each in beside[-1].use_cases} == {FIRST, SECOND}
    assert not beside[-1].ungraded


def test_the_smallest_drop_of_a_small_form_is_its_own() -> None:
    days = days_of(40, beside=True)
    small, whole = judge(days, "small")[-1], judge(days, "whole")[-1]
    assert small.smallest_drop is not None
    assert whole.smallest_drop is not None
    assert small.smallest_drop >= whole.smallest_drop
    assert small.form == "small form (5 cases, one sample)"
    assert whole.form is None


def test_a_change_of_form_is_no_fall_and_begins_a_series() -> None:
    days = days_of(41, beside=True, change=40)
    last, other = judge(days, "small")[-1], judge(days, "whole")[-1]
    assert (last.headline, last.evidence, last.reference_days) == ("CALIBRATING", "CALIBRATING", 1)
    assert last.series_since == days[-1].date
    assert "a new series began on" in last.reason
    assert "it is asked the whole suite now" in last.reason
    assert (other.headline, other.evidence) == ("OK", "QUIET")
    assert {each.days for each in last.use_cases} == {0}


def test_the_error_rates_of_the_whole_suite_are_not_said_of_a_smaller_form() -> None:
    days = days_of(34, beside=True, fall=33)
    last = judge(days, "small")[-1]
    assert last.shown == "COOKED"
    rarity = Rarity(least=0.001, most=0.001)
    assert "was not measured" in describe(last, {}, CONSTANTS, rarity).sentences[1]
    whole = msgspec.structs.replace(last, form=None)
    assert "rarely wrong" in describe(whole, {}, CONSTANTS, rarity).sentences[1]


def test_days_without_a_form_are_whole_and_go_on() -> None:
    days = days_of(41, beside=True, change=0)
    assert judge(days, "small")[-1].series_since == days[0].date


def test_a_use_case_outside_the_form_is_not_said_to_be_left_out() -> None:
    days = days_of(3, beside=True)
    record = msgspec.structs.replace(days[-1].record, not_asked=dict.fromkeys((SECOND, LEFT_OUT), "no judge"))
    days[-1] = Day(record, days[-1].scores)
    assert judge(days, "small")[-1].not_asked == {SECOND: "no judge"}
    assert judge(days, "whole")[-1].not_asked == dict.fromkeys((SECOND, LEFT_OUT), "no judge")

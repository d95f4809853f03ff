"""Answers that came and have no score: never OK, whatever the other use cases say."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from probatio.core.records import Day, ModelVerdict
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.verdicts import verdicts
from probatio.watch.verdict.words import advice, around, describe
from watch.verdict.made_up import CONSTANTS, line, made_up_day, steady

USE_CASES = ["a", "b", "c"]
FAILED = {"gap": "4 of 5 answers could not be graded", "latency_ms": 900.0, "errored": 4}
UNJUDGED = {"gap": "no judge: its key is missing", "latency_ms": 900.0, "checked": 80.0, "grading": "hybrid"}


def with_gap(day: Day, use_case: str, **fields: object) -> Day:
    lines = [
        line(each.date, each.model, use_case, None, **fields) if each.use_case == use_case else each
        for each in day.scores
    ]
    return Day(day.record, tuple(lines))


def last_verdict(days: list[Day]) -> ModelVerdict:
    (last,) = verdicts(Days(days), CONSTANTS, dates={days[-1].date})
    return last


def usual(number: int, score: float = 90.0) -> Day:
    return made_up_day(number, {"m": dict.fromkeys(USE_CASES, score)})


def test_a_model_whose_answers_could_not_be_graded_is_never_ok() -> None:
    before = steady(20, ["m"], USE_CASES)
    last = last_verdict([*before, with_gap(usual(20), "a", **FAILED)])
    assert (last.status, last.shown, last.ungraded) == ("OK", "GAP", ("a",))
    assert last.incomplete
    assert last.headline_since == last.date
    assert "answers came in a and have no score (4 of 5 answers could not be graded)" in last.reason
    again = last_verdict([*before, with_gap(usual(20), "a", **FAILED), usual(21)])
    assert (again.shown, again.ungraded, again.incomplete) == ("OK", (), False)


def test_it_hides_no_fall_in_another_use_case() -> None:
    fallen = with_gap(usual(20, 20.0), "a", **FAILED)
    last = last_verdict([*steady(20, ["m"], USE_CASES), fallen])
    assert last.shown == "COOKED"
    assert last.incomplete
    assert "answers in a came and have no score" in around(last)
    assert any("grades the answers again" in each for each in advice(last))


def test_a_grader_that_never_worked_is_told_on_the_first_day() -> None:
    last = last_verdict([with_gap(usual(0), "a", **FAILED)])
    assert last.shown == "CALIBRATING"
    assert last.ungraded == ("a",)
    assert last.incomplete


def test_a_judge_that_is_missing_today_is_told_and_one_that_there_never_was_is_not() -> None:
    judged = [
        Day(
            day.record,
            tuple(
                msgspec.structs.replace(each, grading="hybrid") if each.use_case == "a" else each
                for each in day.scores
            ),
        )
        for day in steady(20, ["m"], USE_CASES)
    ]
    assert last_verdict([*judged, with_gap(usual(20), "a", **UNJUDGED)]).ungraded == ("a",)
    never = [with_gap(usual(number), "a", **UNJUDGED) for number in range(21)]
    last = last_verdict(never)
    assert (last.shown, last.ungraded) == ("OK", ())


@pytest.mark.parametrize("fields", [{}, {"errored": 5}])
def test_a_use_case_that_no_answer_came_in_is_an_outage(fields: dict[str, int]) -> None:
    last = last_verdict([*steady(20, ["m"], USE_CASES), with_gap(usual(20), "a", **fields)])
    assert (last.shown, last.ungraded) == ("OK", ())


def test_the_words_say_where_and_what_to_do() -> None:
    last = last_verdict([*steady(20, ["m"], USE_CASES), with_gap(usual(20), "a", **FAILED)])
    words = describe(last, {"a": "Web Design"}, CONSTANTS)
    assert words.sentences[0] == (
        "m can't be called as usual on 2026-01-21: answers came in Web Design and have no score."
    )
    assert words.advice == (
        "`probatio daily --date 2026-01-21` grades the answers again that have no grade; none is asked "
        "again.",
    )


def test_a_use_case_whose_judge_comes_later_is_calibrated_from_then_on_and_moves_nothing() -> None:
    """Forty days without a judge, then sixty with one: its use case has its own baseline and takes part."""
    rng = np.random.default_rng(3)
    days = []
    for number in range(100):
        day = made_up_day(number, {"m": dict.fromkeys(USE_CASES, 90.0)})
        if number >= 40:
            fall = 40 if number >= 98 else 0
            score = 85 + float(rng.normal(0, 1)) - fall
            judged = line(day.date, "m", "judged", score, grading="judge")
            day = Day(day.record, (*day.scores, judged))
        days.append(day)

    def judge_use_case(until: int) -> tuple[str, str, int, str]:
        last = last_verdict(days[:until])
        of = next(each for each in last.use_cases if each.use_case == "judged")
        return last.shown, of.status, of.days, last.evidence

    assert judge_use_case(41) == ("OK", "CALIBRATING", 0, "QUIET")
    assert judge_use_case(98)[:3] == ("OK", "OK", 14)
    assert judge_use_case(100)[1] == "COOKED"


def test_a_use_case_that_is_not_asked_is_no_gap_and_is_told() -> None:
    days = steady(20, ["m"], USE_CASES)
    left_out = msgspec.structs.replace(days[-1].record, not_asked={"d": "no judge"})
    last = last_verdict([*days[:-1], Day(left_out, days[-1].scores)])
    assert (last.shown, last.incomplete, last.not_asked) == ("OK", False, {"d": "no judge"})
    assert "not asked: no judge (d)" in last.reason
    assert describe(last, {"d": "Poems"}, CONSTANTS).summary.endswith("Not asked: no judge (Poems).")

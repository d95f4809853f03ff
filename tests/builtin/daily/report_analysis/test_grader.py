"""Report analysis: the golds follow from the tables, and silence, guessing and hedging do not pay."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builtin.daily.cases import cases
from probatio.builtin.daily.report_analysis.grader import RIVAL, ReportGold, check
from probatio.suites.daily_suite import Case

CASES = cases("report_analysis")
ALL = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def gold(case: Case) -> ReportGold:
    return msgspec.convert(case.gold, ReportGold)


def right(case: Case) -> dict[int, Any]:
    return {
        number: gold(case).absent if question.kind == "absent" else question.value
        for number, question in enumerate(gold(case).questions, start=1)
    }


def written(case: Case, answers: dict[int, Any]) -> str:
    if gold(case).form == "json":
        return json.dumps({f"q{number}": answer for number, answer in answers.items()})
    return "\n".join(
        f"{number}. {', '.join(answer) if isinstance(answer, list) else answer}"
        for number, answer in answers.items()
    )


@ALL
def test_a_case_asks_what_the_report_does_not_say_at_least_twice(case: Case) -> None:
    assert sum(question.kind == "absent" for question in gold(case).questions) >= 2
    assert len(gold(case).questions) == len(re.findall(r"^\d{1,2}\. ", case.prompt, re.MULTILINE))


@ALL
def test_not_stated_to_everything_earns_nothing(case: Case) -> None:
    assert check(case, written(case, dict.fromkeys(right(case), "not stated"))).score == 0


@ALL
def test_making_up_what_the_report_does_not_say_costs_more_than_leaving_it_out(case: Case) -> None:
    absent = [
        number for number, question in enumerate(gold(case).questions, start=1) if question.kind == "absent"
    ]
    silent = check(case, written(case, {n: answer for n, answer in right(case).items() if n not in absent}))
    inventive = check(case, written(case, right(case) | dict.fromkeys(absent, 17)))
    assert inventive.score == pytest.approx(silent.score - gold(case).invented * len(absent))


@ALL
def test_each_answer_left_out_costs(case: Case) -> None:
    whole = right(case)
    assert check(case, written(case, whole)).score == 1.0
    for number in whole:
        assert (
            check(case, written(case, {n: answer for n, answer in whole.items() if n != number})).score < 0.98
        )


@ALL
def test_two_sets_of_answers_are_a_hedge(case: Case) -> None:
    other = right(case) | {1: 0}
    assert check(case, f"{written(case, other)}\n\n{written(case, right(case))}").score == pytest.approx(
        1 - RIVAL
    )


@ALL
def test_reading_the_prompt_back_earns_next_to_nothing(case: Case) -> None:
    assert check(case, case.prompt).score <= 0.05


ANSWER = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.lists(st.text(max_size=8), max_size=3)
)


@settings(deadline=None)
@given(st.sampled_from(list(CASES.values())), st.dictionaries(st.integers(1, 12), ANSWER, max_size=12))
def test_any_answers_score_between_0_and_1(case: Case, answers: dict[int, Any]) -> None:
    answer = json.dumps({f"q{number}": value for number, value in answers.items()})
    assert 0 <= check(case, answer).score <= 1


@settings(deadline=None)
@given(st.sampled_from(list(CASES.values())), st.text(max_size=300))
def test_any_text_scores_between_0_and_1_and_the_same_twice(case: Case, answer: str) -> None:
    checked = check(case, answer)
    assert 0 <= checked.score <= 1
    assert checked == check(case, answer)

"""The answers in a reply, read by the number of their question."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.builtin.daily.reading.json_answer import Ambiguous
from probatio.builtin.daily.report_analysis.answers import Form, read_answers


@pytest.mark.parametrize(
    "text",
    [
        "1. Station\n2. 39",
        "1) Station\n2) 39",
        "**1.** Station\n**2.** 39",
        "Q1: Station\nQ2: 39",
        "Answer 1: Station\nAnswer 2: 39",
        "- 1. **Station**\n- 2. `39`",
        "Here are the answers:\n\n1. Station\n2. 39\n\nI hope this helps.",
        "```\n1. Station\n2. 39\n```",
        "1. Which shop bakes the most? Station\n2. How many? 39",
        "1. Which shop bakes the most?\n   Station\n2. How many?\n   39",
    ],
)
def test_numbered_lines_are_read_whatever_stands_round_them(text: str) -> None:
    answers = read_answers(text, "lines", 2)
    assert answers.by_question == {1: "Station", 2: "39"}
    assert (answers.form, answers.rivals) == ("lines", 0)


@pytest.mark.parametrize(
    "text",
    [
        '{"q1": "Station", "q2": "39"}',
        '{"1": "Station", "2": "39"}',
        '{"answers": {"Q1": "Station", "Q2": "39"}}',
    ],
)
def test_json_is_read_by_the_number_in_its_keys(text: str) -> None:
    assert read_answers(text, "json", 2).by_question == {1: "Station", 2: "39"}


def test_the_other_form_is_read_where_the_asked_one_is_missing() -> None:
    assert read_answers('{"q1": "x"}', "lines", 2).form == "json"
    assert read_answers("1. x\n2. y", "json", 2).form == "lines"
    assert read_answers("x and y", "json", 2).form is None


def test_the_last_whole_run_counts_and_an_earlier_one_that_differs_is_a_rival() -> None:
    answers = read_answers("1. a\n2. b\n3. c\n\nNo, rather:\n1. a\n2. b\n3. d", "lines", 3)
    assert answers.by_question == {1: "a", 2: "b", 3: "d"}
    assert answers.rivals == 1


def test_the_same_run_twice_has_no_rival() -> None:
    assert read_answers("1. a\n2. b\n\n1. a\n2. b", "lines", 2).rivals == 0


def test_a_number_given_twice_outside_a_whole_run_is_ambiguous() -> None:
    answers = read_answers("1. a\n1. b\n2. c\n2. c", "lines", 4)
    assert isinstance(answers.by_question[1], Ambiguous)
    assert answers.by_question[2] == "c"


def test_numbers_that_are_no_question_are_passed_over() -> None:
    assert read_answers("12. x\n0. y\n2.58\n1. a\n2. b", "lines", 2).by_question == {1: "a", 2: "b"}


FORMS: list[Form] = ["json", "lines"]


@settings(deadline=None)
@given(st.text(max_size=300), st.sampled_from(FORMS))
def test_reading_never_raises(text: str, form: Form) -> None:
    read_answers(text, form, 10)

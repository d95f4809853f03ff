"""Judging predictions, and the answers that are none."""

import pytest

from grading.answers import answered, assessed
from probatio.core.records import Response, Task

TASK = Task(
    id="t", type="predict_output", category="c", goal="g", material="scribe 1", expected_output="1\n2\n"
)


@pytest.mark.parametrize("text", ["1\n2", "1\r\n2\r\n", "```\n1\n2\n```", "The output is:\n\n1\n2"])
def test_the_expected_output_passes_in_any_wrapping(text: str) -> None:
    assessment = assessed(TASK, answered(text))
    assert assessment.correct
    assert assessment.score == 1.0


@pytest.mark.parametrize("text", ["1\n3", "1 2", "1\n 2", "1\n\n2", "1\n2\n3", "12"])
def test_anything_else_is_a_wrong_output(text: str) -> None:
    assessment = assessed(TASK, answered(text))
    assert (assessment.correct, assessment.error_type) == (False, "wrong_output")
    assert "expected '1\\n2'" in str(assessment.error_detail)


def test_an_output_that_looks_like_chatter_passes_as_given() -> None:
    task = Task(
        id="t", type="predict_output", category="c", goal="g", material="x", expected_output='Output: "5"'
    )
    assert assessed(task, answered('Output: "5"')).correct


@pytest.mark.parametrize(
    ("response", "error_type"),
    [
        (answered(None, error="status 503"), "api_error"),
        (answered(""), "no_response"),
        (answered("<think>hm</think>"), "no_response"),
        (answered("<think>hm", finish_reason="length"), "truncated"),
        (answered("1\n", finish_reason="length"), "truncated"),
        (answered("", finish_reason="content_filter"), "refusal"),
        (answered("I'm sorry, but I can't help with that.", finish_reason="stop"), "refusal"),
    ],
)
def test_what_is_no_answer_is_kept_apart_from_wrong_answers(response: Response, error_type: str) -> None:
    assert assessed(TASK, response).error_type == error_type


def test_a_right_answer_that_hit_the_token_limit_is_right() -> None:
    assert assessed(TASK, answered("1\n2", finish_reason="length")).correct

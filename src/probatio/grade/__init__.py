"""Grading: from a task and a response to an assessment. The same today and tomorrow, with no call to any model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probatio.grade.prediction import assess_prediction
from probatio.grade.unanswered import unanswered
from probatio.records import Assessment, Response, Task
from probatio.suite.task_types import KINDS

if TYPE_CHECKING:
    from probatio.languages.contract import LanguageSpec
    from probatio.sandbox import Choice

GRADER_VERSION = "1.1.0"
"""Bumped whenever the same answer could be graded otherwise; the changelog says what moved."""


def assess(task: Task, response: Response, spec: LanguageSpec, isolation: Choice = "auto") -> Assessment:
    """The assessment of this answer to this task; `spec` is the language the answer is written in.

    It depends on these and on `GRADER_VERSION`, never on `isolation`.
    """
    if nothing := unanswered(response):
        return nothing
    judged = KINDS[task.type].judged
    if judged == "text":
        return assess_prediction(task, response)
    # A worker that compares texts needs no language.
    from probatio.grade.program import assess_completion, assess_program

    match judged:
        case "completion":
            return assess_completion(task, response, spec, isolation)
        case "program" | "host program":
            return assess_program(task, response, spec, isolation)


def needs_sandbox(task: Task) -> bool:
    """Whether grading an answer runs it. Text is compared in microseconds; a program runs in a thread of its own."""
    return KINDS[task.type].judged != "text"

"""Grading: from a task and a response to an assessment. It is always the same, and calls no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probatio.core.records import Assessment, Response, Task
from probatio.grading.extract import assess_unanswered
from probatio.suites.task_types import KINDS

if TYPE_CHECKING:
    from probatio.jail import Choice
    from probatio.languages.contract import LanguageSpec

GRADER_VERSION = "1.2.0"
"""Raised when the same answer could get another grade; the changelog says what changed."""


def assess(
    task: Task, response: Response, spec: LanguageSpec | None, isolation: Choice = "auto"
) -> Assessment:
    """The assessment of this answer to this task; `spec` is the language of an answer that is a program.

    It depends on these and on `GRADER_VERSION`, never on `isolation`.
    """
    blank = needs_sandbox(task) and spec is not None and spec.whole
    if nothing := assess_unanswered(response, blank=blank):
        return nothing
    # A worker that compares texts needs no language, and who needs a version needs no workers.
    if not needs_sandbox(task):
        from probatio.grading.prediction import assess_prediction

        return assess_prediction(task, response)
    from probatio.grading.program import assess_program

    assert spec is not None
    return assess_program(task, response, spec, isolation)


def needs_sandbox(task: Task) -> bool:
    """Whether an answer is run when it is graded, or only compared as text."""
    return KINDS[task.type].judged != "text"

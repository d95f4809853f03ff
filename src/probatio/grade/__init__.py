"""Grading: from a task and a response to an assessment. The same today and tomorrow, with no call to any model."""

from __future__ import annotations

from collections.abc import Callable

from probatio.grade.prediction import assess_prediction
from probatio.grade.program import assess_completion, assess_faber, assess_typescript
from probatio.grade.unanswered import unanswered
from probatio.records import Assessment, Response, Task, TaskType
from probatio.sandbox import Choice

GRADER_VERSION = "1.0.0"
"""Bumped whenever the same answer could be graded otherwise; the changelog says what moved."""

GRADERS: dict[TaskType, Callable[[Task, Response, Choice], Assessment]] = {
    "predict_output": assess_prediction,
    "translate_ts_to_faber": assess_faber,
    "write_faber": assess_faber,
    "complete_code": assess_completion,
    "translate_faber_to_ts": assess_typescript,
    "write_typescript": assess_typescript,
}


def assess(task: Task, response: Response, isolation: Choice = "auto") -> Assessment:
    """The assessment of this answer to this task. It depends on these two and on `GRADER_VERSION`, never on `isolation`."""
    return unanswered(response) or GRADERS[task.type](task, response, isolation)


def needs_sandbox(task: Task) -> bool:
    """Whether grading an answer runs it. Text is compared in microseconds; a program runs in a thread of its own."""
    return task.type != "predict_output"

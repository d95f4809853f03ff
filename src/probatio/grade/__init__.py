"""Grading: from a task and a response to a judgement, the same today and tomorrow, with no call to any model."""

from __future__ import annotations

from collections.abc import Callable

from probatio.grade.prediction import judge_prediction
from probatio.grade.program import judge_completion, judge_faber, judge_typescript
from probatio.grade.unanswered import unanswered
from probatio.records import Judgement, Response, Task, TaskType

GRADER_VERSION = "1.0.0"
"""Bumped whenever the same answer could be graded otherwise; the changelog says what moved."""

GRADERS: dict[TaskType, Callable[[Task, Response], Judgement]] = {
    "predict_output": judge_prediction,
    "translate_ts_to_faber": judge_faber,
    "write_faber": judge_faber,
    "complete_code": judge_completion,
    "translate_faber_to_ts": judge_typescript,
    "write_typescript": judge_typescript,
}

_QUICK: frozenset[TaskType] = frozenset({"predict_output"})
"""Types judged by comparing text; the others run a program and belong into a thread."""


def judge(task: Task, response: Response) -> Judgement:
    """How this answer to this task is graded. Depends on the two and on `GRADER_VERSION`, on nothing else."""
    if nothing := unanswered(response):
        return nothing
    return GRADERS[task.type](task, response)


def is_quick(task: Task, response: Response) -> bool:
    """Whether judging costs microseconds, so that it needs no thread."""
    return task.type in _QUICK or response.response is None

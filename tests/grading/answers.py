"""A stored answer to the task `t`, as a grader gets it."""

from __future__ import annotations

from probatio.core.records import Assessment, Response, Task
from probatio.grading import assess
from probatio.suites.language_suite import load_suite

SUITE = load_suite()


def assessed(task: Task, response: Response) -> Assessment:
    """The assessment of an answer to a task of the default suite's language."""
    return assess(task, response, SUITE.answer_language(task))


def answered(text: str | None, **fields: object) -> Response:
    base = {
        "timestamp": "",
        "run_id": "r",
        "framework_version": "2",
        "task_id": "t",
        "model": "m",
        "n_shot": 0,
        "context": "c",
    }
    return Response(**{**base, "response": text, **fields})  # type: ignore[arg-type]

"""A run as other tools see it: one evaluation per model and condition, with its trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from probatio.core.errors import Say, UsageError
from probatio.core.records import UNASKED_ERRORS, Grade, Model, Response, TrialKey
from probatio.core.text.names import make_file_names, make_slugs
from probatio.learn.findings import Condition
from probatio.runs.record import RunRecord, find_run, read_run
from probatio.runs.store.lines import Span
from probatio.runs.store.run_folder import RunFolder
from probatio.suites.language_suite import Suite, load_suite


class GradedAnswer(msgspec.Struct, frozen=True):
    """One answer with its grade; None if it was not graded yet."""

    response: Response
    grade: Grade | None

    @property
    def scored(self) -> bool:
        """Whether it says something about the model: there is an answer, and it could be checked."""
        return self.grade is not None and self.grade.error_type not in UNASKED_ERRORS

    @property
    def fault(self) -> str:
        """Why there is no score."""
        if self.grade is None:
            return "the answer was not graded"
        return f"{self.grade.error_type}: {self.response.error or self.grade.error_detail or 'no detail'}"


class ExportedTrial(msgspec.Struct, frozen=True):
    """One trial: its first answer, which counts, and the later ones if it could try again."""

    first: GradedAnswer
    later: tuple[GradedAnswer, ...] = ()

    @property
    def task_id(self) -> str:
        return self.first.response.task_id

    @property
    def sample(self) -> int:
        return self.first.response.sample


class RecordedRun:
    """A run of the results folder. Answers are read when they are needed, one condition at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record: RunRecord = read_run(folder)
        self._stored = RunFolder(folder)
        self._grades = self._stored.grades()
        self._spans: dict[Condition, dict[tuple[str, int], list[tuple[TrialKey, Span]]]] = {}
        for key, span in self._stored.answer_spans().items():
            condition = Condition(key.model, key.dialect, key.context, key.n_shot)
            self._spans.setdefault(condition, {}).setdefault((key.task_id, key.sample), []).append(
                (key, span)
            )
        if not self._spans:
            raise UsageError(f"The run {self.record.run_id} has no answers yet; there is nothing to export.")

    @property
    def conditions(self) -> list[Condition]:
        """Every condition that was asked, in the order of the plan."""
        plan = self.record.plan
        axes: Sequence[Sequence[object]] = (plan.models, plan.dialects, plan.contexts, plan.n_shots)

        def place(condition: Condition) -> tuple[int, ...]:
            return tuple(
                axis.index(level) if level in axis else len(axis)
                for level, axis in zip(condition, axes, strict=True)
            )

        return sorted(self._spans, key=place)

    def count_planned(self, condition: Condition) -> int:
        """How many trials the condition has when the run is complete."""
        plan = self.record.plan
        if plan.limit is None:
            return len(plan.tasks) * plan.samples
        return sum((key.model, key.dialect, key.context, key.n_shot) == condition for key in plan)

    def trials(self, condition: Condition) -> Iterator[ExportedTrial]:
        """The trials of a condition, in the order of the plan's tasks."""
        order = {task: place for place, task in enumerate(self.record.plan.tasks)}
        asked = self._spans[condition]
        for name in sorted(asked, key=lambda name: (order.get(name[0], len(order)), name)):
            turns = [
                GradedAnswer(self._stored.answer_at(span), self._grades.get(key))
                for key, span in sorted(asked[name], key=lambda placed: placed[0].attempt)
            ]
            yield ExportedTrial(turns[0], tuple(turns[1:]))

    def model(self, model_id: str) -> Model:
        """Who was asked, as the run recorded it."""
        known = (model for model in self.record.models if model.id == model_id)
        return next(known, Model(model_id, model_id, provider="unknown"))

    @property
    def provenance(self) -> dict[str, str | None]:
        """Suite, framework and grader of the run, by version."""
        return {
            "suite_version": self.record.suite_version,
            "suite_fingerprint": self.record.suite_fingerprint,
            "framework_version": self.record.framework_version,
            "grader_version": self.record.grader_version,
        }

    @cached_property
    def task_names(self) -> dict[str, str]:
        """Task → its name where it becomes a part of a file's name."""
        return make_file_names((task for asked in self._spans.values() for task, _ in asked), "task")

    @cached_property
    def model_slugs(self) -> dict[str, str]:
        return make_slugs(dict.fromkeys(condition.model for condition in self.conditions))


def open_run(run: str, results: Path) -> RecordedRun:
    """A run by its folder or its id."""
    return RecordedRun(find_run(run, results))


def find_suite(
    run: RecordedRun, folder: Path | None = None, say: Say = lambda sentence: None
) -> Suite | None:
    """The suite that a run asked, for the words of its tasks; None if it can't be read."""
    if folder is not None:
        return load_suite(folder)
    try:
        return load_suite(run.record.suite_folder(run.folder))
    except UsageError as error:
        say(f"What the tasks say is left out: {error}")
        return None


def describe_task(suite: Suite | None, task_id: str) -> dict[str, object]:
    """What the suite says about a task; nothing if it is not there any more."""
    task = None if suite is None else suite.tasks.get(task_id)
    return (
        {} if task is None else {"type": task.type, "category": task.category, "difficulty": task.difficulty}
    )


def find_expected(suite: Suite | None, task_id: str, dialect: str) -> str:
    """What a right answer prints, for formats that show a target."""
    if suite is None or task_id not in suite.tasks:
        return ""
    try:
        return "\n".join(test.stdout for test in suite.task(task_id, dialect).runs)
    except UsageError:  # a twist that the suite has no longer
        return ""

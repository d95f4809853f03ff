"""A run as other tools see it: one evaluation per model and condition, with its trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from probatio.errors import UsageError
from probatio.records import UNASKED_ERRORS, Grade, Model, Response, TrialKey
from probatio.run.record import RunRecord, find_run, read_run
from probatio.slugs import slugs
from probatio.store.lines import Span
from probatio.store.run_folder import RunFolder
from probatio.suite.language_suite import Suite, load_suite


class Condition(NamedTuple):
    """What the trials of one evaluation have in common."""

    model: str
    dialect: str
    context: str
    n_shot: int

    @property
    def asked_with(self) -> str:
        """The condition without its model, in words."""
        return f"{self.context}, {self.n_shot}-shot, {self.dialect}"

    @property
    def asked_with_slug(self) -> str:
        return f"{self.context}-{self.n_shot}shot-{self.dialect.replace('+', '-')}"


class Turned(msgspec.Struct, frozen=True):
    """One answer with its grade. No grade: it was not graded yet."""

    response: Response
    grade: Grade | None

    @property
    def scored(self) -> bool:
        """Whether it says something about the model: it was answered, and the answer could be checked."""
        return self.grade is not None and self.grade.error_type not in UNASKED_ERRORS

    @property
    def fault(self) -> str:
        """Why there is no score."""
        if self.grade is None:
            return "the answer was not graded"
        return f"{self.grade.error_type}: {self.response.error or self.grade.error_detail or 'no detail'}"


class Trial(msgspec.Struct, frozen=True):
    """One trial: its first answer, which counts, and the answers after it, where it could try again."""

    first: Turned
    later: tuple[Turned, ...] = ()

    @property
    def task_id(self) -> str:
        return self.first.response.task_id

    @property
    def sample(self) -> int:
        return self.first.response.sample


class RunRead:
    """A run of the results folder. Answers are read when they are needed, one condition at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record: RunRecord = read_run(folder)
        self._stored = RunFolder(folder)
        self._grades = self._stored.grades()
        self._spans: dict[Condition, dict[tuple[str, int], list[tuple[TrialKey, Span]]]] = {}
        for key, span in self._stored.answer_spans().items():
            condition = Condition(key.model, key.dialect, key.context, key.n_shot)
            self._spans.setdefault(condition, {}).setdefault((key.task_id, key.sample), []).append((key, span))
        if not self._spans:
            raise UsageError(f"The run {self.record.run_id} has no answers yet; there is nothing to export.")

    @property
    def conditions(self) -> list[Condition]:
        """Every condition that was asked, in the order of the plan."""
        plan = self.record.plan
        axes: Sequence[Sequence[object]] = (plan.models, plan.dialects, plan.contexts, plan.n_shots)

        def place(condition: Condition) -> tuple[int, ...]:
            return tuple(
                axis.index(level) if level in axis else len(axis) for level, axis in zip(condition, axes, strict=True)
            )

        return sorted(self._spans, key=place)

    def planned(self, condition: Condition) -> int:
        """How many trials the condition has when the run is complete."""
        plan = self.record.plan
        if plan.limit is None:
            return len(plan.tasks) * plan.samples
        return sum((key.model, key.dialect, key.context, key.n_shot) == condition for key in plan)

    def trials(self, condition: Condition) -> Iterator[Trial]:
        """The trials of a condition, in the order of the plan's tasks."""
        order = {task: place for place, task in enumerate(self.record.plan.tasks)}
        asked = self._spans[condition]
        for name in sorted(asked, key=lambda name: (order.get(name[0], len(order)), name)):
            turns = [
                Turned(self._stored.answer_at(span), self._grades.get(key))
                for key, span in sorted(asked[name], key=lambda placed: placed[0].attempt)
            ]
            yield Trial(turns[0], tuple(turns[1:]))

    def model(self, model_id: str) -> Model:
        """Who was asked, as the run recorded it."""
        known = (model for model in self.record.models if model.id == model_id)
        return next(known, Model(model_id, model_id, provider="unknown"))

    @property
    def model_slugs(self) -> dict[str, str]:
        return slugs(dict.fromkeys(condition.model for condition in self.conditions))


def open_run(run: str, results: Path) -> RunRead:
    """A run by its folder or its id."""
    return RunRead(find_run(run, results))


def suite_of(record: RunRecord, folder: Path | None = None) -> Suite | None:
    """The suite a run asked, for the words of its tasks; None where it is not there any more."""
    try:
        return load_suite(folder or record.suite_folder)
    except UsageError:
        if folder is not None:
            raise
        return None


def expected(suite: Suite | None, task_id: str, dialect: str) -> str:
    """What a right answer prints, for formats that show a target."""
    if suite is None or task_id not in suite.tasks:
        return ""
    try:
        return "\n".join(test.stdout for test in suite.task(task_id, dialect).runs)
    except UsageError:  # a twist that the suite has no longer
        return ""

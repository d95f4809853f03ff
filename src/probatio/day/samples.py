"""The samples of a day: which there can be, and those that were answered, each with the grade that counts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec

from probatio.records import NO_DIALECT, UNCHECKED, ErrorType, Grade, KeyLine, Response, TrialKey
from probatio.run.plan import Plan
from probatio.store.run_folder import RunFolder
from probatio.suite.daily_suite import DailySuite, UseCase

Round = Literal["base", "full"]
BASE: Round = "base"
FULL: Round = "full"
ROUNDS: tuple[Round, ...] = (BASE, FULL)


class ServedLine(KeyLine):
    """An answer's line without its texts: who served the sample, how fast, at what price."""

    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    finish_reason: str | None = None
    provider: str | None = None
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    cost: float | None = None
    error: str | None = None
    timestamp: str = ""


class GradedLine(KeyLine):
    """A grade's line, as far as scoring reads it."""

    correct: bool = False
    level_a: bool = False
    error_type: ErrorType | None = None
    error_detail: str | None = None
    score: float = 0.0
    breakdown: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def errored(self) -> bool:
        """It could not be asked, checked or judged."""
        return self.error_type in ("api_error", "timeout", UNCHECKED)

    @property
    def checked(self) -> float | None:
        part: float | None = self.breakdown.get("checked")
        return part

    @property
    def judged(self) -> float | None:
        part: float | None = self.breakdown.get("judged")
        return part


class Sample(msgspec.Struct, frozen=True):
    """One sample: who served it and how it was graded."""

    served: ServedLine
    graded: GradedLine


class DaySamples:
    """What was answered on a day, as it comes in or as its folder holds it."""

    def __init__(self, suite: DailySuite) -> None:
        self._use_cases = {case.id: case.use_case for case in suite.cases.values()}
        self._served: dict[str, dict[TrialKey, ServedLine]] = {}  # of each model
        self._grades: dict[TrialKey, GradedLine] = {}
        self._begun: set[tuple[str, str, str]] = set()

    def add_answer(self, line: ServedLine | Response) -> None:
        """The first answer of a sample counts; a line that is no sample of this suite is left out."""
        if line.task_id in self._use_cases and line.context in ROUNDS:
            served = line if isinstance(line, ServedLine) else msgspec.convert(line, ServedLine, from_attributes=True)
            self._served.setdefault(line.model, {}).setdefault(line.key, served)
            self._begun.add((line.model, self._use_cases[line.task_id], line.context))

    def add_grade(self, line: GradedLine | Grade) -> None:
        """The last grade of a sample counts."""
        self._grades[line.key] = line if isinstance(line, GradedLine) else _graded_line(line)

    def begun(self, model: str, use_case: str, which: Round) -> bool:
        """Whether a round holds an answer."""
        return (model, use_case, which) in self._begun

    def of_model(self, model: str) -> list[Sample]:
        """The samples of a model that have a grade, in the order they were answered."""
        return [
            Sample(served, grade)
            for key, served in self._served.get(model, {}).items()
            if (grade := self._grades.get(key)) is not None
        ]

    def first_asked(self) -> dict[str, str]:
        """Model → the moment of its first answer; a sample that could not be asked is none."""
        first: dict[str, str] = {}
        for model, lines in self._served.items():
            asked = [served.timestamp for served in lines.values() if not served.error and served.timestamp < "~"]
            if asked:
                first[model] = min(asked)
        return first

    def grades(self, keys: Iterable[TrialKey]) -> list[GradedLine]:
        return [grade for key in keys if (grade := self._grades.get(key)) is not None]


def read_samples(folder: Path, suite: DailySuite, answers: Iterable[ServedLine] | None = None) -> DaySamples:
    """The samples of a day from its folder; `answers`, where they were read before."""
    samples, files = DaySamples(suite), RunFolder(folder)
    for line in files.answers_as(ServedLine) if answers is None else answers:
        samples.add_answer(line)
    for grade in files.grades_as(GradedLine).values():
        samples.add_grade(grade)
    return samples


def plan_of(models: tuple[str, ...], use_case: UseCase, which: Round) -> Plan:
    """One round of a use case, for every model."""
    return Plan(
        models=models,
        dialects=(NO_DIALECT,),
        contexts=(which,),
        n_shots=(0,),
        tasks=tuple(case.id for case in use_case.cases),
        samples=use_case.base_samples if which == BASE else use_case.full_samples,
    )


def _graded_line(grade: Grade) -> GradedLine:
    """A grade without what only its reader wants: the parts of the check and the judge's words."""
    parts = {part: grade.breakdown.get(part) for part in ("checked", "judged")}
    return msgspec.convert(msgspec.structs.replace(grade, breakdown=parts), GradedLine, from_attributes=True)

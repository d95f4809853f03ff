"""Runs of the learnability bench as the site reads them: each studied once, its trials found by number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from probatio.errors import ProbatioError
from probatio.inside import require_inside
from probatio.items.of_runs import items_of_runs
from probatio.items.records import Items
from probatio.records import Grade, Response
from probatio.run.record import RunRecord, read_run
from probatio.store.layout import GRADES, RUN_FILE
from probatio.store.lines import Span, has_lines
from probatio.store.run_folder import RunFolder
from probatio.study.analysis import study_of
from probatio.study.compare import Comparison, compare
from probatio.study.findings import Study
from probatio.suite.language_suite import Suite, load_suite

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class NumberedTrial(msgspec.Struct, frozen=True):
    """One graded trial with its number in the run, and the place of its answer in the raw file."""

    number: int
    grade: Grade
    answer: Span | None


@dataclass(frozen=True)
class StudiedRun:
    """A run's folder; what is read from it is kept as long as the snapshot."""

    name: str
    folder: Path

    @property
    def _files(self) -> RunFolder:
        return RunFolder(self.folder, lenient=True)

    @cached_property
    def record(self) -> RunRecord:
        return read_run(self.folder)

    @cached_property
    def study(self) -> Study:
        return study_of([self.folder])

    @cached_property
    def items(self) -> Items:
        return items_of_runs([self.folder])

    @cached_property
    def trials(self) -> list[NumberedTrial]:
        """Every graded trial, in the order in which they were first graded."""
        answers, grades = self._files.answer_spans(), self._files.grades()
        return [NumberedTrial(number, grade, answers.get(key)) for number, (key, grade) in enumerate(grades.items())]

    def response(self, trial: NumberedTrial) -> Response | None:
        return None if trial.answer is None else self._files.answer_at(trial.answer)

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Model → the numbers of its trials."""
        numbers: dict[str, list[int]] = {}
        for trial in self.trials:
            numbers.setdefault(trial.grade.model, []).append(trial.number)
        return numbers

    @property
    def models(self) -> list[str]:
        return list(self.numbers)

    @cached_property
    def suite(self) -> Suite | None:
        """As it is today; None where it can't be read."""
        try:
            return load_suite(self.record.suite_folder)
        except ProbatioError:
            return None


def find_runs(results: Path) -> dict[str, StudiedRun]:
    """Name → run, newest first."""
    if not results.is_dir():
        return {}
    runs = [
        StudiedRun(folder.name, folder)
        for folder in sorted(results.iterdir())
        if RUN_NAME.fullmatch(folder.name) and (folder / RUN_FILE).exists() and has_lines(folder / GRADES)
    ]
    for run in runs:
        require_inside(run.folder, results)  # nobody named these folders: they were found here
    return {run.name: run for run in sorted(runs, key=lambda run: run.record.created, reverse=True)}


def comparable(one: StudiedRun, two: StudiedRun) -> bool:
    """Whether the trials of two runs may be paired: nothing is compared across suite versions or graders."""

    def origin(run: StudiedRun) -> tuple[Any, ...]:
        record = run.record
        graders = tuple(sorted({trial.grade.grader_version for trial in run.trials}))
        return record.suite_name, record.suite_version, record.suite_fingerprint, record.framework_version, graders

    return origin(one) == origin(two)


def sides(runs: dict[str, StudiedRun], run: StudiedRun) -> Iterator[tuple[StudiedRun, str, StudiedRun, str]]:
    """The pairs shown with a run: its models with each other, and with those of other runs that may be paired."""
    for place, model in enumerate(run.models):
        for other in run.models[place + 1 :]:
            yield run, model, run, other
    for another in runs.values():
        if another.name != run.name and comparable(run, another):
            for model in run.models:
                for other in another.models:
                    if model != other:
                        yield run, model, another, other


def paired(results: Path, one: StudiedRun, model: str, two: StudiedRun, other: str) -> Comparison:
    return compare(f"{one.name}:model={model}", f"{two.name}:model={other}", results)

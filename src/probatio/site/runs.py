"""Runs of the learnability bench as the site reads them: each studied once, its trials found by number."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from probatio.errors import ProbatioError
from probatio.records import Grade, Response, TrialKey
from probatio.run.record import RunRecord, read_run
from probatio.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.study.analysis import study_of
from probatio.study.compare import Comparison, compare
from probatio.study.findings import Study
from probatio.suite.language_suite import Suite, load_suite

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Trial(msgspec.Struct, frozen=True):
    """One graded trial, with the place of its answer in the raw file."""

    number: int
    grade: Grade
    offset: int | None
    size: int


class _Keyed(msgspec.Struct):
    task_id: str
    model: str
    n_shot: int
    context: str
    dialect: str = "latin"
    sample: int = 0

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.task_id, self.model, self.n_shot, self.dialect, self.context, self.sample)


@dataclass(frozen=True)
class Run:
    """A run's folder; what is read from it is kept as long as the snapshot."""

    name: str
    folder: Path

    @cached_property
    def record(self) -> RunRecord:
        return read_run(self.folder)

    @cached_property
    def study(self) -> Study:
        return study_of([self.folder])

    @cached_property
    def trials(self) -> list[Trial]:
        """Every graded trial in the order of the file; of several grades of one trial the first counts, as in the study."""
        places = self._places()
        seen: dict[TrialKey, Grade] = {}
        with (self.folder / GRADES).open("rb") as lines:
            for line in lines:
                try:
                    grade = _GRADE.decode(line)
                except msgspec.MsgspecError:
                    continue
                seen.setdefault(grade.key, grade)
        return [Trial(number, grade, *places.get(key, (None, 0))) for number, (key, grade) in enumerate(seen.items())]

    def response(self, trial: Trial) -> Response | None:
        if trial.offset is None:
            return None
        with (self.folder / ANSWERS).open("rb") as file:
            file.seek(trial.offset)
            return msgspec.json.decode(file.read(trial.size), type=Response)

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Model → the numbers of its trials."""
        found: dict[str, list[int]] = {}
        for trial in self.trials:
            found.setdefault(trial.grade.model, []).append(trial.number)
        return found

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

    def _places(self) -> dict[TrialKey, tuple[int, int]]:
        found: dict[TrialKey, tuple[int, int]] = {}
        path = self.folder / ANSWERS
        if not path.exists():
            return found
        at = 0
        with path.open("rb") as lines:
            for line in lines:
                with contextlib.suppress(msgspec.MsgspecError):
                    found.setdefault(_KEYED.decode(line).key, (at, len(line)))
                at += len(line)
        return found


_GRADE = msgspec.json.Decoder(Grade)
_KEYED = msgspec.json.Decoder(_Keyed)


def find_runs(results: Path) -> dict[str, Run]:
    """Name → run, newest first."""
    if not results.is_dir():
        return {}
    found = [
        Run(folder.name, folder)
        for folder in sorted(results.iterdir())
        if RUN_NAME.fullmatch(folder.name) and (folder / RUN_FILE).exists() and (folder / GRADES).exists()
    ]
    return {run.name: run for run in sorted(found, key=lambda run: run.record.created, reverse=True)}


def comparable(one: Run, two: Run) -> bool:
    """Whether the trials of two runs may be paired: nothing is compared across suite versions or graders."""

    def asked(run: Run) -> tuple[Any, ...]:
        record = run.record
        graders = tuple(sorted({trial.grade.grader_version for trial in run.trials}))
        return record.suite_name, record.suite_version, record.suite_fingerprint, record.framework_version, graders

    return asked(one) == asked(two)


def sides(runs: dict[str, Run], run: Run) -> Iterator[tuple[Run, str, Run, str]]:
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


def paired(results: Path, one: Run, model: str, two: Run, other: str) -> Comparison:
    return compare(f"{one.name}:model={model}", f"{two.name}:model={other}", results)

"""Runs of the learnability bench as the site reads them: each studied once, its trials in packs of a page and found by number."""

from __future__ import annotations

import contextlib
import re
import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from probatio.errors import ProbatioError
from probatio.inside import require_inside
from probatio.items.of_runs import items_of_runs
from probatio.items.records import Items
from probatio.records import Grade, KeyLine, Response
from probatio.run.record import RunRecord, read_run
from probatio.slugs import slugs
from probatio.store.layout import GRADES, RUN_FILE
from probatio.store.lines import Span, has_lines
from probatio.store.run_folder import RunFolder
from probatio.study.analysis import study_of
from probatio.study.compare import Comparison, compared, parse_side
from probatio.study.findings import Study
from probatio.study.trials import Trials, open_trials
from probatio.suite.language_suite import Suite, load_suite

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


PACK = 40
"""Trials on one page, at most."""
PACK_BYTES = 200_000
"""Of the recorded answers on one page, at most; a longer one has a page of its own."""


class Condition(NamedTuple):
    """What the trials behind one point of a curve have in common."""

    model: str
    dialect: str
    context: str
    n_shot: int


class PricedLine(KeyLine, kw_only=True):
    """As much of an answer as tells its price."""

    cost: float | None = None


class GradeShort(KeyLine, kw_only=True):
    """As much of a grade as the lists show. The whole is read when its page is."""

    level_a: bool = False
    level_b: bool = False
    level_c: bool = False
    correct: bool
    error_type: str | None = None
    grader_version: str = ""


class NumberedTrial(msgspec.Struct, frozen=True):
    """One graded trial with its number in the run, and the places of its grade and its answer in their files."""

    number: int
    grade: GradeShort
    graded: Span
    answer: Span | None


class TrialText(NamedTuple):
    """A trial in full."""

    trial: NumberedTrial
    grade: Grade
    response: Response | None


@dataclass(frozen=True)
class StudiedRun:
    """A run's folder; what is read from it is kept as long as the snapshot."""

    name: str
    folder: Path
    lock: threading.RLock = field(default_factory=threading.RLock, compare=False, repr=False)

    @property
    def _files(self) -> RunFolder:
        return RunFolder(self.folder, lenient=True)

    @cached_property
    def record(self) -> RunRecord:
        return read_run(self.folder)

    @property
    def study(self) -> Study:
        with self.lock:  # one reader works it out, the others wait for it
            return self._study

    @cached_property
    def _study(self) -> Study:
        return study_of([self.folder])

    @cached_property
    def items(self) -> Items:
        return items_of_runs([self.folder])

    @property
    def trials(self) -> list[NumberedTrial]:
        """Every graded trial, in the order in which they were first graded."""
        with self.lock:
            return self._trials

    @cached_property
    def _trials(self) -> list[NumberedTrial]:
        answers, grades = self._files.answer_spans(), self._files.grade_spans(GradeShort)
        return [
            NumberedTrial(number, grade, span, answers.get(key))
            for number, (key, (span, grade)) in enumerate(grades.items())
        ]

    @cached_property
    def packs(self) -> list[int]:
        """The number of the first trial on each page of trials. Where a page ends depends on the answers before it alone, so
        that a trial keeps its address while the run grows, and when it is graded again."""
        packs: list[int] = []
        room = 0
        for trial in self.trials:
            size = trial.answer.size if trial.answer else 0
            if not packs or trial.number - packs[-1] == PACK or size > room:
                packs.append(trial.number)
                room = PACK_BYTES
            room -= size
        return packs

    def pack_of(self, number: int) -> int:
        """The page that a trial stands on."""
        return self.packs[bisect_right(self.packs, number) - 1]

    def texts(self, numbers: Sequence[int]) -> list[TrialText]:
        """These trials in full; without those whose grade can't be read."""
        trials = [self.trials[number] for number in numbers]
        grades = self._files.grades_at([trial.graded for trial in trials])
        answered = [trial for trial in trials if trial.answer is not None]
        responses = self._files.answers_at([trial.answer for trial in answered if trial.answer is not None])
        by_number = {trial.number: response for trial, response in zip(answered, responses, strict=True)}
        return [
            TrialText(trial, grade, by_number.get(trial.number))
            for trial, grade in zip(trials, grades, strict=True)
            if grade is not None
        ]

    def response(self, trial: NumberedTrial) -> Response | None:
        return None if trial.answer is None else self._files.answers_at([trial.answer])[0]

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Model → the numbers of its trials."""
        numbers: dict[str, list[int]] = {}
        for trial in self.trials:
            numbers.setdefault(trial.grade.model, []).append(trial.number)
        return numbers

    @cached_property
    def conditions(self) -> dict[Condition, list[int]]:
        """Condition → the numbers of its trials."""
        numbers: dict[Condition, list[int]] = {}
        for trial in self.trials:
            grade = trial.grade
            numbers.setdefault(Condition(grade.model, grade.dialect, grade.context, grade.n_shot), []).append(
                trial.number
            )
        return numbers

    @cached_property
    def condition_slugs(self) -> dict[Condition, str]:
        """Condition → its name in an address."""
        names = {condition: " ".join(map(str, condition)) for condition in self.conditions}
        short = slugs(names.values())
        return {condition: short[name] for condition, name in names.items()}

    @cached_property
    def prices(self) -> dict[Condition, float]:
        """Condition → the mean recorded price of an answer, in dollars; without those that have none."""
        costs: dict[Condition, list[float]] = {}
        for line in self._files.answers_as(PricedLine):
            if line.cost is not None:
                costs.setdefault(Condition(line.model, line.dialect, line.context, line.n_shot), []).append(line.cost)
        # Not `fmean`, which fails on prices that a server made up.
        return {condition: sum(each) / len(each) for condition, each in costs.items()}

    @property
    def models(self) -> list[str]:
        return list(self.numbers)

    @cached_property
    def graders(self) -> tuple[str, ...]:
        return tuple(sorted({trial.grade.grader_version for trial in self.trials}))

    @cached_property
    def suite(self) -> Suite | None:
        """As it is today; None where it can't be read."""
        try:
            return load_suite(self.record.suite_folder)
        except ProbatioError:
            return None

    def read_ahead(self) -> None:
        """Read what every page of the run needs, before anyone asks for one."""
        self.packs, self.study, self.suite  # noqa: B018


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
        return record.suite_name, record.suite_version, record.suite_fingerprint, record.framework_version

    return origin(one) == origin(two) and one.graders == two.graders


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


class Pairing:
    """Compares models of one run, or of two. The runs compared last stay open: a large one is read once for all its pairs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folders: list[Path] = []
        self._open = contextlib.ExitStack()
        self._trials: Trials | None = None

    def paired(self, one: StudiedRun, model: str, two: StudiedRun, other: str) -> Comparison:
        folders = [one.folder] if one.folder == two.folder else [one.folder, two.folder]
        sides = [parse_side(f"{run.name}:model={name}") for run, name in ((one, model), (two, other))]
        with self._lock:
            if folders != self._folders or self._trials is None:
                self._open.close()
                self._folders, self._trials = folders, None
                self._trials = self._open.enter_context(open_trials(folders))
            return compared(self._trials, sides)

"""Runs of the learnability bench as the site reads them: each is studied once, and its trials are found by
number."""

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

from probatio.core.errors import ProbatioError
from probatio.core.inside import require_inside
from probatio.core.records import Grade, KeyLine, Response
from probatio.core.text.names import make_slugs
from probatio.learn.analysis import study_of
from probatio.learn.compare import Comparison, compare_open
from probatio.learn.findings import Condition, Study
from probatio.learn.gains import Answers, read_answers
from probatio.learn.selection import Side
from probatio.learn.trials import Trials, open_trials
from probatio.runs.record import RunRecord, read_run
from probatio.runs.store.layout import GRADES, RUN_FILE
from probatio.runs.store.lines import Span, has_lines
from probatio.runs.store.run_folder import RunFolder
from probatio.site.paging import find_breaks
from probatio.suites.language_suite import Suite, load_suite

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


PACK = 30
"""Trials on one page, at most."""
PACK_BYTES = 90_000
"""Of the recorded answers on one page, at most; a longer one has a page of its own."""


class UnreadableRun(ProbatioError):
    """A run that can't be shown. The site leaves it out, says so, and shows the others."""

    def __init__(self, run: str, why: str) -> None:
        super().__init__(why)
        self.run = run


class PricedLine(KeyLine, kw_only=True):
    """The fields of an answer that give its price."""

    cost: float | None = None


class GradeShort(KeyLine, kw_only=True):
    """The fields of a grade that the lists show. The whole grade is read for its page."""

    level_a: bool = False
    level_b: bool = False
    level_c: bool = False
    correct: bool
    error_type: str | None = None
    grader_version: str = ""


class NumberedTrial(msgspec.Struct, frozen=True):
    """One graded trial with its number in the run, and the places of its grade and its answer in their
    files."""

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
    """The folder of a run. What is read from it is kept as long as the snapshot."""

    name: str
    folder: Path
    lock: threading.RLock = field(default_factory=threading.RLock, compare=False, repr=False)

    @property
    def _files(self) -> RunFolder:
        return RunFolder(self.folder, lenient=True)

    @cached_property
    def record(self) -> RunRecord:
        with self._told():
            return read_run(self.folder)

    @property
    def study(self) -> Study:
        with self.lock:  # one reader works it out, the others wait for it
            return self._study

    @cached_property
    def _study(self) -> Study:
        with self._told():
            return study_of([self.folder])

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except ProbatioError as error:
            raise UnreadableRun(self.name, str(error)) from None

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
        """The number of the first trial on each page of trials. Where a page ends depends only on the answers
        before it, so that a trial keeps its address while the run grows, and when it is graded again."""
        return find_breaks(
            (trial.answer.size if trial.answer else 0 for trial in self.trials), PACK_BYTES, PACK
        )

    def pack_of(self, number: int) -> int:
        """The first trial of the page that a trial stands on."""
        return self.packs[bisect_right(self.packs, number) - 1]

    def texts(self, numbers: Sequence[int]) -> list[TrialText]:
        """These trials in full, without those whose grade can't be read."""
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
            numbers.setdefault(_condition_of(trial.grade), []).append(trial.number)
        return numbers

    @cached_property
    def condition_slugs(self) -> dict[Condition, str]:
        """Condition → its name in an address."""
        names = {condition: " ".join(map(str, condition)) for condition in self.conditions}
        short = make_slugs(names.values())
        return {condition: short[name] for condition, name in names.items()}

    @cached_property
    def prices(self) -> dict[Condition, float]:
        """Condition → the mean recorded price of an answer, in dollars; only conditions with a price."""
        costs: dict[Condition, list[float]] = {}
        for line in self._files.answers_as(PricedLine):
            if line.cost is not None:
                costs.setdefault(_condition_of(line), []).append(line.cost)
        # Not `fmean`, which fails on prices that a server made up.
        return {condition: sum(each) / len(each) for condition, each in costs.items()}

    @property
    def answers(self) -> Answers:
        """Condition → right or not, for comparisons with other languages."""
        with self.lock, self._told():
            return self._answers

    @cached_property
    def _answers(self) -> Answers:
        return read_answers([self.folder], self.suite)

    @property
    def models(self) -> list[str]:
        return list(self.numbers)

    @cached_property
    def slugs(self) -> dict[str, str]:
        """Model → its name in an address."""
        return make_slugs(self.models)

    @cached_property
    def graders(self) -> tuple[str, ...]:
        return tuple(sorted({trial.grade.grader_version for trial in self.trials}))

    @cached_property
    def suite(self) -> Suite | None:
        """The suite as it is today; None if it can't be read."""
        try:
            return load_suite(self.record.suite_folder(self.folder))
        except ProbatioError:
            return None

    def read_ahead(self) -> None:
        """Read what every page of the run needs, before anyone asks for one."""
        self.packs, self.study, self.suite  # noqa: B018


def _condition_of(line: KeyLine) -> Condition:
    return Condition(line.model, line.dialect, line.context, line.n_shot)


def find_runs(results: Path) -> tuple[dict[str, StudiedRun], dict[str, str]]:
    """Name → run, newest first; and name → why it is left out."""
    found: dict[str, StudiedRun] = {}
    left_out: dict[str, str] = {}
    for folder in sorted(results.iterdir()) if results.is_dir() else ():
        if RUN_NAME.fullmatch(folder.name) and (folder / RUN_FILE).exists() and has_lines(folder / GRADES):
            require_inside(folder, results)  # the user did not name these folders: they were found here
            run = StudiedRun(folder.name, folder)
            try:
                run.record  # noqa: B018
                found[run.name] = run
            except UnreadableRun as error:
                left_out[run.name] = str(error)
    return dict(sorted(found.items(), key=lambda each: each[1].record.created, reverse=True)), left_out


def can_pair(one: StudiedRun, two: StudiedRun) -> bool:
    """Whether the trials of two runs may be paired: nothing is compared across suite versions or graders."""

    def origin(run: StudiedRun) -> tuple[Any, ...]:
        record = run.record
        return record.suite_name, record.suite_version, record.suite_fingerprint, record.framework_version

    return origin(one) == origin(two) and one.graders == two.graders


def list_model_pairs(
    runs: dict[str, StudiedRun], run: StudiedRun
) -> Iterator[tuple[StudiedRun, str, StudiedRun, str]]:
    """The pairs shown with a run: its models with each other, and with those of other runs that may be
    paired."""
    for place, model in enumerate(run.models):
        for other in run.models[place + 1 :]:
            yield run, model, run, other
    for another in runs.values():
        if another.name != run.name and can_pair(run, another):
            for model in run.models:
                for other in another.models:
                    if model != other:
                        yield run, model, another, other


class ModelComparer:
    """Compares models of one run, or of two. The runs compared last stay open: a large one is read once for
    all its pairs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folders: list[Path] = []
        self._open = contextlib.ExitStack()
        self._trials: Trials | None = None

    def compare(self, one: StudiedRun, model: str, two: StudiedRun, other: str) -> Comparison:
        folders = [one.folder] if one.folder == two.folder else [one.folder, two.folder]
        sides = [
            Side(f"{run.name}:model={name}", "run", (run.folder,), {"model": (name,)})
            for run, name in ((one, model), (two, other))
        ]
        with self._lock:
            if folders != self._folders or self._trials is None:
                self._open.close()
                self._folders, self._trials = folders, None
                # Not pooled: each side keeps the answers that it took over from the other.
                self._trials = self._open.enter_context(open_trials(folders, two.suite, versions="same"))
            return compare_open(self._trials, sides)

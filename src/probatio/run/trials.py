"""A run of trials, as a session carries it out: its questions from the plan, its answers graded by their task."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec

from probatio.grade import GRADER_VERSION, answer_language
from probatio.grade.apart import assess_apart
from probatio.records import Assessment, Grade, Model, Response, Sampling, Stamp, TrialKey
from probatio.run.job import AnswerLine, GradeLine, Job
from probatio.run.plan import Numbering
from probatio.run.record import RunRecord, read_run, write_run
from probatio.run.session import Ending, Session
from probatio.sandbox import Choice
from probatio.store.journal import Journal
from probatio.store.layout import RUN_FILE
from probatio.suite.language_suite import Suite
from probatio.suite.prompt import render
from probatio.workers import shared


class TrialWork:
    """The trials of a run's record, as a session carries them out."""

    def __init__(self, folder: Path, record: RunRecord, suite: Suite, *, retry_errors: bool = False) -> None:
        self.folder = folder
        self.record = record
        self.retry_errors = retry_errors
        self.models = record.models
        self.max_connections = record.max_connections
        self.max_cost = record.max_cost
        self.timeouts = record.timeouts
        self._suite = suite

    def begin(self) -> None:
        if not (self.folder / RUN_FILE).exists():
            write_run(self.folder, self.record)

    async def open(self, session: Session) -> Job:
        return TrialJob(self.record, self._suite)

    def record_file(self, model: Model, file: dict[str, Any]) -> None:
        stored = read_run(self.folder)
        write_run(self.folder, msgspec.structs.replace(stored, embedded={**stored.embedded, model.id: file}))

    def end(self, ending: Ending, journal: Journal) -> None:
        """Nothing follows from the answers; whoever wants an analysis makes one."""


class TrialJob:
    """The trials of a run: one round per model, drawn from the plan and never held as a whole."""

    answer_line = AnswerLine
    grade_line = GradeLine
    ends_alone = False

    def __init__(self, record: RunRecord, suite: Suite) -> None:
        self._record = record
        self._suite = suite
        self._numbering = Numbering(record.plan)
        self.models = record.models
        self.max_connections = record.max_connections
        self.stamp = Stamp(record.run_id, record.framework_version, record.git_sha, GRADER_VERSION)
        self.number = self._numbering.number
        self.key = record.plan.__getitem__
        self.assess = Assessor(suite, record.sandbox)

    def __len__(self) -> int:
        return len(self._numbering)

    def total(self) -> int:
        return len(self)

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        yield self._numbering.of_model(model.id)

    def prompt(self, key: TrialKey) -> str:
        return render(self._suite, self._suite.tasks[key.task_id], key.context, key.n_shot, key.dialect)

    def sampling(self, key: TrialKey) -> Sampling:
        """Each sample has its own seed: the same one again would draw the same answer."""
        sampling = self._record.sampling
        if sampling.seed is None or not key.sample:
            return sampling
        return msgspec.structs.replace(sampling, seed=sampling.seed + key.sample)

    def recall_answer(self, line: AnswerLine) -> None:
        """What was answered counts by its number alone."""

    def recall_grade(self, line: GradeLine) -> bool:
        return True

    def answered(self, response: Response) -> None:
        """A run is studied from its files."""

    def graded(self, response: Response, grade: Grade) -> None:
        """A run is studied from its files."""


class Assessor:
    """Grades answers to the tasks of a suite, each in a worker process."""

    def __init__(self, suite: Suite, sandbox: Choice) -> None:
        self._suite = suite
        self._sandbox = sandbox
        self._pool = shared()

    async def __call__(self, response: Response) -> Assessment:
        task = self._suite.tasks[response.task_id]
        spec = answer_language(task, self._suite.spec, self._suite.host)
        return await assess_apart(self._pool, task, response, spec, self._sandbox)

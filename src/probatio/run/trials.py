"""A run of trials, as a session carries it out: its questions from the plan, its answers graded by their task."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec

from probatio.grade import GRADER_VERSION
from probatio.grade.apart import assess_apart
from probatio.records import UNASKED_ERRORS, Assessment, Grade, Model, Prompt, Response, Sampling, Stamp, TrialKey
from probatio.run.attempts import EarlierAttempts
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

_UNGRADED, _SETTLED, _WRONG = 1, 2, 3
"""How a trial stands; 0 is not asked yet. Right, and what says nothing about the model, is settled."""


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
        return TrialJob(self.record, self._suite, self.folder)

    def record_file(self, model: Model, file: dict[str, Any]) -> None:
        stored = read_run(self.folder)
        write_run(self.folder, msgspec.structs.replace(stored, embedded={**stored.embedded, model.id: file}))

    def end(self, ending: Ending, journal: Journal) -> None:
        """Nothing follows from the answers; whoever wants an analysis makes one."""


class TrialJob:
    """The trials of a run: a round per model and attempt, drawn from the plan and never held as a whole."""

    answer_line = AnswerLine
    grade_line = GradeLine
    ends_alone = False

    def __init__(self, record: RunRecord, suite: Suite, folder: Path) -> None:
        self._record = record
        self._suite = suite
        self._numbering = Numbering(record.plan)
        self.models = record.models
        self.max_connections = record.max_connections
        self.stamp = Stamp(record.run_id, record.framework_version, record.git_sha, GRADER_VERSION)
        self.number = self._numbering.number
        self.key = self._numbering.key
        self._first = len(record.plan)
        self._standings = bytearray(len(self._numbering))
        self._earlier = EarlierAttempts(folder, suite, record.feedback)
        self.assess = Assessor(suite, record.sandbox)

    def __len__(self) -> int:
        return len(self._numbering)

    def total(self) -> int:
        """First attempts are certain. Of later ones, those that an earlier process asked; the others come with their rounds."""
        return self._first + sum(map(bool, self._standings[self._first :]))

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        yield self._numbering.of_model(model.id)
        for attempt in range(2, self._record.plan.attempts + 1):
            before = self._numbering.of_model(model.id, attempt=attempt - 1)
            wrong = [number for number in before if self._standings[number] == _WRONG]
            again = [number for number in wrong if not self._standings[number + self._first]]
            self._earlier.take_up(self.key(number) for number in again)
            yield [number + self._first for number in again]

    def prompt(self, key: TrialKey) -> Prompt:
        question = render(self._suite, self._suite.task(key.task_id, key.dialect), key.context, key.n_shot, key.dialect)
        return question if key.attempt == 1 else self._earlier.conversation(key, question)

    def sampling(self, key: TrialKey) -> Sampling:
        """Each sample has its own seed: the same one again would draw the same answer."""
        sampling = self._record.sampling
        if sampling.seed is None or not key.sample:
            return sampling
        return msgspec.structs.replace(sampling, seed=sampling.seed + key.sample)

    def recall_answer(self, line: AnswerLine) -> None:
        """What was answered counts by its number alone."""
        number = self.number(line.key)
        if number is not None and not self._standings[number]:
            self._standings[number] = _UNGRADED

    def recall_grade(self, line: GradeLine) -> bool:
        self._note(line.key, line.correct, line.error_type)
        return True

    def answered(self, response: Response) -> None:
        """A run is studied from its files."""

    def graded(self, response: Response, grade: Grade) -> None:
        self._note(response.key, grade.correct, grade.error_type)

    def _note(self, key: TrialKey, correct: bool, error_type: str | None) -> None:
        """How a trial stands: only an answer that was wrong is tried again."""
        number = self.number(key)
        if number is not None:
            self._standings[number] = _WRONG if not correct and error_type not in UNASKED_ERRORS else _SETTLED


class Assessor:
    """Grades answers to the tasks of a suite, each in a worker process."""

    def __init__(self, suite: Suite, sandbox: Choice) -> None:
        self._suite = suite
        self._sandbox = sandbox
        self._pool = shared()

    async def __call__(self, response: Response) -> Assessment:
        task = self._suite.task(response.task_id, response.dialect)
        spec = self._suite.answer_language(task)
        return await assess_apart(self._pool, task, response, spec, self._sandbox)

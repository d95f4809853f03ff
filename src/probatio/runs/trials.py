"""A run of trials as a job: its questions from the plan, its answers graded by their task."""

from __future__ import annotations

from collections.abc import Collection, Coroutine, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from probatio.core.clock import now_text
from probatio.core.records import (
    UNASKED_ERRORS,
    Answer,
    Assessment,
    Conversation,
    Feedback,
    Grade,
    KeyLine,
    Model,
    Prompt,
    Response,
    Sampling,
    TrialKey,
    Turn,
)
from probatio.grading import GRADER_VERSION
from probatio.grading.extract import without_reasoning
from probatio.grading.trial_answers import assess_trial
from probatio.jail import Choice
from probatio.jail.workers import get_pool
from probatio.runs.job import AnswerLine, GradeLine, answer_fields
from probatio.runs.plan import Numbering
from probatio.runs.record import RunRecord, read_run, write_run
from probatio.runs.reuse import Kept, lay, seed_of
from probatio.runs.session import Ending, Session
from probatio.runs.store.journal import Journal
from probatio.runs.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.runs.store.lines import Span, line_at, read_lines, read_placed
from probatio.suites.feedback import feedback
from probatio.suites.language_suite import Suite
from probatio.suites.prompt import render
from probatio.suites.questions import GradedBy, digest_text
from probatio.suites.task_types import KINDS

_UNGRADED, _SETTLED, _WRONG, _RIGHT = 1, 2, 3, 4
"""The state of a trial; 0 is not asked yet. What failed or can't be checked is settled."""


class TrialJob:
    """The trials of a run: a round per model and attempt, drawn from the plan and never held as a whole."""

    answer_type = Response
    answer_line = AnswerLine
    grade_line = GradeLine
    ends_alone = False

    def __init__(
        self,
        folder: Path,
        record: RunRecord,
        suite: Suite,
        kept: Mapping[TrialKey, Kept] = MappingProxyType({}),
        *,
        retry_errors: bool = False,
    ) -> None:
        self.folder = folder
        self.retry_errors = retry_errors
        self.models = record.models
        self.max_connections = record.max_connections
        self.max_cost = record.max_cost
        self.timeouts = record.timeouts
        self._record = record
        self._suite = suite
        self._kept = kept
        self._numbering = Numbering(record.plan)
        self.number = self._numbering.number
        self.key = self._numbering.key
        self._first = len(record.plan)
        self._standings = bytearray(len(self._numbering))
        self._earlier = EarlierAttempts(folder, suite, record.feedback)
        self.assess = Assessor(suite, record.sandbox)

    def begin(self) -> None:
        if not (self.folder / RUN_FILE).exists():
            write_run(self.folder, self._record)

    async def open(self, session: Session) -> None:
        """Lay in the answers of earlier runs that are not there yet: they need no asking."""
        if not self._kept:
            return
        there = {line.key for line in read_lines(self.folder / ANSWERS, KeyLine)}
        for key, place in self._kept.items():
            if key not in there:
                session.journal.answer(lay(place.read(), key, self._record, place.run))
        session.say(
            f"{len(self._kept)} of {self._first} answers are taken over from {', '.join(self._record.reuse)}."
        )

    def record_file(self, model: Model, file: dict[str, Any]) -> None:
        stored = read_run(self.folder)
        write_run(self.folder, msgspec.structs.replace(stored, embedded={**stored.embedded, model.id: file}))

    def end(self, ending: Ending, journal: Journal) -> None:
        """Count what several attempts solved. An analysis is made when a user wants one."""
        if self._record.plan.attempts > 1:
            ending.tally.tried, ending.tally.solved = self._count_solved()

    def _count_solved(self) -> tuple[int, tuple[int, ...]]:
        """The trials whose first answer counts, and those that are solved within 1, 2, … attempts."""
        attempts = self._record.plan.attempts
        controls = {task.id for task in self._suite.tasks.values() if KINDS[task.type].control}
        tried, solved = 0, [0] * attempts
        for number in range(self._first):
            states = self._standings[number :: self._first]
            if states[0] not in (_WRONG, _RIGHT) or self.key(number).task_id in controls:
                continue
            tried += 1
            if _RIGHT in states:
                for within in range(states.index(_RIGHT), attempts):
                    solved[within] += 1
        return tried, tuple(solved)

    def __len__(self) -> int:
        return len(self._numbering)

    def total(self) -> int:
        """First attempts, and later ones of earlier processes; other later ones come with their rounds."""
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
        question = render(
            self._suite, self._suite.task(key.task_id, key.dialect), key.context, key.n_shot, key.dialect
        )
        return question if key.attempt == 1 else self._earlier.conversation(key, question)

    def sampling(self, key: TrialKey) -> Sampling:
        """Each sample has its own seed: the same one again would draw the same answer."""
        sampling = self._record.sampling
        return (
            msgspec.structs.replace(sampling, seed=seed_of(sampling, key.sample)) if key.sample else sampling
        )

    def answer_record(self, key: TrialKey, prompt: str, answer: Answer, cost: float | None) -> Response:
        return Response(
            timestamp=now_text(),
            run_id=self._record.run_id,
            framework_version=self._record.framework_version,
            git_sha=self._record.git_sha,
            **key._asdict(),
            prompt=prompt,
            **answer_fields(answer, cost),
        )

    def grade_record(self, response: Response, assessment: Assessment) -> Grade:
        return self.assess.grade_line(response, assessment)

    def recall_answer(self, line: AnswerLine) -> None:
        """Mark the trial as answered."""
        number = self.number(line.key)
        if number is not None and not self._standings[number]:
            self._standings[number] = _UNGRADED

    def recall_grade(self, line: GradeLine) -> bool:
        self._note(line.key, line.correct, line.error_type)
        return True

    def note_answer(self, response: Response) -> None:
        """Nothing to do: the answer is in its file."""

    def note_grade(self, response: Response, grade: Grade) -> None:
        self._note(response.key, grade.correct, grade.error_type)

    def _note(self, key: TrialKey, correct: bool, error_type: str | None) -> None:
        """How a trial stands: only an answer that was wrong is tried again."""
        number = self.number(key)
        if number is not None:
            unasked = error_type in UNASKED_ERRORS
            self._standings[number] = _SETTLED if unasked else _RIGHT if correct else _WRONG


class Assessor:
    """Grades answers to the tasks of a suite, each in a worker process."""

    def __init__(self, suite: Suite, sandbox: Choice) -> None:
        self._suite = suite
        self._sandbox = sandbox
        self._pool = get_pool()
        specs = filter(None, (suite.spec, suite.host))
        self._trivial = {spec.name: suite.trivial_program(spec) for spec in specs}
        self._graded_by = GradedBy(suite, GRADER_VERSION)

    def __call__(self, response: Response) -> Coroutine[Any, Any, Assessment]:
        task = self._suite.task(response.task_id, response.dialect)
        spec = self._suite.answer_language(task)
        return assess_trial(self._pool, task, response, spec, self._sandbox, trivial=self._trivial[spec.name])

    def grade_line(self, response: Response, assessment: Assessment) -> Grade:
        """The line of `graded_results.jsonl` for an answer and how it was judged."""
        return Grade(
            timestamp=now_text(),
            run_id=response.run_id,
            framework_version=response.framework_version,
            git_sha=response.git_sha,
            **response.key._asdict(),
            **assessment.grade_fields(),
            grader_version=GRADER_VERSION,
            question=digest_text(response.prompt) if response.prompt else "",
            graded=self._graded_by(response.task_id, response.dialect),
            reused=response.reused,
        )


class EarlierAttempts:
    """The answers to the trials of a round, and their grades, by their places in the files.

    They are read when they are needed: a long run takes little memory, and a resumed one asks what it would
    have asked.
    """

    def __init__(self, folder: Path, suite: Suite, kind: Feedback) -> None:
        self._folder = folder
        self._suite = suite
        self._kind: Feedback = kind
        self._answers: dict[TrialKey, Span] = {}
        self._grades: dict[TrialKey, Span] = {}

    def take_up(self, wrong: Iterable[TrialKey]) -> None:
        """Find the lines of these trials and of the attempts before them, when a round of a model begins."""
        wanted = {key._replace(attempt=attempt) for key in wrong for attempt in range(1, key.attempt + 1)}
        if not wanted:
            return
        for span, line in read_placed(self._folder / ANSWERS, KeyLine):
            if line.key in wanted:
                self._answers.setdefault(line.key, span)  # the first answer counts
        for span, line in read_placed(self._folder / GRADES, KeyLine):
            if line.key in wanted:
                self._grades[line.key] = span  # and the last grade

    def conversation(self, key: TrialKey, question: str) -> Conversation:
        """All that was said before this attempt, and what is wrong with the last answer."""
        task = self._suite.task(key.task_id, key.dialect)
        shows_output = "{must_print}" in self._suite.questions[task.type]
        host = self._suite.answer_language(task) is not self._suite.spec
        has_check = host or self._suite.spec.has_check  # a host's words are in the pins of its suites
        turns = [Turn("user", question)]
        for attempt in range(1, key.attempt):
            earlier = key._replace(attempt=attempt)
            answer = line_at(self._folder / ANSWERS, self._answers[earlier], Response)
            grade = line_at(self._folder / GRADES, self._grades[earlier], Grade)
            # Servers drop a model's reasoning from what it is shown again; so do we.
            text = without_reasoning(answer.response or "") or answer.response or ""
            turns += [
                Turn("assistant", text),
                Turn(
                    "user",
                    feedback(task, grade, self._kind, shows_output=shows_output, has_check=has_check),
                ),
            ]
        return Conversation(tuple(turns))

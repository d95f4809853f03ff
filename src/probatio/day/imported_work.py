"""An imported day as a session carries it out: its answers are there already, so they are graded and nobody is asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from probatio.day.job import DayJob
from probatio.day.preparation import PreparedDay
from probatio.day.samples import BASE
from probatio.day.work import DayWork
from probatio.judge.asking import Judge
from probatio.ledger.ledger import acceptances, read_ledger
from probatio.records import NO_DIALECT, UNASKED_ERRORS, Assessment, Day, DayRecord, Grade, Model, Response
from probatio.run.engine import grade_line
from probatio.run.session import Session
from probatio.store.days import DayReader
from probatio.store.journal import Journal
from probatio.store.layout import ANSWERS, GRADES
from probatio.store.lines import read_lines
from probatio.suite.daily_suite import Case, DailySuite, UseCase
from probatio.verdict.days import Days

NOON = "T12:00:00.000Z"
"""A file gives a date and no time."""
NOTE = "The score was imported; there is no answer to grade."


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One answer or score of the file, with its number among those to the same case by the same model on the same date."""

    date: str
    model: str
    case: str
    sample: int
    answer: str | None = None
    score: float | None = None
    provider: str | None = None
    resolved_model: str | None = None
    finish_reason: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    cost: float | None = None


def believed_lines(rows: Iterable[Row], suite: DailySuite, record: DayRecord) -> tuple[bytes, bytes]:
    """The answers of these rows as lines, and the grades of those that are scores without an answer."""
    answers, grades = [], []
    for row in rows:
        case = suite.cases[row.case]
        response = _response(row, case, record.git_sha)
        answers.append(msgspec.json.encode(response) + b"\n")
        if row.answer is None:
            grade = _believed(row, response, suite, case, record.grader_version)
            grades.append(msgspec.json.encode(grade) + b"\n")
    return b"".join(answers), b"".join(grades)


class ImportedJob(DayJob):
    """The samples of an imported day. What is there is all there is."""

    def total(self) -> int:
        return 0

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        yield []


class ImportWork(DayWork):
    """One imported day, made in the folder `prepared.results`; the days before it may be there or under `results`."""

    job_type = ImportedJob

    def __init__(self, prepared: PreparedDay, rows: Sequence[Row], results: Path) -> None:
        self._rows = rows
        self._results = results
        super().__init__(prepared)

    def begin(self) -> None:
        super().begin()
        answers, grades = believed_lines(self._rows, self._suite, self.record)
        for name, lines in ((ANSWERS, answers), (GRADES, grades)):
            if lines:
                (self.folder / name).write_bytes(lines)

    @property
    def ungraded(self) -> str | None:
        """Why some answers have no grade. They could be given none later: an imported day is not run again."""
        calibration = self.record.calibration
        if calibration is not None and calibration.error:
            return f"there is no judge, and it has answers that need one: {calibration.error}"
        failed = [grade for grade in read_lines(self.folder / GRADES, Grade) if grade.error_type in UNASKED_ERRORS]
        return f"{len(failed)} answers have no grade: {failed[0].error_detail}" if failed else None

    def _reader(self) -> _Both:
        return _Both(DayReader(self._prepared.results), DayReader(self._results))

    def _days(self) -> Days:
        return Days(self._history.days(), acceptances(read_ledger(self._results)))

    async def _judge(self, session: Session) -> Judge | None:
        """A judge only where there are answers for it."""
        use_cases = self._suite.use_cases
        gradings = {
            use_cases[self._suite.cases[row.case].use_case].grading for row in self._rows if row.answer is not None
        }
        return await super()._judge(session) if gradings - {"deterministic"} else None

    def _record_verdicts(self, journal: Journal) -> None:
        """Not here: a day is recorded in its place."""


class _Both:
    """The days made beside, and those in their place."""

    def __init__(self, *readers: DayReader) -> None:
        self._readers = readers

    def days(self) -> list[Day]:
        return sorted((day for reader in self._readers for day in reader.days()), key=lambda day: day.date)


def _response(row: Row, case: Case, git_sha: str | None) -> Response:
    given: dict[str, Any] = {
        name: getattr(row, name)
        for name in (
            "tokens_in",
            "tokens_out",
            "latency_ms",
            "finish_reason",
            "provider",
            "resolved_model",
            "cost",
            "sample",
        )
    }
    return Response(
        timestamp=f"{row.date}{NOON}", run_id=row.date, framework_version="", git_sha=git_sha, task_id=case.id,
        model=row.model, n_shot=0, dialect=NO_DIALECT, context=BASE, prompt=case.prompt, response=row.answer, **given,
    )  # fmt: skip


def _believed(row: Row, response: Response, suite: DailySuite, case: Case, grader_version: str) -> Grade:
    """The grade of a score without an answer: each part is worth as much."""
    use_case: UseCase = suite.use_cases[case.use_case]
    score = row.score or 0.0
    breakdown: dict[str, Any] = {
        "use_case": use_case.id,
        "checked": None if use_case.grading == "judge" else score,
        "judged": None if use_case.grading == "deterministic" else score,
        "parts": [], "penalty": 0.0, "marks": {}, "note": NOTE,
    }  # fmt: skip
    return grade_line(response, Assessment(True, score > 0, score >= 1, None, None, score, breakdown), grader_version)

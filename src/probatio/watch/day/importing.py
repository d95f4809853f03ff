"""Import past days from a file: answers that a team already has are graded, scores are taken as they are.

First everything is read and checked. Then all days are made in a separate folder. Only then they are moved
into place and recorded. An error leaves the results as they were.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from probatio.builtin.daily.graders import require_graders, starts_processes
from probatio.core import jsonfile
from probatio.core.clock import now_text
from probatio.core.config import load_config
from probatio.core.errors import Incomplete, Say, UsageError
from probatio.core.files import hold
from probatio.core.inside import open_named, require_inside
from probatio.core.records import (
    UNASKED_ERRORS,
    Assessment,
    DailyScore,
    DayRecord,
    Model,
    SampleAnswer,
    SampleGrade,
)
from probatio.core.text.names import refuse_unknown_name
from probatio.grading.judge.asking import Judge
from probatio.grading.judge.calibration import calibration_set
from probatio.grading.samples import describe_judged, make_grade
from probatio.jail import find_isolation
from probatio.runs.preparation import note_request
from probatio.runs.session import Session, carry_out
from probatio.runs.store.journal import Journal
from probatio.runs.store.layout import ANSWERS, DAILY, GRADES
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_suite import Case, DailySuite, UseCase, constants_of, load_daily
from probatio.watch.day.folder import day_folder, parse_date, read_record
from probatio.watch.day.job import DayJob, show_nothing
from probatio.watch.day.preparation import (
    DayRequest,
    PreparedDay,
    apply_config,
    apply_reasoning,
    begin_record,
    grader_remarks,
    with_suite,
)
from probatio.watch.day.samples import BASE
from probatio.watch.ledger.ledger import read_ledger, record_days, standing_records

NOON = "T12:00:00.000Z"
"""A file gives a date and no time."""
NOTE = "The score was imported; there is no answer to grade."


class ImportLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the file: `answer`, which is graded, or `score`, which is taken as it is."""

    date: str
    model: str
    case: str
    answer: str | None = None
    score: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    provider: str | None = None
    resolved_model: str | None = None
    finish_reason: str | None = None
    tokens_in: Annotated[int, msgspec.Meta(ge=0)] = 0
    tokens_out: Annotated[int, msgspec.Meta(ge=0)] = 0
    latency_ms: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    cost: Annotated[float, msgspec.Meta(ge=0)] | None = None


class ImportedSample(ImportLine, frozen=True, kw_only=True):
    """A line with its number among the answers of one model to one case on one date."""

    sample: int


def encode_samples(
    rows: Iterable[ImportedSample], suite: DailySuite, record: DayRecord
) -> tuple[bytes, bytes]:
    """The lines of the answers, and the lines of the grades for scores without an answer."""
    answers, grades = [], []
    for row in rows:
        case = suite.cases[row.case]
        response = _make_answer(row, case, record.git_sha)
        answers.append(msgspec.json.encode(response) + b"\n")
        if row.answer is None:
            grade = _grade_score(row, response, suite, case, record.grader_version)
            grades.append(msgspec.json.encode(grade) + b"\n")
    return b"".join(answers), b"".join(grades)


class ImportedDay(DayJob):
    """One imported day, made in `prepared.results`. The days before it may be there or under `results`."""

    def __init__(self, prepared: PreparedDay, rows: Sequence[ImportedSample], results: Path) -> None:
        self._rows = rows
        super().__init__(prepared, results)

    def begin(self) -> None:
        super().begin()
        answers, grades = encode_samples(self._rows, self._suite, self.record)
        for name, lines in ((ANSWERS, answers), (GRADES, grades)):
            if lines:
                (self.folder / name).write_bytes(lines)

    def total(self) -> int:
        return 0

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        """Nothing is asked."""
        yield []

    @property
    def ungraded(self) -> str | None:
        """Why some answers have no grade. They can't get one later: an imported day is not run again."""
        calibration = self.record.calibration
        if calibration is not None and calibration.error:
            return f"there is no judge, and it has answers that need one: {calibration.error}"
        failed = [
            grade
            for grade in read_lines(self.folder / GRADES, SampleGrade)
            if grade.error_type in UNASKED_ERRORS
        ]
        return f"{len(failed)} answers have no grade: {failed[0].error_detail}" if failed else None

    async def _judge(self, session: Session) -> Judge | None:
        """Open a judge only if there are answers for it."""
        needed = any(
            self._suite.is_judged(self._suite.cases[row.case]) for row in self._rows if row.answer is not None
        )
        return await super()._judge(session) if needed else None

    def _record_verdicts(self, journal: Journal) -> None:
        """Nothing yet: a day is recorded when it is in its place."""


def _make_answer(row: ImportedSample, case: Case, git_sha: str | None) -> SampleAnswer:
    return SampleAnswer(
        case=case.id,
        model=row.model,
        round=BASE,
        use_case=case.use_case,
        timestamp=f"{row.date}{NOON}",
        date=row.date,
        git_sha=git_sha,
        prompt=case.prompt,
        system=case.system,
        after=case.after,
        response=row.answer,
        sample=row.sample,
        provider=row.provider,
        resolved_model=row.resolved_model,
        finish_reason=row.finish_reason,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
        latency_ms=row.latency_ms,
        cost=row.cost,
    )


def _grade_score(
    row: ImportedSample, response: SampleAnswer, suite: DailySuite, case: Case, grader_version: str
) -> SampleGrade:
    """The grade of a score without an answer: each part gets the same score."""
    use_case: UseCase = suite.use_cases[case.use_case]
    score = row.score or 0.0
    breakdown: dict[str, Any] = {
        "use_case": use_case.id,
        "checked": score if use_case.checked_weight_of(case) > 0 else None,
        **describe_judged(use_case, case, score),
        "parts": [],
        "penalty": 0.0,
        "marks": {},
        "note": NOTE,
    }
    return make_grade(
        response, Assessment(True, score > 0, score >= 1, None, None, score, breakdown), grader_version
    )


MOST_LINES = 1_000_000
STAGED = ".import-"
_LOCK_SECONDS = 1.0


class ImportPlan(msgspec.Struct, frozen=True):
    """The content of a file, checked against the suite."""

    mark: str  # the file's name and the first digits of its SHA-256
    dates: dict[str, tuple[ImportedSample, ...]]
    suite: DailySuite  # with as many samples as the file has
    place: Path | None  # its folder; None for the built-in one
    models: dict[str, Model]
    unknown_models: tuple[str, ...]

    @property
    def counts(self) -> tuple[int, int]:
        """Answers and scores."""
        rows = [row for rows in self.dates.values() for row in rows]
        answers = sum(row.answer is not None for row in rows)
        return answers, len(rows) - answers


class ImportReport(msgspec.Struct, frozen=True):
    """The imported days."""

    dates: tuple[str, ...]
    scores: list[DailyScore]
    corrections: int  # of days that were recorded before and follow from these

    @property
    def gaps(self) -> list[DailyScore]:
        return [score for score in self.scores if score.score is None]


def read_import(file: Path, request: DayRequest, results: Path, now: datetime) -> ImportPlan:
    """Read and check the file. Every error names its line."""
    config = load_config(request.config)
    request = with_suite(request, config, results)
    suite = apply_config(load_daily(request.suite), config.daily)
    require_graders(suite, request.sandbox)
    calibration_set(suite)
    known = {model.id: model for model in config.models}
    mark, today = _file_mark(file), parse_date(None, now)
    cases = suite.cases
    seen: Counter[tuple[str, str, str]] = Counter()
    dates: dict[str, list[ImportedSample]] = {}
    for number, line in _read_lines(file):
        where = f"{file}, line {number}"
        try:
            parse_date(line.date, now)
        except UsageError as error:
            raise UsageError(f"{where}: {str(error).removeprefix('--date ')}") from None
        if line.date == today:
            raise UsageError(f"{where}: {today} is today: it is asked, not imported.")
        if line.case not in cases:
            place = f"in the suite {suite.manifest.name}"
            raise UsageError(f"{where}: {refuse_unknown_name('case', line.case, list(cases), place)}")
        if cases[line.case].unscored:
            raise UsageError(f"{where}: the turn `{line.case}` has no score; take its lines out.")
        if not line.model.strip():
            raise UsageError(f"{where}: `model` is empty.")
        if line.answer is None and line.score is None:
            raise UsageError(f"{where}: give `answer`, or `score` from 0 to 1.")
        key = (line.date, line.model, line.case)
        given = msgspec.structs.asdict(line) | {"sample": seen[key]}
        dates.setdefault(line.date, []).append(ImportedSample(**given))
        seen[key] += 1
    if not dates:
        raise UsageError(f"{file} holds no line.")
    _refuse_dates(results, dates, mark)
    most: dict[str, int] = {}
    for (_, _, case), count in seen.items():
        most[cases[case].use_case] = max(count, most.get(cases[case].use_case, 1))
    use_cases = {
        name: msgspec.structs.replace(use_case, base_samples=most.get(name, use_case.base_samples))
        for name, use_case in suite.use_cases.items()
    }
    models = list(dict.fromkeys(model for _, model, _ in seen))
    return ImportPlan(
        mark,
        {date: tuple(dates[date]) for date in sorted(dates)},
        msgspec.structs.replace(suite, use_cases=use_cases),
        request.suite,
        {model: apply_reasoning(known.get(model, Model(id=model, name=model)), suite) for model in models},
        tuple(model for model in models if model not in known),
    )


def carry_in(
    wanted: ImportPlan, request: DayRequest, results: Path, env: Mapping[str, str], say: Say
) -> ImportReport:
    """Make the days, move them into place and record them."""
    note_request(request)
    for remark in grader_remarks(wanted.suite.use_cases.values()):
        say(remark)
    if any(map(starts_processes, wanted.suite.use_cases.values())):
        find_isolation(request.sandbox)
    results.mkdir(parents=True, exist_ok=True)
    with hold(results / ".import.lock", _LOCK_SECONDS, results / ".import.lock", results):
        for left in results.glob(f"{STAGED}*"):
            shutil.rmtree(left)  # of an import that was killed; no other process holds this lock
        stage = Path(tempfile.mkdtemp(prefix=STAGED, dir=results))
        try:
            scores = _make_days(wanted, request, results, stage, env, say)
            _refuse_dates(results, wanted.dates, wanted.mark)
            (results / DAILY).mkdir(exist_ok=True)
            for folder in sorted((stage / DAILY).iterdir()) if (stage / DAILY).is_dir() else ():
                folder.rename(require_inside(results / DAILY / folder.name, results))
        finally:
            shutil.rmtree(stage, ignore_errors=True)
        constants = constants_of(wanted.suite.manifest)
        records = record_days(results, wanted.dates, constants, now_text())
    corrected = {record.date for record in records if record.kind == "correction"} - wanted.dates.keys()
    return ImportReport(tuple(wanted.dates), scores, len(corrected))


def _make_days(
    wanted: ImportPlan, request: DayRequest, results: Path, stage: Path, env: Mapping[str, str], say: Say
) -> list[DailyScore]:
    """Make the days in the folder `stage`, oldest first: what is usual for a day follows from the days before
    it."""
    scores: list[DailyScore] = []
    for date, rows in wanted.dates.items():
        if day_folder(results, date).exists():  # made by an import that was killed before it was recorded
            continue
        job = ImportedDay(_prepare_day(wanted, request, results, stage, date, rows), rows, results)
        ending = carry_out(job, env, show_nothing, say)
        if why := ending.stop_reason or job.ungraded:
            raise Incomplete(f"Nothing was imported: {date}: {why.removesuffix('.')}.")
        scores += job.scored.scores
    return scores


def _prepare_day(
    wanted: ImportPlan,
    request: DayRequest,
    results: Path,
    stage: Path,
    date: str,
    rows: Sequence[ImportedSample],
) -> PreparedDay:
    suite, of_rows = wanted.suite, {wanted.suite.cases[row.case].use_case for row in rows}
    models = [wanted.models[model] for model in dict.fromkeys(row.model for row in rows)]
    record = begin_record(date, now_text(), suite, models, wanted.place, results, imported=wanted.mark)
    use_cases = tuple(use_case for use_case in suite.use_cases.values() if use_case.id in of_rows)
    return PreparedDay(stage, record, suite, use_cases, request, None)


def _refuse_dates(results: Path, dates: Mapping[str, object], mark: str) -> None:
    """Refuse dates that exist already, except days of this same file that are not recorded yet."""
    recorded = standing_records(read_ledger(results))
    for date in sorted(dates):
        folder = day_folder(results, date)
        if not folder.exists():
            continue
        record = read_record(folder)
        if date in recorded or record is None or record.imported != mark:
            raise UsageError(f"{date} is in {results / DAILY} already; take its lines out of the file.")


def _file_mark(file: Path) -> str:
    try:
        with open_named(file) as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror}.") from None
    return f"{file.name} {digest[:16]}"


def _read_lines(file: Path) -> Iterator[tuple[int, ImportLine]]:
    decode = jsonfile.Decoder(ImportLine).decode
    with open_named(file) as opened:
        for number, text in enumerate(opened, 1):
            if number > MOST_LINES:
                raise UsageError(f"{file} has more than {MOST_LINES:,} lines; import it in parts.")
            if not text.strip():
                continue
            try:
                yield number, decode(text)
            except msgspec.DecodeError as error:
                what = str(error).replace("$.", "")
                raise UsageError(f"{file}, line {number}: {what}. A line is one JSON object.") from None

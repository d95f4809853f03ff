"""Past days taken in from a file: answers that a team already has are graded anew, scores are taken as they are.

First everything is read and proven, then all days are made in a folder beside the others, and only then moved to their place and
recorded. Whatever is wrong leaves the results as they were.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec

from probatio.builtin.daily.graders import daily_fingerprint, require_graders, starts_processes
from probatio.config import load_config
from probatio.day.folder import day_folder, day_of, read_record
from probatio.day.imported_work import ImportWork, Row
from probatio.day.preparation import DayRequest, PreparedDay, grader_remarks, suite_place
from probatio.day.settings import as_asked, as_configured
from probatio.day.unwatched import unwatched
from probatio.errors import Incomplete, Say, UsageError
from probatio.inside import require_inside
from probatio.judge.calibration import calibration_set
from probatio.ledger.ledger import read_ledger, record_days, standing_records
from probatio.names import unknown
from probatio.records import DailyScore, DayRecord, Model
from probatio.run.clock import now_text
from probatio.run.session import carry_out
from probatio.run.versions import git_sha, versions
from probatio.sandbox import isolation
from probatio.store.files import held
from probatio.store.layout import DAILY
from probatio.suite.daily_suite import DailySuite, constants_of, load_daily

MOST_LINES = 1_000_000
STAGED = ".import-"
_LOCK_SECONDS = 1.0


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the file. Either `answer`, which is graded, or `score`, which is believed."""

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


class Import(msgspec.Struct, frozen=True):
    """What a file holds, proven against the suite."""

    mark: str  # the file's name and the first digits of its SHA-256
    dates: dict[str, tuple[Row, ...]]
    suite: DailySuite  # with as many samples as the file has
    models: dict[str, Model]
    unknown_models: tuple[str, ...]

    @property
    def counts(self) -> tuple[int, int]:
        """Answers and scores."""
        rows = [row for rows in self.dates.values() for row in rows]
        answers = sum(row.answer is not None for row in rows)
        return answers, len(rows) - answers


class Imported(msgspec.Struct, frozen=True):
    """What came of it."""

    dates: tuple[str, ...]
    scores: list[DailyScore]
    corrections: int  # of days that were recorded before and follow from these

    @property
    def gaps(self) -> list[DailyScore]:
        return [score for score in self.scores if score.score is None]


def read_import(file: Path, request: DayRequest, results: Path, now: datetime) -> Import:
    """Everything that can be wrong with the file is found here, and named with its line."""
    config = load_config(request.config)
    suite = as_configured(load_daily(request.suite), config.daily)
    require_graders(suite)
    calibration_set(suite)
    known = {model.id: model for model in config.models}
    mark, today = _mark(file), day_of(None, now)
    cases = suite.cases
    seen: Counter[tuple[str, str, str]] = Counter()
    dates: dict[str, list[Row]] = {}
    for number, line in _lines(file):
        where = f"{file}, line {number}"
        try:
            day_of(line.date, now)
        except UsageError as error:
            raise UsageError(f"{where}: {str(error).removeprefix('--date ')}") from None
        if line.date == today:
            raise UsageError(f"{where}: {today} is today: it is asked, not imported.")
        if line.case not in cases:
            raise UsageError(
                f"{where}: {unknown('case', line.case, list(cases), f'in the suite {suite.manifest.name}')}"
            )
        if not line.model.strip():
            raise UsageError(f"{where}: `model` is empty.")
        if line.answer is None and line.score is None:
            raise UsageError(f"{where}: give `answer`, or `score` from 0 to 1.")
        key = (line.date, line.model, line.case)
        given = msgspec.structs.asdict(line) | {"sample": seen[key]}
        dates.setdefault(line.date, []).append(Row(**given))
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
    return Import(
        mark,
        {date: tuple(dates[date]) for date in sorted(dates)},
        msgspec.structs.replace(suite, use_cases=use_cases),
        {model: as_asked(known.get(model, Model(id=model, name=model)), suite) for model in models},
        tuple(model for model in models if model not in known),
    )


def carry_in(wanted: Import, request: DayRequest, results: Path, env: Mapping[str, str], say: Say) -> Imported:
    """Make the days, move them to their place and record them."""
    for remark in grader_remarks(wanted.suite.use_cases.values()):
        say(remark)
    if any(map(starts_processes, wanted.suite.use_cases.values())):
        isolation(request.sandbox)
    results.mkdir(parents=True, exist_ok=True)
    with held(results / ".import.lock", _LOCK_SECONDS, results / ".import.lock", results):
        for left in results.glob(f"{STAGED}*"):
            shutil.rmtree(left)  # of an import that was killed; nobody else works under this lock
        stage = Path(tempfile.mkdtemp(prefix=STAGED, dir=results))
        try:
            scores = _made(wanted, request, results, stage, env, say)
            _refuse_dates(results, wanted.dates, wanted.mark)
            (results / DAILY).mkdir(exist_ok=True)
            for folder in sorted((stage / DAILY).iterdir()) if (stage / DAILY).is_dir() else ():
                folder.rename(require_inside(results / DAILY / folder.name, results))
        finally:
            shutil.rmtree(stage, ignore_errors=True)
        constants = constants_of(wanted.suite.manifest)
        records = record_days(results, wanted.dates, constants, now_text())
    corrected = {record.date for record in records if record.kind == "correction"} - wanted.dates.keys()
    return Imported(tuple(wanted.dates), scores, len(corrected))


def _made(
    wanted: Import, request: DayRequest, results: Path, stage: Path, env: Mapping[str, str], say: Say
) -> list[DailyScore]:
    """The days in the folder beside, oldest first: what is usual for a day follows from those before it."""
    scores: list[DailyScore] = []
    for date, rows in wanted.dates.items():
        if day_folder(results, date).exists():  # made by an import that was killed before it was recorded
            continue
        work = ImportWork(_prepared(wanted, request, results, stage, date, rows), rows, results)
        ending = carry_out(work, env, unwatched, say)
        if why := ending.stop_reason or work.ungraded:
            raise Incomplete(f"Nothing was imported: {date}: {why.removesuffix('.')}.")
        scores += work.scored.scores
    return scores


def _prepared(
    wanted: Import, request: DayRequest, results: Path, stage: Path, date: str, rows: Sequence[Row]
) -> PreparedDay:
    suite, fingerprint = wanted.suite, daily_fingerprint(wanted.suite)
    of_rows = {suite.cases[row.case].use_case for row in rows}
    record = DayRecord(
        date=date,
        created=now_text(),
        suite_version=suite.version,
        suite_fingerprint=fingerprint,
        grader_version=fingerprint,
        models=tuple(wanted.models[model] for model in dict.fromkeys(row.model for row in rows)),
        sampling=suite.sampling,
        suite=suite.manifest.name if request.suite is None else suite_place(request.suite, results),
        git_sha=git_sha(),
        versions=versions(),
        imported=wanted.mark,
    )
    use_cases = tuple(use_case for use_case in suite.use_cases.values() if use_case.id in of_rows)
    return PreparedDay(stage, record, suite, use_cases, request, None)


def _refuse_dates(results: Path, dates: Mapping[str, object], mark: str) -> None:
    """Refuse dates that there are already, but for those of this very file that were not recorded yet."""
    recorded = standing_records(read_ledger(results))
    for date in sorted(dates):
        folder = day_folder(results, date)
        if not folder.exists():
            continue
        record = read_record(folder)
        if date in recorded or record is None or record.imported != mark:
            raise UsageError(f"{date} is in {results / DAILY} already; take its lines out of the file.")


def _mark(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror}.") from None
    return f"{file.name} {digest[:16]}"


def _lines(file: Path) -> Iterator[tuple[int, Line]]:
    decode = msgspec.json.Decoder(Line).decode
    with file.open("rb") as opened:
        for number, text in enumerate(opened, 1):
            if number > MOST_LINES:
                raise UsageError(f"{file} has more than {MOST_LINES:,} lines; import it in parts.")
            if not text.strip():
                continue
            try:
                yield number, decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                told = str(error).replace("$.", "")
                raise UsageError(f"{file}, line {number}: {told}. A line is one JSON object.") from None

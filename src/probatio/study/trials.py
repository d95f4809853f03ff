"""The trials of one run or several, read by DuckDB from the results folder into one table.

Of several grades of one trial the last counts, of several answers the first: a paid answer is never replaced.

Runs of another harness are read as they are. What they do not have (run.json, sample, levels of a later field) is filled with
what it means: there a repeated line is a further sample. Runs are read together only where they asked the same suite.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, get_args

from probatio.errors import UsageError
from probatio.inside import name_of, reader
from probatio.records import UNASKED_ERRORS, TaskType
from probatio.run.record import find_run, read_run
from probatio.store.address import in_place, is_address, read_by, run_at
from probatio.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.store.lines import has_lines
from probatio.store.packed import SUFFIX, ends_torn, packed_of
from probatio.study.findings import RunSeen
from probatio.suite.task_types import KINDS

if TYPE_CHECKING:
    import duckdb

    from probatio.suite.language_suite import Suite

DIFFICULTIES = ("easy", "medium", "hard")

TRIAL_COLUMNS = {
    "task_id": "VARCHAR",
    "model": "VARCHAR",
    "n_shot": "INTEGER",
    "dialect": "VARCHAR",
    "context": "VARCHAR",
    "sample": "INTEGER",
    "attempt": "INTEGER",
}
"""The columns that name a trial and one of its attempts, in grades and in answers."""

_GRADE_COLUMNS = {
    **TRIAL_COLUMNS,
    "level_a": "BOOLEAN",
    "level_b": "BOOLEAN",
    "level_c": "BOOLEAN",
    "correct": "BOOLEAN",
    "error_type": "VARCHAR",
    "error_detail": "VARCHAR",
    "grader_version": "VARCHAR",
    "framework_version": "VARCHAR",
}

_KEY = "run, task_id, model, n_shot, dialect, context"
_OBJECT_BYTES = 1024 * 1024, 64 * 1024 * 1024
"""DuckDB's limit for one line, least and most. Its buffers are as large, so the longest line there is decides."""


@dataclass(slots=True)
class Trials:
    """An open table `trials`, one row per graded trial, with what is known about its runs and its suite."""

    db: duckdb.DuckDBPyConnection
    folders: list[Path]
    runs: list[RunSeen]
    graders: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    order: dict[str, list[str]] = field(
        default_factory=lambda: {"type": list(get_args(TaskType)), "difficulty": list(DIFFICULTIES)}
    )
    suite: Suite | None = None
    files: ExitStack = field(default_factory=ExitStack)  # open as long as the database reads them

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self.db.execute(query, list(parameters)).fetchall()

    def levels(self, axis: str, where: str = "true") -> list[Any]:
        """The levels of an axis that occur: as the run or the suite lists them, numbers by size, anything else by name."""
        levels = [
            row[0] for row in self.rows(f"select distinct {axis} from trials where {where} and {axis} is not null")
        ]
        order = self.order.get(axis, [])
        return sorted(levels, key=lambda level: (order.index(level) if level in order else len(order), level))


def find_results(run: str, results: Path) -> Path:
    """A run by folder, id or address; a folder that only holds another harness's grades will do."""
    if is_address(run):
        return run_at(run)
    folder = Path(run)
    if not (folder / RUN_FILE).exists() and not (results / run / RUN_FILE).exists() and folder.is_dir():
        if has_lines(folder / GRADES):
            return folder
        if has_lines(folder / ANSWERS):
            raise UsageError(
                f"{folder} holds answers but no grades; grade them first: probatio grade {folder / ANSWERS}"
            )
    return find_run(run, results)


@contextmanager
def open_trials(folders: Sequence[Path], suite: Path | Suite | None = None) -> Iterator[Trials]:
    """Read the graded trials of these runs, which must have asked the same suite: the one they recorded, or the one given."""
    import duckdb

    with duckdb.connect() as db:
        db.execute("set threads = 1")  # lines keep their order: the last grade of a trial counts
        # Progress would go to standard output, which belongs to `--json`. In a notebook DuckDB refuses to hear of it where the
        # package that would show it is missing; then there is none to turn off.
        with suppress(duckdb.InvalidInputException):
            db.execute("set enable_progress_bar = false")
        trials = Trials(db, list(folders), [])
        with trials.files:
            _read_grades(trials)
            trials.runs = [
                _run_read(trials, folder, name) for folder, name in zip(folders, run_names(folders), strict=True)
            ]
            _require_one_suite(trials)
            _join_suite(trials, suite)
            yield trials


def run_names(folders: Sequence[Path]) -> list[str]:
    """What a run is called here: its folder's name, made unique where two folders share it."""
    names = [folder.resolve().name for folder in folders]
    return [name if names.count(name) == 1 else str(folder) for name, folder in zip(names, folders, strict=True)]


def stored(folder: Path, name: str) -> Path | str | None:
    """Where the lines of a run are: in the file, packed, or packed at an address; None where there are none."""
    file = folder / name
    if file.exists():
        return file if file.stat().st_size else None
    return packed if (packed := packed_of(file)).exists() else in_place(folder, name)


def lines_table(trials: Trials, files: Sequence[Path | str], columns: dict[str, str]) -> str:
    """These files as a table with these columns. A line that can't be read becomes a row of nulls.

    The database gets files that are open already: by their names it would follow links out of the folder.
    """
    plain = [file for file in files if isinstance(file, Path) and file.suffix != SUFFIX]
    tables = [_json_table(trials, plain, columns)] if plain else []
    tables += [_packed_table(trials, file, columns) for file in files if file not in plain]
    selected = ", ".join(columns)
    return f"({' union all '.join(f'select {selected} from {table}' for table in tables)})"


def _packed_table(trials: Trials, file: Path | str, columns: dict[str, str]) -> str:
    if isinstance(file, Path):
        name = name_of(trials.files.enter_context(reader(file)).fileno(), file)
    else:
        read_by(trials.db, file)
        name = file
    table = f"read_parquet({_quoted(name)})"
    import duckdb

    try:
        there = {row[0] for row in trials.rows(f"describe select * from {table}")}
    except (duckdb.Error, OSError) as error:
        told = (str(error).splitlines() or [""])[0]
        raise UsageError(f"{file} can't be read as a packed file: {told}") from None
    cast = (f"cast({column if column in there else 'null'} as {kind}) as {column}" for column, kind in columns.items())
    return f"(select {', '.join(cast)} from {table})"


def _json_table(trials: Trials, files: Sequence[Path], columns: dict[str, str]) -> str:
    opened = [trials.files.enter_context(reader(file)) for file in files]
    names = (name_of(lines.fileno(), file) for lines, file in zip(opened, files, strict=True))
    size = min(max(_OBJECT_BYTES[0], max(map(_longest_line, opened), default=0) + 1), _OBJECT_BYTES[1])
    return (
        f"read_json([{', '.join(map(_quoted, names))}], format='newline_delimited', columns={columns}, "
        f"ignore_errors=true, maximum_object_size={size})"
    )


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


def _longest_line(lines: BinaryIO) -> int:
    return max(map(len, lines), default=0)


def _read_grades(trials: Trials) -> None:
    trials.db.execute(
        "create table lines (run VARCHAR, line BIGINT, "
        + ", ".join(f"{name} {kind}" for name, kind in _GRADE_COLUMNS.items())
        + ")"
    )
    for folder, name in zip(trials.folders, run_names(trials.folders), strict=True):
        file = stored(folder, GRADES)
        if file is not None:
            source = lines_table(trials, [file], _GRADE_COLUMNS)
            trials.db.execute(f"insert into lines select ?, row_number() over (), * from {source}", [name])
            if not (folder / RUN_FILE).exists():
                trials.db.execute("update lines set sample = null where run = ?", [name])
            _note_unreadable(trials, file, name)
    asked = " and ".join(f"error_type is distinct from '{error}'" for error in sorted(UNASKED_ERRORS))
    trials.db.execute(
        f"""
        create table graded as
        with numbered as (
            select * replace (
                coalesce(dialect, 'latin') as dialect,
                coalesce(level_a, correct) as level_a, coalesce(level_b, correct) as level_b,
                coalesce(level_c, correct) as level_c,
                -- another harness repeats a trial by repeating its line
                coalesce(sample, row_number() over (partition by {_KEY} order by line) - 1) as sample,
                coalesce(attempt, 1) as attempt
            ), {asked} as asked
            from lines where task_id is not null and model is not null and n_shot is not null
                         and context is not null and correct is not null
        )
        -- the last grade counts; a trial keeps its place in the file, that of its first grade
        select * replace (min(line) over (partition by {_KEY}, sample, attempt) as line) from numbered
        qualify row_number() over (partition by {_KEY}, sample, attempt order by numbered.line desc) = 1
        """
    )
    trials.graders = [
        row[0] for row in trials.rows("select distinct coalesce(grader_version, '') from graded order by 1")
    ]


def _note_unreadable(trials: Trials, file: Path | str, name: str) -> None:
    """A torn last line is the mark of a crash and is passed over. Any other line that can't be read gets a note."""
    required = "task_id is null or model is null or n_shot is null or context is null or correct is null"
    (bad,) = trials.rows(f"select count(*) from lines where run = ? and ({required})", [name])[0]
    if bad:
        bad -= _ends_torn(file)
    if bad:
        trials.notes.append(f"{bad} lines of {name}/{GRADES} are not grades and were left out.")


def _ends_torn(file: Path | str) -> bool:
    if isinstance(file, str):
        return False
    if file.suffix == SUFFIX:
        return ends_torn(file)
    with reader(file) as end:
        end.seek(-1, os.SEEK_END)
        return end.read(1) != b"\n"


def run_seen(folder: Path, name: str | None = None) -> RunSeen:
    """What a run of ours says of itself."""
    record = read_run(folder)
    return RunSeen(
        name or folder.resolve().name,
        record.suite_name,
        record.suite_version,
        record.suite_fingerprint,
        record.framework_version,
        record.created,
        record.plan.attempts,
        record.feedback,
    )


def _run_read(trials: Trials, folder: Path, name: str) -> RunSeen:
    if (folder / RUN_FILE).exists():
        record = read_run(folder)
        plan = record.plan
        for axis, levels in (("model", plan.models), ("context", plan.contexts), ("dialect", plan.dialects)):
            known = trials.order.setdefault(axis, [])
            known += [level for level in levels if level not in known]
        return run_seen(folder, name)
    versions = [
        row[0] for row in trials.rows("select distinct framework_version from graded where run = ? order by 1", [name])
    ]
    version = ", ".join(filter(None, versions)) or "unknown"
    return RunSeen(name, "another harness's", None, None, version, None)


def _require_one_suite(trials: Trials) -> None:
    first = trials.runs[0]
    for other in trials.runs[1:]:
        for what, one, two in (
            ("suite", first.suite, other.suite),
            ("suite version", first.suite_version, other.suite_version),
            ("suite fingerprint", first.suite_fingerprint, other.suite_fingerprint),
            ("framework version", first.framework_version, other.framework_version),
        ):
            if one != two:
                raise UsageError(
                    f"{first.run} and {other.run} can't be read together, their {what} differs ({one} and {two}): "
                    "nothing is compared across suite versions."
                )
    if len(trials.runs) > 1 and len(trials.graders) > 1:
        raise UsageError(
            f"The runs were graded by different graders ({', '.join(trials.graders)}); "
            "grade them again with `probatio grade RUN` to bring them together."
        )


def _join_suite(trials: Trials, given: Path | Suite | None) -> None:
    """Type, category and difficulty of each task, from the suite the run recorded."""
    suite = trials.suite = _suite(trials, given) if given is None or isinstance(given, Path) else given
    if suite is not None:
        trials.order["context"] = [*suite.contexts]
        trials.order["dialect"] = [*suite.language.dialects]
    trials.db.execute("create table tasks (task_id VARCHAR, type VARCHAR, category VARCHAR, difficulty VARCHAR)")
    if suite is not None and suite.tasks:
        tasks = suite.tasks.values()
        difficulties = [None if task.difficulty is None else str(task.difficulty) for task in tasks]
        # A list per column: a parameter per value would take seconds and hundreds of megabytes for 20,000 tasks.
        trials.db.execute(
            "insert into tasks select unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
            [
                [task.id for task in tasks],
                [task.type for task in tasks],
                [task.category for task in tasks],
                difficulties,
            ],
        )
    controls = ", ".join(f"'{kind}'" for kind, about in KINDS.items() if about.control)
    # A trial is its first answer; later attempts are studied apart, in attempts.py.
    trials.db.execute(
        f"create table trials as select graded.*, type, category, difficulty, coalesce(type in ({controls}), false) as control "
        "from graded left join tasks using (task_id) where attempt = 1 order by run, line"
    )
    (unknown,) = trials.rows("select count(distinct task_id) from trials where type is null")[0]
    if suite is not None and unknown:
        trials.notes.append(
            f"{unknown} tasks are not in the suite {suite.name}: their type, category and difficulty are not known."
        )


def _suite(trials: Trials, suite_folder: Path | None) -> Suite | None:
    from probatio.suite.language_suite import load_suite
    from probatio.suite.prompt import asked_fingerprint

    folder = trials.folders[0]
    if suite_folder is not None:
        return load_suite(suite_folder)
    if not (folder / RUN_FILE).exists():
        if (folder / "tasks").is_dir():
            return load_suite(folder)
        trials.notes.append(
            "The run does not name its suite: no rates by type, category and difficulty (give --suite)."
        )
        return None
    record = read_run(folder)
    try:
        suite = load_suite(record.suite_folder)
        now = asked_fingerprint(suite, record.grader_version, record.plan.dialects)
    except UsageError as error:
        trials.notes.append(
            f"The suite of the run can't be read, so types, categories and difficulties are missing: {error}"
        )
        return None
    if now != record.suite_fingerprint:
        trials.notes.append(
            f"The suite {suite.name} has changed since the run (fingerprint {record.suite_fingerprint}, now {now}); "
            "types, categories and difficulties are those of today."
        )
    return suite

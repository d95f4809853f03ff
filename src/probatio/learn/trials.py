"""The trials of one run or several, read by DuckDB from the results folder into one table.

Of several grades of one trial the last counts, of several answers the first: a paid answer is never replaced.

Runs of another harness are read as they are. What they do not have (run.json, sample, levels of a later
field) is filled with what it means: there a repeated line is a further sample. Runs are read together only
where they asked the same (alike.py).
"""

from __future__ import annotations

import glob
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, get_args

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import find_name, open_reader
from probatio.core.records import NOT_SCORED, UNASKED_ERRORS, UNKNOWN_DIALECT, TaskType
from probatio.learn.alike import RunSeen, Versions, bring_together
from probatio.learn.database import open_database, quote_text
from probatio.runs.record import read_run
from probatio.runs.store.days import read_day
from probatio.runs.store.layout import ANSWERS, DAY_FILE, GRADES, RUN_FILE
from probatio.runs.store.packed import is_packed_file, longest_line, open_packed, path_of_packed
from probatio.suites.questions import SuiteContent
from probatio.suites.task_types import KINDS

if TYPE_CHECKING:
    import duckdb

    from probatio.suites.language_suite import Suite

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
    "level_a": "BOOLEAN",
    "level_b": "BOOLEAN",
    "level_c": "BOOLEAN",
    "correct": "BOOLEAN",
    "error_type": "VARCHAR",
    "error_detail": "VARCHAR",
    "grader_version": "VARCHAR",
    "framework_version": "VARCHAR",
    "question": "VARCHAR",
    "graded": "VARCHAR",
    "reused": "VARCHAR",
}

_DAY_COLUMNS = {
    "case": "VARCHAR",
    "round": "VARCHAR",
    "use_case": "VARCHAR",
    "breakdown": "STRUCT(use_case VARCHAR)",
}
"""A day's grade names its case and round so; an older one as a trial does, with its use case below."""
_DAY_SELECTED = (
    '* exclude ("case", round, use_case, breakdown) '
    'replace (coalesce(task_id, "case") as task_id, coalesce(context, round) as context), '
    "coalesce(use_case, breakdown.use_case)"
)

_KEY = "run, task_id, model, n_shot, dialect, context"


class AnswerPlace(msgspec.Struct, frozen=True):
    """Which answer of which run."""

    run: str
    task_id: str
    model: str
    n_shot: int
    dialect: str
    context: str
    sample: int


@dataclass(slots=True)
class Trials:
    """An open table `trials`, one row per graded trial, with what is known about its runs and its suite."""

    db: duckdb.DuckDBPyConnection
    folders: dict[str, Path]  # of the runs, by the names they have here
    runs: list[RunSeen]
    content: dict[str, SuiteContent] = field(default_factory=dict)  # run → digests of its suite
    graders: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    order: dict[str, list[str]] = field(
        default_factory=lambda: {"type": list(get_args(TaskType)), "difficulty": list(DIFFICULTIES)}
    )
    suite: Suite | None = None
    files: ExitStack = field(default_factory=ExitStack)  # open as long as the database reads them

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self.db.execute(query, list(parameters)).fetchall()

    def answers(self) -> dict[str, Path]:
        """Run → its file of answers, plain or packed; without runs that kept none."""
        files = {run: find_lines(folder, ANSWERS) for run, folder in self.folders.items()}
        return {run: file for run, file in files.items() if file is not None}

    def levels(self, axis: str, where: str = "true") -> list[Any]:
        """The levels of an axis that occur, in the order of the run or the suite; numbers by size, others by
        name."""
        levels = [
            row[0]
            for row in self.rows(f"select distinct {axis} from trials where {where} and {axis} is not null")
        ]
        order = self.order.get(axis, [])
        return sorted(levels, key=lambda level: (order.index(level) if level in order else len(order), level))


@contextmanager
def open_trials(
    folders: Sequence[Path], suite: Path | Suite | None = None, *, versions: Versions = "pool"
) -> Iterator[Trials]:
    """Read the graded trials of these runs. They must have asked the same suite: the recorded one, or the one
    given."""
    import duckdb

    with open_database(*folders) as db:
        if suite is None or isinstance(suite, Path):
            suite, notes = _find_suite(folders[-1], suite)
        else:
            notes = []
        trials = Trials(db, dict(zip(name_runs(folders), folders, strict=True)), [], suite=suite)
        with trials.files:
            try:
                _read_grades(trials)
            except duckdb.InvalidInputException as error:
                raise _explain_unreadable(folders, error) from None
            trials.runs = [_describe_any_run(trials, folder, name) for name, folder in trials.folders.items()]
            days = any((folder / DAY_FILE).exists() for folder in trials.folders.values())
            trials.notes += bring_together(
                db, trials.runs, trials.content, trials.graders, versions, days=days
            )
            trials.notes += notes
            _join_suite(trials)
            try:
                yield trials
            except duckdb.InvalidInputException as error:
                raise _explain_unreadable(folders, error) from None


def _explain_unreadable(folders: Sequence[Path], error: Exception) -> UsageError:
    """A line that the database refuses as a whole file's fault: one that is nested too deep."""
    why = str(error).partition("\n")[0].removeprefix("Invalid Input Error: ")
    return UsageError(f"{', '.join(map(str, folders))} can't be read: {why}.")


def name_runs(folders: Sequence[Path]) -> list[str]:
    """What a run is called here: its folder's name, made unique where two folders share it."""
    names = [folder.resolve().name for folder in folders]
    return [
        name if names.count(name) == 1 else str(folder) for name, folder in zip(names, folders, strict=True)
    ]


def find_lines(folder: Path, name: str) -> Path | None:
    """The file with the lines of a run, plain or packed; None if there are no lines."""
    file = folder / name
    if file.exists():
        return file if file.stat().st_size else None
    return packed if (packed := path_of_packed(file)).exists() else None


def lines_table(trials: Trials, files: Collection[Path], further: dict[str, str]) -> str:
    """These files as a table with the columns of a trial and further ones. A line that can't be read becomes
    a row of nulls. A line without a dialect is of the one that programs of the suite are written in.
    """
    columns = TRIAL_COLUMNS | further
    size = 1 + max(map(longest_line, files))  # DuckDB's limit for one line; its buffers are as large
    dialect = UNKNOWN_DIALECT if trials.suite is None else trials.suite.language.dialects[0]
    values = {"dialect": f"coalesce(dialect, {quote_text(dialect)}) as dialect"}
    selected = ", ".join(values.get(column, f'"{column}"') for column in columns)
    tables = (
        f"select {selected} from read_json([{', '.join(each)}], format='newline_delimited', "
        f"columns={columns}, ignore_errors=true, maximum_object_size={size}, "
        f"compression='{compression}')"
        for compression, each in name_opened(files, trials.files)
    )
    return f"({' union all '.join(tables)})"


def name_opened(
    files: Iterable[Path], stack: ExitStack, open_file: Callable[[Path], BinaryIO] = open_reader
) -> list[tuple[str, list[str]]]:
    """Open these files, and name them as the database takes them, by their compression. By their own names it
    would follow links out of the folder."""
    names: dict[str, list[str]] = {}
    for file in files:
        opened = stack.enter_context(open_file(file))
        compression = "zstd" if is_packed_file(file) else "none"
        names.setdefault(compression, []).append(quote_text(glob.escape(find_name(opened.fileno(), file))))
    return sorted(names.items())


def open_lines(file: Path) -> AbstractContextManager[Iterable[bytes]]:
    """The lines of a file, plain or packed."""
    return open_packed(file) if is_packed_file(file) else open_reader(file)


def _read_grades(trials: Trials) -> None:
    trials.db.execute(
        "create table lines (run VARCHAR, line BIGINT, "
        + ", ".join(f"{name} {kind}" for name, kind in (TRIAL_COLUMNS | _GRADE_COLUMNS).items())
        + ", use_case VARCHAR)"
    )
    for name, folder in trials.folders.items():
        file = find_lines(folder, GRADES)
        if file is not None:
            is_day = (folder / DAY_FILE).exists()
            source = lines_table(trials, [file], _GRADE_COLUMNS | (_DAY_COLUMNS if is_day else {}))
            columns = _DAY_SELECTED if is_day else "*, null"
            trials.db.execute(
                f"insert into lines select ?, row_number() over (), {columns} from {source}", [name]
            )
            if is_day:  # a sample of a day has no conditions of a trial
                trials.db.execute(
                    "update lines set n_shot = 0, dialect = 'none', context = coalesce(context, 'base') "
                    "where run = ?",
                    [name],
                )
            elif not (folder / RUN_FILE).exists():
                trials.db.execute("update lines set sample = null where run = ?", [name])
            _note_unreadable(trials, file, name)
    asked = " and ".join(f"error_type is distinct from '{error}'" for error in sorted(UNASKED_ERRORS))
    trials.db.execute(
        f"""
        create table graded as
        with numbered as (
            select * replace (
                coalesce(level_a, correct) as level_a, coalesce(level_b, correct) as level_b,
                coalesce(level_c, correct) as level_c,
                -- another harness repeats a trial by repeating its line
                coalesce(sample, row_number() over (partition by {_KEY} order by line) - 1) as sample,
                coalesce(attempt, 1) as attempt
            ), {asked} as asked
            from lines where task_id is not null and model is not null and n_shot is not null
                         and context is not null and correct is not null
                         and error_type is distinct from '{NOT_SCORED}'
        )
        -- the last grade counts; a trial keeps its place in the file, that of its first grade
        select * replace (min(line) over (partition by {_KEY}, sample, attempt) as line) from numbered
        qualify row_number() over (partition by {_KEY}, sample, attempt order by numbered.line desc) = 1
        """
    )
    trials.graders = [
        row[0] for row in trials.rows("select distinct coalesce(grader_version, '') from graded order by 1")
    ]


def _note_unreadable(trials: Trials, file: Path, name: str) -> None:
    """Add a note if lines can't be read. A torn last line is the mark of a crash and is skipped."""
    required = "task_id is null or model is null or n_shot is null or context is null or correct is null"
    (bad,) = trials.rows(f"select count(*) from lines where run = ? and ({required})", [name])[0]
    if bad:
        with open_lines(file) as lines:
            bad -= not deque(lines, maxlen=1)[0].endswith(b"\n")
    if bad:
        trials.notes.append(f"{bad} lines of {name}/{GRADES} are not grades and were left out.")


def describe_run(folder: Path, name: str | None = None) -> RunSeen:
    """What a run of ours says about itself."""
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


def _describe_any_run(trials: Trials, folder: Path, name: str) -> RunSeen:
    if (folder / RUN_FILE).exists():
        record = read_run(folder)
        plan = record.plan
        for axis, levels in (("model", plan.models), ("context", plan.contexts), ("dialect", plan.dialects)):
            known = trials.order.setdefault(axis, [])
            known += [level for level in levels if level not in known]
        if record.content:
            trials.content[name] = record.content
        return describe_run(folder, name)
    if (folder / DAY_FILE).exists():
        day = read_day(folder).record
        return RunSeen(
            name, day.suite, day.suite_version, day.suite_fingerprint, day.grader_version, day.created
        )
    versions = [
        row[0]
        for row in trials.rows(
            "select distinct framework_version from graded where run = ? order by 1", [name]
        )
    ]
    version = ", ".join(filter(None, versions)) or "unknown"
    return RunSeen(name, "another harness's", None, None, version, None)


def _join_suite(trials: Trials) -> None:
    """Type, category and difficulty of each task, from the suite, and what its answers are clustered by: the
    task it is a variant of, or itself. Tables that are made of `trials` inherit it."""
    suite = trials.suite
    if suite is not None:
        trials.order["context"] = [*suite.levels]
        trials.order["dialect"] = [*suite.language.dialects]
    trials.db.execute(
        "create table tasks (task_id VARCHAR, type VARCHAR, category VARCHAR, origin VARCHAR, "
        "difficulty VARCHAR)"
    )
    if suite is not None and suite.tasks:
        tasks = suite.tasks.values()
        difficulties = [None if task.difficulty is None else str(task.difficulty) for task in tasks]
        # A list per column: a parameter per value would take seconds and hundreds of megabytes for 20,000
        # tasks.
        columns = zip(
            *((task.id, task.type, task.category, task.origin or None) for task in tasks), strict=True
        )
        trials.db.execute(
            f"insert into tasks select {', '.join(['unnest(?::VARCHAR[])'] * 5)}",
            [*map(list, columns), difficulties],
        )
    controls = ", ".join(f"'{kind}'" for kind, about in KINDS.items() if about.control)
    # A trial is its first answer; later attempts are studied apart, in attempts.py.
    trials.db.execute(
        "create table trials as select graded.* exclude (use_case), type, difficulty, "
        f"coalesce(category, use_case) as category, coalesce(type in ({controls}), false) as control, "
        "coalesce(origin, task_id) as cluster "
        "from graded left join tasks using (task_id) where attempt = 1 order by run, line"
    )
    (unknown,) = trials.rows("select count(distinct task_id) from trials where type is null")[0]
    if suite is not None and unknown:
        trials.notes.append(
            f"{unknown} tasks are not in the suite {suite.name}: their type, category and difficulty are "
            "not known."
        )


def _find_suite(folder: Path, given: Path | None) -> tuple[Suite | None, list[str]]:
    """The given suite, or the one that the run recorded, and notes about it."""
    from probatio.suites.language_suite import load_suite
    from probatio.suites.prompt import fingerprint_as_asked

    if given is not None:
        return load_suite(given), []
    if not (folder / RUN_FILE).exists():
        if (folder / "tasks").is_dir():
            return load_suite(folder), []
        return None, [
            "The run does not name its suite: no rates by type, category and difficulty (give --suite)."
        ]
    record = read_run(folder)
    try:
        suite = load_suite(record.suite_folder(folder))
        now = fingerprint_as_asked(suite, record.grader_version, record.plan.dialects)
    except UsageError as error:
        said = "The suite of the run can't be read, so types, categories and difficulties are missing"
        return None, [f"{said}: {error}"]
    if now == record.suite_fingerprint:
        return suite, []
    return suite, [
        f"The suite {suite.name} has changed since the run (fingerprint {record.suite_fingerprint}, "
        f"now {now}); types, categories and difficulties are those of today."
    ]

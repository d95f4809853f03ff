"""Functions for notebooks and scripts: ask, grade, read, study, compare, plan, export."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import msgspec

from probatio.core.errors import ProbatioError, Say, UsageError

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow

    from probatio.core.records import Feedback
    from probatio.jail import Choice
    from probatio.learn.compare import Comparison
    from probatio.learn.findings import Study
    from probatio.learn.planning import PowerPlan
    from probatio.runs.engine import Engine, Watcher
    from probatio.runs.notebook import Silent
    from probatio.runs.preparation import PreparedRun
    from probatio.runs.regrade import RegradeReport
    from probatio.runs.session import Ending

Names = str | Sequence[str]
"""One name or several; names may be globs."""
Place = str | Path
Progress = bool | Literal["auto"]
Frame = Literal["duckdb", "pandas", "polars", "arrow"]

_tables = count(1)


class Run(msgspec.Struct, frozen=True):
    """A run as it stands: how many passed, where everything is, and why it stopped if it did."""

    folder: Path
    passed: int
    asked: int  # answered and checked
    errors: int  # could not be asked
    unchecked: int
    total: int
    cost: float  # US dollars, of this call
    seconds: float
    stopped: str | None = None  # None where all trials are done
    analysis: Path | None = None

    @property
    def id(self) -> str:
        return self.folder.name

    def read(self, frame: str = "duckdb", *, answers: bool = False) -> Any:
        """The trials of this run; see `probatio.read`."""
        return read(self.folder, frame=frame, answers=answers)  # type: ignore[call-overload]

    def study(self) -> Study:
        """Study this run; see `probatio.study`."""
        return study(self.folder)

    def __str__(self) -> str:
        share = f" ({100 * self.passed / self.asked:.0f} %)" if self.asked else ""
        rest = f"; stopped: {self.stopped}" if self.stopped else ""
        return f"{self.id}: {self.passed}/{self.asked} passed{share}, ${self.cost:.2f}{rest}"


Which = str | Path | Run
"""A run: its id or folder, or what `run` gave."""


def run(
    suite: Place | None = None,
    models: Names = (),
    *,
    tasks: Names = (),
    categories: Names = (),
    n_shots: int | Sequence[int] | None = None,
    contexts: Names = (),
    dialects: Names = (),
    samples: int = 1,
    attempts: int = 1,
    feedback: Feedback = "diagnostics",
    limit: int | None = None,
    reuse: Names = (),
    run_id: str | None = None,
    results: Place = "results",
    config: Place | None = None,
    max_connections: int | None = None,
    max_cost: float | None = None,
    max_wait: float | None = None,
    yes: bool = False,
    sandbox: Choice = "auto",
    allow_hosts: Names = (),
    progress: Progress = "auto",
) -> Run:
    """Ask models the tasks of a suite, grade the answers and keep everything in `results`, as `probatio
    trial` does.

    `suite` is a folder or the name of a built-in suite, `models` are ids or globs of models.yml (else
    `gguf:PATH`, `openai:NAME`, `openrouter:NAME`). What is not given is as on the command line. Works in a
    notebook, too: there a bar shows how it goes, and the stop button lets answers in flight come home. A run
    that stopped goes on with `probatio.resume`. A run expected to cost more than `confirm_above` of
    models.yml needs `yes=True` or a `max_cost`.
    """
    from probatio.ask.hosts import environment
    from probatio.runs.consent import Consent, agree
    from probatio.runs.notebook import open_progress
    from probatio.runs.preparation import MAX_CONNECTIONS, TrialRequest, prepare

    shown = open_progress(progress)
    request = TrialRequest(
        models=_list(models),
        suite=_path(suite),
        config=_path(config),
        max_connections=max_connections or MAX_CONNECTIONS,
        max_cost=max_cost,
        max_wait=max_wait,
        sandbox=sandbox,
        tasks=_list(tasks),
        categories=_list(categories),
        n_shots=None if n_shots is None else (n_shots,) if isinstance(n_shots, int) else tuple(n_shots),
        contexts=_list(contexts),
        dialects=_list(dialects),
        samples=samples,
        attempts=attempts,
        feedback=feedback,
        limit=limit,
        reuse=_list(reuse),
        run_id=run_id,
    )
    env = environment(_list(allow_hosts))
    prepared = prepare(request, Path(results), env, shown.say)
    agree(prepared, Consent(yes, "Say yes=True to go on, or set a limit with max_cost=."), shown.say)
    return _carry_out(prepared, env, shown)


def resume(
    run: Which,
    *,
    retry_errors: bool = False,
    results: Place = "results",
    models: Names = (),
    config: Place | None = None,
    max_connections: int | None = None,
    max_cost: float | None = None,
    max_wait: float | None = None,
    sandbox: Choice = "auto",
    allow_hosts: Names = (),
    progress: Progress = "auto",
) -> Run:
    """Go on with a run that stopped; what is answered is not asked again. `retry_errors` also repeats failed
    requests. Addresses and keys of its models are those of your models.yml, as on the command line."""
    from probatio.ask.hosts import environment
    from probatio.runs.notebook import open_progress
    from probatio.runs.preparation import prepare_again

    env = environment(_list(allow_hosts))
    shown = open_progress(progress)
    prepared = prepare_again(
        _name(run),
        Path(results),
        env,
        shown.say,
        models=_list(models),
        config=_path(config),
        sandbox=sandbox,
        max_connections=max_connections,
        max_cost=max_cost,
        max_wait=max_wait,
        retry_errors=retry_errors,
    )
    return _carry_out(prepared, env, shown)


def carry_out_trials(
    prepared: PreparedRun, env: Mapping[str, str], show: Callable[[Engine], Watcher], say: Say
) -> tuple[Ending, Path | None]:
    """Do what is left of a run. Gives how it ended, and its analysis if it could be written."""
    from probatio.learn.analysis import write_analysis
    from probatio.learn.search_job import SearchJob
    from probatio.runs.session import carry_out
    from probatio.runs.trials import TrialJob

    folder = prepared.folder
    kind = SearchJob if prepared.record.search else TrialJob
    job = kind(folder, prepared.record, prepared.suite, prepared.kept, retry_errors=prepared.retry_errors)
    ending = carry_out(job, env, show, say)
    try:
        return ending, write_analysis(folder, prepared.suite)
    except (ProbatioError, OSError) as error:  # what was paid for is kept; tables can be made any time
        say(f"The analysis could not be written: {error} Make it later with: probatio study {folder}")
        return ending, None


def list_unfinished(ending: Ending) -> list[str]:
    """Why a run is not complete, in sentences; empty if all of it was asked."""
    reasons = [each.sentence for each in ending.unasked]
    reasons += ending.refused.values()
    reasons += [ending.stop_reason] if ending.stop_reason else []
    rest = ending.tally.total - ending.tally.done
    return reasons or ([f"{rest} trials were not asked."] if rest else [])


def _carry_out(prepared: PreparedRun, env: Mapping[str, str], shown: Silent) -> Run:
    from probatio.runs.notebook import run_apart

    try:
        ending, analysis = run_apart(
            lambda: carry_out_trials(prepared, env, shown.open, shown.say), shown.draw, shown.stop
        )
    finally:
        shown.close()
    tally = ending.tally
    return Run(
        folder=prepared.folder,
        passed=tally.passed,
        asked=tally.passed + tally.failed,
        errors=tally.errors,
        unchecked=tally.unchecked,
        total=tally.total,
        cost=tally.spent,
        seconds=round(ending.seconds, 3),
        stopped=" ".join(list_unfinished(ending)) or None,
        analysis=analysis,
    )


def grade(
    run: Which,
    *,
    suite: Place | None = None,
    out: Place | None = None,
    results: Place = "results",
    sandbox: Choice = "auto",
) -> RegradeReport:
    """Grade the answers of a run again, as `probatio grade` does; no model is called.

    `run` is a run, its id or folder, or a file raw_responses.jsonl of another harness. The report has the
    counts and every grade that changed. The new grades replace those of the run, which are kept next to them;
    `out` writes another file.
    """
    from probatio.runs.notebook import run_apart
    from probatio.runs.regrade import regrade

    return run_apart(lambda: regrade(_name(run), Path(results), _path(suite), _path(out), sandbox))


@overload
def read(
    *runs: Which,
    results: Place = ...,
    suite: Place | None = ...,
    frame: Literal["duckdb"] = ...,
    answers: bool = ...,
) -> duckdb.DuckDBPyRelation: ...
@overload
def read(
    *runs: Which,
    results: Place = ...,
    suite: Place | None = ...,
    frame: Literal["pandas"],
    answers: bool = ...,
) -> pandas.DataFrame: ...
@overload
def read(
    *runs: Which,
    results: Place = ...,
    suite: Place | None = ...,
    frame: Literal["polars"],
    answers: bool = ...,
) -> polars.DataFrame: ...
@overload
def read(
    *runs: Which,
    results: Place = ...,
    suite: Place | None = ...,
    frame: Literal["arrow"],
    answers: bool = ...,
) -> pyarrow.Table: ...
def read(
    *runs: Which,
    results: Place = "results",
    suite: Place | None = None,
    frame: Frame = "duckdb",
    answers: bool = False,
) -> Any:
    """The graded trials of runs that asked the same suite, a row each: the trial, its grade, the task's type
    and difficulty, and tokens, latency and cost of its answer. `answers=True` adds prompt and response.

    A trial that could not be asked has `asked` false and is in no rate; `control` tasks ask nothing about the
    language. The relation is of DuckDB's default connection, so `duckdb.sql("select … from trials")` finds it
    by the name of its variable.
    """
    import duckdb

    from probatio.core.extras import require
    from probatio.learn.answered import trial_rows
    from probatio.learn.database import PARQUET, write_table
    from probatio.learn.trials import open_trials

    named = _find(runs, results)
    if frame not in ("duckdb", "pandas", "polars", "arrow"):
        raise UsageError(f"There is no frame `{frame}`; there are duckdb, pandas, polars and arrow.")
    table = f"probatio_trials_{next(_tables)}"
    with tempfile.TemporaryDirectory(prefix="probatio-") as folder:
        file = Path(folder) / "trials.parquet"
        with open_trials(named, _path(suite)) as trials:
            write_table(trials.db, trial_rows(trials, answers=answers), file, PARQUET)
        duckdb.execute(f"create temp table {table} as select * from read_parquet(?)", [str(file)])
    relation = duckdb.table(table)
    match frame:
        case "pandas":
            require("pandas")
            return relation.df()
        case "polars":
            require("polars", "pyarrow")
            return relation.pl()
        case "arrow":
            require("pyarrow")
            return relation.to_arrow_table()
    return relation


def study(*runs: Which, results: Place = "results", suite: Place | None = None) -> Study:
    """Study runs that asked the same suite: rates with intervals, learning curves, factors, hard tasks.

    Nothing is written and no model is asked; `probatio.export` writes tables and figures.
    """
    from probatio.learn.analysis import study_of

    return study_of(_find(runs, results), _path(suite))


@overload
def compare(a: str, b: str, /, *, results: Place = ..., suite: Place | None = ...) -> Comparison: ...
@overload
def compare(
    a: str,
    b: str,
    c: str,
    /,
    *more: str,
    results: Place = ...,
    suite: Place | None = ...,
    to_first: bool = ...,
) -> list[Comparison]: ...
@overload
def compare(
    run: str, /, *, each: str, results: Place = ..., suite: Place | None = ...
) -> list[Comparison]: ...
def compare(
    *sides: str,
    each: str | None = None,
    results: Place = "results",
    suite: Place | None = None,
    to_first: bool = False,
) -> Comparison | list[Comparison]:
    """Compare sides paired by trial, as `probatio study compare` does: `monday`, `monday:model=gpt-4o`, a
    range of days (`daily:date=2026-10-01..2026-10-07`), or a named baseline.

    Two sides give one comparison; `print` shows it as a sentence. More of them, or one run with
    `each="model"`, give a list whose p-values are corrected together (`p_holm`).
    """
    from probatio.learn.compare import compare_all, list_sides

    where = Path(results)
    chosen = sides if each is None else list_sides(sides[0], each, where, _path(suite))
    compared = compare_all(chosen, where, _path(suite), to_first=to_first)
    return compared[0] if len(sides) == 2 else compared


def power(
    *pilot: str,
    delta: float,
    tasks: int | None = None,
    samples: int | None = None,
    conditions: int | None = None,
    between: str = "model",
    rate: float | None = None,
    chance: float = 80,
    sides: int | None = None,
    to_first: bool = False,
    results: Place = "results",
) -> PowerPlan:
    """The chance that a comparison will show a difference of `delta` points, and how many tasks it takes; see
    `probatio study plan`.

    `pilot` is a run, or two sides as `compare` takes them; without one, `rate` states how often A passes, in
    percent. `sides`: how many will be compared, every two or each with the first, and corrected together.
    """
    from probatio.learn.planning import plan_power

    return plan_power(
        pilot,
        delta=delta,
        results=Path(results),
        between=between,
        tasks=tasks,
        samples=samples,
        conditions=conditions,
        rate=rate,
        chance=chance,
        sides=sides,
        to_first=to_first,
    )


def export(
    *runs: Which,
    out: Place,
    formats: Names = ("latex",),
    figures: Names = (),
    size: str = "column",
    compared: Comparison | Sequence[Comparison] = (),
    results: Place = "results",
    suite: Place | None = None,
) -> list[Path]:
    """Write the study of runs into a folder: tables as latex, csv, parquet, html or bibtex, figures as svg,
    pdf or png.

    `size` is `column` (84 mm) or `page` (174 mm). Comparisons get a table and a figure of their own. Gives
    the files.
    """
    from probatio import __version__
    from probatio.learn.compare import Comparison
    from probatio.learn.exports.study import ExportRequest, export_study

    found = _find(runs, results)
    wanted = ExportRequest(
        study=study(*found, suite=suite),
        framework=__version__,
        formats=_list(formats),  # type: ignore[arg-type]
        figures=_list(figures),  # type: ignore[arg-type]
        size=size,
        compared=(compared,) if isinstance(compared, Comparison) else tuple(compared),
        folders=tuple(found),
        suite=_path(suite),
    )
    return export_study(wanted, Path(out))


def figures(found: Study, compared: Sequence[Comparison] = (), *, size: str = "page") -> dict[str, str]:
    """The pictures of a study as SVG text, by name; a notebook shows one with `IPython.display.SVG`."""
    from probatio.charts.figure import size_of
    from probatio.charts.palette import FIXED
    from probatio.learn.exports.study import draw_figures

    return draw_figures(found, compared, FIXED, size_of(size).pixels, headings=True)


def bibtex(*runs: Which, results: Place = "results") -> str:
    """BibTeX of the suite that these runs asked, in its version, and of Probatio."""
    from probatio import __version__
    from probatio.learn.exports.latex import format_bibtex
    from probatio.learn.trials import open_trials

    with open_trials(_find(runs, results)) as trials:
        return format_bibtex(trials.runs[0], __version__)


def _find(runs: Sequence[Which], results: Place) -> list[Path]:
    """Where these runs are, each once."""
    from probatio.learn.selection import find_folders

    if not runs:
        raise UsageError("Name a run: its id, its folder, or what probatio.run gave.")
    return find_folders(map(_name, runs), Path(results))


def _name(run: Which) -> str:
    return str(run.folder if isinstance(run, Run) else run)


def _path(place: Place | None) -> Path | None:
    return None if place is None else Path(place)


def _list(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)

"""Reading: the trials of runs as a DuckDB relation, or as a frame of pandas, polars or Arrow."""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from probatio.api.asking import Place, Run
from probatio.errors import UsageError
from probatio.extras import require

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow

Frame = Literal["duckdb", "pandas", "polars", "arrow"]

_tables = count(1)


@overload
def read(
    *runs: Place | Run,
    results: Place = ...,
    suite: Place | None = ...,
    frame: Literal["duckdb"] = ...,
    answers: bool = ...,
) -> duckdb.DuckDBPyRelation: ...
@overload
def read(
    *runs: Place | Run, results: Place = ..., suite: Place | None = ..., frame: Literal["pandas"], answers: bool = ...
) -> pandas.DataFrame: ...
@overload
def read(
    *runs: Place | Run, results: Place = ..., suite: Place | None = ..., frame: Literal["polars"], answers: bool = ...
) -> polars.DataFrame: ...
@overload
def read(
    *runs: Place | Run, results: Place = ..., suite: Place | None = ..., frame: Literal["arrow"], answers: bool = ...
) -> pyarrow.Table: ...
def read(
    *runs: Place | Run,
    results: Place = "results",
    suite: Place | None = None,
    frame: Frame = "duckdb",
    answers: bool = False,
) -> Any:
    """The graded trials of runs that asked the same suite, a row each: the trial, its grade, the task's type and difficulty, and
    tokens, latency and cost of its answer. `answers=True` adds prompt and response.

    A trial that could not be asked has `asked` false and is in no rate; `control` tasks ask nothing about the language. The
    relation is of DuckDB's default connection, so `duckdb.sql("select … from trials")` finds it by the name of its variable.
    """
    import duckdb

    from probatio.study.answered import trial_rows
    from probatio.study.trials import open_trials

    named = folders(runs, Path(results))
    if frame not in ("duckdb", "pandas", "polars", "arrow"):
        raise UsageError(f"There is no frame `{frame}`; there are duckdb, pandas, polars and arrow.")
    table = f"probatio_trials_{next(_tables)}"
    with tempfile.TemporaryDirectory(prefix="probatio-") as folder:
        file = f"{folder}/trials.parquet"
        with open_trials(named, None if suite is None else Path(suite)) as trials:
            trials.db.execute(f"copy ({trial_rows(trials, answers=answers)}) to '{file}' (format parquet)")
        quoted = file.replace("'", "''")
        duckdb.execute(f"create temp table {table} as select * from read_parquet('{quoted}')")
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


def folders(runs: tuple[Place | Run, ...], results: Path) -> list[Path]:
    """Where these runs are, each once."""
    from probatio.study.trials import find_results

    if not runs:
        raise UsageError("Name a run: its id, its folder, or what probatio.run gave.")
    found = [run.folder if isinstance(run, Run) else find_results(str(run), results) for run in runs]
    return list({folder.resolve(): folder for folder in found}.values())

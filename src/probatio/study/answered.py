"""Trials with their answers: one row per trial, its grade, its task, and the tokens, cost and texts of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probatio.store.layout import ANSWERS, RUN_FILE
from probatio.study.trials import TRIAL_COLUMNS, Trials, lines_table, open_trials, run_names, stored
from probatio.suite.language_suite import Suite

TRIAL = ("run", "task_id", "model", "n_shot", "dialect", "context", "sample")
GRADED = ("correct", "level_a", "level_b", "level_c", "error_type", "error_detail", "asked")
ABOUT_TASK = ("type", "category", "difficulty", "control")
COUNTED = {
    "tokens_in": "BIGINT",
    "tokens_out": "BIGINT",
    "latency_ms": "DOUBLE",
    "cost": "DOUBLE",
    "finish_reason": "VARCHAR",
    "provider": "VARCHAR",
}
TEXTS = {"prompt": "VARCHAR", "response": "VARCHAR"}


def write_trials(folders: Sequence[Path], suite: Path | Suite | None, target: Path) -> None:
    """Every trial with the counts of its answer, as CSV or Parquet by the name of the file."""
    form = "format parquet" if target.suffix == ".parquet" else "format csv, header"
    quoted = str(target).replace("'", "''")
    with open_trials(folders, suite) as trials:
        trials.db.execute(f"copy ({trial_rows(trials, answers=False)}) to '{quoted}' ({form})")


def trial_rows(trials: Trials, *, answers: bool) -> str:
    """The query for what `read` gives and what an export holds, over open trials."""
    wanted = {**COUNTED, **(TEXTS if answers else {})}
    _read_answers(trials, wanted)
    return (
        f"select {', '.join((*TRIAL, *GRADED, *ABOUT_TASK, *wanted))} from trials "
        f"left join answers using ({', '.join(TRIAL)}) order by run, line"
    )


def _read_answers(trials: Trials, wanted: dict[str, str]) -> None:
    """Make the table `answers`. Of several answers of a trial the first counts; another harness repeats a line for a sample."""
    columns = {**TRIAL_COLUMNS, **wanted}
    kinds = {**{name: TRIAL_COLUMNS.get(name, "VARCHAR") for name in TRIAL}, **wanted}
    trials.db.execute(
        f"create or replace table answers ({', '.join(f'{name} {kind}' for name, kind in kinds.items())})"
    )
    key = "task_id, model, n_shot, dialect, context"
    for folder, name in zip(trials.folders, run_names(trials.folders), strict=True):
        file = stored(folder, ANSWERS)
        if file is None:
            continue
        ours = (folder / RUN_FILE).exists()
        sample = "coalesce(sample, 0)" if ours else f"row_number() over (partition by {key} order by line) - 1"
        trials.db.execute(
            "insert into answers "
            "with lines as ("
            "  select * replace (coalesce(dialect, 'latin') as dialect), row_number() over () as line "
            f"  from {lines_table(trials, [file], columns)}"
            f"), numbered as (select * replace ({sample} as sample) from lines "
            "  where task_id is not null and coalesce(attempt, 1) = 1) "
            f"select ?, {key}, sample, {', '.join(wanted)} from numbered "
            f"qualify row_number() over (partition by {key}, sample order by line) = 1",
            [name],
        )

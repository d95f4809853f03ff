"""Trials with their answers: one row per trial, its grade, its task, and the tokens, cost and texts of its
answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probatio.learn.database import CSV, PARQUET, write_table
from probatio.learn.formulas import select_harmless
from probatio.learn.trials import TRIAL_COLUMNS, Trials, lines_table, open_trials
from probatio.runs.store.layout import RUN_FILE
from probatio.suites.language_suite import Suite

TRIAL = ("run", "task_id", "model", "n_shot", "dialect", "context", "sample")
CONDITION = ", ".join(TRIAL[1:-1])
"""A task and how it was asked: all samples have it in common."""
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
    """Write every trial with the counts of its answer, as CSV or Parquet by the name of the file."""
    with open_trials(folders, suite) as trials:
        rows = trial_rows(trials, answers=False)
        if target.suffix == ".parquet":
            write_table(trials.db, rows, target, PARQUET)
        else:
            write_table(trials.db, select_harmless(trials.db, rows), target, CSV)


def trial_rows(trials: Trials, *, answers: bool) -> str:
    """The query over open trials that `read` and the exports use."""
    wanted = {**COUNTED, **(TEXTS if answers else {})}
    _read_answers(trials, wanted)
    return (
        f"select {', '.join((*TRIAL, *GRADED, *ABOUT_TASK, *wanted))} from trials "
        f"left join answers using ({', '.join(TRIAL)}) order by run, line"
    )


def _read_answers(trials: Trials, wanted: dict[str, str]) -> None:
    """Make the table `answers`."""
    kinds = {**{name: TRIAL_COLUMNS.get(name, "VARCHAR") for name in TRIAL}, **wanted}
    trials.db.execute(
        f"create or replace table answers ({', '.join(f'{name} {kind}' for name, kind in kinds.items())})"
    )
    for run, file in trials.answers().items():
        trials.db.execute(
            f"insert into answers select ?, * from ({first_answers(trials, run, file, wanted)})", [run]
        )


def first_answers(
    trials: Trials, run: str, file: Path, wanted: dict[str, str], where: str = "task_id is not null"
) -> str:
    """A query for one row per trial: its condition, its sample, and what is wanted of its answer. The first
    answer counts; another harness repeats a line for a sample."""
    if (trials.folders[run] / RUN_FILE).exists():
        sample = "coalesce(sample, 0)"
    else:
        sample = f"row_number() over (partition by {CONDITION} order by line) - 1"
    return (
        f"with lines as (select *, row_number() over () as line from {lines_table(trials, [file], wanted)}), "
        f"numbered as (select * replace ({sample} as sample) from lines "
        f"where coalesce(attempt, 1) = 1 and {where}) "
        f"select {CONDITION}, sample, {', '.join(wanted)} from numbered "
        f"qualify row_number() over (partition by {CONDITION}, sample order by line) = 1"
    )

"""The items of runs of `probatio trial`: every task, with its share right by model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probatio.core.errors import UsageError
from probatio.learn.items.measuring import measure_items
from probatio.learn.items.records import Items
from probatio.learn.items.tally import ItemKey, ItemTally
from probatio.learn.trials import Trials, lines_table, open_trials

CONTROLS = "controls"
"""The pool of tasks in the host language: they are no part of learning the language under test."""

_COLUMNS = {"tokens_in": "BIGINT", "tokens_out": "BIGINT", "error": "VARCHAR"}
_BELIEVABLE = "between 0 and 10000000"  # a server may count anything


def measure_runs(folders: Sequence[Path], suite_folder: Path | None = None) -> Items:
    """Every task of runs that asked the same suite, over all conditions."""
    with open_trials(folders, suite_folder) as trials:
        tally = ItemTally(clustered=False)
        first = trials.runs[0]
        for task, model, control, passed, asked in trials.rows(
            "select task_id, model, any_value(control), count(*) filter (correct), count(*) from trials "
            "where asked group by task_id, model order by min(line), task_id, model"
        ):
            tally.add(ItemKey(CONTROLS if control else first.suite, task), model, passed, asked)
        if not tally.counts:
            raise UsageError(f"{', '.join(run.run for run in trials.runs)}: no graded answer to measure.")
        _add_tokens(tally, trials)
        suite = " ".join(filter(None, (first.suite, first.suite_version)))
        return measure_items(tally, "task", ", ".join(run.run for run in trials.runs), suite, trials.notes)


def _add_tokens(tally: ItemTally, trials: Trials) -> None:
    files = list(trials.answers().values())
    if not files:
        return
    for task, model, tokens, answers in trials.rows(
        "select task_id, model, sum(tokens_in + tokens_out), count(*) "
        f"from {lines_table(trials, files, _COLUMNS)} "
        "where task_id is not null and model is not null and error is null and coalesce(attempt, 1) = 1 "
        f"and tokens_in {_BELIEVABLE} and tokens_out {_BELIEVABLE} and tokens_in + tokens_out > 0 "
        "group by 1, 2"
    ):
        tally.add_tokens(task, model, float(tokens), answers)

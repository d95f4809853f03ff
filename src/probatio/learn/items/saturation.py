"""Saturation: which tasks always or never pass, and since when, over the runs of one suite by date."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from probatio.core.errors import UsageError
from probatio.learn.items.records import ENOUGH
from probatio.learn.trials import RunSeen, describe_run, open_trials
from probatio.runs.store.layout import RUN_FILE


class SettledTask(msgspec.Struct, frozen=True):
    """A task that has had the same result since some run, for every model asked."""

    task_id: str
    way: Literal["nobody fails", "nobody passes"]
    since: str | None  # when that run began; None where it does not say
    since_run: str
    runs: int  # that asked the task from there on
    answers: int
    models: tuple[str, ...]
    before_run: str | None  # the last run with the other result for some model; None if there is none
    before: str | None
    before_models: tuple[str, ...] = ()  # who that was


class Saturation(msgspec.Struct, frozen=True):
    """The settled tasks of a suite, and what they were found in."""

    suite: str
    runs: tuple[str, ...]  # oldest first
    tasks: int
    settled: tuple[SettledTask, ...]
    notes: tuple[str, ...] = ()

    def of(self, way: str) -> list[SettledTask]:
        return [one for one in self.settled if one.way == way]


class _ModelCount(NamedTuple):
    model: str
    passed: int
    asked: int


def measure_saturation(folders: Sequence[Path], suite: Path | None = None) -> Saturation:
    """Over runs that asked the same suite. A run that does not say when it began counts as the oldest."""
    with open_trials(folders, suite) as trials:
        runs = sorted(trials.runs, key=lambda run: (run.created or "", run.run))
        counts: dict[str, dict[str, list[_ModelCount]]] = defaultdict(lambda: defaultdict(list))
        for task, run, model, passed, asked in trials.rows(
            "select task_id, run, model, count(*) filter (correct), count(*) from trials "
            "where asked and not control group by all order by all"
        ):
            counts[task][run].append(_ModelCount(model, passed, asked))
        if not counts:
            raise UsageError(f"{', '.join(run.run for run in runs)}: no graded answer to look at.")
        settled = [found for task in sorted(counts) for found in _find_settled(task, runs, counts[task])]
        settled.sort(key=lambda one: (one.way, one.since or "", one.task_id))
        first = runs[0]
        return Saturation(
            " ".join(filter(None, (first.suite, first.suite_version))),
            tuple(run.run for run in runs),
            len(counts),
            tuple(settled),
            tuple(trials.notes),
        )


def _find_settled(
    task: str, runs: Sequence[RunSeen], counts: dict[str, list[_ModelCount]]
) -> list[SettledTask]:
    asked_in = [run for run in runs if run.run in counts]
    last = counts[asked_in[-1].run]
    passed, asked = sum(one.passed for one in last), sum(one.asked for one in last)
    if passed not in (0, asked):
        return []
    fails = passed == asked  # none of them
    others = [
        run
        for run in asked_in
        if any(one.passed < one.asked if fails else one.passed for one in counts[run.run])
    ]
    since = asked_in[asked_in.index(others[-1]) + 1 :] if others else asked_in
    answers = [one for run in since for one in counts[run.run]]
    total = sum(one.asked for one in answers)
    if total < ENOUGH:
        return []
    before = others[-1] if others else None
    by = (
        [one.model for one in counts[before.run] if (one.passed < one.asked if fails else one.passed)]
        if before
        else []
    )
    return [
        SettledTask(
            task_id=task,
            way="nobody fails" if fails else "nobody passes",
            since=since[0].created,
            since_run=since[0].run,
            runs=len(since),
            answers=total,
            models=tuple(dict.fromkeys(one.model for one in answers)),
            before_run=before.run if before else None,
            before=before.created if before else None,
            before_models=tuple(by),
        )
    ]


def find_runs_of_newest_suite(results: Path) -> list[Path]:
    """All runs in the results folder that asked the same suite as the newest run."""
    seen = [(describe_run(file.parent), file.parent) for file in sorted(results.glob(f"*/{RUN_FILE}"))]
    if not seen:
        raise UsageError(f"There is no run under {results}; `probatio trial` makes one.")
    newest = max(seen, key=lambda one: one[0].created or "")[0]
    return [folder for run, folder in seen if run.asked == newest.asked]

"""One results folder, one suite: which suite the days of a folder are of, and what to do with another one."""

from __future__ import annotations

from pathlib import Path

from probatio.core.errors import ProbatioError, UsageError
from probatio.core.inside import list_inside
from probatio.core.records import DayRecord
from probatio.runs.store.days import read_day_record, suite_folder
from probatio.runs.store.layout import DAILY, DAY_FILE
from probatio.suites.daily_suite import read_manifest
from probatio.watch.ledger.ledger import withdrawn_days

BUILT_IN = "daily"
"""The name of the built-in suite, which needs no folder."""


def choose_suite(named: Path | None, results: Path) -> Path | None:
    """The folder of the suite to ask: the one that is named, else that of the newest day. None stands for
    the built-in suite."""
    if named is not None:
        return None if str(named) == BUILT_IN and not named.exists() else named
    newest = find_newest(results)
    return None if newest is None else suite_folder(results, newest)


def require_suite_of(results: Path, chosen: Path | None) -> None:
    """Refuse another suite than the one that the days of this folder are of."""
    newest = find_newest(results)
    if newest is None:
        return
    name = read_manifest(chosen).name
    known = newest.suite_name or _find_name(results, newest)
    if name != known:
        raise UsageError(
            f"The days in {results} are of the suite `{known}`, and this is the suite `{name}`: one results "
            f"folder has one suite. Give this one a folder of its own (--results DIR), or begin a new series "
            f"of `{name}` here, for which all baselines start again: --new-series."
        )


def find_newest(results: Path) -> DayRecord | None:
    """The record of the newest day that was not withdrawn, closed or not."""
    withdrawn = withdrawn_days(results)
    every = list_inside(results / DAILY, f"????-??-??/{DAY_FILE}", results)
    files = [path for path in every if path.parent.name not in withdrawn]
    return read_day_record(files[-1], results) if files else None


def _find_name(results: Path, record: DayRecord) -> str:
    """The name of a recorded suite in days older than their field for it: from its manifest, else its
    folder's."""
    try:
        return read_manifest(suite_folder(results, record)).name
    except (ProbatioError, OSError):
        return Path(record.suite).name


def find_unfinished(results: Path, closed: str) -> str | None:
    """The newest day that was begun after the last closed one and is not complete."""
    newest = find_newest(results)
    return newest.date if newest is not None and newest.date > closed else None

"""Headroom of a suite, measured on named runs, or on the runs and days of it in the results folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from probatio.core.errors import ProbatioError, UsageError
from probatio.learn.items.of_days import DAYS, measure_days
from probatio.learn.items.of_runs import measure_runs
from probatio.learn.selection import find_folders
from probatio.runs.record import RunRecord, read_run
from probatio.runs.store.days import last_days
from probatio.runs.store.layout import GRADES, RUN_FILE
from probatio.runs.store.lines import has_lines
from probatio.suites.language_suite import Suite, find_suite_folder, load_suite
from probatio.suites.prompt import fingerprint_as_asked
from probatio.watch.ledger.ledger import withdrawn_days


class Headroom(msgspec.Struct, frozen=True):
    """Where the pools of a suite can tell nothing, as measured."""

    runs: tuple[str, ...]
    models: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()


def measure_headroom(which: Path | str, runs: Sequence[str], results: Path) -> Headroom | None:
    """Measure on the named runs; else on stored runs of the suite as it is, or None if there are none."""
    folder = find_suite_folder(which)
    suite = load_suite(folder)
    if not runs:
        stored = _find_runs(suite, results)
        try:
            return _measure(stored, folder, ()) if stored else None
        except ProbatioError:  # not named by the user: that they don't fit together is no fault of the suite
            return None
    folders = find_folders(runs, results)
    return _measure(folders, folder, tuple(_differences(suite, folders)))


def headroom_of_days(fingerprint: str, results: Path) -> Headroom | None:
    """Measure a daily suite on the last days; None if the newest of them asked another suite."""
    try:
        withdrawn = withdrawn_days(results)
        chosen, _ = last_days(results, 1, DAYS, withdrawn)
        if not chosen or chosen[-1].record.suite_fingerprint != fingerprint:
            return None
        found = measure_days(results, DAYS, withdrawn=withdrawn)
    except ProbatioError:  # not named by the user: that they can't be read is no fault of the suite
        return None
    warnings = tuple(warning for pool in found.pools for warning in pool.warnings)
    return Headroom((found.source,), found.models, warnings, tuple(found.notes))


def format_headroom(headroom: Headroom | None) -> Iterator[str]:
    if headroom is None:
        return
    models = f"{len(headroom.models)} model{'s' if len(headroom.models) != 1 else ''}"
    yield f"Headroom, measured on {', '.join(headroom.runs)} ({models}):"
    yield from (f"  Note: {note}" for note in headroom.notes)
    yield from (f"  Warning: {warning}" for warning in headroom.warnings)
    if not headroom.warnings:
        yield "  No pool is exhausted, and no task is too easy or too hard for all."


def _measure(folders: Sequence[Path], folder: Path, notes: tuple[str, ...]) -> Headroom:
    found = measure_runs(folders, folder)
    warnings = tuple(warning for pool in found.pools for warning in pool.warnings)
    return Headroom(tuple(each.resolve().name for each in folders), found.models, warnings, notes)


def _differences(suite: Suite, folders: Sequence[Path]) -> Iterator[str]:
    for folder in folders:
        if not (folder / RUN_FILE).exists():
            continue
        record = read_run(folder)
        if record.suite_name != suite.name:
            raise UsageError(
                f"{folder} asked the suite {record.suite_name}, not {suite.name}; name a run of {suite.name}."
            )
        if not _is_current(suite, record):
            yield (
                f"{folder.resolve().name} asked another version of {suite.name} "
                f"(fingerprint {record.suite_fingerprint})."
            )


def _find_runs(suite: Suite, results: Path) -> list[Path]:
    """Every run of the suite as it is now."""
    found = []
    for file in sorted(results.glob(f"*/{RUN_FILE}")):
        try:
            record = read_run(file.parent)
        except (ProbatioError, OSError):
            continue
        same = (record.suite_name, record.suite_version) == (suite.name, suite.version)
        if same and has_lines(file.parent / GRADES) and _is_current(suite, record):
            found.append(file.parent)
    return found


def _is_current(suite: Suite, record: RunRecord) -> bool:
    try:
        return record.suite_fingerprint == fingerprint_as_asked(suite, record.grader_version)
    except ProbatioError:  # a context that can't be filled in; the proofs say which
        return False

"""What runs and days say about a suite's headroom: the runs that are named, or what the results folder has of it as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from probatio.errors import ProbatioError, UsageError
from probatio.items.of_days import DAYS, items_of_days
from probatio.items.of_runs import items_of_runs
from probatio.run.record import RunRecord, read_run
from probatio.store.days import last_days
from probatio.store.layout import GRADES, RUN_FILE
from probatio.store.lines import has_lines
from probatio.study.trials import find_results
from probatio.suite.language_suite import Suite, load_suite, suite_folder
from probatio.suite.prompt import asked_fingerprint


class Headroom(msgspec.Struct, frozen=True):
    """Where the pools of a suite can tell nothing, as measured."""

    runs: tuple[str, ...]
    models: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()


def measured_headroom(which: Path | str, runs: Sequence[str], results: Path) -> Headroom | None:
    """From the runs that are named; else from stored ones, and None where there are none that fit."""
    folder = suite_folder(which)
    suite = load_suite(folder)
    if not runs:
        stored = _stored(suite, results)
        try:
            return _headroom(stored, folder, ()) if stored else None
        except ProbatioError:  # nobody named them: runs that can't be read together are no fault of the suite
            return None
    folders = list({found.resolve(): found for run in runs for found in [find_results(run, results)]}.values())
    return _headroom(folders, folder, tuple(_differences(suite, folders)))


def headroom_of_days(fingerprint: str, results: Path) -> Headroom | None:
    """Of a daily suite, from the last days in the results folder; None where the newest of them asked another suite."""
    try:
        chosen, _ = last_days(results, 1, DAYS)
        if not chosen or chosen[-1].record.suite_fingerprint != fingerprint:
            return None
        found = items_of_days(results, DAYS)
    except ProbatioError:  # nobody named them: days that can't be read are no fault of the suite
        return None
    warnings = tuple(warning for pool in found.pools for warning in pool.warnings)
    return Headroom((found.source,), found.models, warnings, tuple(found.notes))


def headroom_lines(headroom: Headroom | None) -> Iterator[str]:
    if headroom is None:
        return
    models = f"{len(headroom.models)} model{'s' if len(headroom.models) != 1 else ''}"
    yield f"Headroom, measured on {', '.join(headroom.runs)} ({models}):"
    yield from (f"  Note: {note}" for note in headroom.notes)
    yield from (f"  Warning: {warning}" for warning in headroom.warnings)
    if not headroom.warnings:
        yield "  No pool is exhausted, and no task is too easy or too hard for all."


def _headroom(folders: Sequence[Path], folder: Path, notes: tuple[str, ...]) -> Headroom:
    found = items_of_runs(folders, folder)
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
        if not _asked_as_it_is(suite, record):
            yield f"{folder.resolve().name} asked another version of {suite.name} (fingerprint {record.suite_fingerprint})."


def _stored(suite: Suite, results: Path) -> list[Path]:
    """Every run of the suite as it is now."""
    found = []
    for file in sorted(results.glob(f"*/{RUN_FILE}")):
        try:
            record = read_run(file.parent)
        except (ProbatioError, OSError):
            continue
        same = (record.suite_name, record.suite_version) == (suite.name, suite.version)
        if same and has_lines(file.parent / GRADES) and _asked_as_it_is(suite, record):
            found.append(file.parent)
    return found


def _asked_as_it_is(suite: Suite, record: RunRecord) -> bool:
    try:
        return record.suite_fingerprint == asked_fingerprint(suite, record.grader_version)
    except ProbatioError:  # a context that can't be filled in; the proofs say which
        return False

"""The suites that the records of a results folder name and that this machine does not know."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from probatio.core.errors import ProbatioError
from probatio.core.trust import TrustRequest, Untrusted, require_known
from probatio.runs.record import read_run
from probatio.runs.store.days import read_records
from probatio.runs.store.layout import RUN_FILE


def find_unknown_suites(results: Path) -> list[TrustRequest]:
    """Each of them once, in the order of its folder's name. What can't be read asks for nothing."""
    found: dict[Path, None] = {}
    for named in _list_named(results):
        try:
            require_known(named, results)
        except Untrusted:
            found[named.resolve()] = None
    return [TrustRequest("suite", str(path), str(results.resolve())) for path in sorted(found)]


def _list_named(results: Path) -> Iterator[Path]:
    for file in sorted(results.glob(f"*/{RUN_FILE}")):
        try:
            record = read_run(file.parent)
        except (ProbatioError, OSError):
            continue
        if os.sep in record.suite:
            yield Path(record.suite)
    yield from (results / record.suite for record in read_records(results) if os.sep in record.suite)

"""Grading stored answers again, from Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from probatio.api.asking import Place, Run
from probatio.sandbox import Choice

if TYPE_CHECKING:
    from probatio.run.regrade import Report


def grade(
    run: Place | Run,
    *,
    suite: Place | None = None,
    out: Place | None = None,
    results: Place = "results",
    sandbox: Choice = "auto",
) -> Report:
    """Grade the answers of a run again, as `probatio grade` does; no model is called.

    `run` is a run, its id or folder, or a file raw_responses.jsonl of another harness. The report has the counts and every
    grade that changed. The new grades replace those of the run, which are kept beside them; `out` writes another file instead.
    """
    from probatio.api.apart import apart
    from probatio.run.regrade import regrade

    named = str(run.folder if isinstance(run, Run) else run)
    return apart(
        lambda: regrade(
            named, Path(results), None if suite is None else Path(suite), None if out is None else Path(out), sandbox
        )
    )

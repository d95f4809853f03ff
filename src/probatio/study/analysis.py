"""`analysis.md`: the computed tables of a run, read by DuckDB from its graded results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from probatio.run.journal import GRADED
from probatio.run.runfile import read_run
from probatio.study.intervals import wilson

AXES = (("Model", "model"), ("Context", "context"), ("N-shot", "n_shot"), ("Dialect", "dialect"), ("Task", "task_id"))

_COLUMNS = {
    "model": "VARCHAR",
    "context": "VARCHAR",
    "n_shot": "INTEGER",
    "dialect": "VARCHAR",
    "task_id": "VARCHAR",
    "correct": "BOOLEAN",
    "error_type": "VARCHAR",
}


def write_analysis(folder: Path) -> Path:
    """Write the analysis beside the results it is computed from."""
    target = folder / "analysis.md"
    target.write_text(analysis(folder), encoding="utf-8")
    return target


def analysis(folder: Path) -> str:
    """Rates with Wilson intervals by each axis; trials that could not be asked are counted apart."""
    record = read_run(folder)
    head = [
        f"# Run {record.run_id}",
        "",
        f"Suite {record.suite_name} {record.suite_version or ''} · framework {record.framework_version} · "
        f"grader {record.grader_version} · {record.created}",
    ]
    graded = folder / GRADED
    if not graded.exists() or not graded.stat().st_size:
        return "\n".join([*head, "", "No answer has been graded yet.", ""])
    import duckdb

    with duckdb.connect() as db:
        db.execute(
            "create table grades as "
            f"select * from read_json(?, format='newline_delimited', columns={_COLUMNS}, ignore_errors=true)",
            [str(graded)],
        )
        sections = [_rates(db, title, column) for title, column in AXES]
        return "\n".join([*head, "", *sections, _errors(db)])


def _rates(db: Any, title: str, column: str) -> str:
    rows = db.execute(
        f"select {column}, count(*) filter (correct), count(*) filter (error_type is distinct from 'api_error'), "
        f"count(*) filter (error_type = 'api_error') from grades group by 1 order by 1"
    ).fetchall()
    lines = [
        f"## {title}",
        "",
        f"| {title.lower()} | passed | rate | 95 % interval | not asked |",
        "|---|---|---|---|---|",
    ]
    for name, passed, asked, errors in rows:
        low, high = wilson(passed, asked)
        rate = f"{100 * passed / asked:.0f} %" if asked else "–"
        lines.append(f"| {name} | {passed}/{asked} | {rate} | {100 * low:.0f}–{100 * high:.0f} % | {errors} |")
    return "\n".join([*lines, ""])


def _errors(db: Any) -> str:
    rows = db.execute(
        "select error_type, count(*) from grades where error_type is not null group by 1 order by 2 desc, 1"
    ).fetchall()
    if not rows:
        return "## Errors\n\nNone.\n"
    return "\n".join(
        ["## Errors", "", "| error | trials |", "|---|---|", *(f"| {kind} | {count} |" for kind, count in rows), ""]
    )

"""Downloads: every table as CSV and Parquet, written by DuckDB from the records; raw JSONL as it is."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import msgspec

from probatio.core.errors import ProbatioError
from probatio.core.files import replacement
from probatio.core.inside import open_reader
from probatio.learn.database import CSV, PARQUET, open_database, write_table
from probatio.learn.formulas import select_harmless
from probatio.learn.trials import find_lines, name_opened
from probatio.runs.store.layout import ANSWERS, DAILY, GRADES, SCORES
from probatio.runs.store.lines import has_lines
from probatio.runs.store.packed import longest_line, path_of_packed, read_packed
from probatio.site.api import OPERATIONS
from probatio.site.pages.days import public_files
from probatio.site.paging import find_year, years_of
from probatio.site.rendering import CSV as CSV_TYPE
from probatio.site.rendering import NoPage, PageReply, PageRequest, html, scrub
from probatio.site.snapshot import Site
from probatio.watch.ledger.ledger import ledger_path

JSONL = "application/x-ndjson"
_OBJECT_BYTES = 16 * 1024 * 1024
"""DuckDB's own limit for one line."""
_UNREADABLE = (duckdb.Error, ProbatioError, OSError)
_log = logging.getLogger("probatio.site")
_KINDS = {"csv": CSV_TYPE, "parquet": "application/vnd.apache.parquet"}


def _verdicts(site: Site) -> Iterator[dict[str, Any]]:
    for model in site.tracked.values():
        for verdict in model.verdicts:
            row = msgspec.to_builtins(verdict)
            del row["use_cases"]
            accepted = f"{verdict.accepted.by}: {verdict.accepted.why}" if verdict.accepted else None
            yield row | {
                "named": ", ".join(verdict.named),
                "collapsed": ", ".join(verdict.collapsed),
                "symptoms": "; ".join(verdict.symptoms),
                "accepted": accepted,
                "changed_route": verdict.changed_route.note if verdict.changed_route else None,
            }


def _use_case_verdicts(site: Site) -> Iterator[dict[str, Any]]:
    for model in site.tracked.values():
        for verdict in model.verdicts:
            for each in verdict.use_cases:
                row = msgspec.to_builtins(each) | {"fired": ", ".join(each.fired)}
                yield {"date": verdict.date, "model": verdict.model, **row}


def _bench(site: Site) -> Iterator[dict[str, Any]]:
    for model in site.bench.models if site.bench else ():
        for part, figure in model.figures.items():
            yield {"model": model.names[0], "part": part, **msgspec.to_builtins(figure)}


COMPUTED: dict[str, Callable[[Site], Iterable[dict[str, Any]]]] = {
    "verdicts": _verdicts,
    "use_case_verdicts": _use_case_verdicts,
    "changes": lambda site: map(msgspec.to_builtins, site.changes),
    "bench": _bench,
}
"""Tables computed from the snapshot."""


def _find_files(folders: Iterable[Path], name: str) -> list[Path]:
    return [file for folder in folders if (file := find_lines(folder, name)) is not None]


RECORDED: dict[str, Callable[[Site], list[Path]]] = {
    "scores": lambda site: _find_files((site.results / DAILY / date for date in site.records), SCORES),
    "trials": lambda site: _find_files((run.folder for run in site.runs.values()), GRADES),
    "answers": lambda site: _find_files((run.folder for run in site.runs.values()), ANSWERS),
}
"""Tables that are files of the results folder."""


PARQUET_ONLY = frozenset({"answers"})
"""Tables of long texts: as CSV one is as large as the raw files, which are next to it."""


RECENT = 14
"""Days whose files are listed at once; the earlier ones are folded."""


def open_file(site: Site, file: Path) -> BinaryIO:
    """Open a file for a reader: one inside the results folder, or one that we wrote ourselves."""
    return open_reader(file, site.results if file.is_relative_to(site.results) else None)


def page(request: PageRequest) -> PageReply:
    """Every table and file. Files of days are those of one calendar year."""
    site = request.site
    year, years = find_year(request, site.records)
    return html(
        request,
        "downloads.html",
        operations=OPERATIONS,
        tables={name: formats(name) for name in (*RECORDED, *COMPUTED) if _has_rows(site, name)},
        has_ledger=ledger_path(site.results).exists(),
        dates=[date for date in reversed(site.records) if date.startswith(year)],
        year=year,
        years=years,
        recent=RECENT,
    )


def every_earlier_year(site: Site) -> Iterator[dict[str, str]]:
    for year in years_of(site.records)[:-1]:
        yield {"year": year}


def table(request: PageRequest) -> PageReply:
    site, name, kind = request.site, request.names["table"], request.names["format"]
    if not _has_rows(site, name) or kind not in formats(name):
        raise NoPage
    target = Path(site.scratch.name) / f"{name}.{kind}"
    with site.lock:
        if not target.exists():
            _write(site, name, target)
    return PageReply(kind=_KINDS[kind], file=target)


def every_table(site: Site) -> Iterator[dict[str, str]]:
    for name in (*RECORDED, *COMPUTED):
        if _has_rows(site, name):
            for kind in formats(name):
                yield {"table": name, "format": kind}


def day_file(request: PageRequest) -> PageReply:
    date, name = request.names["date"], request.names["file"]
    if date not in request.site.records or name not in public_files(request.site, date):
        raise NoPage
    return PageReply(kind=JSONL, file=request.site.results / DAILY / date / name)


def ledger(request: PageRequest) -> PageReply:
    path = ledger_path(request.site.results)
    if not path.is_file():
        raise NoPage
    return PageReply(kind=JSONL, file=path)


def every_ledger(site: Site) -> Iterator[dict[str, str]]:
    if ledger_path(site.results).is_file():
        yield {}


def run_file(request: PageRequest) -> PageReply:
    run, name = request.run, request.names["file"]
    if name not in (ANSWERS, GRADES) or not has_lines(run.folder / name):
        raise NoPage
    if (run.folder / name).is_file():
        return PageReply(kind=JSONL, file=run.folder / name)
    target = Path(request.site.scratch.name) / f"{run.name}.{name}"  # packed: its lines as they stood
    with request.site.lock:
        if not target.exists():
            with replacement(target) as part, part.open("wb") as file:
                file.writelines(read_packed(path_of_packed(run.folder / name), request.site.results))
    return PageReply(kind=JSONL, file=target)


def every_run_file(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for name in (ANSWERS, GRADES):
            if has_lines(run.folder / name):
                yield {"run": run.name, "file": name}


def formats(name: str) -> tuple[str, ...]:
    """The formats that a table is given in."""
    return ("parquet",) if name in PARQUET_ONLY else tuple(_KINDS)


def _has_rows(site: Site, name: str) -> bool:
    if name in RECORDED:
        return bool(RECORDED[name](site))
    return name in COMPUTED and next(iter(COMPUTED[name](site)), None) is not None


def _write(site: Site, name: str, target: Path) -> None:
    if name in RECORDED:
        files = RECORDED[name](site)
    else:
        files = [Path(site.scratch.name) / f"{name}.jsonl"]
        if not files[0].exists():
            with files[0].open("wb") as file:
                for row in COMPUTED[name](site):
                    file.write(scrub(msgspec.json.encode(row).decode()).encode() + b"\n")
    try:
        _write_lines(site, files, target)
    except _UNREADABLE:  # one broken file must not cost the others their table
        readable = [file for file in files if _is_readable(site, file, name)]
        if not readable:
            raise NoPage from None
        try:
            _write_lines(site, readable, target)
        except _UNREADABLE as error:
            _log.warning("There is no table `%s`: %s", name, str(error).partition("\n")[0])
            raise NoPage from None


def _write_lines(site: Site, files: Sequence[Path], target: Path | None) -> None:
    """Write the lines of files as one table; without a target, only read them."""
    size = max(_OBJECT_BYTES, *(1 + longest_line(file) for file in files))
    with open_database(site.results, Path(site.scratch.name)) as db, ExitStack() as sources:
        rows = " union all by name ".join(
            f"select * from read_json([{', '.join(each)}], format='newline_delimited', union_by_name=true, "
            f"ignore_errors=true, records=true, sample_size=20000, maximum_object_size={size}, "
            f"compression='{compression}')"
            for compression, each in name_opened(files, sources, partial(open_file, site))
        )
        if target is None:
            db.execute(f"create table tried as {rows}")
        elif target.suffix == ".csv":
            write_table(db, select_harmless(db, rows), target, CSV)
        else:
            write_table(db, rows, target, f"{PARQUET}, compression zstd")


def _is_readable(site: Site, file: Path, name: str) -> bool:
    try:
        _write_lines(site, [file], None)
    except _UNREADABLE as error:
        why = str(error).partition("\n")[0]
        _log.warning("%s is left out of the table `%s`: %s", file, name, why)
        return False
    return True

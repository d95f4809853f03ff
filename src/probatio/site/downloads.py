"""Downloads: every table as CSV and Parquet, written by DuckDB from the records; raw JSONL as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from probatio.inside import name_of, reader
from probatio.ledger.ledger import ledger_path
from probatio.site.day_pages import PUBLIC_FILES
from probatio.site.rendering import PageReply, PageRequest, html, scrubbed
from probatio.site.snapshot import Site
from probatio.store.files import replacement
from probatio.store.layout import ANSWERS, DAILY, GRADES, SCORES
from probatio.store.lines import has_lines
from probatio.store.packed import BYTES, OFFSET, SUFFIX, VERBATIM, packed_lines, packed_of

JSONL = "application/x-ndjson"
_KINDS = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}


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
            }


def _use_case_verdicts(site: Site) -> Iterator[dict[str, Any]]:
    for model in site.tracked.values():
        for verdict in model.verdicts:
            for each in verdict.use_cases:
                row = msgspec.to_builtins(each) | {"fired": ", ".join(each.fired)}
                yield {"date": verdict.date, "model": verdict.model, **row}


def _changes(site: Site) -> Iterator[dict[str, Any]]:
    for change in site.changes:
        yield msgspec.to_builtins(change)


def _bench(site: Site) -> Iterator[dict[str, Any]]:
    for model in site.bench.models if site.bench else ():
        for part, figure in model.figures.items():
            yield {"model": model.names[0], "part": part, **msgspec.to_builtins(figure)}


COMPUTED: dict[str, Callable[[Site], Iterable[dict[str, Any]]]] = {
    "verdicts": _verdicts,
    "use_case_verdicts": _use_case_verdicts,
    "changes": _changes,
    "bench": _bench,
}
"""Tables computed from the snapshot."""


def _lines_of(folder: Path, name: str) -> Path:
    """A run's file, or its packed form where only that is there."""
    file = folder / name
    return packed_of(file) if not file.exists() and packed_of(file).exists() else file


RECORDED: dict[str, Callable[[Site], list[Path]]] = {
    "scores": lambda site: [site.results / DAILY / date / SCORES for date in site.records],
    "trials": lambda site: [_lines_of(run.folder, GRADES) for run in site.runs.values()],
    "answers": lambda site: [_lines_of(run.folder, ANSWERS) for run in site.runs.values()],
}
"""Tables that are files of the results folder."""


PARQUET_ONLY = frozenset({"answers"})
"""Tables of long texts: as CSV one is as large as the raw files, which are there beside it."""


def opened(site: Site, file: Path) -> BinaryIO:
    """A file that a page hands out: one of the results folder, which it must not lead out of, or one we wrote ourselves."""
    return reader(file, site.results if file.is_relative_to(site.results) else None)


def page(request: PageRequest) -> PageReply | None:
    """Every table and file; of the days those of one calendar year, the last where the address names none."""
    site = request.site
    years = years_of(site)
    year = request.names.get("year", years[-1] if years else "")
    if "year" in request.names and year not in years[:-1]:
        return None
    return html(
        request,
        "downloads.html",
        tables={name: formats(name) for name in (*RECORDED, *COMPUTED) if _has_rows(site, name)},
        has_ledger=ledger_path(site.results).exists(),
        dates=[date for date in reversed(site.records) if date.startswith(year)],
        year=year,
        years=years,
    )


def years_of(site: Site) -> list[str]:
    """The calendar years with a recorded day, oldest first."""
    return list(dict.fromkeys(date[:4] for date in site.records))


def every_earlier_year(site: Site) -> Iterator[dict[str, str]]:
    for year in years_of(site)[:-1]:
        yield {"year": year}


def table(request: PageRequest) -> PageReply | None:
    site, name, kind = request.site, request.names["table"], request.names["format"]
    if not _has_rows(site, name) or kind not in formats(name):
        return None
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


def day_file(request: PageRequest) -> PageReply | None:
    date, name = request.names["date"], request.names["file"]
    path = request.site.results / DAILY / date / name
    return (
        PageReply(kind=JSONL, file=path)
        if name in PUBLIC_FILES and date in request.site.records and path.is_file()
        else None
    )


def ledger(request: PageRequest) -> PageReply | None:
    path = ledger_path(request.site.results)
    return PageReply(kind=JSONL, file=path) if path.is_file() else None


def every_ledger(site: Site) -> Iterator[dict[str, str]]:
    if ledger_path(site.results).is_file():
        yield {}


def run_file(request: PageRequest) -> PageReply | None:
    run, name = request.run, request.names["file"]
    if run is None or name not in (ANSWERS, GRADES) or not has_lines(run.folder / name):
        return None
    if (run.folder / name).is_file():
        return PageReply(kind=JSONL, file=run.folder / name)
    target = Path(request.site.scratch.name) / f"{run.name}.{name}"  # packed: its lines as they stood
    with request.site.lock:
        if not target.exists():
            with replacement(target) as part, part.open("wb") as file:
                file.writelines(packed_lines(packed_of(run.folder / name), request.site.results))
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
        return any(path.exists() and path.stat().st_size for path in RECORDED[name](site))
    return name in COMPUTED and next(iter(COMPUTED[name](site)), None) is not None


def _write(site: Site, name: str, target: Path) -> None:
    import duckdb

    if name in RECORDED:
        files = [path for path in RECORDED[name](site) if path.exists() and path.stat().st_size]
    else:
        files = [Path(site.scratch.name) / f"{name}.jsonl"]
        if not files[0].exists():
            _write_lines(files[0], COMPUTED[name](site))
    with duckdb.connect() as db, ExitStack() as sources:
        # Files that are open already: by their names the database would follow links out of the folder.
        handles = [sources.enter_context(opened(site, path)) for path in files]
        names = (name_of(handle.fileno(), path) for handle, path in zip(handles, files, strict=True))
        quoted = ["'" + name.replace("'", "''") + "'" for name in names]
        db.execute("set threads = 1")
        db.execute("set enable_progress_bar = false")  # it would go to standard output, which belongs to `--json`
        packed = [name for name, path in zip(quoted, files, strict=True) if path.suffix == SUFFIX]
        lines = [name for name in quoted if name not in packed]
        tables = [
            f"from read_json([{', '.join(lines)}], format='newline_delimited', union_by_name=true, ignore_errors=true, "
            "sample_size=20000)"
        ] * bool(lines) + [
            f"from (select * exclude ({OFFSET}, {VERBATIM}, {BYTES}) from read_parquet([{', '.join(packed)}], "
            "union_by_name=true))"
        ] * bool(packed)
        source = f"({' union all by name '.join(tables)})"
        columns = db.execute(f"describe select * from {source}").fetchall()
        csv = target.suffix == ".csv"
        chosen = ", ".join(_column(column, kind, csv) for column, kind, *_ in columns)
        part = target.with_suffix(target.suffix + ".part")
        how = "format csv, header" if csv else "format parquet, compression zstd"
        db.execute(f"copy (select {chosen} from {source}) to '{str(part).replace(chr(39), chr(39) * 2)}' ({how})")
    part.replace(target)


def _column(name: str, kind: str, csv: bool) -> str:
    """A column as it is; in CSV a text that a spreadsheet would run as a formula gets an apostrophe before it."""
    quoted = '"' + name.replace('"', '""') + '"'
    if not csv or kind in ("BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP"):
        return quoted
    text = f"cast({quoted} as varchar)"
    return f"case when regexp_matches({text}, '^[=+\\-@\\t\\r]') then '''' || {text} else {text} end as {quoted}"


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        for row in rows:
            file.write(scrubbed(encoder.encode(row).decode()).encode() + b"\n")

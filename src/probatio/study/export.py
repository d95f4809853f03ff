"""Export: a study as LaTeX, CSV, Parquet, HTML or BibTeX, with its figures as SVG, PDF and PNG."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Literal, get_args

import msgspec

from probatio.charts.figure import FigureFormat, Size, size_of, write_figure
from probatio.charts.palette import FIXED, ON_PAGE, Theme
from probatio.errors import UsageError
from probatio.store.files import put
from probatio.study.answered import write_trials
from probatio.study.compare import Comparison
from probatio.study.comparison_words import correction, sentence
from probatio.study.findings import Study
from probatio.study.latex import BIB, bibtex, cite_keys, latex_page, latex_table, table_file
from probatio.study.pictures import CAPTIONS, comparisons_picture, pictures_of
from probatio.study.report import short_form
from probatio.study.tables import Cell, Table, shown_cell, shown_columns, tables_of

ExportFormat = Literal["latex", "csv", "parquet", "html", "bibtex"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

PAGE, DOCUMENT = "study.html", "study.tex"
USUAL_FIGURES: dict[ExportFormat, tuple[FigureFormat, ...]] = {"latex": ("pdf",)}
"""Figures that a format needs; others are made on request."""

_SQL = {"text": "VARCHAR", "count": "BIGINT", "yes": "BOOLEAN"}


class Exporting(msgspec.Struct, frozen=True):
    """A study and what is wanted of it."""

    study: Study
    framework: str  # the version of Probatio
    formats: tuple[ExportFormat, ...] = ()
    figures: tuple[FigureFormat, ...] = ()
    size: str = "column"
    compared: tuple[Comparison, ...] = ()
    folders: tuple[Path, ...] = ()  # of the runs; with them CSV and Parquet hold every trial, too
    suite: Path | None = None


def export_study(wanted: Exporting, target: Path) -> list[Path]:
    """Write everything into the folder; the files, in the order they were written."""
    unknown = [name for name in wanted.formats if name not in FORMATS]
    if unknown:
        raise UsageError(f"There is no format `{unknown[0]}`; there are {', '.join(FORMATS)}.")
    tables, size = tables_of(wanted.study, wanted.compared), size_of(wanted.size)
    try:
        target.mkdir(parents=True, exist_ok=True)
        kinds = dict.fromkeys(
            (*wanted.figures, *(kind for name in wanted.formats for kind in USUAL_FIGURES.get(name, ())))
        )
        written = _figures(wanted, target, list(kinds), size)
        for name in dict.fromkeys(wanted.formats):
            written += _WRITERS[name](wanted, tables, target)
    except OSError as error:
        raise UsageError(f"{target} can't be written: {error.strerror}; name another folder with --out.") from None
    return written


def drawn(
    study: Study, compared: Sequence[Comparison], theme: Theme, width: float, *, headings: bool
) -> dict[str, str]:
    """All pictures of a study and its comparisons, by name."""
    pictures = pictures_of(study, theme, width, headings=headings)
    if compared:
        pictures["comparisons"] = comparisons_picture(compared, theme, width, headings=headings)
    return pictures


def _figures(wanted: Exporting, target: Path, kinds: Sequence[FigureFormat], size: Size) -> list[Path]:
    written = []
    if kinds:
        for name, svg in drawn(wanted.study, wanted.compared, FIXED, size.pixels, headings=False).items():
            for kind in kinds:
                written.append(target / f"{name}.{kind}")
                write_figure(svg, written[-1], size)
    return written


def _latex(wanted: Exporting, tables: Sequence[Table], target: Path) -> list[Path]:
    run = wanted.study.runs[0]
    files = {table_file(table): latex_table(table) for table in tables}
    shown = drawn(wanted.study, wanted.compared, FIXED, size_of(wanted.size).pixels, headings=False)
    figures = {name: (f"{name}.pdf", CAPTIONS[name]) for name in shown}
    title = f"Runs {', '.join(seen.run for seen in wanted.study.runs)}"
    files[DOCUMENT] = latex_page(title, tables, figures, cite_keys(run))
    return [*_put(target, files), *_bibtex(wanted, tables, target)]


def _bibtex(wanted: Exporting, tables: Sequence[Table], target: Path) -> list[Path]:
    return _put(target, {BIB: bibtex(wanted.study.runs[0], wanted.framework)})


def _csv(wanted: Exporting, tables: Sequence[Table], target: Path) -> list[Path]:
    return [*_put(target, {f"{table.name}.csv": csv_table(table) for table in tables}), *_trials(wanted, target, "csv")]


def csv_table(table: Table) -> str:
    """Numbers as they are: shares from 0 to 1; an empty cell is a number that is not known."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(column.name for column in table.columns)
    rows.writerows(table.rows)
    return out.getvalue()


def _parquet(wanted: Exporting, tables: Sequence[Table], target: Path) -> list[Path]:
    import duckdb

    written = []
    with duckdb.connect() as db:
        for table in tables:
            columns = ", ".join(f'"{column.name}" {_SQL.get(column.kind, "DOUBLE")}' for column in table.columns)
            db.execute(f"create table {table.name} ({columns})")
            marks = ", ".join(["?"] * len(table.columns))
            db.executemany(f"insert into {table.name} values ({marks})", [list(row) for row in table.rows])
            written.append(target / f"{table.name}.parquet")
            quoted = str(written[-1]).replace("'", "''")
            db.execute(f"copy {table.name} to '{quoted}' (format parquet)")
    return [*written, *_trials(wanted, target, "parquet")]


def _trials(wanted: Exporting, target: Path, kind: str) -> list[Path]:
    if not wanted.folders:
        return []
    write_trials(wanted.folders, wanted.suite, target / f"trials.{kind}")
    return [target / f"trials.{kind}"]


def _html(wanted: Exporting, tables: Sequence[Table], target: Path) -> list[Path]:
    return _put(target, {PAGE: html_page(wanted, tables)})


def html_page(wanted: Exporting, tables: Sequence[Table]) -> str:
    """One file that needs no other: text, pictures and tables, light or dark as the reader's screen is."""
    study = wanted.study
    title = f"Runs {', '.join(run.run for run in study.runs)}"
    parts = [f"<h1>{escape(title)}</h1>", "<ul>", *(f"<li>{escape(line)}</li>" for line in short_form(study)), "</ul>"]
    parts += [f"<p>{escape(sentence(one))}</p>" for one in wanted.compared]
    if len(wanted.compared) > 1:
        parts.append(f"<p>{escape(correction(wanted.compared))}</p>")
    for name, svg in drawn(study, wanted.compared, ON_PAGE, size_of("page").pixels, headings=False).items():
        parts.append(f"<figure>{svg}<figcaption>{escape(CAPTIONS[name])}</figcaption></figure>")
    parts += [html_table(table) for table in tables]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title><style>{_STYLE}</style></head>'
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def html_table(table: Table) -> str:
    columns = list(shown_columns(table))
    head = "".join(f'<th scope="col">{escape(column.name.replace("_", " "))}</th>' for _, column in columns)
    rows = "".join(f"<tr>{''.join(_html_cell(table, row, place) for place, _ in columns)}</tr>" for row in table.rows)
    return f"<table><caption>{escape(table.title)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _html_cell(table: Table, row: Sequence[Cell], place: int) -> str:
    kind = "" if table.columns[place].kind == "text" else ' class="n"'
    return f"<td{kind}>{escape(shown_cell(table, row, place))}</td>"


def _put(target: Path, files: dict[str, str]) -> list[Path]:
    for name, text in files.items():
        put(target / name, text.encode())
    return [target / name for name in files]


_WRITERS: dict[ExportFormat, Callable[[Exporting, Sequence[Table], Path], list[Path]]] = {
    "latex": _latex,
    "csv": _csv,
    "parquet": _parquet,
    "html": _html,
    "bibtex": _bibtex,
}

_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}"
    "figure{margin:2rem 0}table{border-collapse:collapse;margin:2rem 0;font-size:.9rem}caption{text-align:left;font-weight:600}"
    "th,td{border-bottom:1px solid #8886;padding:.25rem .6rem;text-align:left}.n{text-align:right;white-space:nowrap}"
)

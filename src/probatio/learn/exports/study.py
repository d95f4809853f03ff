"""Export: a study as LaTeX, CSV, Parquet, HTML or BibTeX, with its figures as SVG, PDF and PNG."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Literal, get_args

import msgspec

from probatio.charts.figure import FigureFormat, size_of, write_figure
from probatio.charts.palette import FIXED, ON_PAGE, Theme
from probatio.core.errors import UsageError
from probatio.core.files import put
from probatio.learn.analysis import fill_folder
from probatio.learn.answered import write_trials
from probatio.learn.compare import Comparison
from probatio.learn.database import PARQUET, open_database, quote_name, write_table
from probatio.learn.exports.latex import (
    BIB,
    cite_keys,
    format_bibtex,
    format_latex_page,
    format_latex_table,
    table_file,
)
from probatio.learn.findings import Study
from probatio.learn.formulas import make_no_formula
from probatio.learn.report.comparison import describe_comparison, describe_correction
from probatio.learn.report.pictures import CAPTIONS, draw_comparisons, draw_study
from probatio.learn.report.sections import summarise
from probatio.learn.report.tables import StudyTable, format_cell, make_tables, tabulate_comparisons

ExportFormat = Literal["latex", "csv", "parquet", "html", "bibtex"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

PAGE, DOCUMENT = "study.html", "study.tex"

_SQL = {"text": "VARCHAR", "axis": "VARCHAR", "yes": "BOOLEAN"}
_SQL |= dict.fromkeys(("count", "passed", "through", "tokens"), "BIGINT")


class ExportRequest(msgspec.Struct, frozen=True):
    """A study, and what to export of it."""

    study: Study
    framework: str  # the version of Probatio
    formats: tuple[ExportFormat, ...] = ()
    figures: tuple[FigureFormat, ...] = ()
    size: str = "column"
    compared: tuple[Comparison, ...] = ()
    folders: tuple[Path, ...] = ()  # of the runs; with them CSV and Parquet hold every trial, too
    suite: Path | None = None


def export_study(wanted: ExportRequest, target: Path) -> list[Path]:
    """Write everything into the folder. Returns the files in the order they were written."""
    unknown = [name for name in wanted.formats if name not in FORMATS]
    if unknown:
        raise UsageError(f"There is no format `{unknown[0]}`; there are {', '.join(FORMATS)}.")
    every = (*make_tables(wanted.study).values(), tabulate_comparisons(wanted.compared))
    tables, size = [table for table in every if table.rows], size_of(wanted.size)
    kinds = dict.fromkeys((*wanted.figures, *(["pdf"] if "latex" in wanted.formats else [])))
    pictures = (
        draw_figures(wanted.study, wanted.compared, FIXED, size.pixels, headings=False) if kinds else {}
    )
    written: list[Path] = []
    with fill_folder(target):
        for name, svg in pictures.items():
            for kind in kinds:
                written.append(target / f"{name}.{kind}")
                write_figure(svg, written[-1], size)
        for kind in dict.fromkeys(wanted.formats):
            for name, text in _format_texts(kind, wanted, tables, list(pictures)).items():
                put(target / name, text.encode())
                written.append(target / name)
            if kind == "parquet":
                written += _write_parquet(tables, target)
            if kind in ("csv", "parquet") and wanted.folders:
                written.append(target / f"trials.{kind}")
                write_trials(wanted.folders, wanted.suite, written[-1])
    return written


def _format_texts(
    kind: ExportFormat, wanted: ExportRequest, tables: Sequence[StudyTable], pictures: Sequence[str]
) -> dict[str, str]:
    """The files of a format that are text, by name."""
    study = wanted.study
    bibtex = {BIB: format_bibtex(study.runs[0], wanted.framework)}
    match kind:
        case "csv":
            return {f"{table.name}.csv": format_csv(table) for table in tables}
        case "html":
            return {PAGE: format_html_page(wanted, tables)}
        case "latex":
            figures = {name: (f"{name}.pdf", CAPTIONS[name]) for name in pictures}
            across = wanted.size == "page"
            page = format_latex_page(_title(study), tables, figures, cite_keys(study.runs[0]), across=across)
            return {
                **{table_file(table): format_latex_table(table) for table in tables},
                DOCUMENT: page,
                **bibtex,
            }
        case "bibtex":
            return bibtex
        case "parquet":
            return {}


def _title(study: Study) -> str:
    return f"Runs {', '.join(run.run for run in study.runs)}"


def draw_figures(
    study: Study, compared: Sequence[Comparison], theme: Theme, width: float, *, headings: bool
) -> dict[str, str]:
    """All pictures of a study and its comparisons, by name."""
    pictures = draw_study(study, theme, width, headings=headings)
    if compared:
        pictures["comparisons"] = draw_comparisons(compared, theme, width, headings=headings)
    return pictures


def format_csv(table: StudyTable) -> str:
    """Numbers as they are: shares from 0 to 1; an empty cell is a number that is not known."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    for cells in (table.fields, *map(table.cells, table.rows)):
        rows.writerow(make_no_formula(cell) if isinstance(cell, str) else cell for cell in cells)
    return out.getvalue()


def _write_parquet(tables: Sequence[StudyTable], target: Path) -> list[Path]:
    written = []
    with open_database() as db:
        for table in tables:
            fields = table.fields
            columns = ", ".join(
                f"{quote_name(name)} {_SQL.get(column.kind, 'DOUBLE')}"
                for name, (column, _) in fields.items()
            )
            db.execute(f"create table {quote_name(table.name)} ({columns})")
            marks = ", ".join(["?"] * len(fields))
            rows = list(map(table.cells, table.rows))
            db.executemany(f"insert into {quote_name(table.name)} values ({marks})", rows)
            written.append(target / f"{table.name}.parquet")
            write_table(db, f"from {quote_name(table.name)}", written[-1], PARQUET)
    return written


def format_html_page(wanted: ExportRequest, tables: Sequence[StudyTable]) -> str:
    """One file that needs no other: text, pictures and tables, light or dark as the reader's screen is."""
    study = wanted.study
    title = _title(study)
    parts = [f"<h1>{escape(title)}</h1>", _format_summary(study)]
    parts += [f"<p>{escape(describe_comparison(one))}</p>" for one in wanted.compared]
    if len(wanted.compared) > 1:
        parts.append(f"<p>{escape(describe_correction(wanted.compared))}</p>")
    for name, svg in draw_figures(
        study, wanted.compared, ON_PAGE, size_of("page").pixels, headings=False
    ).items():
        parts.append(f"<figure>{svg}<figcaption>{escape(CAPTIONS[name])}</figcaption></figure>")
    parts += [format_html_table(table) for table in tables]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" '
        f'content="width=device-width"><title>{escape(title)}</title><style>{_STYLE}</style></head>'
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def format_html_study(study: Study) -> str:
    """The summary and the tables, as a part of a page."""
    tables = [table for table in make_tables(study).values() if table.rows]
    return "".join(
        [f"<b>{escape(_title(study))}</b>", _format_summary(study), *map(format_html_table, tables)]
    )


def format_html_comparison(one: Comparison) -> str:
    """The sentence and the numbers of a comparison, as a part of a page."""
    return f"<p>{escape(describe_comparison(one))}</p>{format_html_table(tabulate_comparisons([one]))}"


def _format_summary(study: Study) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in summarise(study))}</ul>"


def format_html_table(table: StudyTable) -> str:
    columns = table.shown("exported")
    head = "".join(f'<th scope="col">{escape(column.name.replace("_", " "))}</th>' for column in columns)
    classes = ["" if column.is_text else ' class="n"' for column in columns]
    rows = ""
    for row in table.rows:
        cells = [escape(format_cell(column, row)) for column in columns]
        rows += (
            f"<tr>{''.join(f'<td{kind}>{cell}</td>' for kind, cell in zip(classes, cells, strict=True))}</tr>"
        )
    title = escape(table.title)
    return f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:2rem "
    "auto;max-width:60rem;padding:0 1rem}figure{margin:2rem 0}table{border-collapse:collapse;margin:2rem "
    "0;font-size:.9rem}caption{text-align:left;font-weight:600}"
    "th,td{border-bottom:1px solid #8886;padding:.25rem "
    ".6rem;text-align:left}.n{text-align:right;white-space:nowrap}"
)

"""LaTeX: the tables of a study for a paper (booktabs), a page that shows them all, and BibTeX of the suite
and of Probatio."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from probatio.learn.alike import RunSeen
from probatio.learn.report.tables import Column, StudyTable, format_cell

BIB = "probatio.bib"

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\textbraceleft{}",  # BibTeX counts a bare brace, behind a backslash too
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "…": r"\ldots{}",
}
_COLUMN_HOLDS = 5
"""Columns of a table that one column of a paper has room for; wider tables go over both."""


def escape_latex(text: str) -> str:
    """Any text as LaTeX shows it. Characters that the usual fonts don't have are left out."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return "".join(_SPECIAL.get(character, character) for character in plain)


def format_latex_table(table: StudyTable, label: str | None = None) -> str:
    """One table, to be included with \\input; it needs the package booktabs."""
    columns = table.shown("exported")
    letters = "".join("l" if column.is_text else "r" for column in columns)
    float_name = "table*" if len(columns) > _COLUMN_HOLDS else "table"
    head = " & ".join(escape_latex(column.name.replace("_", " ")) for column in columns)
    lines = [
        rf"\begin{{{float_name}}}[t]",
        r"\centering",
        r"\small",
        rf"\caption{{{escape_latex(table.title)}.}}",
        rf"\label{{{label or f'tab:{table.name}'}}}",
        rf"\begin{{tabular}}{{@{{}}{letters}@{{}}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule",
    ]
    before: object = None
    several = len(table.rows) > len(table.groups)
    for row in table.rows:
        cells, first = [_cell(column, row) for column in columns], columns[0].value(row)
        if first == before:
            cells[0] = ""  # named once for the rows that follow
        elif several and before is not None:
            lines.append(r"\addlinespace")
        before = first
        lines.append(rf"{' & '.join(cells)} \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", rf"\end{{{float_name}}}", ""])


def format_latex_page(
    title: str,
    tables: Sequence[StudyTable],
    figures: Mapping[str, tuple[str, str]],
    cite: Sequence[str],
    *,
    across: bool = False,
) -> str:
    """A whole document that includes every table and figure. `figures`: name → file and caption; they are as
    wide as a column, or go `across` both."""
    figure = "figure*" if across else "figure"
    body = [
        r"\documentclass[twocolumn]{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage{booktabs}",
        r"\usepackage{graphicx}",
        r"\begin{document}",
        rf"\section*{{{escape_latex(title)}}}",
        rf"Asked and graded with \cite{{{','.join(cite)}}}.",
    ]
    for name, (file, caption) in figures.items():
        body += [
            rf"\begin{{{figure}}}[t]",
            r"\centering",
            rf"\includegraphics[width=\linewidth]{{{file}}}",
            rf"\caption{{{escape_latex(caption)}.}}",
            rf"\label{{fig:{name}}}",
            rf"\end{{{figure}}}",
        ]
    body += [rf"\input{{{table_file(table).removesuffix('.tex')}}}" for table in tables]
    return "\n".join(
        [
            *body,
            r"\bibliographystyle{plain}",
            rf"\bibliography{{{BIB.removesuffix('.bib')}}}",
            r"\end{document}",
            "",
        ]
    )


def table_file(table: StudyTable) -> str:
    return f"table-{table.name}.tex"


def format_bibtex(run: RunSeen, framework: str) -> str:
    """Entries for the suite that a run asked, in its version, and for Probatio. Unknown facts are left out,
    never made up."""
    suite, version = run.suite, run.suite_version
    year = escape_latex((run.created or "")[:4])
    about = [
        f"suite version {version}" if version else "",
        f"fingerprint {run.suite_fingerprint}" if run.suite_fingerprint else "",
    ]
    entries = [
        (
            cite_keys(run)[0],
            {
                "title": f"{{{escape_latex(suite)}}}: a suite of learnability trials",
                "author": "{The authors of the suite}",
                "version": escape_latex(version or ""),
                "year": year,
                "note": escape_latex(", ".join(filter(None, about))),
            },
        ),
        (
            cite_keys(run)[1],
            {
                "title": "{Probatio}: learnability trials of languages and a daily watch of models",
                "author": "{The Probatio authors}",
                "version": escape_latex(framework),
                "year": year,
            },
        ),
    ]
    return "\n".join(_entry(key, fields) for key, fields in entries)


def cite_keys(run: RunSeen) -> tuple[str, str]:
    name = re.sub(r"[^a-z0-9]+", "-", run.suite.lower()).strip("-") or "suite"
    version = re.sub(r"[^A-Za-z0-9.]+", "-", run.suite_version or "").strip("-")
    return "-".join(filter(None, (name, version))), "probatio"


def _entry(key: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@software{{{key},", *lines, "}", ""])


def _cell(column: Column, row: object) -> str:
    text = format_cell(column, row)
    if column.is_text:
        return escape_latex(text)
    # A minus of mathematics, and no break between a number and its sign of percent.
    return re.sub(r"-(?=\d)", "$-$", escape_latex(text).replace(r" \%", r"\,\%"))

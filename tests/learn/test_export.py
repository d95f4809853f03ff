"""A study as LaTeX, CSV, Parquet, HTML and BibTeX: the same numbers everywhere, and no text that breaks out
of its place."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import duckdb
import pytest

from commandline import probatio
from learn.runs import by_chance, make_run
from probatio import api
from probatio.learn.alike import RunSeen
from probatio.learn.exports.latex import escape_latex, format_bibtex, format_latex_table
from probatio.learn.report.tables import Column, StudyTable

HOSTILE = r"a_b & 50% $x$ {y} \input{/etc/passwd} <script>"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("export")
    return make_run(
        root,
        20,
        by_chance(lambda key: 0.9 if key.context == "basic" else 0.3),
        "results/r",
        models=("plain", HOSTILE),
        contexts=("minimal", "basic"),
    ).parent


@pytest.fixture(scope="module")
def paper(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("paper")
    compared = api.compare("r", each="model", results=results) + api.compare(
        "r", each="context", results=results
    )
    api.export(
        "r",
        results=results,
        out=out,
        formats=("latex", "csv", "parquet", "html"),
        figures="svg",
        compared=compared,
    )
    return out


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _stored(file: Path) -> duckdb.DuckDBPyRelation:
    return duckdb.read_parquet(str(file))


def test_csv_and_parquet_hold_the_numbers_of_the_study(results: Path, paper: Path) -> None:
    study = api.study("r", results=results)
    rates = _rows(paper / "rates.csv")
    assert float(rates[0]["rate"]) == pytest.approx(study.overall.share)
    contexts = {row["level"]: int(row["passed"]) for row in rates if row["axis"] == "context"}
    (axis,) = [axis for axis in study.axes if axis.name == "context"]
    assert contexts == {level.name: level.rate.passed for level in axis.levels}
    for name in ("rates", "curves", "comparisons", "hardest"):
        stored = _stored(paper / f"{name}.parquet")
        written = _rows(paper / f"{name}.csv")
        assert stored.columns == list(written[0])
        assert len(stored) == len(written)
    kinds = _stored(paper / "rates.parquet").select("passed, rate").types
    assert [str(kind) for kind in kinds] == ["BIGINT", "DOUBLE"]


def test_csv_and_parquet_hold_every_trial(paper: Path) -> None:
    trials = _rows(paper / "trials.csv")
    assert len(trials) == 80
    assert len(_stored(paper / "trials.parquet")) == 80
    assert {row["model"] for row in trials} == {"plain", HOSTILE}


def test_latex_tables_are_whole_and_hold_foreign_text_harmlessly(paper: Path) -> None:
    for file in paper.glob("*.tex"):
        text = file.read_text(encoding="utf-8")
        begun, ended = (re.findall(rf"\\{word}{{([a-z*]+)}}", text) for word in ("begin", "end"))
        assert sorted(begun) == sorted(ended)
        assert r"\input{/etc" not in text
        for row in re.findall(r"^(.*) \\\\$", text, re.MULTILINE):
            columns = re.search(r"@{}([lr]+)@{}", text)
            assert columns is not None
            assert len(re.findall(r"(?<!\\)&", row)) == len(columns[1]) - 1
    rates = (paper / "table-rates.tex").read_text(encoding="utf-8")
    assert re.search(r"context & minimal & \d+ & 40 & \d+\\,\\% \[\d+, \d+\] & 20 & 0", rates)


def test_the_document_reads_in_every_table_and_figure_that_is_there(paper: Path) -> None:
    document = (paper / "study.tex").read_text(encoding="utf-8")
    inputs = set(re.findall(r"\\input{(.*?)}", document))
    assert inputs == {file.stem for file in paper.glob("table-*.tex")}
    assert {"table-rates", "table-comparisons"} <= inputs
    figures = re.findall(r"\\includegraphics\[width=\\linewidth\]{(.*?)}", document)
    assert len(figures) == document.count(r"\begin{figure}") == 4
    for figure in figures:
        assert (paper / figure).read_bytes().startswith(b"%PDF-")
    keys = re.findall(r"@software{(.*?),", (paper / "probatio.bib").read_text(encoding="utf-8"))
    assert rf"\cite{{{','.join(keys)}}}" in document


@pytest.mark.slow
def test_figures_of_a_page_go_across_both_columns(results: Path, tmp_path: Path) -> None:
    api.export("r", results=results, out=tmp_path, formats="latex", size="page")
    document = (tmp_path / "study.tex").read_text(encoding="utf-8")
    assert document.count(r"\begin{figure*}") == document.count(r"\end{figure*}") == 3


def test_figures_are_the_pictures_of_the_site_in_a_columns_width(paper: Path) -> None:
    names = {file.stem for file in paper.glob("*.svg")}
    assert names == {"learning-curves", "contexts", "funnel", "comparisons"}
    for file in paper.glob("*.svg"):
        svg = ElementTree.fromstring(file.read_text(encoding="utf-8"))
        assert float((svg.get("width") or "").removesuffix("mm")) <= 84.01


def test_the_page_is_one_file_with_nothing_foreign_in_its_markup(paper: Path) -> None:
    page = (paper / "study.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert 'src="' not in page
    assert page.count("<svg") == 4
    assert "corrected together (Holm)" in page
    assert "&lt;script&gt;" in page


def test_bibtex_names_suite_version_and_fingerprint_and_makes_nothing_up() -> None:
    known = RunSeen("r", "my suite", "1.2.0", "abc123", "1.1", "2026-01-05T20:27:27Z")
    told = format_bibtex(known, "0.1.0")
    assert "@software{my-suite-1.2.0," in told
    assert "version = {1.2.0}" in told
    assert "fingerprint abc123" in told
    assert "year = {2026}" in told
    unknown = format_bibtex(RunSeen("r", "another harness's", None, None, "1.1", None), "0.1.0")
    assert "year" not in unknown
    assert "None" not in unknown


def test_a_table_wider_than_a_column_goes_over_both() -> None:
    row = SimpleNamespace(a="x", b=0.0001, c=1)
    narrow = StudyTable("n", "t", (Column("a"), Column("b", "p")), [row])
    wide = StudyTable("w", "t", tuple(Column(f"c{each}", "count", "c") for each in range(9)), [row])
    assert r"\begin{table}[t]" in format_latex_table(narrow)
    assert r"x & \textless{} 0.001 \\" in format_latex_table(narrow)
    assert r"\begin{table*}[t]" in format_latex_table(wide)


def test_special_signs_are_escaped_once() -> None:
    assert escape_latex("a_b\\{%}") == r"a\_b\textbackslash{}\textbraceleft{}\%\textbraceright{}"


def test_the_command_writes_what_it_is_asked_for_and_names_the_files(results: Path, tmp_path: Path) -> None:
    words = [
        "r",
        "--results",
        str(results),
        "--format",
        "csv,bibtex",
        "--figure",
        "svg",
        "--out",
        str(tmp_path / "x"),
        "--compare",
        "model",
    ]
    done = probatio("study", *words)
    named = {Path(line).name for line in done.output.split("\n") if line}
    assert named == {file.name for file in (tmp_path / "x").iterdir()}
    assert {"rates.csv", "trials.csv", "probatio.bib", "comparisons.svg"} <= named
    assert "analysis.md" not in named


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--format", "word"], "no format `word`"),
        (["--compare", "model"], "goes with --format"),
        (["--figure", "gif"], "svg, pdf, png"),
    ],
)
def test_what_can_not_be_written_is_a_sentence(
    results: Path, tmp_path: Path, words: list[str], says: str
) -> None:
    given = ["r", "--results", str(results), "--out", str(tmp_path / "x"), "--no-narrative", *words]
    refused = probatio("study", *given)
    assert refused.returncode == 2
    assert says in refused.stderr

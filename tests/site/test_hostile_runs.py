"""Runs of someone else on the site: one that is broken costs the others nothing; no name leads outside."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from learn.runs import write_made_up_run, write_suite
from probatio.learn.analysis import study_of
from probatio.learn.exports.study import ExportRequest, export_study
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.site.addresses import render
from probatio.site.snapshot import load_site
from probatio.site.static import build

pytestmark = pytest.mark.slow  # builds whole sites

FORMULA = "=cmd|' /C calc'!A0"
BROKEN = {
    "deep": b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}\n",
    "long": b'{"a": "' + b"x" * (65 << 20) + b'"}\n',
    "bytes": b"\xff\xfe\x00\n" * 5,
    "no objects": b"5\n[1]\nnull\n",
}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    suite = write_suite(tmp_path / "suite", 4)
    for name in ("good", "bad"):
        write_made_up_run(tmp_path / "results" / name, suite, lambda key: True, models=(FORMULA,))
    return tmp_path / "results"


def table(results: Path, name: str) -> list[list[str]]:
    site = load_site(results)  # its scratch folder lives as long as it does
    page = render(site, name)
    assert page is not None and page.file is not None
    with page.file.open(newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("kind", BROKEN)
def test_one_broken_run_costs_the_others_no_table(results: Path, kind: str) -> None:
    for name in (GRADES, ANSWERS):
        (results / "bad" / name).write_bytes(BROKEN[kind])
    head, *rows = table(results, "data/trials.csv")
    at = head.index("run_id")
    assert [row[at] for row in rows].count("good") == 4


def test_keys_of_json_are_no_formulas_in_the_head_of_a_table(results: Path) -> None:
    keys = ["=1+1", "+x", "-x", "@x", "\t=x", "\r=x", FORMULA, "'=1+1", '"; drop table x; --']
    path = results / "bad" / GRADES
    lines = [json.loads(line) | dict.fromkeys(keys, FORMULA) for line in path.read_bytes().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    head, *rows = table(results, "data/trials.csv")
    assert {key if key[0] in "'\"" else f"'{key}" for key in keys} <= {cell.rstrip("_") for cell in head}
    cells = [cell for row in (head, *rows) for cell in row]
    assert f"'{FORMULA}" in cells
    assert not [cell for cell in cells if cell.lstrip().startswith(("=", "+", "-", "@"))]


def test_no_formula_is_in_the_tables_of_a_study(results: Path, tmp_path: Path) -> None:
    folder = results / "good"
    written = export_study(
        ExportRequest(study_of([folder]), "1", ("csv",), folders=(folder,)), tmp_path / "out"
    )
    cells = []
    for path in written:
        with path.open(newline="") as file:
            cells += [cell for row in csv.reader(file) for cell in row]
    assert f"'{FORMULA}" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_a_site_of_hostile_names_is_built_inside_its_folder(results: Path, tmp_path: Path) -> None:
    names = (
        "../x",
        "..",
        str(tmp_path / "absolute"),
        "a\\b",
        "con",
        "<svg onload=alert(1)>",
        "x" * 300,
        "a\nb",
        "-rf",
        "A",
        "a",
    )
    for file in (GRADES, ANSWERS):
        path = results / "bad" / file
        first = json.loads(path.read_bytes().splitlines()[0])
        lines = [
            {**first, field: name} for name in names for field in ("model", "task_id", "context", "dialect")
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = {path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "out")}
    build(load_site(results), tmp_path / "out")
    assert {path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "out")} == before
    pages = list((tmp_path / "out" / "learnability" / "bad").rglob("*.html"))
    assert pages
    assert not [path for path in pages if b"<svg onload" in path.read_bytes()]

"""The one database: it reads what it is given, writes to its own folder, and no query opens more."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from probatio.learn.database import CSV, open_database, quote_text, write_table
from probatio.learn.formulas import make_no_formula, select_harmless

SOURCE = Path(__file__).parents[2] / "src"
FORMULAS = (
    "=1+1",
    "+1",
    "-1+2",
    "@sum(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =cmd|' /C calc'!A0",
    "＝1",
    "\x00=1",
    "=",
)


@pytest.mark.parametrize(
    "query",
    [
        "from read_text('{secret}')",
        "from '{secret}'",
        "from glob('{folder}/*')",
        "from read_json('http://127.0.0.1:9/x.json')",
        "copy (select 1) to '{folder}/out'",
        "attach '{folder}/x.db'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "set allowed_directories = ['/']",
        "set memory_limit = '900GB'",
        "set lock_configuration = false",
        "export database '{folder}/all'",
    ],
)
def test_no_query_leaves_the_folders_it_was_opened_for(tmp_path: Path, query: str) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "secret.csv").write_text("a\n1\n")
    before = sorted(tmp_path.rglob("*"))
    with open_database(tmp_path / "given") as db, pytest.raises(duckdb.Error):
        db.execute(query.format(secret=tmp_path / "secret.csv", folder=tmp_path)).fetchall()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["it's", "'; COPY x TO 'y", "a*", "b?", "c[d]", '"', "-- x", "$$"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    for other in ("ax", "bx", "cd"):
        (tmp_path / other).mkdir(exist_ok=True)
    with open_database(folder) as db:
        write_table(db, "select 1 as a", folder / "x.csv", CSV)
        assert (folder / "x.csv").read_text() == "a\n1\n"
        assert db.execute(
            f"select content from read_text({quote_text(str(folder / 'x.csv'))})"
        ).fetchall() or (set(name) & set("*?["))


def test_no_other_module_opens_a_database() -> None:
    opening = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if re.search(
            r"duckdb\.connect|sqlite3\.connect|read_csv\(|read_parquet\(", path.read_text(encoding="utf-8")
        )
    ]
    # the cache of checks is sqlite; a notebook's own connection reads a table that we wrote
    assert sorted(opening) == [
        "probatio/api.py",
        "probatio/grading/checked.py",
        "probatio/learn/database.py",
    ]


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_gets_an_apostrophe_as_a_cell_and_as_a_column(tmp_path: Path, formula: str) -> None:
    assert make_no_formula(formula) == f"'{formula}"
    with open_database() as db:
        if "\x00" in formula:
            return
        column = '"' + formula + '"'
        db.execute(f"create table t ({column} VARCHAR, n DOUBLE, s STRUCT({column} VARCHAR))")
        db.execute("insert into t values (?, -1.5, null)", [formula])
        write_table(db, select_harmless(db, "from t"), tmp_path / "t.csv", CSV)
    import csv

    with (tmp_path / "t.csv").open(newline="") as file:
        head, row = csv.reader(file)
    assert head[0] == f"'{formula}" == row[0]
    assert row[1] == "-1.5"


def test_columns_that_are_the_same_after_it_stay_apart(tmp_path: Path) -> None:
    with open_database() as db:
        db.execute("""create table t ("=a" VARCHAR, "'=a" VARCHAR, "'=a_" VARCHAR)""")
        write_table(db, select_harmless(db, "from t"), tmp_path / "t.csv", CSV)
    assert len(set((tmp_path / "t.csv").read_text().split("\n")[0].split(","))) == 3

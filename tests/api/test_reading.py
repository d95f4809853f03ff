"""Trials of runs as a relation and as frames."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

import probatio
from learn.runs import write_made_up_run, write_suite
from probatio.core.errors import UsageError


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of 8 tasks in two contexts; one trial of the first could not be asked."""
    root = tmp_path_factory.mktemp("read")
    suite = write_suite(root / "suite", 7, controls=1)
    write_made_up_run(
        root / "one",
        suite,
        lambda key: (
            "api_error" if key.task_id == "task_00" and key.context == "basic" else key.task_id < "task_04"
        ),
        contexts=("minimal", "basic"),
    )
    write_made_up_run(root / "two", suite, lambda key: True, models=("n",))
    return root


def test_a_row_is_a_trial_with_its_grade_task_and_answer(results: Path) -> None:
    trials = probatio.read("one", results=results)
    assert isinstance(trials, duckdb.DuckDBPyRelation)
    assert len(trials) == 16
    first = dict(zip(trials.columns, trials.limit(1).fetchall()[0], strict=True))
    assert (first["run"], first["task_id"], first["context"], first["correct"], first["asked"]) == (
        "one",
        "task_00",
        "minimal",
        True,
        True,
    )
    assert (first["type"], first["difficulty"], first["control"]) == ("translate_to", "easy", False)
    assert first["tokens_in"] > 0
    assert trials.filter("control").aggregate("count(*)").fetchall() == [(2,)]
    assert trials.filter("not asked").aggregate("count(*)").fetchall() == [(1,)]


def test_a_relation_is_found_by_the_name_of_its_variable_and_outlives_the_reading(results: Path) -> None:
    trials = probatio.read("one", "two", results=results)
    found = duckdb.sql("select run, count(*) from trials where asked group by 1 order by 1")
    assert found is not None
    assert found.fetchall() == [("one", 15), ("two", 8)]
    assert len(trials) == 24


@pytest.mark.slow
def test_frames_hold_the_same(results: Path) -> None:
    pandas = probatio.read("one", results=results, frame="pandas")
    polars = probatio.read("one", results=results, frame="polars", answers=True)
    arrow = probatio.read("one", results=results, frame="arrow")
    assert list(pandas.columns) == arrow.column_names == polars.columns[:-2]
    assert int(pandas.correct.sum()) == int(polars["correct"].sum()) == 9
    answered = polars.row(0, named=True)
    assert answered["response"] == "answer to task_00"
    assert answered["prompt"].endswith("what does it print?")


def test_repeated_lines_of_another_harness_are_samples_with_their_own_answers(tmp_path: Path) -> None:
    key = {"task_id": "t", "model": "m", "n_shot": 0, "context": "c"}
    grades = [{**key, "correct": right} for right in (True, False)]
    answers = [{**key, "response": text, "tokens_in": 5} for text in ("first", "second")]
    for name, lines in (("graded_results.jsonl", grades), ("raw_responses.jsonl", answers)):
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    rows = probatio.read(tmp_path, answers=True).select("sample, correct, response").fetchall()
    assert sorted(rows) == [(0, True, "first"), (1, False, "second")]


def test_what_can_not_be_read_is_a_sentence(results: Path) -> None:
    with pytest.raises(UsageError, match="Name a run"):
        probatio.read(results=results)
    with pytest.raises(UsageError, match="There is no frame `excel`"):
        probatio.read("one", results=results, frame="excel")  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="There is no run `three`"):
        probatio.read("three", results=results)


def test_a_notebook_shows_a_study_and_a_comparison_in_short(results: Path) -> None:
    found = probatio.study("one", results=results)
    assert repr(found).startswith("<Study of one: 7/13 passed (") and repr(found).count("\n") == 0
    assert str(found).splitlines()[0] in repr(found)
    shown = found._repr_html_()
    assert "<b>Runs one</b><ul><li>7/13 passed" in shown and "<caption>" in shown and "<html" not in shown
    (compared,) = probatio.compare("one", each="context", results=results)
    assert repr(compared) == f"<Comparison: {compared}>"
    assert compared._repr_html_().startswith(f"<p>{compared}</p><table>")

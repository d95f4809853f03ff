"""Repeated lines of a folder: study, site and day take the same grade and the same answer of each trial."""

from __future__ import annotations

import json
import shutil
from itertools import chain
from pathlib import Path

import pytest

from learn.runs import write_made_up_run, write_suite
from probatio.core.records import Grade, Response
from probatio.learn.analysis import study_of
from probatio.runs.store.layout import ANSWERS, DAILY, GRADES
from probatio.runs.store.lines import read_lines
from probatio.runs.store.run_folder import RunFolder
from probatio.site.facts.runs import StudiedRun
from probatio.site.facts.samples import SampleReader
from probatio.watch.day.samples import GradedLine

DATE = "2026-03-01"
WRONG = {
    "correct": False,
    "level_c": False,
    "error_type": "wrong_output",
    "error_detail": "the last grade",
    "score": 0.0,
}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """One folder as a run and as a day: five right answers, two graded again as wrong, one answered twice."""
    results = tmp_path / "results"
    run = write_made_up_run(
        results / "r", write_suite(tmp_path / "suite", 5), lambda key: True, contexts=("base",)
    )
    grades = [json.loads(line) for line in (run / GRADES).read_text().splitlines()]
    answers = [json.loads(line) for line in (run / ANSWERS).read_text().splitlines()]
    _append(run / GRADES, [grades[1] | WRONG, grades[3], grades[3] | WRONG])
    _append(run / ANSWERS, [answers[1] | {"response": "an answer that came later"}])
    (results / DAILY).mkdir()
    shutil.copytree(run, results / DAILY / DATE)
    return results


def _append(path: Path, lines: list[dict[str, object]]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def test_study_site_and_day_take_the_last_grade(results: Path) -> None:
    study = study_of([results / "r"])
    failed = {failure.task_id for failure in study.failures}
    assert failed == {"task_01", "task_03"}
    assert (study.overall.passed, study.overall.asked) == (3, 5)

    trials = StudiedRun("r", results / "r").trials
    assert {trial.grade.task_id for trial in trials if not trial.grade.correct} == failed
    assert [trial.grade.task_id for trial in trials] == [f"task_{number:02}" for number in range(5)]

    for whole_days in (False, True):
        samples = chain(*SampleReader(results, whole_days).of(DATE, "m").values())
        assert {
            sample.response.case for sample in samples if sample.grade and not sample.grade.correct
        } == failed

    day = RunFolder(results / DAILY / DATE)
    assert {grade.case for grade in day.grades_as(GradedLine).values() if not grade.correct} == failed


def test_study_and_site_take_the_first_answer(results: Path) -> None:
    first = "answer to task_01"
    assert {failure.answer for failure in study_of([results / "r"]).failures} == {first, "answer to task_03"}

    run = StudiedRun("r", results / "r")
    (text,) = run.texts([1])
    assert text.response is not None
    assert text.response.response == first

    for whole_days in (False, True):
        samples = chain(*SampleReader(results, whole_days).of(DATE, "m").values())
        assert [sample.response.response for sample in samples if sample.response.case == "task_01"] == [
            first
        ]

    day = RunFolder(results / DAILY / DATE)
    assert [answer.response for answer in day.answers() if answer.task_id == "task_01"] == [first]


def test_the_folder_really_repeats_lines(results: Path) -> None:
    grades = [grade.key for grade in read_lines(results / "r" / GRADES, Grade)]
    answers = [answer.key for answer in read_lines(results / "r" / ANSWERS, Response)]
    assert (len(grades), len(set(grades)), len(answers), len(set(answers))) == (8, 5, 6, 5)

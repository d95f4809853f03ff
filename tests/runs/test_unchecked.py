"""Trials whose answers can't be checked: kept, counted and shown, in no rate, tried again by `probatio grade`
and a resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from double import Double
from probatio.core.records import Grade, Response
from probatio.runs.engine import Tally
from probatio.runs.progress import describe_unchecked, summary_line
from probatio.runs.store.journal import Journal
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.runs.store.lines import read_lines
from runs.trials import argv, finished, new_run

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

HOSTILE = "output: " + "***" * 10_000 + "```" + "a" * 200_000


def test_hostile_predictions_end_no_run_and_the_others_are_graded(tmp_path: Path) -> None:
    answers = iter(
        [HOSTILE, "42", "~" * 60_000, "42", "{" * 60_000, "42", "\x00\x1b[2J", "no", "word " * 500_000, "42"]
    )
    with Double(reply=lambda body: next(answers)) as double:
        done = finished(new_run(tmp_path), double, tmp_path)
    assert done.returncode == 0, done.stderr
    grades = list(read_lines(tmp_path / "results" / "r" / GRADES, Grade))
    assert len(grades) == len(list(read_lines(tmp_path / "results" / "r" / ANSWERS, Response))) == 10
    assert not any(grade.correct for grade in grades if grade.error_type)
    assert any("cut" in grade.breakdown for grade in grades)


def test_unchecked_answers_are_told_beside_the_rate_and_not_in_it() -> None:
    line = summary_line(Tally(total=45, passed=39, failed=3, errors=1, unchecked=2), 1.0)
    assert line.startswith("39/42 passed (93%)")
    assert "1 requests failed" in line
    assert describe_unchecked(2, 44) == "2 of 44 answers (5%) could not be checked"
    assert describe_unchecked(2, 44) in line


def test_grading_again_tries_what_could_not_be_checked(tmp_path: Path) -> None:
    with Double(reply=lambda body: "42") as double:
        assert finished(new_run(tmp_path), double, tmp_path).returncode == 0
        file = tmp_path / "results" / "r" / GRADES
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        lines[0] |= {"error_type": "unchecked", "correct": False, "level_c": False, "score": 0.0}
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        shown = finished([*argv(tmp_path)[:3], "study", str(tmp_path / "results" / "r")], double, tmp_path)
        again = finished(
            [*argv(tmp_path)[:3], "grade", str(tmp_path / "results" / "r"), "--json"], double, tmp_path
        )
    assert shown.returncode == 0, shown.stderr
    assert again.returncode == 0, again.stderr
    events = [json.loads(line) for line in again.stdout.splitlines()]
    assert [event["before"] for event in events if event["event"] == "flip"] == ["unchecked"]
    assert events[-1]["unchecked"] == 0


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_a_surrogate_pair_costs_its_character_and_never_the_journal(tmp_path: Path, text: str) -> None:
    grade = Grade(
        timestamp="", run_id="r", framework_version="2", task_id="t", model="m", n_shot=0, context="c",
        level_a=True,
        level_b=False, level_c=False, correct=False, error_detail=text, breakdown={text: [text, {"x": text}]},
    )  # fmt: skip
    with Journal(tmp_path) as journal:
        journal.grade(grade)
    (kept,) = read_lines(tmp_path / GRADES, Grade)
    assert kept.error_detail == text.encode("utf-8", "replace").decode()

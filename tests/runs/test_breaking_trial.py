"""A model that answers once and then only breaks the checker has one answer of twenty-one right, wherever its
rate is shown."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from authoring.asking import trial
from authoring.folders import made
from commandline import Done, probatio
from double import Double
from probatio.core.records import Grade, Task
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.suites.feedback import feedback
from probatio.suites.language_suite import load_suite
from runs.trials import grades

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

TASK = "write_server"
BRACKETS = "a = " + "[" * 5_000
LOADER = "BEGIN { print 'error while loading shared libraries: libc.so.6' > \"/dev/stderr\"; exit 127 }"


def one_right(right: str | None, others: str, fence: str) -> Callable[[dict[str, Any]], str]:
    turn = count()
    return lambda body: f"```{fence}\n{others if next(turn) else right}\n```"


@pytest.fixture
def run(tmp_path: Path) -> tuple[Path, Done]:
    """A run of KCL: one right answer, and twenty that end the checker by a signal."""
    right = load_suite("kcl").tasks[TASK].solution
    with Double(reply=one_right(right, BRACKETS, "kcl")) as double:
        flags = ("--task", TASK, "--context", "brief", "--samples", "21")
        return tmp_path, trial(tmp_path, double, "kcl", *flags)


def test_one_right_answer_and_twenty_that_crash_the_checker_are_one_of_twenty_one_everywhere(
    run: tuple[Path, Done],
) -> None:
    root, done = run
    assert done.returncode == 0, done.stderr
    assert "1/21 passed (5%)" in done.stdout
    assert "could not be checked" not in done.stdout
    assert [grade.error_type for grade in grades(root)].count("crashed_checker") == 20
    analysis = (root / "results" / "r" / "analysis.md").read_text(encoding="utf-8")
    assert "1/21 passed (5 %" in analysis
    assert "| crashed_checker | 20 |" in analysis

    study = json.loads(probatio("study", "r", "--json", cwd=root).stdout.splitlines()[0])
    assert (study["overall"]["passed"], study["overall"]["asked"], study["unasked"]) == (1, 21, 0)
    assert study["funnels"][0]["errors"] == {"crashed_checker": 20}

    shutil.copytree(root / "results" / "r", root / "results" / "copy")
    compared = json.loads(
        probatio("study", "compare", "r", "copy", "--json", cwd=root).stdout.splitlines()[0]
    )
    assert [compared[side]["passed"] for side in ("rate_a", "rate_b")] == [1, 1]
    assert [compared[side]["asked"] for side in ("rate_a", "rate_b")] == [21, 21]
    assert compared["unasked"] == 0

    assert probatio("site", "build", "--out", "site", cwd=root).returncode == 0
    page = (root / "site" / "learnability" / "r" / "index.html").read_text(encoding="utf-8")
    words = " ".join(re.sub("<[^>]*>", " ", page).split())
    assert re.search(r"21 answers to 1 task on \d+ \w{3} \d{4}, 5 % \[", words)
    assert "m crashed_checker 20" in words


def test_grading_an_old_run_again_counts_what_it_left_out_and_says_so(run: tuple[Path, Done]) -> None:
    root, _ = run
    file = root / "results" / "r" / GRADES
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        if not line["correct"]:
            line |= {"error_type": "unchecked", "error_detail": "could not be checked: signal 11"}
        line["grader_version"] = "1.1.0"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    study = json.loads(probatio("study", "r", "--json", cwd=root).stdout.splitlines()[0])
    assert (study["overall"]["asked"], study["unasked"]) == (1, 20)
    again = probatio("grade", "r", cwd=root)
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("unchecked → crashed_checker") == 20
    assert "1/21 passed (5%); 20 of 21 flipped." in again.stdout


def test_words_of_the_loader_make_no_answer_uncounted(tmp_path: Path) -> None:
    folder = made(tmp_path / "l")
    right = load_suite(folder).tasks["write_evens"].solution
    with Double(reply=one_right(right, LOADER.replace("'", '"'), "awk")) as double:
        done = trial(tmp_path, double, "l", "--task", "write_evens", "--context", "full", "--samples", "21")
    assert done.returncode == 0, done.stderr
    assert "1/21 passed (5%)" in done.stdout
    assert {grade.error_type for grade in grades(tmp_path)} == {None, "runtime_error"}


def test_a_model_that_broke_the_checker_is_told_so_and_may_try_again(tmp_path: Path) -> None:
    right = load_suite("kcl").tasks[TASK].solution
    asked: list[str] = []

    def reply(body: dict[str, Any]) -> str:
        asked.append(body["messages"][-1]["content"])
        return f"```kcl\n{BRACKETS if len(asked) == 1 else right}\n```"

    with Double(reply=reply) as double:
        done = trial(tmp_path, double, "kcl", "--task", TASK, "--context", "brief", "--attempts", "2")
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "results" / "r" / ANSWERS).read_text().splitlines()) == 2
    assert "That is not right. The checker breaks on the program." in asked[1]
    assert "the checker of KCL was ended by signal 11 (SIGSEGV)" in asked[1]


def test_feedback_on_an_answer_that_broke_our_own_code_says_no_more_than_is_known() -> None:
    grade = Grade(
        timestamp="", run_id="", framework_version="", task_id="t", model="m", n_shot=0, context="",
        level_a=False, level_b=False, level_c=False, correct=False, error_type="crashed_checker",
        error_detail="the check did not end within its limits",
    )  # fmt: skip
    task = Task(id="t", type="write", category="c", expected_output="1")
    told = feedback(task, grade, "diagnostics", shows_output=True, has_check=True)
    assert "The checker breaks on the program." in told
    assert "the check did not end within its limits" in told

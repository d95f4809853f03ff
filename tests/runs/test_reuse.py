"""Answers paid for once: `trial --reuse` takes them over, and a study pools what is the same question."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commandline import Done, probatio
from double import Double
from probatio.core.records import Response
from probatio.runs.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.runs.store.lines import read_lines
from runs.trials import asked, finished, grades, new_run


@pytest.fixture
def double() -> Iterator[Double]:
    with Double() as server:
        yield server


def change_task(root: Path, number: int, **fields: Any) -> None:
    file = root / "suite" / "tasks" / "all.yml"
    tasks = json.loads(file.read_text())["tasks"]
    tasks[number] |= fields
    file.write_text(json.dumps({"tasks": tasks}))


def again(root: Path, double: Double, name: str = "second", *flags: str) -> Done:
    command = new_run(root, *flags)
    command[command.index("--run-id") + 1] = name
    return finished(command, double, root)


def studied(root: Path, *words: str) -> Done:
    return probatio("study", *words, "--results", root / "results", cwd=root)


def test_only_new_questions_are_asked_and_what_was_paid_for_is_graded_again(
    tmp_path: Path, double: Double
) -> None:
    assert finished(new_run(tmp_path), double, tmp_path).returncode == 0
    assert len(double.bodies) == 10
    change_task(tmp_path, 1, expected_output="43")  # another grade of the same question
    change_task(tmp_path, 2, input_faber="scribe 99")  # another question
    done = again(tmp_path, double, "second", "--reuse", "r")
    assert done.returncode == 0, done.output
    assert len(double.bodies) == 11
    assert "9 of 10 answers are taken over from r." in done.output
    answers = list(read_lines(tmp_path / "results" / "second" / ANSWERS, Response))
    assert sorted(line.task_id for line in answers if line.reused is None) == ["predict_2"]
    assert {line.reused for line in answers} == {None, "r"}
    assert sum(line.cost or 0 for line in answers) == pytest.approx(0.0001)
    assert {grade.task_id for grade in grades(tmp_path, "second") if not grade.correct} == {
        "predict_0", "predict_1", "predict_3", "predict_6", "predict_9"
    }  # fmt: skip


def test_a_run_that_was_killed_while_it_took_over_asks_nothing_twice(tmp_path: Path, double: Double) -> None:
    finished(new_run(tmp_path), double, tmp_path)
    again(tmp_path, double, "second", "--reuse", "r")
    folder = tmp_path / "results" / "second"
    lines = (folder / ANSWERS).read_bytes().splitlines(keepends=True)
    (folder / ANSWERS).write_bytes(b"".join(lines[:4]))
    (folder / GRADES).write_bytes(b"")
    resumed = probatio(
        "trial", "--resume", "second", "--results", tmp_path / "results", cwd=tmp_path,
        env={"OPENROUTER_API_KEY": "key", "OPENROUTER_BASE_URL": double.base_url},
    )  # fmt: skip
    assert resumed.returncode == 0, resumed.output
    assert len(double.bodies) == 10
    assert set(asked(tmp_path, "second").values()) == {1}


def test_a_run_goes_on_where_the_run_it_took_over_from_is_gone(tmp_path: Path, double: Double) -> None:
    finished(new_run(tmp_path), double, tmp_path)
    again(tmp_path, double, "second", "--reuse", "r")
    folder = tmp_path / "results" / "second"
    (folder / ANSWERS).write_bytes(b"".join((folder / ANSWERS).read_bytes().splitlines(keepends=True)[:4]))
    (folder / GRADES).write_bytes(b"")
    shutil.rmtree(tmp_path / "results" / "r")
    resumed = probatio(
        "trial", "--resume", "second", "--results", tmp_path / "results", cwd=tmp_path,
        env={"OPENROUTER_API_KEY": "key", "OPENROUTER_BASE_URL": double.base_url},
    )  # fmt: skip
    assert resumed.returncode == 0, resumed.output
    assert "r: not there any more; what was not taken over yet is asked." in resumed.output
    assert len(double.bodies) == 16


@pytest.mark.parametrize("flags", [["--samples", "2"], ["--context", "minimal"]])
def test_a_finer_question_costs_the_new_answers_only(
    tmp_path: Path, double: Double, flags: list[str]
) -> None:
    command = new_run(tmp_path)
    (tmp_path / "suite" / "contexts").mkdir()
    for name in ("examples-only", "minimal"):
        (tmp_path / "suite" / "contexts" / f"{name}.md").write_text(
            "" if name != "minimal" else "Latin words."
        )
    finished(command, double, tmp_path)
    done = again(tmp_path, double, "second", *flags, "--reuse", "r")
    assert done.returncode == 0, done.output
    assert len(double.bodies) == 20


def test_another_temperature_or_model_is_another_question(tmp_path: Path, double: Double) -> None:
    finished(new_run(tmp_path), double, tmp_path)
    config = tmp_path / "models.yml"
    model = "{id: gpt-4o-mini, provider: openrouter, name: openai/gpt-4o-mini}"
    config.write_text(f"models: [{model}]\ntrials: {{temperature: 0.7}}\n")
    done = again(tmp_path, double, "second", "--reuse", "r", "--config", str(config))
    assert "r: no answer to the same question is there; all are asked." in done.output
    assert len(double.bodies) == 20


def test_a_plan_says_how_many_answers_are_there_already(tmp_path: Path, double: Double) -> None:
    finished(new_run(tmp_path), double, tmp_path)
    done = again(tmp_path, double, "second", "--reuse", "r", "--dry-run")
    assert "gpt-4o-mini: 0 trials, about 0 tokens in, about $0.0000" in done.output
    assert "Of these, 10 answers are taken over from r." in done.output


@pytest.mark.parametrize(
    ("run", "sentence"), [("../elsewhere", "only a run under"), ("none", "no run `none`")]
)
def test_only_a_run_of_these_results_is_taken_over(
    tmp_path: Path, double: Double, run: str, sentence: str
) -> None:
    finished(new_run(tmp_path), double, tmp_path)
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / RUN_FILE).write_bytes((tmp_path / "results" / "r" / RUN_FILE).read_bytes())
    done = again(tmp_path, double, "second", "--reuse", run)
    assert (done.returncode, sentence in done.output) == (2, True), done.output


def test_two_versions_are_pooled_by_their_questions_and_it_is_said_what_is_left_out(
    tmp_path: Path, double: Double
) -> None:
    finished(new_run(tmp_path), double, tmp_path)
    change_task(tmp_path, 1, expected_output="43")
    change_task(tmp_path, 2, input_faber="scribe 99")
    again(tmp_path, double, "second")
    done = studied(tmp_path, "r", "second", "--out", str(tmp_path / "both"))
    assert done.returncode == 0, done.output
    assert (
        "Note: 2 of 10 trials of r are other questions now (tasks predict_1, predict_2) and are left out; "
        "`probatio study compare r second` compares them." in done.output
    )
    assert "/18 passed" in done.output
    # The run that is named last says which form counts.
    assert (
        "2 of 10 trials of second are"
        in studied(tmp_path, "second", "r", "--out", str(tmp_path / "o")).output
    )


def test_an_answer_that_was_taken_over_counts_once(tmp_path: Path, double: Double) -> None:
    finished(new_run(tmp_path), double, tmp_path)
    change_task(tmp_path, 2, input_faber="scribe 99")
    again(tmp_path, double, "second", "--reuse", "r")
    done = studied(tmp_path, "r", "second", "--out", str(tmp_path / "both"))
    assert "/10 passed" in done.output


def test_a_changed_context_is_another_condition_for_every_task_in_it(tmp_path: Path, double: Double) -> None:
    command = new_run(tmp_path)
    (tmp_path / "suite" / "contexts").mkdir()
    context = tmp_path / "suite" / "contexts" / "examples-only.md"
    context.write_text("Latin words.")
    finished(command, double, tmp_path)
    context.write_text("Latin words. One sentence more.")
    again(tmp_path, double, "second", "--task", "predict_1")
    done = studied(tmp_path, "r", "second", "--out", str(tmp_path / "both"))
    assert done.returncode == 2
    assert "r and second share no question (context examples-only)" in done.output


def test_a_gate_passes_over_another_version_whose_questions_are_the_same(
    tmp_path: Path, double: Double
) -> None:
    finished(new_run(tmp_path), double, tmp_path)
    change_task(tmp_path, 2, difficulty="hard", category="other")
    again(tmp_path, double, "second")
    words = (
        "study",
        "compare",
        "r",
        "second",
        "--results",
        tmp_path / "results",
        "--fail-on",
        "worse",
        "--json",
    )
    assert json.loads(probatio(*words, cwd=tmp_path).stdout)["gate"]["answer"] != "unlike"
    change_task(tmp_path, 2, expected_output="other")
    again(tmp_path, double, "third")
    words = (
        "study",
        "compare",
        "r",
        "third",
        "--results",
        tmp_path / "results",
        "--fail-on",
        "worse",
        "--json",
    )
    gate = json.loads(probatio(*words, cwd=tmp_path).stdout)["gate"]
    assert gate["answer"] == "unlike"
    assert "1 of 10 trials of r are other questions now (task predict_2)" in gate["sentence"]

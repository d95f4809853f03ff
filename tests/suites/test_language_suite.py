"""Suites from disk: what is wrong is sentence with file, place and cure."""

from pathlib import Path

import pytest

from probatio.core.errors import UsageError
from probatio.suites.language_suite import load_suite

GOOD = """
tasks:
  - {id: a, type: predict_output, category: loops, goal: g, input_faber: scribe 1, expected_output: "1"}
"""


def written(folder: Path, text: str) -> Path:
    (folder / "tasks").mkdir()
    (folder / "tasks" / "t.yml").write_text(text, encoding="utf-8")
    return folder


def test_any_folder_with_tasks_is_a_suite(tmp_path: Path) -> None:
    suite = load_suite(written(tmp_path, GOOD))
    assert [*suite.tasks] == ["a"]
    assert suite.examples == ()
    assert suite.version is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tasks: [", "not valid YAML"),
        (GOOD.replace("predict_output", "predict"), "task `a`.*Near matches: predict_output"),
        (GOOD.replace("category: loops, ", ""), "category"),
        (GOOD.replace('"1"', "1"), "quotes"),
        (GOOD.replace("expected_output", "expected_ouput"), "did you mean `expected_output`"),
        (GOOD + GOOD.replace("\ntasks:\n", ""), "already taken"),
        (GOOD.replace("input_faber: scribe 1", "input_faber: ''"), "has no `material`: the program"),
        (GOOD.replace('expected_output: "1"', "difficulty: easy"), "either `expected_output` or `tests`"),
        (GOOD.replace("input_faber", "input"), "has no language.yml"),
        (GOOD.replace("predict_output", "complete_code"), "___"),
        ("- just\n- a list\n", "Expected `object`"),
        ("", "Expected `object`"),
        ("tasks:\n  - {id: 'a\x00'}", "not valid YAML"),
    ],
)
def test_a_bad_task_file_is_one_clear_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        load_suite(written(tmp_path, text))
    assert "t.yml" in str(caught.value) or "language.yml" in str(caught.value)


def test_a_folder_without_tasks_is_no_suite(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a suite"):
        load_suite(tmp_path)


def test_a_key_that_begins_with_x_is_the_users(tmp_path: Path) -> None:
    assert load_suite(written(tmp_path, GOOD.replace("goal: g", "goal: g, x-notes: by Livia")))


def test_the_recorded_runs_of_the_first_harness_are_a_suite(shared: Path) -> None:
    assert len(load_suite(shared / "recorded").tasks) == 73

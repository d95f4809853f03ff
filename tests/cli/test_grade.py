"""`probatio grade`: stored answers, graded again with no call."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import probatio
from double import Double
from runs.trials import finished, new_run


def graded(*arguments: object) -> tuple[int, str]:
    done = probatio("grade", *arguments)
    return done.returncode, done.output


@pytest.fixture(scope="module")
def ten_trials(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run `r` of ten trials whose server is gone: whoever grades it again can ask nobody."""
    root = tmp_path_factory.mktemp("ten")
    with Double() as double:
        assert finished(new_run(root), double, root).returncode == 0
    return root


@pytest.fixture
def recorded(ten_trials: Path, tmp_path: Path) -> Path:
    """A copy to grade again."""
    return Path(shutil.copytree(ten_trials, tmp_path / "copy"))


def test_grading_again_with_the_same_grader_flips_nothing(recorded: Path) -> None:
    code, out = graded("r", "--results", recorded / "results")
    assert code == 0
    assert "6/10 passed (60%); 0 of 10 flipped." in out


def test_what_flipped_is_told_and_the_earlier_grades_are_kept(recorded: Path) -> None:
    file = recorded / "results" / "r" / "graded_results.jsonl"
    before = file.read_text()
    file.write_text(
        before.replace('"correct":true,"error_type":null', '"correct":false,"error_type":"wrong_output"', 1)
    )
    tampered = file.read_text()
    _, out = graded(recorded / "results" / "r")
    assert "wrong_output → pass" in out
    assert "1 of 10 flipped" in out
    assert (file.parent / "graded_results.before-1.jsonl").read_text() == tampered


def test_out_names_the_file_and_nothing_else_is_touched(recorded: Path, tmp_path: Path) -> None:
    folder = recorded / "results" / "r"
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    code, _ = graded(
        folder / "raw_responses.jsonl", "--suite", recorded / "suite", "--out", tmp_path / "again.jsonl"
    )
    assert code == 0
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert len((tmp_path / "again.jsonl").read_text().splitlines()) == 10


def test_json_tells_each_flip_and_the_end(recorded: Path) -> None:
    _, out = graded("r", "--results", recorded / "results", "--json")
    end = json.loads(out.splitlines()[-1])
    assert (end["event"], end["graded"], end["passed"], end["flipped"]) == ("end", 10, 6, 0)


def test_the_suite_of_a_cloned_run_is_found_beside_its_results(
    recorded: Path, new_user: Callable[[], None]
) -> None:
    """The record names a folder of its author's machine. Another suite in that place is not taken."""
    record = recorded / "results" / "r" / "run.json"
    told = json.loads(record.read_text())
    record.write_text(json.dumps({**told, "suite": "/home/author/project/suite"}))
    new_user()
    (recorded / ".git").mkdir()
    code, out = graded("r", "--results", recorded / "results")
    assert code == 0 and "0 of 10 flipped" in out, out
    record.write_text(json.dumps({**told, "suite": "/home/author/project/suite", "suite_version": "9.9"}))
    code, out = graded("r", "--results", recorded / "results")
    assert code == 2 and "/home/author/project/suite" in out, out

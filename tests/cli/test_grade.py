"""`probatio grade`: stored answers, graded again with no call."""

import json
from pathlib import Path

from click.testing import CliRunner

from double import Double
from probatio.cli.grade import command
from run.trials import finished, new_run


def graded(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)
    return done.exit_code, done.output


def test_grading_again_with_the_same_grader_flips_nothing(tmp_path: Path) -> None:
    with Double() as double:
        finished(new_run(tmp_path), double, tmp_path)
        served = sum(double.served.values())
        code, out = graded("r", "--results", tmp_path / "results")
        assert sum(double.served.values()) == served
    assert code == 0
    assert "6/10 passed (60%); 0 of 10 flipped." in out


def test_what_flipped_is_told_and_the_earlier_grades_are_kept(tmp_path: Path) -> None:
    with Double() as double:
        finished(new_run(tmp_path), double, tmp_path)
    file = tmp_path / "results" / "r" / "graded_results.jsonl"
    before = file.read_text()
    file.write_text(
        before.replace('"correct":true,"error_type":null', '"correct":false,"error_type":"wrong_output"', 1)
    )
    tampered = file.read_text()
    _, out = graded(tmp_path / "results" / "r")
    assert "wrong_output → pass" in out
    assert "1 of 10 flipped" in out
    assert (file.parent / "graded_results.before-1.jsonl").read_text() == tampered


def test_out_names_the_file_and_nothing_else_is_touched(tmp_path: Path) -> None:
    with Double() as double:
        finished(new_run(tmp_path), double, tmp_path)
    folder = tmp_path / "results" / "r"
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    code, _ = graded(folder / "raw_responses.jsonl", "--suite", tmp_path / "suite", "--out", tmp_path / "again.jsonl")
    assert code == 0
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert len((tmp_path / "again.jsonl").read_text().splitlines()) == 10


def test_json_tells_each_flip_and_the_end(tmp_path: Path) -> None:
    with Double() as double:
        finished(new_run(tmp_path), double, tmp_path)
    _, out = graded("r", "--results", tmp_path / "results", "--json")
    end = json.loads(out.splitlines()[-1])
    assert (end["event"], end["graded"], end["passed"], end["flipped"]) == ("end", 10, 6, 0)

"""Task folders of Harbor: what is written grades right and wrong answers as a trial does, and can be read
again."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from commandline import probatio
from probatio.authoring.harbor import verifier
from probatio.authoring.harbor.read import add_to_suite, read_harbor
from probatio.authoring.harbor.write import HarborManifest, write_harbor
from probatio.authoring.new import write_new
from probatio.core.errors import UsageError
from probatio.grading.trial_answers import assess_trial
from probatio.suites.language_suite import load_suite
from probatio.suites.task_types import KINDS

TASKS = ("palindrome", "sum_and_product")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("harbor") / "tasks"
    suite = load_suite("strues")
    predicted = next(name for name, task in suite.tasks.items() if KINDS[task.type].judged == "text")
    done = write_harbor(suite, [*TASKS, predicted], target, "brief", 1, "standard")
    assert done.left_out == (predicted,) and [folder.name for folder in done.folders] == [*TASKS]
    return target


def test_a_task_folder_has_the_parts_harbor_reads(folders: Path) -> None:
    folder = folders / "palindrome"
    config = tomllib.loads((folder / "task.toml").read_text())
    assert config["task"]["name"] == "strues/palindrome" and config["metadata"]["category"] == "text"
    assert config["verifier"]["environment_mode"] == "separate" and config["artifacts"] == [
        "/app/answer.strues"
    ]
    instruction = (folder / "instruction.md").read_text()
    assert "reads the same backwards" in instruction and "/app/answer.strues" in instruction
    for name in ("environment/Dockerfile", "tests/Dockerfile", "tests/test.sh", "solution/solve.sh"):
        assert (folder / name).is_file(), name
    assert (folder / "tests/test.sh").stat().st_mode & 0o100


def test_the_agents_side_holds_no_solution_and_no_test(folders: Path) -> None:
    """Harbor gives the agent instruction.md and the container of environment/."""
    solution = (folders / "palindrome/solution/answer.strues").read_text().strip()
    seen = (folders / "palindrome/instruction.md", *(folders / "palindrome/environment").iterdir())
    assert len(seen) == 2 and not any(
        solution in file.read_text() or "probatio" in file.read_text() for file in seen
    )


@pytest.mark.parametrize(("wrong", "reward"), [(False, 1.0), (True, 0.0), (None, 0.0)])
def test_the_verifier_rewards_the_solution_and_nothing_else(
    folders: Path, tmp_path: Path, wrong: bool | None, reward: float
) -> None:
    tests, answer = folders / "palindrome" / "tests", tmp_path / "answer.strues"
    if wrong is not None:
        right = (folders / "palindrome/solution/answer.strues").read_text()
        answer.write_text(right.replace("yes", "yess") if wrong else right)
    manifest = {**json.loads((tests / "probatio.json").read_text()), "answer": str(answer)}
    moved = tmp_path / "tests"
    moved.mkdir()
    (moved / "suite").symlink_to(tests / "suite")
    (moved / "probatio.json").write_text(json.dumps(manifest))
    command = [
        sys.executable,
        "-m",
        "probatio.authoring.harbor.verifier",
        str(moved),
        str(tmp_path / "logs"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads((tmp_path / "logs/reward.json").read_text())
    assert told["reward"] == float((tmp_path / "logs/reward.txt").read_text()) == reward
    if wrong:
        assert told["checks"] == told["runs"] == 1.0 and "wrong_output" in done.stdout


@pytest.mark.slow
def test_an_answer_that_breaks_its_checker_is_not_graded_again_outside_the_jail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (written,) = write_harbor(
        load_suite("kcl"), ["write_server"], tmp_path / "t", "brief", 0, "standard"
    ).folders
    manifest = msgspec.json.decode((written / "tests/probatio.json").read_bytes(), type=HarborManifest)
    answer = tmp_path / "answer.k"
    answer.write_text("a = " + "[" * 5_000)
    tried: list[object] = []

    def note(*given: object, **more: object) -> object:
        tried.append(given[-1])
        return assess_trial(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(verifier, "assess_trial", note)
    found = verifier.grade_answer(written / "tests", manifest, answer)
    assert (found.error_type, found.correct, tried) == ("crashed_checker", False, ["auto"])


def test_what_was_written_is_read_again_as_the_same_tasks(folders: Path) -> None:
    read = read_harbor(folders)
    assert not read.refused
    assert {task.id: task for task in read.tasks} == {
        name: load_suite("strues").tasks[name] for name in TASKS
    }


def _foreign(folder: Path, *, pairs: bool = True) -> Path:
    (folder / "tests").mkdir(parents=True)
    (folder / "task.toml").write_text(
        'version = "1.0"\n[metadata]\ncategory = "text"\ndifficulty = "easy"\n[verifier]\ntimeout_sec = '
        "60.0\n"
    )
    (folder / "instruction.md").write_text("Read a line and print it twice.\n")
    (folder / "tests/test.sh").write_text("#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n")
    if pairs:
        for number, word in ((1, "a"), (2, "b"), (10, "c")):
            (folder / f"tests/{number}.in").write_text(f"{word}\n")
            (folder / f"tests/{number}.out").write_text(f"{word}\n{word}\n")
    return folder


def test_a_folder_from_elsewhere_is_read_by_its_inputs_and_outputs(tmp_path: Path) -> None:
    (task,) = read_harbor(_foreign(tmp_path / "echo-twice")).tasks
    assert (task.id, task.type, task.category, task.difficulty) == ("echo-twice", "write", "text", "easy")
    assert task.goal == "Read a line and print it twice."
    assert [(test.stdin, test.stdout) for test in task.tests] == [(f"{w}\n", f"{w}\n{w}\n") for w in "abc"]


def test_import_adds_what_can_be_read_and_names_the_rest(tmp_path: Path) -> None:
    _foreign(tmp_path / "in" / "echo-twice")
    _foreign(tmp_path / "in" / "scripted", pairs=False)
    write_new(tmp_path / "lang", "command")
    before = set(load_suite(tmp_path / "lang").tasks)
    given = [str(tmp_path / "in"), "--suite", str(tmp_path / "lang")]
    done = probatio("suite", "import", *given, "--json")
    told = json.loads(done.stdout)
    assert told["tasks"] == ["echo-twice"] and "its tests are a script" in told["refused"]["scripted"]
    assert set(load_suite(tmp_path / "lang").tasks) - before == {"echo-twice"}
    again = probatio("suite", "import", *given)
    assert again.returncode == 2 and "is there already" in again.stderr


def test_tasks_that_do_not_fit_leave_the_suite_as_it_was(tmp_path: Path) -> None:
    _foreign(tmp_path / "echo-twice")
    (tmp_path / "echo-twice/instruction.md").write_text("x")
    suite = tmp_path / "lang"
    write_new(suite, "faber")
    tasks = read_harbor(tmp_path / "echo-twice").tasks
    with pytest.raises(UsageError, match="standard input"):  # programs of this language read none
        add_to_suite(tasks, load_suite(suite))
    assert not (suite / "tasks/harbor.yml").exists()


@pytest.mark.parametrize("bad", ["", "[task", 'task = "x"\n'])
def test_a_broken_task_file_is_a_sentence_of_its_own(tmp_path: Path, bad: str) -> None:
    folder = _foreign(tmp_path / "in" / "bad", pairs=False)
    (folder / "task.toml").write_text(bad)
    read = read_harbor(tmp_path / "in")
    assert not read.tasks and set(read.refused) == {"bad"}

"""A suite or a results folder from someone else is read: no command starts what it names, shows the jail what
lies outside it, or waits for what is no file."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import Done, probatio
from jail.forged_elf import forge_elf, forge_interpreter_alone

RUNS = Path(__file__).parents[2] / "examples" / "runs"
SECRET = "the secret of the house"
READS = '  run: [awk, -f, "{file}"]\n'


def write_trap(folder: Path, interpreter: str) -> Path:
    """A data file that names a program as its loader; the program leaves a file behind."""
    helper = folder / "helper"
    helper.write_text(f"#!/bin/sh\ntouch '{folder}/started'\n")
    helper.chmod(0o755)
    (folder / "link").symlink_to("helper")
    data = forge_interpreter_alone if len(interpreter) % 2 else forge_elf
    (folder / "data").write_bytes(data(interpreter.format(folder=folder)))
    return folder / "started"


def call(cwd: Path, *words: object) -> Done:
    done = probatio(*words, cwd=cwd, env={})
    assert "Traceback" not in done.output
    return done


def language(folder: Path, *, interpreter: str = "{folder}/helper") -> Path:
    assert call(folder.parent, "suite", "new", folder).returncode == 0
    started = write_trap(folder, interpreter)
    about = folder / "language.yml"
    about.write_text(about.read_text().replace(READS, f'{READS}  reads: ["{{folder}}/data"]\n'))
    return started


@pytest.mark.slow
@pytest.mark.parametrize("interpreter", ["{folder}/helper", "./helper", "{folder}/link", "helper"])
def test_no_command_starts_the_loader_that_a_file_of_a_suite_names(tmp_path: Path, interpreter: str) -> None:
    started = language(tmp_path / "suite", interpreter=interpreter)
    inside = tmp_path / "suite"
    assert call(inside, "suite", "check", ".").returncode == 0
    assert call(inside, "trial", "--suite", ".", "--dry-run", "--model", "gpt-4o-mini").returncode == 0
    assert not started.exists()


@pytest.mark.slow
def test_no_command_starts_the_loader_that_a_suite_inside_results_names(tmp_path: Path) -> None:
    started = language(tmp_path / "suite")
    for run in ("one", "two"):
        folder = tmp_path / "results" / run
        shutil.copytree(RUNS / "sample-strues", folder)
        record = json.loads((folder / "run.json").read_text())
        (folder / "run.json").write_text(
            json.dumps({**record, "suite": str(tmp_path / "suite"), "run_id": run})
        )
    for words in (
        ("study", "one"), ("study", "items", "one"), ("study", "compare", "one", "two"),
        ("site", "build", "--out", "out"), ("grade", "one"),
    ):  # fmt: skip
        assert call(tmp_path, *words, "--results", "results").returncode == 0, words
        assert not started.exists(), words


@pytest.mark.slow
def test_no_command_starts_the_loader_that_a_file_of_a_daily_suite_names(tmp_path: Path) -> None:
    watch = tmp_path / "watch"
    assert call(tmp_path, "suite", "new", "--daily", watch).returncode == 0
    started = write_trap(watch / "triage", "{folder}/helper")
    grader = 'grader: {command: ["{python}", "{folder}/grader.py"], reads: ["{folder}/data"]}'
    about = watch / "suite.yml"
    about.write_text(
        about.read_text().replace("- id: triage ", f"- id: triage\n    {grader}\n    title: Triage ")
    )
    rehearse = (
        "suite",
        "rehearse",
        watch,
        "--days",
        2,
        "--worse-from",
        2,
        "--models",
        1,
        "--results",
        "days",
    )
    for words in (
        ("suite", "check", watch), ("daily", "--suite", watch, "--dry-run", "--model", "gpt-4o-mini"),
        rehearse, ("verify", "--results", "days"), ("site", "build", "--results", "days", "--out", "out"),
        ("study", "items", "--days", "--results", "days"),
    ):  # fmt: skip
        done = call(tmp_path, *words)
        assert done.returncode in (0, 1, 2), (words, done.output)
        assert not started.exists(), words
    assert any((tmp_path / "days").rglob("day.json"))


def _link(to: str) -> object:
    return lambda path: path.symlink_to(to)


WRONG = {
    "a pipe": (os.mkfifo, "is not a file"),
    "a folder": (Path.mkdir, "is not a file|is a directory|not executable"),
    "endless": (_link("/dev/zero"), "leads out of"),
    "a secret": (_link("../secret"), "leads out of"),
    "a circle": (_link("check.awk"), "is not there|not a file"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_file_that_a_command_names_is_a_file_of_the_folder(tmp_path: Path, wrong: str) -> None:
    make, sentence = WRONG[wrong]
    (tmp_path / "secret").write_text(SECRET)
    call(tmp_path, "suite", "new", "suite")
    (tmp_path / "suite" / "check.awk").unlink()
    make(tmp_path / "suite" / "check.awk")  # type: ignore[operator]
    done = call(tmp_path, "suite", "check", "suite")
    assert done.returncode in (1, 2)
    assert SECRET not in done.output
    if wrong != "a folder":  # awk says that itself, in the jail
        assert any(each in done.output for each in sentence.split("|")), done.output


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", ["grader.py", "neighbour.py"])
def test_a_grader_and_its_neighbours_are_files_of_the_folder(tmp_path: Path, name: str, wrong: str) -> None:
    make, sentence = WRONG[wrong]
    (tmp_path / "watch-secret").write_text(SECRET)
    call(tmp_path, "suite", "new", "--daily", "watch")
    triage = tmp_path / "watch" / "triage"
    (triage / name).unlink(missing_ok=True)
    (tmp_path / "watch" / "secret").symlink_to("../watch-secret")
    target = triage / name
    if wrong == "a circle":
        target.symlink_to(name)
    else:
        make(target)  # type: ignore[operator]
    done = call(tmp_path, "suite", "check", "watch")
    assert SECRET not in done.output
    if (name, wrong) == ("neighbour.py", "a folder"):  # shown as the folder it is
        return
    assert done.returncode in (1, 2)
    if (name, wrong) != ("grader.py", "a circle"):
        assert any(each in done.output for each in sentence.split("|")), done.output


@pytest.mark.parametrize(
    "reads",
    ["{folder}/to-secret", "{folder}/../secret", "{folder}/deep/secret", "{folder}", "{folder}/to-device"],
)
def test_what_a_suite_reads_in_the_jail_is_in_its_folder(tmp_path: Path, reads: str) -> None:
    (tmp_path / "secret").write_text(SECRET)
    call(tmp_path, "suite", "new", "suite")
    suite = tmp_path / "suite"
    (suite / "to-secret").symlink_to("../secret")
    (suite / "deep").symlink_to("..")
    (suite / "to-device").symlink_to("/dev/zero")
    about = suite / "language.yml"
    about.write_text(about.read_text().replace(READS, f'{READS}  reads: ["{reads}"]\n'))
    done = call(tmp_path, "suite", "check", "suite")
    assert done.returncode == 2
    assert "leads out of" in done.stderr
    assert SECRET not in done.output


def test_a_script_leads_to_no_script_of_the_machine_that_is_not_on_path(tmp_path: Path) -> None:
    """`#!/root/deploy.sh`: what an interpreter line names is shown in the jail, too."""
    secret = tmp_path / "deploy.sh"
    secret.write_text(f"#!/bin/sh\n# {SECRET}\n")
    secret.chmod(0o755)
    call(tmp_path, "suite", "new", "suite")
    (tmp_path / "suite" / "checker").write_text(f"#!{secret}\n")
    (tmp_path / "suite" / "checker").chmod(0o755)
    about = tmp_path / "suite" / "language.yml"
    about.write_text(
        about.read_text().replace('check: [awk, -f, "{folder}/check.awk", -f', 'check: ["{folder}/checker"')
    )
    done = call(tmp_path, "suite", "check", "suite")
    assert done.returncode == 2
    assert "a script that is not on PATH" in done.stderr


@pytest.mark.parametrize(
    "blank",
    ["{goal:>3000000000}", "{goal!r:>999999999}", "{goal.__class__}", "{goal[0]}", "{}", "{0}", "{", "}"],
)
def test_a_question_has_names_in_its_braces_and_nothing_more(tmp_path: Path, blank: str) -> None:
    call(tmp_path, "suite", "new", "suite")
    (tmp_path / "suite" / "questions.yml").write_text(json.dumps({"write": f"Write: {blank}"}))
    done = call(tmp_path, "suite", "check", "suite")
    assert done.returncode == 2
    assert "questions.yml, line 1, `write`: " in done.stderr
    assert "can't be filled in" in done.stderr


def test_a_question_that_repeats_a_long_text_is_refused(tmp_path: Path) -> None:
    call(tmp_path, "suite", "new", "suite")
    (tmp_path / "suite" / "questions.yml").write_text(json.dumps({"write": "{goal}" * 100_000}))
    tasks = next((tmp_path / "suite" / "tasks").glob("*.yml"))
    text = tasks.read_text().replace("goal: ", f"goal: {'long ' * 2000}", 1)
    tasks.write_text(text)
    done = call(tmp_path, "trial", "--suite", "suite", "--dry-run", "--model", "gpt-4o-mini")
    assert done.returncode == 2
    assert "with its blanks filled" in done.stderr


DEEP = b"[" * 100_000 + b"]" * 100_000
NESTED: dict[str, Callable[[bytes], bytes]] = {
    "run.json": lambda text: b'{"run_id": ' + DEEP + b"}",
    "run.json of a field of another's": lambda text: text.rstrip()[:-1] + b', "notes": ' + DEEP + b"}",
    "graded_results.jsonl": lambda text: text + b'{"task_id": "x", "breakdown": {"a": ' + DEEP + b"}}\n",
    "raw_responses.jsonl": lambda text: text + b'{"task_id": "x", "response": ' + DEEP + b"}\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("nested", NESTED)
def test_nested_json_in_one_run_leaves_the_others_to_be_shown(tmp_path: Path, nested: str) -> None:
    results = tmp_path / "results"
    for run in ("good", "nested"):
        shutil.copytree(RUNS / "sample-strues", results / run)
    file = results / "nested" / nested.partition(" ")[0]
    file.write_bytes(NESTED[nested](file.read_bytes()))
    built = call(tmp_path, "site", "build", "--results", "results", "--out", "out")
    assert built.returncode == 0, built.output
    shown = (tmp_path / "out" / "learnability" / "index.html").read_text()
    assert 'href="good/"' in shown
    assert not nested.startswith("run.json") or "The run nested is not shown: " in shown + built.stderr
    for words in (("study", "nested"), ("study", "items", "nested"), ("grade", "nested"), ("study", "good")):
        done = call(tmp_path, *words, "--results", "results")
        assert done.returncode in (0, 2, 3), (words, done.output)
    assert done.returncode == 0

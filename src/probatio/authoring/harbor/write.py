"""Tasks as task folders of Harbor: an agent writes the program in one container, our grader checks it in
another.

The agent's container has neither the toolchain nor this package, which holds solutions of the built-in
suites. The verifier is a container of its own (`environment_mode = "separate"`) and gets nothing from the
agent but the answer.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from probatio import __version__
from probatio.authoring.new import require_empty
from probatio.authoring.yaml_text import format_language, format_tasks
from probatio.core.errors import UsageError
from probatio.core.files import copy_folder, make_folder, put
from probatio.core.records import Task
from probatio.core.text.names import make_file_name, make_file_names, refuse_unknown_name
from probatio.suites.language_file import FILE, read_language_file
from probatio.suites.language_suite import Suite
from probatio.suites.prompt import render
from probatio.suites.task_types import KINDS

SCHEMA = "1.4"
"""The version of task.toml that Harbor's own template has."""
IMAGE = "python:3.12-slim"
SUITE = "suite"
"""The folder under tests/ with the language and the one task, as a suite of ours."""
MANIFEST = "probatio.json"
"""The file under tests/ that says how the answer is graded."""

_LEFT_OUT = ("__pycache__", "*.pyc", "tasks", "examples", "twists", FILE)
_INSTRUCTION = {
    "program": "Write the program to the file `{file}`. Only this file is looked at.",
    "host program": "Write the program to the file `{file}`. Only this file is looked at.",
    "completion": "Write the missing part to the file `{file}`. Only this file is looked at.",
}


class HarborManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the answer of one task folder is graded."""

    task: str
    dialect: str
    answer: str
    suite_name: str
    suite_version: str | None
    context: str
    n_shot: int


class WrittenTasks(msgspec.Struct, frozen=True):
    """What became of the tasks."""

    folders: tuple[Path, ...]
    left_out: tuple[str, ...]
    """Tasks whose answer is not a program: an agent could run the program and copy what it prints."""


def write_harbor(
    suite: Suite, tasks: Sequence[str], target: Path, context: str | None, n_shot: int, dialect: str | None
) -> WrittenTasks:
    """Write one task folder for every task whose answer is a program.

    Without a context the longest is taken, without a dialect the first.
    """
    require_empty(target)
    if not (suite.folder / FILE).exists():
        raise UsageError(f"{suite.folder} has no {FILE}; a task of Harbor needs it to check programs.")
    contexts, dialects = list(suite.contexts), [*suite.language.dialects, *suite.twisted_dialects]
    context, dialect = context or contexts[-1], dialect or dialects[0]
    if context not in contexts:
        raise refuse_unknown_name("context", context, contexts)
    if dialect not in dialects:
        raise refuse_unknown_name("dialect", dialect, dialects)
    folders, left_out = [], []
    folder_of = make_file_names(tasks, "task")
    for name in tasks:
        task = suite.task(name, dialect)
        if KINDS[task.type].judged in _INSTRUCTION:
            folder = make_folder(target / folder_of[name], target)
            folders.append(_write_task(suite, task, folder, context, n_shot, dialect))
        else:
            left_out.append(name)
    if not folders:
        raise UsageError("None of these tasks asks for a program, so none can be a task of Harbor.")
    return WrittenTasks(tuple(folders), tuple(left_out))


def _write_task(suite: Suite, task: Task, folder: Path, context: str, n_shot: int, dialect: str) -> Path:
    judged = KINDS[task.type].judged
    suffix = "txt" if judged == "completion" else make_file_name(suite.answer_language(task).fences[0], "txt")
    answer = f"/app/answer.{suffix}"
    prompt = render(suite, task, context, n_shot, dialect)
    manifest = HarborManifest(task.id, dialect, answer, suite.name, suite.version, context, n_shot)
    tests = folder / "tests"
    for each in (folder / "environment", tests / SUITE / "tasks"):
        make_folder(each, folder)
    _put(folder / "instruction.md", f"{prompt}\n\n{_INSTRUCTION[judged].format(file=answer)}\n")
    _put(folder / "task.toml", _format_task(suite, task, manifest))
    _put(folder / "environment" / "Dockerfile", f"FROM {IMAGE}\n\nWORKDIR /app\n")
    _put(
        tests / "Dockerfile",
        f"FROM {IMAGE}\n\nRUN pip install --no-cache-dir probatio=={__version__}\nWORKDIR /app\nCOPY . "
        "/tests/\n",
    )
    _put(
        tests / "test.sh",
        "#!/bin/sh\n# Grades the answer as `probatio trial` does and writes the reward.\n"
        "exec python3 -m probatio.authoring.harbor.verifier /tests /logs/verifier\n",
    ).chmod(0o755)
    _put(tests / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2).decode() + "\n")
    copy_folder(suite.folder, tests / SUITE, _LEFT_OUT)
    about = msgspec.structs.replace(read_language_file(suite.folder), fingerprint=None, aliases={})
    said = f"The language of the suite {suite.name} {suite.version}."
    _put(tests / SUITE / FILE, format_language(about, said))
    _put(tests / SUITE / "tasks" / "task.yml", format_tasks([task]))
    if task.solution:
        (folder / "solution").mkdir()
        _put(folder / "solution" / f"answer.{suffix}", task.solution.rstrip("\n") + "\n")
        _put(
            folder / "solution" / "solve.sh",
            f"#!/bin/sh\ncp {shlex.quote(f'/solution/answer.{suffix}')} {shlex.quote(answer)}\n",
        ).chmod(0o755)
    return folder


def _format_task(suite: Suite, task: Task, manifest: HarborManifest) -> str:
    named = f"{_clean_name(suite.name)}/{_clean_name(task.id)}"
    metadata = {
        "category": task.category,
        "type": task.type,
        **({} if task.difficulty is None else {"difficulty": str(task.difficulty)}),
        "suite": suite.name,
        "suite_version": suite.version or "unversioned",
        "dialect": manifest.dialect,
        "context": manifest.context,
        "n_shot": manifest.n_shot,
    }
    described = task.goal.strip().partition("\n")[0] or f"{task.type}: {task.id}"
    return "\n".join(
        (
            f'schema_version = "{SCHEMA}"',
            f"artifacts = [{_format_toml(manifest.answer)}]",
            "\n[task]",
            f"name = {_format_toml(named)}",
            f"description = {_format_toml(described)}",
            f"keywords = {_format_toml([suite.spec.name, task.category])}",
            "\n[metadata]",
            *(f"{key} = {_format_toml(value)}" for key, value in metadata.items()),
            "\n[agent]",
            "timeout_sec = 900.0",
            "\n[verifier]",
            'environment_mode = "separate"',
            "timeout_sec = 300.0",
            "\n[environment]",
            "build_timeout_sec = 600.0\n",
        )
    )


def _format_toml(value: object) -> str:
    """Text, numbers and lists of text as TOML, whose strings are those of JSON but for the sign DEL."""
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


def _clean_name(name: str) -> str:
    """A name with the letters that Harbor allows."""
    kept = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_.") else "-" for sign in name)
    return kept.replace("..", "-").lstrip(".-") or "task"


def _put(path: Path, text: str) -> Path:
    put(path, text.encode())
    return path

"""Task folders of Harbor read as tasks of a suite: those this package wrote, and others whose tests are
inputs and outputs.

A test script can't be read as data. So the tests of a folder from elsewhere must be pairs of files under
`tests/`, such as `1.in` and `1.out`: what the program reads, and what it must print.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from probatio.authoring.harbor.write import MANIFEST, SUITE, HarborManifest
from probatio.authoring.yaml_text import format_tasks
from probatio.core.errors import UsageError
from probatio.core.inside import MOST_SETTINGS, MOST_TEXT, read_inside, walk_inside
from probatio.core.jsonfile import read_json
from probatio.core.records import ProgramTest, Task
from probatio.suites.language_suite import Suite, load_suite

CONFIG = "task.toml"
OUTPUTS = (".out", ".ans", ".stdout")
INPUTS = {".out": ".in", ".ans": ".in", ".stdout": ".stdin"}
TASKS_FILE = "harbor.yml"


class TasksRead(msgspec.Struct, frozen=True):
    """The tasks of one or more folders, and why others could not be read."""

    tasks: tuple[Task, ...]
    refused: dict[str, str]


def is_harbor(path: Path) -> bool:
    """Whether this is a task folder of Harbor, or a folder of them."""
    return path.is_dir() and bool(task_folders(path))


def task_folders(path: Path) -> list[Path]:
    if (path / CONFIG).is_file():
        return [path]
    return sorted(file.parent for file in path.glob(f"*/{CONFIG}"))


def read_harbor(path: Path) -> TasksRead:
    """Every task under `path` that can be a task of a suite."""
    tasks: list[Task] = []
    refused: dict[str, str] = {}
    for folder in task_folders(path):
        try:
            tasks.append(_read_task(folder))
        except UsageError as error:
            refused[folder.name] = str(error)
    return TasksRead(tuple(tasks), refused)


def add_to_suite(tasks: Sequence[Task], suite: Suite) -> Path:
    """Put the tasks into the suite's folder as one more file. The folder is as it was where they don't
    fit."""
    target = suite.folder / "tasks" / TASKS_FILE
    if target.exists():
        raise UsageError(
            f"{target} is there already; move it away, or rename it, before you read more tasks."
        )
    if taken := [task.id for task in tasks if task.id in suite.tasks]:
        raise UsageError(
            f"The suite {suite.name} has a task `{taken[0]}` already ({len(taken)} in all are taken)."
        )
    target.write_text(format_tasks(tasks), encoding="utf-8")
    try:
        load_suite(suite.folder)
    except UsageError:
        target.unlink()
        raise
    return target


def _read_task(folder: Path) -> Task:
    config = _read_config(folder)
    if (folder / "tests" / MANIFEST).is_file():
        return _read_own(folder)
    if config.get("steps"):
        raise UsageError(f"{folder} has several steps; a task of a suite has one question.")
    tests = _read_pairs(folder)
    metadata, about = (
        part if isinstance(part := config.get(key), dict) else {} for key in ("metadata", "task")
    )
    difficulty = metadata.get("difficulty")
    if isinstance(difficulty, str) and difficulty.isdigit():
        difficulty = int(difficulty)
    return Task(
        id=str(about["name"]).rpartition("/")[2] if about.get("name") else folder.resolve().name,
        type="write",
        category=str(metadata.get("category") or "harbor"),
        goal=_read_text(folder, folder / "instruction.md").strip(),
        tests=tests,
        difficulty=difficulty if isinstance(difficulty, str | int) and difficulty != "" else None,
    )


def _read_own(folder: Path) -> Task:
    manifest = read_json(folder / "tests" / MANIFEST, HarborManifest, "a manifest of ours", folder)
    tasks = load_suite(folder / "tests" / SUITE).tasks
    if manifest.task not in tasks:
        raise UsageError(f"{folder}: its suite has no task `{manifest.task}`.")
    return tasks[manifest.task]


def _read_config(folder: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_inside(folder / CONFIG, folder, MOST_SETTINGS).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{folder / CONFIG} can't be read: {error}.") from None


def _read_pairs(folder: Path) -> tuple[ProgramTest, ...]:
    """The tests, in the order of their names; `2` comes before `10`."""
    tests = folder / "tests"
    outputs = (
        [file for file in walk_inside(tests, folder) if file.suffix in OUTPUTS] if tests.exists() else []
    )
    if not outputs:
        raise UsageError(
            f"{folder}: its tests are a script. Only tests that are pairs of files, such as tests/1.in and "
            "tests/1.out, can be read as inputs and outputs of a program."
        )
    outputs.sort(key=lambda file: (file.parent.as_posix(), len(file.stem), file.stem))
    return tuple(
        ProgramTest(
            stdout=_read_text(folder, file), stdin=_read_text(folder, given) if given.is_file() else ""
        )
        for file in outputs
        for given in [file.with_suffix(INPUTS[file.suffix])]
    )


def _read_text(folder: Path, file: Path) -> str:
    try:
        return read_inside(file, folder, MOST_TEXT).decode()
    except FileNotFoundError:
        raise UsageError(f"{folder} has no {file.relative_to(folder)}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not text in UTF-8.") from None

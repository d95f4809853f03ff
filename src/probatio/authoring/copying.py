"""A suite copied to a folder of one's own: all of it, or the few tasks to begin with."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import msgspec

from probatio.authoring.written import language_yaml, tasks_yaml
from probatio.errors import UsageError
from probatio.names import unknown
from probatio.records import Task
from probatio.suite.daily_suite import load_daily
from probatio.suite.language_file import FILE, read_language_file
from probatio.suite.language_suite import BUILT_IN, built_in_suites, load_suite
from probatio.suite.task_types import KINDS
from probatio.suite.twists import FOLDER as TWISTS
from probatio.yamlfile import read_yaml

STARTERS = Path(__file__).parent / "starters"
PER_TYPE = 2
"""Tasks of each type in a small part of a suite."""
FIRST_VERSION = "0.1.0"

_LEFT_OUT = ("__pycache__", "*.pyc")


def starters() -> tuple[str, ...]:
    """What a new folder can begin from: a folder that was made for it, or a part of a built-in suite."""
    return (*sorted(folder.name for folder in STARTERS.iterdir() if (folder / FILE).exists()), *built_in_suites())


def new(target: Path, source: str) -> int:
    """Write a small working folder. The number of its tasks."""
    if source not in starters():
        raise unknown("start", source, starters())
    require_empty(target)
    if (STARTERS / source / FILE).exists():
        _copied(STARTERS / source, target)
    else:
        _part(BUILT_IN / source, target)
    return len(load_suite(target).tasks)


def new_daily(target: Path) -> tuple[int, int]:
    """Write a small working daily suite. The numbers of its use cases and of its cases."""
    require_empty(target)
    _copied(STARTERS / "daily", target)
    suite = load_daily(target)
    return len(suite.use_cases), len(suite.cases)


def export(source: str, target: Path) -> int:
    """Copy a built-in suite. Nothing pins its content any more, because it is there to be changed. The number of its tasks."""
    if source not in built_in_suites():
        raise unknown("built-in suite", source, built_in_suites())
    require_empty(target)
    folder = BUILT_IN / source
    _copied(folder, target)
    about = msgspec.structs.replace(read_language_file(folder), fingerprint=None)
    if not _uses(folder, about.aliases):
        about = msgspec.structs.replace(about, aliases={})
    said = f"A copy of the built-in suite {source} {about.version}. Give it a version of its own when you change something."
    (target / FILE).write_text(language_yaml(about, said), encoding="utf-8")
    return len(load_suite(target).tasks)


def _part(folder: Path, target: Path) -> None:
    """The language, its contexts and examples, and the easiest tasks of each type."""
    suite = load_suite(folder)
    _copied(folder, target, "tasks", TWISTS)
    about = read_language_file(folder)
    if not _uses(folder, about.aliases, ("examples",)):
        about = msgspec.structs.replace(about, aliases={})
    about = msgspec.structs.replace(about, fingerprint=None, version=FIRST_VERSION)
    said = f"Begun from the built-in suite {folder.name} {suite.version}. The reference: docs/your-language.md"
    (target / FILE).write_text(language_yaml(about, said), encoding="utf-8")
    (target / "tasks").mkdir()
    chosen = [task for kind in KINDS for task in _easiest(each for each in suite.tasks.values() if each.type == kind)]
    (target / "tasks" / "first.yml").write_text(tasks_yaml(chosen), encoding="utf-8")


def _easiest(tasks: Iterable[Task]) -> list[Task]:
    """The first few by difficulty, of different categories while there are some."""
    waiting = sorted(tasks, key=lambda task: str(task.difficulty))
    chosen: list[Task] = []
    while waiting and len(chosen) < PER_TYPE:
        used = {task.category for task in chosen}
        chosen.append(next((task for task in waiting if task.category not in used), waiting[0]))
        waiting.remove(chosen[-1])
    return chosen


def _copied(folder: Path, target: Path, *without: str) -> None:
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(*_LEFT_OUT, *without), dirs_exist_ok=True)


def _uses(folder: Path, aliases: dict[str, str], parts: tuple[str, ...] = ("tasks", "examples")) -> bool:
    """Whether a file of tasks or examples is written in the other names that its language.yml allows."""
    for part in parts:
        for file in sorted((folder / part).glob("*.y*ml")):
            entries = read_yaml(file, dict[str, list[dict[str, object]]], folder).get(part, [])
            names = {str(name) for entry in entries for name in (*entry, entry.get("type"))}
            if names & aliases.keys():
                return True
    written = read_yaml(folder / "questions.yml", object, folder) if (folder / "questions.yml").exists() else None
    return isinstance(written, dict) and bool(aliases.keys() & written.keys())


def require_empty(target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is a file; name a folder.")
    if target.is_dir() and any(target.iterdir()):
        raise UsageError(f"{target} is not empty; name a new folder, or empty this one.")

"""New suites of the user: a copy of a built-in one, or a few tasks to begin with."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

import msgspec

from probatio.authoring.brought import FIRST_VERSION, Brought, leave_out_copied, write_suite
from probatio.authoring.prompt_files import read_prompts
from probatio.authoring.yaml_text import format_language, format_tasks
from probatio.core.errors import UsageError
from probatio.core.inside import copy_inside, read_inside
from probatio.core.place import FOLDER
from probatio.core.records import Task
from probatio.core.text.names import refuse_unknown_name
from probatio.core.trust import adopt
from probatio.core.yamlfile import read_yaml
from probatio.suites.daily_suite import DAILY, MANIFEST, load_daily
from probatio.suites.language_file import FILE, read_language_file
from probatio.suites.language_suite import BUILT_IN, list_built_in_suites, load_suite
from probatio.suites.task_types import KINDS
from probatio.suites.twists import FOLDER as TWISTS

STARTERS = Path(__file__).parent / "starters"
PER_TYPE = 2
"""Tasks of each type in a small part of a suite."""

NEVER_COPIED = ("__pycache__", "*.pyc", FOLDER)
_OPENING = re.compile(r"\A(?:#.*\n)+")
_PINNED = re.compile(r"^fingerprint:.*\n", re.MULTILINE)


def list_starters() -> tuple[str, ...]:
    """What a new folder can begin from: a starter, or a part of a built-in suite."""
    return (
        *sorted(folder.name for folder in STARTERS.iterdir() if (folder / FILE).exists()),
        *list_built_in_suites(),
    )


def write_new(target: Path, source: str) -> int:
    """Write a small working folder. Gives the number of tasks."""
    if source not in list_starters():
        raise refuse_unknown_name("start", source, list_starters())
    require_empty(target)
    if (STARTERS / source / FILE).exists():
        _copy(STARTERS / source, target)
    else:
        _copy_part(BUILT_IN / source, target)
    return len(load_suite(target).tasks)


def write_new_daily(target: Path, graded_by: str | None = None) -> tuple[int, int]:
    """Write a small working daily suite, or one that a rubric, a command or a Python file grades. Gives the
    numbers of use cases and of cases."""
    require_empty(target)
    _copy(STARTERS / (f"daily-{graded_by}" if graded_by else "daily"), target)
    suite = load_daily(target)
    return len(suite.use_cases), len(suite.cases)


def write_brought_daily(target: Path, source: Path) -> Brought:
    """Write a daily suite of the cases in a file of prompts, and give what was taken. Where the file has a
    fault, nothing is written."""
    require_empty(target)
    brought = leave_out_copied(source, read_prompts(source))
    with tempfile.TemporaryDirectory() as folder:
        write_suite(Path(folder), target.resolve().name, source, brought)
        load_daily(Path(folder))
        _copy(Path(folder), target)
    return brought


def copy_suite(source: str, target: Path) -> int:
    """Copy a built-in suite without its pinned fingerprint: it is there to be changed. Gives the number of
    tasks, or of cases."""
    known = (*list_built_in_suites(), DAILY.name)
    if source not in known:
        raise refuse_unknown_name("built-in suite", source, known)
    require_empty(target)
    if source == DAILY.name:
        return _copy_daily(target)
    folder = BUILT_IN / source
    _copy(folder, target)
    about = msgspec.structs.replace(read_language_file(folder), fingerprint=None)
    if not _uses(folder, about.aliases):
        about = msgspec.structs.replace(about, aliases={})
    said = (
        f"A copy of the built-in suite {source} {about.version}. "
        f"Give it a version of its own when you change something."
    )
    (target / FILE).write_text(format_language(about, said), encoding="utf-8")
    return len(load_suite(target).tasks)


def _copy_daily(target: Path) -> int:
    """Copy what is asked and its proofs. The graders stay with Probatio: a use case is graded by the built-in
    one of its name."""
    code = (path.name for path in DAILY.iterdir() if path.is_dir() and not (path / "cases.yml").exists())
    _copy(DAILY, target, "*.py", "*.js", *code)
    said = (
        f"# A copy of the built-in suite daily {load_daily().version}. "
        "Each use case is graded by the built-in grader of its name.\n"
        "# Give it a name and a version of its own when you change something: docs/your-watch.md.\n"
    )
    manifest = read_inside(DAILY / MANIFEST).decode()
    (target / MANIFEST).write_text(_PINNED.sub("", _OPENING.sub(said, manifest)), encoding="utf-8")
    return len(load_daily(target).cases)


def _copy_part(folder: Path, target: Path) -> None:
    """The language, its contexts and examples, and the easiest tasks of each type."""
    suite = load_suite(folder)
    _copy(folder, target, "tasks", TWISTS)
    about = read_language_file(folder)
    if not _uses(folder, about.aliases, ("examples",)):
        about = msgspec.structs.replace(about, aliases={})
    about = msgspec.structs.replace(about, fingerprint=None, version=FIRST_VERSION)
    said = (
        f"Begun from the built-in suite {folder.name} {suite.version}. The reference: docs/your-language.md"
    )
    (target / FILE).write_text(format_language(about, said), encoding="utf-8")
    (target / "tasks").mkdir()
    chosen = [
        task
        for kind in KINDS
        for task in _choose_easiest(each for each in suite.tasks.values() if each.type == kind)
    ]
    (target / "tasks" / "first.yml").write_text(format_tasks(chosen), encoding="utf-8")


def _choose_easiest(tasks: Iterable[Task]) -> list[Task]:
    """The first few by difficulty, of different categories if possible."""
    waiting = sorted(tasks, key=lambda task: str(task.difficulty))
    chosen: list[Task] = []
    while waiting and len(chosen) < PER_TYPE:
        used = {task.category for task in chosen}
        chosen.append(next((task for task in waiting if task.category not in used), waiting[0]))
        waiting.remove(chosen[-1])
    return chosen


def _copy(folder: Path, target: Path, *without: str) -> None:
    copy_inside(folder, target, *NEVER_COPIED, *without)
    adopt(target)


def _uses(folder: Path, aliases: dict[str, str], parts: tuple[str, ...] = ("tasks", "examples")) -> bool:
    """Whether a file of tasks or examples is written in the other names that its language.yml allows."""
    for part in parts:
        for file in sorted((folder / part).glob("*.y*ml")):
            entries = read_yaml(file, dict[str, list[dict[str, object]]], folder).get(part, [])
            names = {str(name) for entry in entries for name in (*entry, entry.get("type"))}
            if names & aliases.keys():
                return True
    questions = folder / "questions.yml"
    written = read_yaml(questions, object, folder) if questions.exists() else None
    return isinstance(written, dict) and bool(aliases.keys() & written.keys())


def require_empty(target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is a file; name a folder.")
    if target.is_dir() and any(target.iterdir()):
        raise UsageError(f"{target} is not empty; name a new folder, or empty this one.")

"""Generated tasks as a language folder: Faber's own contexts and examples, and tasks that no one has seen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec

from probatio.authoring.generate.faber.generation import VERSION, Generated
from probatio.authoring.generate.faber.tasks import QUESTIONS
from probatio.core.errors import UsageError
from probatio.core.inside import copy_inside, read_inside
from probatio.core.records import Task
from probatio.grading import GRADER_VERSION
from probatio.suites.language_file import FILE
from probatio.suites.language_suite import load_suite
from probatio.suites.prompt import fingerprint

SOURCE = "faber"
_FIELDS = (
    "id",
    "type",
    "category",
    "rules",
    "difficulty",
    "goal",
    "material",
    "diagnostics",
    "expected_output",
    "solution",
)


def require_new(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; give a new or empty folder to --out.")


def write_folder(folder: Path, generated: Generated, seed: int, level: int) -> str:
    """Write the folder, and give its fingerprint."""
    source = load_suite(SOURCE)
    for part in ("contexts", "examples"):
        copy_inside(source.folder / part, folder / part)
    (folder / "tasks").mkdir()
    tasks = sorted(generated.tasks, key=lambda task: task.type)  # as they are read back: file by file
    for kind in dict.fromkeys(task.type for task in tasks):
        lines = ["tasks:"]
        for task in tasks:
            if task.type == kind:
                lines += _task(task)
        (folder / "tasks" / f"{kind}.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    questions = [line for kind, text in QUESTIONS.items() for line in _field(kind, text, "")]
    (folder / "questions.yml").write_text("\n".join(questions) + "\n", encoding="utf-8")
    version = f"{VERSION}-level{level}-seed{seed}-{len(generated.tasks)}"
    suite = msgspec.structs.replace(
        source, tasks={task.id: task for task in tasks}, questions={**source.questions, **QUESTIONS}
    )
    mark = fingerprint(suite, GRADER_VERSION)
    about = read_inside(source.folder / FILE, source.folder).decode()
    about = re.sub(r"^#.*\n", "", about, flags=re.MULTILINE)
    about = re.sub(r"^version: .*$", f'version: "{version}"', about, flags=re.MULTILINE)
    about = re.sub(r"^fingerprint: .*$", f'fingerprint: "{mark}"', about, flags=re.MULTILINE)
    flags = f"--language {SOURCE} --seed {seed} --level {level} --count {len(tasks)}"
    made = f"# Made by `probatio suite generate {flags}`.\n"
    (folder / FILE).write_text(made + about, encoding="utf-8")
    return mark


def _task(task: Task) -> list[str]:
    lines: list[str] = []
    for name in _FIELDS:
        value = getattr(task, name)
        if value is not None and value != "" and value is not msgspec.UNSET:
            lines += _field(name, value, "    ")
    return ["  - " + lines[0].lstrip(), *lines[1:]]


def _field(name: str, value: str | int | tuple[str, ...], pad: str) -> list[str]:
    """One key of YAML: a number, a list of names, a text in quotes, or a block of lines as they are."""
    if isinstance(value, tuple):
        return [f"{pad}{name}: [{', '.join(value)}]"]
    if isinstance(value, int):
        return [f"{pad}{name}: {value}"]
    if "\n" not in value:
        return [f"{pad}{name}: {json.dumps(value, ensure_ascii=False)}"]
    return [f"{pad}{name}: |-", *(f"{pad}  {line}" if line else "" for line in value.split("\n"))]

"""The suite of a language, read from its folder: tasks, few-shot examples, and the version they are pinned to."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from probatio.errors import UsageError
from probatio.records import Example, Task
from probatio.yamlfile import read_yaml

BUILT_IN = Path(__file__).parent.parent / "builtin"
DEFAULT_SUITE = "faber"


class _TaskFile(msgspec.Struct):
    tasks: list[Task]


class _ExampleFile(msgspec.Struct):
    examples: list[Example]


class Manifest(msgspec.Struct, frozen=True):
    """`suite.yml`: the suite's name, its version, and the fingerprint of everything that can move a score."""

    name: str
    version: str
    fingerprint: str | None = None


class Suite(msgspec.Struct, frozen=True):
    """All that is asked about a language."""

    name: str
    version: str | None
    folder: Path
    tasks: dict[str, Task]
    examples: tuple[Example, ...]
    pinned: str | None

    @property
    def categories(self) -> list[str]:
        return sorted({task.category for task in self.tasks.values()})


def load_suite(folder: Path | None = None) -> Suite:
    """The suite in `folder`, or the built-in one. Any folder with `tasks/*.yml` is a suite."""
    root = folder or BUILT_IN / DEFAULT_SUITE
    files = sorted((root / "tasks").glob("*.y*ml"))
    if not files:
        raise UsageError(f"{root} is not a suite: it has no tasks/*.yml.")
    tasks: dict[str, Task] = {}
    for file in files:
        for task in read_yaml(file, _TaskFile, root).tasks:
            if task.id in tasks:
                raise UsageError(f"{file}: the task id `{task.id}` is already taken by another task of the suite.")
            _require_material(task, file)
            tasks[task.id] = task
    examples = root / "examples" / "base.yml"
    manifest = read_yaml(root / "suite.yml", Manifest, root) if (root / "suite.yml").exists() else None
    return Suite(
        name=manifest.name if manifest else root.resolve().name,
        version=manifest.version if manifest else None,
        folder=root,
        tasks=tasks,
        examples=tuple(read_yaml(examples, _ExampleFile, root).examples) if examples.exists() else (),
        pinned=manifest.fingerprint if manifest else None,
    )


def _require_material(task: Task, file: Path) -> None:
    """Refuse a task that lacks the text its type asks about: it would be an empty question."""
    if task.type == "translate_ts_to_faber" and not task.input:
        raise UsageError(f"{file}: task `{task.id}` has no `input` (the TypeScript to translate).")
    if task.type in ("translate_faber_to_ts", "predict_output") and not (task.input_faber or task.input):
        raise UsageError(f"{file}: task `{task.id}` has no `input_faber` (the Faber program it asks about).")
    if task.type == "complete_code" and "___" not in (task.input or task.input_faber or ""):
        raise UsageError(f"{file}: task `{task.id}` has no blank `___` in its `input`.")


def digest(*parts: object) -> str:
    """A short, stable fingerprint of plain data."""
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()[:16]

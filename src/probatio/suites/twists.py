"""`twists/NAME.yml`: the tasks of a suite under a twist of its language: what it touches, what is right
there.

The files are made by `probatio suite twist` and not by hand. The goal of a task never changes. A program to
be read keeps its text and prints something else; a program to be written prints the same and is written
otherwise.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import list_inside
from probatio.core.records import Task
from probatio.core.yamlfile import read_yaml

FOLDER = "twists"


class TwistedTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is other about a task under a twist; None: as it was."""

    id: str
    expected_output: str | None = None
    material: str | None = None
    solution: str | None = None


class TwistFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as it is written."""

    twist: str
    rule: str
    tasks: tuple[TwistedTask, ...] = ()
    """Those that the twist touches."""
    untouched: tuple[str, ...] = ()
    """Those it does not touch: they are as without it, and can serve as a control."""
    left_out: dict[str, str] = {}
    """Those that are not asked under it, and why."""

    @property
    def touched(self) -> frozenset[str]:
        return frozenset(task.id for task in self.tasks)

    @property
    def asked(self) -> frozenset[str]:
        return self.touched.union(self.untouched)

    def task(self, task: Task) -> Task:
        """The task as it is under the twist. Raises UsageError for one that is not asked under it."""
        other = next((each for each in self.tasks if each.id == task.id), None)
        if other is None:
            if task.id in self.untouched:
                return task
            why = self.left_out.get(task.id, "the file does not know it; make the file again")
            raise UsageError(f"The task `{task.id}` is not asked under the twist `{self.twist}`: {why}.")
        changes = {name: value for name in _CHANGES if (value := getattr(other, name)) is not None}
        if other.expected_output is not None and other.solution is None:
            changes["solution"] = None  # what was right without the twist
        return msgspec.structs.replace(task, **changes)


_CHANGES = ("expected_output", "material", "solution")


def read_twists(root: Path) -> dict[str, TwistFile]:
    """The twists a folder has tasks for, by name."""
    files = list_inside(root / FOLDER, "*.yml", root)
    found = {file.stem: read_yaml(file, TwistFile, root) for file in files}
    for name, content in found.items():
        if content.twist != name:
            raise UsageError(
                f"{root / FOLDER / name}.yml is about the twist `{content.twist}`; its name must say so."
            )
    return found

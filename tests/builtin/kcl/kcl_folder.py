"""What the tests of the KCL suite share: the folder read as plain YAML, and its commands run as processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import yaml

import probatio.builtin

FOLDER = Path(probatio.builtin.__path__[0]) / "kcl"
Entry = dict[str, Any]


def entries(kind: str) -> list[Entry]:
    """All tasks or all examples, in the order of the files' names and of the list."""
    files = sorted((FOLDER / kind).glob("*.yml"))
    return [entry for file in files for entry in yaml.safe_load(file.read_text("utf-8"))[kind]]


LANGUAGE: Entry = yaml.safe_load((FOLDER / "language.yml").read_text("utf-8"))
TASKS = entries("tasks")
EXAMPLES = entries("examples")


class Ended(NamedTuple):
    code: int
    output: str
    diagnostics: str


class Toolchain:
    """The commands of language.yml on programs that are written to one folder."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch

    def check(self, program: str) -> Ended:
        return self._start(LANGUAGE["commands"], "check", program, "")

    def run(self, program: str, stdin: str = "") -> Ended:
        """What the program comes to: the check, and where it accepts, the run."""
        checked = self.check(program)
        return checked if checked.code else self._start(LANGUAGE["commands"], "run", program, stdin)

    def _start(self, commands: Entry, name: str, program: str, stdin: str) -> Ended:
        file = self.scratch / f"answer{commands['suffix']}"
        file.write_text(program, encoding="utf-8")
        fill = {"python": sys.executable, "folder": FOLDER, "file": file}
        words = [word.format(**fill) for word in commands[name]]
        done = subprocess.run(
            words, input=stdin, capture_output=True, text=True, timeout=60, env={}, cwd=self.scratch
        )
        return Ended(done.returncode, done.stdout.strip(), done.stderr.strip())

"""Strues for its tests: the toolchain as a module, and a program run inside this process or by the commands
of its folder."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import probatio

FOLDER = Path(probatio.__file__).parent / "builtin" / "strues"

_spec = importlib.util.spec_from_file_location("strues_toolchain", FOLDER / "toolchain.py")
assert _spec and _spec.loader
toolchain = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(toolchain)


class Run(NamedTuple):
    code: int
    stdout: str
    stderr: str


def run_inside(program: str, stdin: str = "", command: str = "run") -> Run:
    """What the command would do, without a process."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(toolchain.FRAMES)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out, mock.patch("sys.stdin", io.StringIO(stdin)):
            problem = toolchain.problem_of(command, program)
    finally:
        sys.setrecursionlimit(limit)
    return Run(1 if problem else 0, out.getvalue(), f"{problem}\n" if problem else "")


def run_command(command: list[str], program: str, stdin: str, folder: Path, seconds: float = 30) -> Run:
    file = folder / "program.strues"
    file.write_text(program, encoding="utf-8")
    filled = [part.format(python=sys.executable, folder=FOLDER, file=file) for part in command]
    done = subprocess.run(
        filled, input=stdin, capture_output=True, text=True, encoding="utf-8", timeout=seconds
    )
    return Run(done.returncode, done.stdout, done.stderr)

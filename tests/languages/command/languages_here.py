"""Small languages made of commands that every machine with Python has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from probatio.jail import Choice, NoIsolation, find_isolation
from probatio.languages.command import CommandLanguage
from probatio.languages.contract import Commands, LanguageSpec

KINDS: tuple[Choice, ...] = ("bubblewrap", "landlock", "none")

STACK = """import sys
text = open(sys.argv[-1], encoding="utf-8", errors="replace").read()
stack = []
for word in text.split():
    if word == "+":
        stack.append(stack.pop() + stack.pop())
    elif word == "in":
        stack.append(int(input()))
    elif word == ".":
        print(stack.pop())
    elif word.lstrip("-").isdigit():
        stack.append(int(word))
    else:
        sys.exit(f"{sys.argv[-1]}: no such word: {word}")
"""


def usable(kind: Choice) -> Choice:
    try:
        find_isolation(kind)
    except NoIsolation as error:
        pytest.skip(str(error))
    return kind


def spec(run: tuple[str, ...], name: str = "Test", **more: Any) -> LanguageSpec:
    return LanguageSpec(name, ("test",), commands=Commands(run=run, **more))


def command(run: tuple[str, ...], name: str = "Test", **more: Any) -> CommandLanguage:
    return CommandLanguage(spec(run, name, **more))


def python(**more: Any) -> CommandLanguage:
    return command(("{python}", "{file}"), "Python", suffix=".py", **more)


def shell(**more: Any) -> CommandLanguage:
    return command(("sh", "{file}"), "Shell", check=("sh", "-n", "{file}"), suffix=".sh", **more)


def script(folder: Path, text: str, name: str = "tool", mode: int = 0o755) -> Path:
    """An executable script of a language's folder."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(mode)
    return path


def stack_language(folder: Path, **more: Any) -> CommandLanguage:
    """A language of its own: one file of Python in the folder, and tasks beside it."""
    script(folder, STACK, "stack.py", 0o644)
    (folder / "tasks").mkdir(exist_ok=True)
    (folder / "tasks" / "all.yml").write_text("solution: GOLD")
    run = ("{python}", "{folder}/stack.py", "{file}")
    return command(run, "Stack", suffix=".stack", folder=str(folder), **more)

"""The graders of the daily suite: one per use case, found by its id; and the fingerprint of everything that can move a score."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import msgspec

from probatio.errors import UsageError
from probatio.grade.checked import Checked
from probatio.sandbox import Choice
from probatio.suite.daily import Case, DailySuite, UseCase
from probatio.suite.load import digest
from probatio.suite.yaml import read_yaml

PACKAGE = "probatio.suites.daily"
SOURCE = Path(__file__).parents[2]

STARTS_PROCESSES = frozenset({"code_generation", "web_design"})
"""Use cases whose check waits for a jail or a browser; the others are computed in our own process."""

GRADES = ("probatio.grade.", "probatio.languages.", "probatio.suites.daily.")
"""Where code that can move a grade lives; the fingerprint follows the graders' imports to modules inside these packages."""


CODE = frozenset({".py", ".js", ".css", ".html"})
"""What counts as code beside a grader; cases and rubrics are read for what they say, and worked proofs move no score."""


class Grader(Protocol):
    def __call__(self, case: Case, answer: str, isolation: Choice = "auto") -> Checked: ...


def check(case: Case, answer: str, isolation: Choice = "auto") -> Checked:
    """An answer, checked by the grader of its use case. Raises `CannotCheck` where the grader's own tool is missing."""
    return grader_of(case.use_case)(case, answer, isolation)


@lru_cache(maxsize=64)
def grader_of(use_case: str) -> Grader:
    """The grader of a use case; imported only when first needed, because some bring a browser or an algebra system."""
    name = f"{PACKAGE}.{use_case}.grader"
    if importlib.util.find_spec(f"{PACKAGE}.{use_case}") is None or importlib.util.find_spec(name) is None:
        raise UsageError(
            f"There is no grader for the use case `{use_case}`: a suite of one's own takes its cases from the built-in use cases."
        )
    found: Grader = importlib.import_module(name).check
    return found


def require_graders(suite: DailySuite) -> None:
    """Refuse a suite with a use case that nobody can check, before anything is asked."""
    for use_case in suite.use_cases.values():
        if use_case.grading != "judge":
            grader_of(use_case.id)


def blend(use_case: UseCase, checked: float | None, judged: float | None) -> float:
    """The score of an answer from its two parts, each 0–1, by the manifest's weight; a part that is not there counts 0."""
    weight = use_case.checked_weight
    return weight * (checked or 0.0) + (1 - weight) * (judged or 0.0)


def daily_fingerprint(suite: DailySuite) -> str:
    """What pins a daily suite to its version: cases, rubrics, calibration set, constants, and the source of its graders."""
    manifest = msgspec.structs.replace(suite.manifest, version="", fingerprint=None)
    calibration = suite.folder / "calibration.yml"
    parts = [
        manifest,
        [(use_case.cases, use_case.rubric) for use_case in suite.use_cases.values()],
        read_yaml(calibration, dict) if calibration.exists() else None,
        sources(tuple(suite.use_cases)),
    ]
    return digest(msgspec.to_builtins(parts, str_keys=True))


@lru_cache(maxsize=8)
def sources(use_cases: tuple[str, ...]) -> dict[str, str]:
    """File → its text, of every file that takes part in grading these use cases: the graders, what they import, and what lies
    beside them (a script that runs in the browser, a driver that runs in the jail)."""
    found: dict[Path, str] = {}
    waiting = [f"{PACKAGE}.graders", "probatio.grade.rubric", "probatio.grade.unanswered"]
    waiting += [f"{PACKAGE}.{use_case}.grader" for use_case in use_cases]
    while waiting:
        for file in _files(waiting.pop()):
            if file not in found:
                found[file] = file.read_text(encoding="utf-8")
                if file.suffix == ".py":
                    waiting += [each for each in _imports(found[file]) if each.startswith(GRADES)]
    return {file.relative_to(SOURCE).as_posix(): text for file, text in sorted(found.items())}


def _files(module: str) -> Iterator[Path]:
    """A module's file, and all code of its folder where that belongs to one use case or one language. Looked up by path,
    because importing a grader only to read it may start much."""
    place = SOURCE.joinpath(*module.split(".")[1:])
    file = next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)
    if file is None:
        return
    yield file
    if file.parent.parent.name in ("daily", "languages"):
        yield from (each for each in file.parent.iterdir() if each.suffix in CODE)


def _imports(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)

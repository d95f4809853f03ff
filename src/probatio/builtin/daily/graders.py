"""The graders of the daily suite, one per use case, and the fingerprint of everything that can move a score of any suite."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import msgspec

from probatio.code_digest import digest_of, imports, module_file
from probatio.errors import UsageError
from probatio.grade.check_result import CheckResult
from probatio.sandbox import Choice
from probatio.suite.daily_suite import Case, DailySuite, UseCase
from probatio.suite.grader_entry import OwnGrader
from probatio.suite.language_suite import digest
from probatio.yamlfile import read_yaml

PACKAGE = "probatio.builtin.daily"

STARTS_PROCESSES = frozenset({"code_generation", "web_design"})
"""Built-in graders that run an answer, in a jail or a browser; the others read it as a text."""

OWN = "probatio.grade.own_grader"
"""The module that starts graders of one's own and reads what they say."""

GRADES = (
    "probatio.grade.",
    "probatio.browser.",
    "probatio.languages.",
    "probatio.judge.protocol",
    "probatio.builtin.daily.",
)
"""Where code that can move a grade lives; the fingerprint follows the graders' imports to modules inside these packages."""


ALWAYS = (f"{PACKAGE}.graders", "probatio.judge.protocol", "probatio.grade.unanswered")
"""Modules that take part in grading every use case."""

CODE = frozenset({".js", ".css", ".html"})
"""Files beside a grader that are code too. Cases and rubrics count by their content; proofs move no score."""


class Grader(Protocol):
    def __call__(self, case: Case, answer: str, isolation: Choice = "auto") -> CheckResult: ...


def check(case: Case, answer: str, isolation: Choice = "auto", grader: str | None = None) -> CheckResult:
    """An answer, checked by the built-in grader of its use case, or by the one named. Raises `CannotCheck` where the grader's own
    tool is missing."""
    return grader_of(grader or case.use_case)(case, answer, isolation)


@lru_cache(maxsize=64)
def grader_of(use_case: str) -> Grader:
    """The grader of a use case; imported only when first needed, because some bring a browser or an algebra system."""
    name = f"{PACKAGE}.{use_case}.grader"
    if importlib.util.find_spec(f"{PACKAGE}.{use_case}") is None or importlib.util.find_spec(name) is None:
        raise UsageError(f"There is no grader for the use case `{use_case}`.")
    grader: Grader = importlib.import_module(name).check
    return grader


def require_graders(suite: DailySuite) -> None:
    """Refuse a suite with a use case that has no grader, before anything is asked."""
    for use_case in suite.use_cases.values():
        if use_case.grading != "judge" and not isinstance(use_case.grader, OwnGrader):
            grader_of(use_case.grader or use_case.id)


def starts_processes(use_case: UseCase) -> bool:
    """Whether an answer of the use case is graded in a jail or a browser."""
    if isinstance(use_case.grader, OwnGrader):
        return use_case.grader.says.isolation == "jail"
    return use_case.grading != "judge" and (use_case.grader or use_case.id) in STARTS_PROCESSES


def blend(use_case: UseCase, checked: float | None, judged: float | None) -> float:
    """The score of an answer from its two parts, each 0–1, by the manifest's weight; a missing part counts 0."""
    weight = use_case.checked_weight
    return weight * (checked or 0.0) + (1 - weight) * (judged or 0.0)


def daily_fingerprint(suite: DailySuite) -> str:
    """What pins a daily suite to its version: cases, rubrics, calibration set, constants, and the source of its graders."""
    manifest = msgspec.structs.replace(suite.manifest, version="", fingerprint=None)
    calibration = suite.folder / "calibration.yml"
    own = [grader for use_case in suite.use_cases.values() if isinstance(grader := use_case.grader, OwnGrader)]
    built_in = (grader for each in suite.use_cases.values() if isinstance(grader := each.grader or each.id, str))
    parts = [
        manifest,
        [(use_case.cases, use_case.rubric) for use_case in suite.use_cases.values()],
        read_yaml(calibration, dict) if calibration.exists() else None,
        graders_digest(tuple(dict.fromkeys(built_in)), own=bool(own)),
    ]
    if own:
        parts.append([(grader.use_case, grader.says, _contents(grader)) for grader in own])
    return digest(msgspec.to_builtins(parts, str_keys=True))


def _contents(grader: OwnGrader) -> dict[str, str]:
    return {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in grader.files()}


@lru_cache(maxsize=8)
def graders_digest(use_cases: tuple[str, ...], *, own: bool = False) -> str:
    """The digest of everything that takes part in grading these use cases: the graders, what they import, and what lies beside
    them (a script that runs in the browser, a driver that runs in the jail)."""
    modules, scripts = sources(use_cases, own=own)
    return digest_of(modules, scripts.values())


@lru_cache(maxsize=8)
def sources(use_cases: tuple[str, ...], *, own: bool = False) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """What takes part in grading these use cases: module → text, and the path of any other file → text.

    Kept and given to everyone who asks, so nobody may change it.
    """
    modules: dict[str, str] = {}
    scripts: dict[str, str] = {}
    waiting = [*ALWAYS, *(f"{PACKAGE}.{use_case}.grader" for use_case in use_cases)]
    while waiting:
        module = waiting.pop()
        file = module_file(module)
        if file is None or module in modules:
            continue
        modules[module] = file.read_text(encoding="utf-8")
        waiting += [each for each in imports(modules[module]) if each.startswith(GRADES)]
        if file.parent.parent.name in ("daily", "languages"):  # the folder of one use case or one language
            waiting += [_beside(module, file, each) for each in file.parent.glob("*.py") if each.stem != "__init__"]
            scripts |= {
                str(each): each.read_text(encoding="utf-8") for each in file.parent.iterdir() if each.suffix in CODE
            }
    if own and (file := module_file(OWN)):  # what it imports starts a command, and moves no grade
        modules[OWN] = file.read_text(encoding="utf-8")
    return MappingProxyType(modules), MappingProxyType(scripts)


def _beside(module: str, file: Path, other: Path) -> str:
    """The module of another file in the same folder."""
    package = module if file.stem == "__init__" else module.rpartition(".")[0]
    return f"{package}.{other.stem}"

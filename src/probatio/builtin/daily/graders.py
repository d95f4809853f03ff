"""The graders of the daily suite, one per use case, their versions, and the fingerprint of a suite."""

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

from probatio.core.errors import UsageError
from probatio.core.inside import read_inside
from probatio.core.records import SINCE_EDITION_3
from probatio.core.records.check_result import CheckResult
from probatio.core.yamlfile import read_yaml
from probatio.jail import Choice
from probatio.suites.daily_suite import Case, DailySuite, UseCase
from probatio.suites.grader_entry import OwnGrader
from probatio.suites.language_suite import digest

PACKAGE = "probatio.builtin.daily"

STARTS_PROCESSES = frozenset({"code_generation", "web_design"})
"""Built-in graders that run an answer, in a jail or a browser; the others read it as a text."""

VERSIONS: Mapping[str, int] = MappingProxyType(
    {
        "structured_extraction": 2,
        "math_reasoning": 2,
        "code_generation": 2,
        "instruction_following": 2,
        "report_analysis": 2,
        "summarization": 2,
        "customer_service": 2,
        "web_design": 2,
        "judge": 1,
    }
)
"""Built-in grader → its version; `judge` is what the judge is asked and how its replies are read.

Raise it when an answer could get another grade. It is part of the suite's fingerprint, so a new one starts
all baselines again. tests/builtin/behaviour.json pins the grades of known answers with it.
"""


class Grader(Protocol):
    def __call__(self, case: Case, answer: str, isolation: Choice = "auto") -> CheckResult: ...


def check(case: Case, answer: str, isolation: Choice = "auto", grader: str | None = None) -> CheckResult:
    """Check an answer with the built-in grader of its use case, or with the one named.

    Raises `CannotCheck` if a tool of the grader is missing.
    """
    return grader_of(grader or case.use_case)(case, answer, isolation)


def trivial_answer(case: Case, grader: str) -> str:
    """An answer that the grader can check wherever its tools work: a page, a function, a word."""
    if grader == "web_design":
        return "<!doctype html><title>1</title><p>1</p>"
    if grader == "code_generation":
        first = next(iter(case.gold.get("rungs", ())), case.gold)
        return f"```python\ndef {first.get('function', 'f')}(*given):\n    return 1\n```"
    return "1"


@lru_cache(maxsize=64)
def grader_of(use_case: str) -> Grader:
    """The grader of a use case, imported when first needed: some bring a browser or an algebra system."""
    name = f"{PACKAGE}.{use_case}.grader"
    if importlib.util.find_spec(f"{PACKAGE}.{use_case}") is None or importlib.util.find_spec(name) is None:
        raise UsageError(f"There is no grader for the use case `{use_case}`.")
    grader: Grader = importlib.import_module(name).check
    return grader


def require_graders(suite: DailySuite, sandbox: Choice) -> None:
    """Refuse a suite with a use case that has no grader, or one that the user does not trust, before anything
    is asked."""
    for use_case in suite.use_cases.values():
        if isinstance(use_case.grader, OwnGrader):
            use_case.grader.require_trust(sandbox)
        if name := _find_built_in(use_case):
            grader_of(name)


def starts_processes(use_case: UseCase) -> bool:
    """Whether an answer of the use case is graded in a jail or a browser."""
    if isinstance(use_case.grader, OwnGrader):
        return use_case.grader.says.isolation == "jail"
    return _find_built_in(use_case) in STARTS_PROCESSES


def _find_built_in(use_case: UseCase) -> str | None:
    """The built-in grader of a use case; None if it has one of its own, or only the judge."""
    if use_case.grading == "judge" or isinstance(use_case.grader, OwnGrader):
        return None
    return use_case.grader or use_case.id


def blend(use_case: UseCase, checked: float | None, judged: float | None) -> float:
    """The score of an answer from its two parts, each 0–1; a missing part counts 0."""
    weight = use_case.checked_weight
    return weight * (checked or 0.0) + (1 - weight) * (judged or 0.0)


def daily_fingerprint(suite: DailySuite) -> str:
    """The digest of a daily suite: cases, rubrics, calibration set, constants and grader versions.

    A user's own grader counts by the content of its files.
    """
    manifest = msgspec.to_builtins(msgspec.structs.replace(suite.manifest, version="", fingerprint=None))
    for added in SINCE_EDITION_3:
        del manifest["evidence"][added]
    calibration = suite.folder / "calibration.yml"
    use_cases = suite.use_cases.values()
    built_in = {name for use_case in use_cases if (name := _find_built_in(use_case))}
    built_in |= {"judge" for use_case in use_cases if use_case.rubric is not None}
    parts = [
        manifest,
        [(use_case.cases, use_case.rubric) for use_case in use_cases],
        read_yaml(calibration, dict, suite.folder) if calibration.exists() else None,
        {name: VERSIONS.get(name) for name in sorted(built_in)},
    ]
    own = [use_case.grader for use_case in use_cases if isinstance(use_case.grader, OwnGrader)]
    if own:
        parts.append([(grader.use_case, grader.says, _digest_files(grader)) for grader in own])
    return digest(msgspec.to_builtins(parts, str_keys=True))


def _digest_files(grader: OwnGrader) -> dict[str, str]:
    folder = Path(grader.folder)
    return {name: hashlib.sha256(read_inside(file, folder)).hexdigest() for name, file in grader.files()}

"""The graders of the daily suite, one per use case, their versions, and the fingerprint of a suite."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

import msgspec

from probatio.core.errors import CannotCheck, ProbatioError, UsageError
from probatio.core.inside import read_inside
from probatio.core.records import SINCE_EDITION_3
from probatio.core.records.check_result import CheckResult
from probatio.jail import Choice
from probatio.jail.workers import Lane
from probatio.suites.calibration import digestible_calibration
from probatio.suites.daily_suite import Case, DailySuite, UseCase
from probatio.suites.grader_entry import OwnGrader
from probatio.suites.language_suite import digest
from probatio.suites.ready_graders import READY, find_trivial, grade_expectations
from probatio.suites.ready_graders import VERSION as READY_VERSION

PACKAGE = "probatio.builtin.daily"

TEXTS = Lane("daily texts", cpu_seconds=2, seconds=120, warm="probatio.builtin.daily.graders:warm_texts")

PROGRAMS = Lane(
    "daily programs",
    # Three processes of 30 s at most, each under the jail's limits; our part is to read their output.
    cpu_seconds=2,
    seconds=150,
    beside=1,
    warm="probatio.languages.python.home:warm",
)


class BuiltInGrader(NamedTuple):
    """What is to be known of a built-in grader before it is imported."""

    version: int = 1
    """Raise it when an answer could get another grade. It is part of the suite's fingerprint, so a new one
    starts all baselines again. tests/builtin/behaviour.json pins the grades of known answers with it."""
    lane: Lane = TEXTS
    """What its checks may use; what it warms is in the grader's own module."""
    starts_processes: bool = False
    """Whether an answer is run, in a jail or a browser, or only read as a text."""
    tools: tuple[str, ...] = ()
    """Packages and programs whose version can move its grades."""
    trivial: str = "1"
    """An answer that it can check wherever its tools work; {function} is the name of the case's function."""


GRADERS: Mapping[str, BuiltInGrader] = MappingProxyType(
    {
        "structured_extraction": BuiltInGrader(version=2),
        "math_reasoning": BuiltInGrader(
            version=2,
            # Only these answers need the tables of units, which take most of a second to load.
            lane=Lane(
                "daily algebra",
                cpu_seconds=2,
                seconds=120,
                warm="probatio.builtin.daily.math_reasoning.grader:warm",
            ),
            tools=("mpmath", "pint"),
        ),
        "code_generation": BuiltInGrader(
            version=2,
            lane=PROGRAMS,
            starts_processes=True,
            tools=("interpreter",),
            trivial="```python\ndef {function}(*given):\n    return 1\n```",
        ),
        "instruction_following": BuiltInGrader(version=2),
        "report_analysis": BuiltInGrader(version=2),
        "summarization": BuiltInGrader(version=2),
        "customer_service": BuiltInGrader(version=2),
        "web_design": BuiltInGrader(
            version=2,
            # A browser for each worker: no page waits for another's, or ends with it. A page is given up
            # after 90 s, and tried twice if the browser went down.
            lane=Lane(
                "daily pages",
                cpu_seconds=20,
                seconds=270,
                cores_each=4,  # a browser is made of processes
                checks=200,
                warm="probatio.builtin.daily.web_design.grader:warm",
            ),
            starts_processes=True,
            tools=("browser", "fonts"),
            trivial="<!doctype html><title>1</title><p>1</p>",
        ),
        "judge": BuiltInGrader(),  # what the judge is asked, and how its replies are read
    }
)


_READY = BuiltInGrader(version=READY_VERSION, tools=("interpreter",))


def facts_of(grader: str | None, case: Case | None = None) -> BuiltInGrader:
    """What is known of a built-in grader; the defaults for a use case that only the judge grades. The ready
    ones run the answers of those cases that say so."""
    if grader != READY:
        return GRADERS.get(grader or "", BuiltInGrader())
    trivial = find_trivial(case.expect or ()) if case else None
    return _READY._replace(lane=PROGRAMS, starts_processes=True, trivial=trivial) if trivial else _READY


class Grader(Protocol):
    def __call__(self, case: Case, answer: str, isolation: Choice = "auto") -> CheckResult: ...


def check(case: Case, answer: str, isolation: Choice = "auto", grader: str | None = None) -> CheckResult:
    """Check an answer with the built-in grader of its use case, or with the one named.

    Raises `CannotCheck` if a tool of the grader is missing.
    """
    return grader_of(grader or case.use_case)(case, answer, isolation)


def trivial_answer(case: Case, grader: str) -> str:
    """An answer that the grader can check wherever its tools work."""
    trivial = facts_of(grader, case).trivial
    if "{function}" not in trivial:
        return trivial
    first = next(iter(case.gold.get("rungs", ())), case.gold)
    return trivial.replace("{function}", str(first.get("function", "f")))


@lru_cache(maxsize=64)
def grader_of(use_case: str) -> Grader:
    """The grader of a use case, imported when first needed: some bring a browser or an algebra system."""
    if use_case == READY:
        return _check_expectations
    name = f"{PACKAGE}.{use_case}.grader"
    if importlib.util.find_spec(f"{PACKAGE}.{use_case}") is None or importlib.util.find_spec(name) is None:
        raise UsageError(f"There is no grader for the use case `{use_case}`.")
    grader: Grader = importlib.import_module(name).check
    return grader


def _check_expectations(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    try:
        return grade_expectations(case.expect or (), answer, isolation)
    except (ProbatioError, OSError) as error:
        raise CannotCheck(str(error)) from error


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
    name = _find_built_in(use_case)
    return any(facts_of(name, case).starts_processes for case in use_case.cases)


def _find_built_in(use_case: UseCase) -> str | None:
    """The built-in grader of a use case; None if it has one of its own, or only the judge."""
    if use_case.grading == "judge" or isinstance(use_case.grader, OwnGrader):
        return None
    return use_case.grader or use_case.id


def blend(weight: float, checked: float | None, judged: float | None) -> float:
    """The score of an answer from its two parts, each 0–1; a missing part counts 0.
    `weight`: the share of the checked one."""
    return weight * (checked or 0.0) + (1 - weight) * (judged or 0.0)


def daily_fingerprint(suite: DailySuite) -> str:
    """The digest of a daily suite: cases, rubrics, calibration set, constants and grader versions.

    A user's own grader counts by the content of its files.
    """
    manifest = msgspec.to_builtins(msgspec.structs.replace(suite.manifest, version="", fingerprint=None))
    del manifest["forms"]
    for added in SINCE_EDITION_3:
        del manifest["evidence"][added]
    use_cases = suite.use_cases.values()
    built_in = {name for use_case in use_cases if (name := _find_built_in(use_case))}
    built_in |= {"judge" for use_case in use_cases if use_case.grading != "deterministic"}
    parts = [
        manifest,
        [(use_case.cases, use_case.rubric) for use_case in use_cases],
        digestible_calibration(suite),
        {name: _find_version(name) for name in sorted(built_in)},
    ]
    own = [use_case.grader for use_case in use_cases if isinstance(use_case.grader, OwnGrader)]
    if own:
        parts.append([(grader.use_case, grader.says, _digest_files(grader)) for grader in own])
    return digest(msgspec.to_builtins(parts, str_keys=True))


def _find_version(grader: str) -> int | None:
    if grader == READY:
        return READY_VERSION
    return GRADERS[grader].version if grader in GRADERS else None


def _digest_files(grader: OwnGrader) -> dict[str, str]:
    folder = Path(grader.folder)
    return {name: hashlib.sha256(read_inside(file, folder)).hexdigest() for name, file in grader.files()}


def warm_texts() -> None:
    """Load the graders of plain texts."""
    for name, grader in GRADERS.items():
        if grader.lane is TEXTS and name != "judge":
            grader_of(name)

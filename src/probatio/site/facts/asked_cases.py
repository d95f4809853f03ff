"""What a case asks and what its grader checks, from the suite of the newest day."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.errors import ProbatioError
from probatio.core.records import DayRecord
from probatio.runs.store.days import suite_folder
from probatio.suites.daily_suite import DAILY, DailySuite, load_daily
from probatio.suites.ready_graders import JUDGE


class AskedCase(NamedTuple):
    """One case as its suite has it."""

    written: tuple[str, ...]  # what is sent, in its order; a system prompt and earlier turns first
    expected: list[tuple[str, Any]]  # of ready graders: what is expected, in words, and the value
    gold: dict[str, Any]  # what the grader reads; of the built-in suite only, whose gold is public already
    criteria: list[str]  # what the judge is asked of an answer

    @property
    def prompt(self) -> str:
        return self.written[-1]


def find_suite(results: Path, record: DayRecord | None) -> DailySuite | None:
    """The suite that was asked that day; None if it is not there any more, or was changed since."""
    if record is None:
        return None
    try:
        suite = load_daily(suite_folder(results, record))
        same = suite.version == record.suite_version and (
            record.simulated or daily_fingerprint(suite) == record.suite_fingerprint
        )
    except (ProbatioError, OSError):
        return None
    return suite if same else None


def find_case(suite: DailySuite | None, use_case: str, case: str) -> AskedCase | None:
    asked = suite.use_cases.get(use_case) if suite else None
    found = next((each for each in asked.asked if each.id == case), None) if asked else None
    if asked is None or found is None:
        return None
    rubric = asked.rubric_of(found)
    expected = [
        (f"{'not ' if each.negated else ''}{each.grader}", each.value)
        for each in found.expect or ()
        if each.grader != JUDGE
    ]
    criteria = [each.question for each in rubric.criteria] if rubric else []
    gold = found.gold if suite and suite.folder == DAILY else {}
    return AskedCase(found.written, expected, gold, criteria)

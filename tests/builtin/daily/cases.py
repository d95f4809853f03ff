"""The cases of the built-in suite, and worked answers to them. Each is graded once per run: a web page takes
seconds."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager

from probatio.builtin.daily.graders import check
from probatio.core.records.check_result import CheckResult
from probatio.jail.browser import page
from probatio.suites.daily_suite import Case, load_daily

SUITE = load_daily()

ENDLESS = "for (;;)"
"""In a page that never answers again. Three seconds show that as well as ten, and cost less of the
processor."""


def cases(use_case: str) -> dict[str, Case]:
    """The cases of a use case, by their id."""
    return {case.id: case for case in SUITE.use_cases[use_case].cases}


@functools.cache
def graded(case: str, answer: str) -> CheckResult:
    """The answer to a case of the built-in suite, checked by the real grader."""
    with _patience(3.0 if ENDLESS in answer else page.STEP_SECONDS):
        return check(SUITE.cases[case], answer)


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    before = page.STEP_SECONDS
    page.STEP_SECONDS = seconds
    try:
        yield
    finally:
        page.STEP_SECONDS = before

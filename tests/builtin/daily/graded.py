"""Worked answers of the built-in suite, graded once per test run: a web page takes seconds, and several tests need the same."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager

from probatio.browser import page
from probatio.builtin.daily.graders import check
from probatio.grade.check_result import CheckResult
from probatio.suite.daily_suite import load_daily

SUITE = load_daily()

ENDLESS = "for (;;)"
"""In a page that never answers again. Three seconds show that as well as ten, and cost less of the processor."""


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

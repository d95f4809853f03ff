"""docs/daily-suite.md: its examples are the suite's, its scores the graders'."""

from __future__ import annotations

import pytest

from builtin.daily.examples import EXAMPLES, PAGE, example, marked
from probatio.suites.daily_suite import load_daily

SUITE = load_daily()


@pytest.mark.parametrize("use_case", EXAMPLES)
def test_every_use_case_has_an_example_that_is_as_the_suite_has_it(use_case: str) -> None:
    begin, end = marked(use_case)
    shown = PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0].strip()
    assert shown == example(SUITE.use_cases[use_case]).strip(), (
        "run `python -m builtin.daily.examples` in tests/"
    )


def test_every_use_case_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert set(EXAMPLES) == set(SUITE.use_cases)
    for use_case in SUITE.use_cases.values():
        samples = f"{use_case.base_samples} → {use_case.full_samples} samples"
        assert f"### {use_case.title} · {use_case.grading} · {samples}" in page

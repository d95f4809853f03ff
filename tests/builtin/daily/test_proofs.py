"""Every use case proves its grader by `probatio suite check`, and the same answers get the grades that are
pinned."""

from __future__ import annotations

import functools

import pytest

from builtin.behaviour import Behaviour, grade_proofs, moved
from builtin.daily.cases import cases
from probatio.builtin.daily.graders import GRADERS, check
from probatio.suites.daily_proofs import read_proofs
from probatio.suites.daily_suite import load_daily

FEWEST_WRONG = 2
FEWEST_HOSTILE = 3

SUITE = load_daily()
CHECKED = [use_case.id for use_case in SUITE.use_cases.values() if use_case.grading != "judge"]
GRADED = [
    pytest.param(each, marks=pytest.mark.browser if each == "web_design" else pytest.mark.slow)
    if GRADERS[each].starts_processes
    else each
    for each in CHECKED
]


@functools.cache
def proven(use_case: str) -> tuple[Behaviour, list[str]]:
    return grade_proofs(use_case)


@pytest.mark.parametrize("use_case", GRADED)
def test_suite_check_proves_a_use_case(use_case: str) -> None:
    _, failed = proven(use_case)
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("use_case", GRADED)
def test_an_answer_gets_another_grade_only_under_another_version_of_the_grader(use_case: str) -> None:
    told = moved(use_case, "proofs", proven(use_case)[0])
    assert not told, "\n".join(told)


def test_every_grader_has_a_version() -> None:
    assert set(GRADERS) == {*CHECKED, "judge"}


@pytest.mark.parametrize("use_case", CHECKED)
def test_wrong_and_hostile_answers_try_every_grader_and_say_why(use_case: str) -> None:
    given = read_proofs(SUITE, SUITE.use_cases[use_case])
    assert sum(proof.kind == "wrong" for proof in given) >= FEWEST_WRONG
    assert sum(proof.hostile for proof in given) >= FEWEST_HOSTILE
    assert [proof.case for proof in given if not proof.why.strip()] == []
    assert [proof.why for proof in given if proof.bounds == (0.0, 1.0)] == [], "bounds that nothing can break"


@pytest.mark.parametrize("use_case", [each for each in CHECKED if not GRADERS[each].starts_processes])
def test_an_empty_answer_earns_nothing(use_case: str) -> None:
    assert {case.id: check(case, "").score for case in cases(use_case).values()} == dict.fromkeys(
        cases(use_case), 0.0
    )


def test_a_use_case_has_about_five_cases() -> None:
    assert [each.id for each in SUITE.use_cases.values() if not 4 <= len(each.cases) <= 8] == []

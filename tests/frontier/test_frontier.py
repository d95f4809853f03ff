"""Headroom: what frontier-class models answered to the daily suite lies in the band that leaves room above
and below."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from frontier.regimes import of_regime, told_above_the_limit
from probatio.suites.daily_suite import load_daily
from scripts import script

HERE = Path(__file__).parent
SUITE = load_daily()
AT_ONCE = (55.0, 90.0)
THINKING = 97.0


frontier = script("frontier")
SETS = frontier.kept_sets(HERE)
DETERMINISTIC = [
    pytest.param(each, marks=pytest.mark.slow) if each == "code_generation" else each
    for each in frontier.deterministic(SUITE)
]


@cache
def grades(name: str, use_case: str) -> dict[str, Any]:
    found: dict[str, Any] = frontier.graded(SUITE, use_case, SETS[name])
    return found


def test_at_least_three_subjects_answered_everything_at_once() -> None:
    cases = {
        case.id for use_case in frontier.deterministic(SUITE) for case in SUITE.use_cases[use_case].cases
    }
    whole = [name for name in of_regime("at-once", SETS) if cases <= {kept.case for kept in SETS[name]}]
    assert len(whole) >= 3, (
        f"sets with every deterministic case: {whole}; `python tools/frontier.py keep` adds one"
    )


def test_every_set_has_a_name_that_tells_its_regime() -> None:
    assert set(SETS) == {*of_regime("at-once", SETS), *of_regime("thinking", SETS)}


@pytest.mark.parametrize("name", SETS)
def test_every_kept_answer_belongs_to_the_prompt_of_today(name: str) -> None:
    prompts = {case.id: frontier.digest(case) for each in SUITE.use_cases.values() for case in each.cases}
    old = [kept.case for kept in SETS[name] if prompts.get(kept.case) != kept.prompt]
    assert not old, "these prompts have changed since: ask them again"


@pytest.mark.parametrize("use_case", DETERMINISTIC)
def test_at_once_every_subject_lies_in_the_band(use_case: str) -> None:
    scores = {
        name: round(frontier.mean(grades(name, use_case)), 1)
        for name in of_regime("at-once", SETS)
        if grades(name, use_case)
    }
    assert scores
    low, high = AT_ONCE
    assert all(low <= score <= high for score in scores.values()), scores


@pytest.mark.parametrize("use_case", DETERMINISTIC)
def test_no_rung_of_the_top_third_is_right_for_all_at_once(use_case: str) -> None:
    subjects = [grades(name, use_case) for name in of_regime("at-once", SETS)]
    assert len([subject for subject in subjects if subject]) >= 3
    right = {case.id: frontier.always_right(case, subjects) for case in SUITE.use_cases[use_case].cases}
    assert not any(right.values()), right


@pytest.mark.parametrize("use_case", DETERMINISTIC)
def test_thinking_stays_below_its_limit_or_the_readme_says_where_not(use_case: str) -> None:
    scores = {
        name: frontier.mean(grades(name, use_case))
        for name in of_regime("thinking", SETS)
        if grades(name, use_case)
    }
    above = {(name, use_case): round(score, 1) for name, score in scores.items() if score > THINKING}
    assert above == {key: score for key, score in told_above_the_limit().items() if key[1] == use_case}

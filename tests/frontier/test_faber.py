"""Headroom of Faber: what frontier-class models answered to generated tasks, with `minimal` and nothing
else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from builtin.behaviour import PROGRAMS, grade_frontier_programs, graded_frontier_programs, moved
from frontier.regimes import of_regime, told_above_the_limit
from probatio.core.records import UNCHECKED
from scripts import script

HERE = Path(__file__).parent
AT_ONCE = (0.55, 0.90)
THINKING = 0.97
LEVEL_6, TWISTED = "level-6", "level-5"

frontier = script("frontier_faber")
SETS = frontier.kept_sets()


@cache
def share(name: str, folder: str) -> float:
    grades = [grade for each, grade in graded_frontier_programs()[name] if each.asked.folder == folder]
    assert not [grade.error_detail for grade in grades if grade.error_type == UNCHECKED]
    return sum(grade.correct for grade in grades) / len(grades)


@pytest.mark.slow
def test_kept_programs_are_graded_as_pinned() -> None:
    told = moved(PROGRAMS, "frontier", grade_frontier_programs())
    assert not told, "\n".join(told)


@pytest.mark.parametrize("regime", ["at-once", "thinking"])
def test_three_subjects_answered_the_same_tasks(regime: str) -> None:
    asked = {
        tuple(sorted(each.asked for each in SETS[name] if each.asked.folder in (LEVEL_6, TWISTED)))
        for name in of_regime(regime, SETS)
    }
    assert len(of_regime(regime, SETS)) >= 3
    assert asked == {tuple(sorted(set(*asked)))}, "one answer to each, and all of them the same tasks"


def test_no_two_subjects_gave_the_same_answers() -> None:
    written = [tuple(each.answer for each in kept) for kept in SETS.values()]
    assert len(set(written)) == len(written)


@pytest.mark.slow
@pytest.mark.parametrize("folder", [LEVEL_6, TWISTED])
@pytest.mark.parametrize("name", of_regime("at-once", SETS))
def test_level_six_and_the_twists_leave_room_above_and_below(name: str, folder: str) -> None:
    assert AT_ONCE[0] <= share(name, folder) <= AT_ONCE[1]


@pytest.mark.slow
@pytest.mark.parametrize("folder", [LEVEL_6, TWISTED])
@pytest.mark.parametrize("name", of_regime("thinking", SETS))
def test_thinking_stays_below_its_limit_or_the_table_says_so(name: str, folder: str) -> None:
    found = round(100 * share(name, folder), 1)
    if found > 100 * THINKING:
        assert told_above_the_limit().get((name, folder)) == found
    else:
        assert (name, folder) not in told_above_the_limit()


@pytest.mark.slow
@pytest.mark.parametrize("name", of_regime("at-once", SETS))
def test_a_higher_level_is_never_easier(name: str) -> None:
    shares = [share(name, f"level-{level}") for level in (2, 4, 6)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1]


@pytest.mark.soak  # behaviour.json pins the grades it is made from
def test_the_page_has_what_each_twist_cost() -> None:
    assert frontier.prices() in (HERE.parents[1] / "docs" / "generate.md").read_text(encoding="utf-8")

"""Power against simulated comparisons, drawn answer by answer and given to the code of `compare`."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import norm
from scipy.stats import t as student

from learn.runs import make_run
from learn.simulated_pairs import counted, drawn_answers
from probatio.core.errors import UsageError
from probatio.core.statistics.intervals import critical, estimate_paired_difference
from probatio.learn.planning import PowerPlan, describe_power, list_power, plan_power, plan_run_power
from probatio.learn.statistics.likeness import USUAL, Likeness, both_right, correlation, measure_pilot
from probatio.learn.statistics.pairs import TaskPairs, holm
from probatio.learn.statistics.power import (
    Design,
    as_normal,
    chance_to_see,
    count_tasks_needed,
    estimate,
    find_smallest_seen,
)
from probatio.runs.plan import Plan as RunPlan

COMPARISONS = 4000

DESIGNS = [
    (Design(0.5, 0.15, USUAL["model"]), 95),  # each task once
    (Design(0.8, 0.06, USUAL["context"], conditions=4), 60),
    (Design(0.9, -0.10, USUAL["model"], conditions=2, samples=3), 40),
]


@pytest.mark.slow
@pytest.mark.parametrize(("design", "tasks"), DESIGNS)
def test_the_chance_told_is_how_often_simulated_comparisons_show_it(design: Design, tasks: int) -> None:
    """Within two points; `bench/power.py` has more rows, with 20,000 comparisons each."""
    random, shown = np.random.default_rng(7), 0
    for _ in range(COMPARISONS):
        _, low, high, _ = estimate_paired_difference(
            (one.gained, one.lost, one.pairs) for one in counted(drawn_answers(design, tasks, random))
        )
        shown += low > 0 if design.delta > 0 else high < 0
    assert 100 * chance_to_see(design, tasks) == pytest.approx(100 * shown / COMPARISONS, abs=2)


def test_intervals_drawn_in_bulk_are_those_of_a_comparison() -> None:
    random = np.random.default_rng(3)
    for pairs in (1, 4):
        gained = random.binomial(pairs, 0.2, size=(20, 12))
        lost = random.binomial(pairs - gained, 0.3)
        gained[0] = lost[0] = 0  # no flip at all
        lost[1], gained[1] = 0, pairs  # every pair gained
        centres, errors = estimate(gained.sum(1), lost.sum(1), ((gained - lost) ** 2).sum(1), 12, pairs)
        for row in range(20):
            found = estimate_paired_difference(
                (int(g), int(d), pairs) for g, d in zip(gained[row], lost[row], strict=True)
            )
            assert found.p == pytest.approx(2 * student.sf(abs(centres[row] / errors[row]), 11))
            assert found.low == pytest.approx(max(-1, centres[row] - critical(12) * errors[row]))


FAMILIES = [
    (Design(0.5, 0.10, USUAL["model"], conditions=4, sides=4), 100),
    (Design(0.8, -0.10, USUAL["context"], conditions=2, samples=2, sides=6), 60),
    (Design(0.7, 0.12, USUAL["model"], sides=5, to_first=True), 150),
]


@pytest.mark.slow
@pytest.mark.parametrize(("design", "tasks"), FAMILIES)
def test_the_chance_in_a_family_is_how_often_its_corrected_p_shows_it(design: Design, tasks: int) -> None:
    """Every family is drawn answer by answer, compared and corrected as `compare` does it."""
    random, shown = np.random.default_rng(8), []
    for _ in range(300):
        right = drawn_answers(design, tasks, random)
        pairs = [
            (one, two) for one, two in combinations(range(design.sides), 2) if not (design.to_first and one)
        ]
        found = [
            estimate_paired_difference(
                (task.gained, task.lost, task.pairs) for task in counted(right[[*pair]])
            )
            for pair in pairs
        ]
        shown.append(
            np.mean(
                [
                    p < 0.05 and one.difference * design.delta > 0
                    for one, p, (_, two) in zip(found, holm([one.p for one in found]), pairs, strict=True)
                    if two == design.sides - 1
                ]
            )
        )
    assert len(pairs) == design.comparisons
    told, alone = chance_to_see(design, tasks), chance_to_see(replace(design, sides=2), tasks)
    assert told == pytest.approx(np.mean(shown), abs=3 * np.std(shown) / 300**0.5)
    assert alone > told + 0.1  # what was told for a family before it was corrected


def test_a_normal_number_with_the_p_of_students_is_found() -> None:
    for df in (4, 9, 94, 2000):
        at = np.linspace(-6, 6, 25)
        assert as_normal(at, df) == pytest.approx(np.sign(at) * norm.isf(student.sf(abs(at), df)), rel=0.01)


def test_more_sides_take_more_tasks_and_each_with_the_first_fewer_than_every_two() -> None:
    two = Design(0.5, 0.10, USUAL["model"], conditions=4)
    chances = [chance_to_see(replace(two, sides=sides), 300) for sides in (2, 3, 6, 12, 40)]
    assert chances == sorted(chances, reverse=True)
    family = replace(two, sides=6)
    needed, fewer = (count_tasks_needed(each, 0.8) for each in (family, replace(family, to_first=True)))
    assert needed is not None and fewer is not None and fewer < needed
    assert chance_to_see(family, needed) == pytest.approx(0.8, abs=0.02)
    assert find_smallest_seen(family, needed, 0.8) == pytest.approx(0.10, abs=0.006)


def test_the_tasks_needed_give_the_chance_and_the_difference_seen_does_too() -> None:
    design = Design(0.5, 0.10, USUAL["model"])
    needed = count_tasks_needed(design, 0.8)
    assert needed is not None
    assert chance_to_see(design, needed) == pytest.approx(0.8, abs=0.02)
    smallest = find_smallest_seen(design, needed, 0.8)
    assert smallest == pytest.approx(0.10, abs=0.005)


def test_more_tasks_samples_or_likeness_show_more() -> None:
    once = Design(0.5, 0.10, USUAL["model"])
    assert chance_to_see(once, 60) < chance_to_see(once, 120)
    assert chance_to_see(once, 60) < chance_to_see(Design(0.5, 0.10, USUAL["model"], samples=4), 60)
    assert chance_to_see(once, 60) < chance_to_see(Design(0.5, 0.10, Likeness(0.8, 0.6, 0.8, 0.9)), 60)


@pytest.mark.parametrize("likeness", [0.0, 0.3, 0.9])
def test_a_correlation_is_found_again_from_how_often_both_are_right(likeness: float) -> None:
    assert correlation(both_right(likeness, 0.7, 0.4), 0.7, 0.4) == pytest.approx(likeness, abs=1e-4)


def test_two_alike_answers_of_even_chance_are_both_right_as_the_arcsine_says() -> None:
    assert both_right(0.5, 0.5, 0.5) == pytest.approx(1 / 3, abs=1e-4)


def test_a_pilot_tells_rates_and_likeness() -> None:
    truth = Likeness(0.5, 0.4, 0.7, 0.85)
    answers = drawn_answers(Design(0.6, 0.1, truth, conditions=6), 3000, np.random.default_rng(5))
    found = measure_pilot(counted(answers))
    assert (found.rate_a, found.rate_b) == pytest.approx((0.6, 0.7), abs=0.02)
    assert (found.paired, found.across, found.within) == pytest.approx((0.5, 0.4, 0.7), abs=0.04)


def test_a_side_that_is_always_right_tells_no_likeness() -> None:
    found = measure_pilot([TaskPairs("t", 3, 3, 1, 0, 2), TaskPairs("u", 3, 3, 2, 0, 1)])
    assert (found.paired, found.across) == (None, None)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pilot of two models over 99 tasks and three contexts, drawn with known likeness."""
    root = tmp_path_factory.mktemp("pilot")
    right = drawn_answers(Design(0.5, 0.2, USUAL["model"], conditions=3), 99, np.random.default_rng(2))
    contexts = ("minimal", "basic", "complete")
    make_run(
        root,
        99,
        lambda key: bool(right["ab".index(key.model), int(key.task_id[-2:]), contexts.index(key.context), 0]),
        "pilot",
        models=("a", "b"),
        contexts=contexts,
    )
    return root


def test_power_from_a_pilot_run_takes_its_rates_tasks_and_pairs(results: Path) -> None:
    plan = plan_power(["pilot"], delta=10, results=results)
    design = plan.power.design
    assert (plan.between, plan.power.tasks, design.conditions, design.samples) == ("model", 99, 3, 1)
    assert design.rate == pytest.approx(0.5, abs=0.1)
    known = chance_to_see(Design(design.rate, 0.10, USUAL["model"], conditions=3), 99)
    assert plan.power.chance == pytest.approx(known, abs=0.1)
    sides = plan_power(["pilot:model=a", "pilot:model=b"], delta=10, results=results)
    assert sides.power == plan.power
    assert plan_power(["pilot"], delta=10, results=results, between="context").between == "context"


def test_power_in_words_begins_with_the_line_of_the_dry_run() -> None:
    first, shown, *rest = list_power(plan_power(delta=5, tasks=95, samples=1))
    assert first.startswith("Power: a difference of 5 points between two models is seen with a chance of 1")
    assert "(95 tasks, 1 pair each); a chance of 80 % takes " in first
    assert shown.startswith("With 95 tasks 1")
    assert rest[0] == "From: A passes 50 % (assumed), answers to one task are as alike as usual."


def test_a_planned_run_is_told_by_what_it_can_compare() -> None:
    tasks = tuple(f"t{number}" for number in range(95))
    plan = plan_run_power(RunPlan(("a", "b"), ("latin",), ("minimal", "basic"), (0, 3), tasks, 1))
    assert isinstance(plan, PowerPlan)
    assert "between two models" in describe_power(plan)
    assert "(95 tasks, 4 pairs each)" in describe_power(plan)
    several = plan_run_power(RunPlan(tuple("abcde"), ("latin",), ("minimal",), (0,), tasks, 1))
    assert isinstance(several, PowerPlan)
    assert "between one of 5 models and another" in describe_power(several)
    assert "(95 tasks, 1 pair each, 10 comparisons corrected together)" in describe_power(several)
    alone = plan_run_power(RunPlan(("a",), ("latin",), ("minimal", "basic"), (0,), tasks, 1))
    assert isinstance(alone, PowerPlan)
    assert alone.between == "context"
    cut = plan_run_power(RunPlan(("a",), ("latin",), ("minimal",), (0,), tasks, 1, limit=7))
    assert isinstance(cut, PowerPlan)
    assert "(7 tasks, 1 pair each)" in describe_power(cut)
    assert plan_run_power(RunPlan(("a",), ("latin",), ("minimal",), (0,), tasks[:3], 1)) == (
        "Power: 3 tasks can't show a difference; a comparison needs at least 5."
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"delta": 60, "tasks": 95}, "no room for"),
        ({"delta": 0, "tasks": 95}, "0 points"),
        ({"delta": 5, "tasks": 95, "rate": 100}, "leaves nothing to chance"),
        ({"delta": 5}, "--tasks N"),
        ({"delta": 5, "tasks": 2}, "from 5 to"),
        ({"delta": 5, "tasks": 95, "sides": 41}, "2 to 40 sides; 41"),
        ({"delta": 5, "tasks": 95, "between": "colour"}, "no `colour`"),
    ],
)
def test_what_can_not_be_planned_is_a_sentence(given: dict[str, float], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        plan_power(**given)  # type: ignore[arg-type]

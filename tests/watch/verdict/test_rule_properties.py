"""What must hold of the rule for any scores: against a plain second writing of it, and as laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.core.records import Grading
from probatio.watch.verdict.rule.baseline import rule_for
from probatio.watch.verdict.rule.model_status import GAP, OK, STATUSES
from probatio.watch.verdict.rule.rule import UNKNOWN, RuleDay, RuleOutcome, rule_day, start, step
from watch.verdict.made_up import FIRST, RULE, D, fold_rule, statuses
from watch.verdict.plain_rule import PlainDay, plain_statuses

pytestmark = pytest.mark.slow  # hundreds of drawn histories

unhurried = settings(deadline=None)  # a loaded machine is no counterexample

points = st.one_of(
    st.floats(0, 100).map(lambda score: round(score, 2)),
    st.sampled_from([0.0, 40.0, 60.0, 80.0, 84.0, 86.0, 90.0, 100.0]),
)
gap_or_points = st.one_of(st.none(), points, points, points)


def _days(route: st.SearchStrategy[int], mixed: st.SearchStrategy[bool]) -> st.SearchStrategy[D]:
    return st.builds(
        D,
        score=gap_or_points,
        full=st.booleans(),
        barred=st.sampled_from([False, False, False, True]),
        route=route,
        mixed=mixed,
        version=st.sampled_from([0] * 12 + [1]),
        after=st.sampled_from([1, 1, 1, 1, 1, 2, 3, 4, 15]),
    )


unrouted_days = _days(st.just(UNKNOWN), st.just(False))
single_days = _days(st.sampled_from([UNKNOWN, 0, 0, 0, 0, 1, 1]), st.sampled_from([False] * 6 + [True]))
gradings: st.SearchStrategy[Grading] = st.sampled_from(["deterministic", "hybrid", "judge"])


@unhurried
@given(st.lists(unrouted_days, max_size=40), gradings)
def test_the_vectorised_rule_says_what_the_plain_one_says(days: list[D], grading: Grading) -> None:
    number, plain = FIRST.toordinal() - 1, []
    for day in days:
        number += day.after
        plain.append(PlainDay(number, day.score, day.full, day.barred, day.version))
    limits = RULE.thresholds(grading)
    assert statuses(days, grading) == plain_statuses(plain, RULE, limits, judged=grading != "deterministic")


@unhurried
@given(st.lists(points, min_size=5, max_size=20), points, st.integers(-50, 50), gradings)
def test_a_constant_offset_changes_no_z(
    history: list[float], score: float, offset: int, grading: Grading
) -> None:
    here = fold_rule([*history, score], grading)[-1]
    there = fold_rule([*(each + offset for each in history), score + offset], grading)[-1]
    assert there.z[0, 0] == pytest.approx(here.z[0, 0], abs=1e-6)


BADNESS = {"OK": 0, "CALIBRATING": 0, "GAP": 0, "SUSPICIOUS": 1, "COOKED": 2}


@unhurried
@given(st.lists(single_days, min_size=5, max_size=30), points, points, st.booleans(), gradings)
def test_a_higher_score_today_never_gives_a_worse_status(
    history: list[D], one: float, other: float, full: bool, grading: Grading
) -> None:
    low, high = sorted((one, other))
    worse, better = (statuses([*history, D(score, full=full)], grading)[-1] for score in (low, high))
    assert BADNESS[better] <= BADNESS[worse]


model_days = st.lists(st.lists(gap_or_points, min_size=5, max_size=5), min_size=1, max_size=25)
MIXED: list[Grading] = ["deterministic", "judge", "deterministic", "hybrid", "deterministic"]


def _fold(days: list[list[float | None]], kinds: list[Grading]) -> list[RuleOutcome]:
    rule = rule_for(RULE, kinds)
    state, outcomes = start(rule, 1), []
    for number, scores in enumerate(days):
        state, outcome = step(rule, state, _today(number, [scores]))
        outcomes.append(outcome)
    return outcomes


def _today(number: int, scores: list[list[float | None]]) -> RuleDay:
    return rule_day(number, np.array(scores, dtype=float))


@unhurried
@given(model_days, st.permutations(range(5)))
def test_permuting_the_use_cases_changes_nothing(days: list[list[float | None]], order: list[int]) -> None:
    straight = _fold(days, MIXED)
    permuted = _fold([[day[place] for place in order] for day in days], [MIXED[place] for place in order])
    for one, other in zip(straight, permuted, strict=True):
        assert one.model.tolist() == other.model.tolist()
        assert one.status[0, order].tolist() == other.status[0].tolist()


@unhurried
@given(model_days, st.lists(st.booleans(), min_size=5, max_size=5))
def test_gaps_never_produce_a_verdict(days: list[list[float | None]], gone: list[bool]) -> None:
    *before, last = _fold(days, MIXED)
    missing = [None if lost else score for score, lost in zip(days[-1], gone, strict=True)]
    thinned = _fold([*days[:-1], missing], MIXED)[-1]
    assert all(thinned.status[0, place] == GAP for place, score in enumerate(missing) if score is None)
    if all(score is None for score in missing):
        assert STATUSES[thinned.model[0]] == "GAP"
        return
    earlier = [STATUSES[outcome.model[0]] for outcome in before if STATUSES[outcome.model[0]] != "GAP"]
    worst = max(BADNESS[STATUSES[last.model[0]]], BADNESS[earlier[-1]] if earlier else 0)
    assert BADNESS[STATUSES[thinned.model[0]]] <= worst


@unhurried
@given(model_days, st.data())
def test_an_outage_of_everything_leaves_the_next_day_as_it_was(
    days: list[list[float | None]], data: st.DataObject
) -> None:
    """But for the days that fall out of the window meanwhile, which is why the history here is short."""
    days = days[:10]
    place = data.draw(st.integers(0, len(days) - 1))
    rule = rule_for(RULE, MIXED)
    quiet = loud = start(rule, 1)
    for number, scores in enumerate(days):
        if number == place:
            loud, outcome = step(rule, loud, _today(number, [[None] * 5]))
            assert STATUSES[outcome.model[0]] == "GAP"
            continue
        quiet, one = step(rule, quiet, _today(number, [scores]))
        loud, other = step(rule, loud, _today(number, [scores]))
        assert one.status.tolist() == other.status.tolist()
        assert one.model.tolist() == other.model.tolist()


@pytest.mark.slow
@unhurried
@given(st.lists(model_days.filter(lambda days: len(days) >= 3), min_size=2, max_size=4))
def test_models_do_not_see_each_other(models: list[list[list[float | None]]]) -> None:
    length = min(map(len, models))
    rule = rule_for(RULE, MIXED)
    state = start(rule, len(models))
    for number in range(length):
        state, together = step(rule, state, _today(number, [model[number] for model in models]))
    for place, model in enumerate(models):
        alone = _fold(model[:length], MIXED)[-1]
        assert together.status[place].tolist() == alone.status[0].tolist()
        assert together.model[place] == alone.model[0]


@unhurried
@given(st.lists(single_days, min_size=2, max_size=30), st.integers(1, 29), gradings)
def test_what_was_said_does_not_depend_on_what_came_after(
    days: list[D], place: int, grading: Grading
) -> None:
    assert statuses(days[:place], grading) == statuses(days, grading)[:place]


def test_the_plain_rule_is_not_trivially_the_same() -> None:
    days = [PlainDay(number, 90.0, True, False, 0) for number in range(14)]
    assert (
        plain_statuses([*days, PlainDay(14, 10.0, True, False, 0)], RULE, RULE.deterministic, False)[-1]
        == "COOKED"
    )
    assert STATUSES[OK] == "OK"

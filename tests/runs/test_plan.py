"""The plan: every trial once, in an order that shares prompt prefixes, by number and back."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from probatio.core.records import TrialKey
from probatio.runs.plan import Numbering, Plan

names = st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=1, max_size=4, unique=True).map(tuple)
plans = st.builds(
    Plan,
    models=names,
    dialects=names,
    contexts=names,
    n_shots=st.lists(st.integers(0, 10), min_size=1, max_size=3, unique=True).map(tuple),
    tasks=names,
    samples=st.integers(1, 3),
    limit=st.none() | st.integers(1, 200),
    shared=st.booleans(),
)


@given(plans)
def test_every_trial_is_there_once_and_found_again_by_its_key(plan: Plan) -> None:
    keys, numbering = list(plan), Numbering(plan)
    assert len(keys) == len(plan) == len(set(keys))
    assert [numbering.number(key) for key in keys] == list(range(len(plan)))


@given(st.lists(plans, min_size=2, max_size=3))
def test_several_plans_are_numbered_through(several: list[Plan]) -> None:
    several = [
        replace(plan, models=tuple(f"{at}{name}" for name in plan.models)) for at, plan in enumerate(several)
    ]
    keys, numbering = [key for plan in several for key in plan], Numbering(*several)
    assert len(numbering) == len(keys)
    assert [numbering.number(key) for key in keys] == list(range(len(keys)))
    assert [numbering.key(number) for number in range(len(keys))] == keys
    for at, plan in enumerate(several):
        for model in plan.models:
            assert {numbering.key(number).model for number in numbering.of_model(model, at)} <= {model}


@given(plans)
def test_the_models_share_out_the_plan(plan: Plan) -> None:
    numbers = [number for model in plan.models for number in plan.of_model(model)]
    assert numbers == list(range(len(plan)))
    assert all(plan[number].model == model for model in plan.models for number in plan.of_model(model))


def test_trials_with_the_same_context_and_examples_follow_each_other() -> None:
    plan = Plan(("m",), ("latin",), ("minimal", "basic"), (0, 3), ("a", "b", "c"))
    shared = [(key.context, key.n_shot) for key in plan]
    assert shared == [("minimal", 0)] * 3 + [("minimal", 3)] * 3 + [("basic", 0)] * 3 + [("basic", 3)] * 3


def test_a_key_of_another_plan_is_not_of_this_one() -> None:
    plan = Plan(("m",), ("latin",), ("minimal",), (0,), ("a", "b"), samples=2, limit=3)
    numbering = Numbering(plan)
    assert numbering.number(TrialKey("a", "other", 0, "latin", "minimal", 0)) is None
    assert numbering.number(TrialKey("a", "m", 0, "latin", "minimal", 2)) is None
    assert numbering.number(TrialKey("b", "m", 0, "latin", "minimal", 1)) is None  # past the limit


def test_the_full_grid_of_the_first_seed_is_1900_trials() -> None:
    tasks = tuple(f"t{number}" for number in range(95))
    contexts = ("examples-only", "grammar-only", "minimal", "basic", "complete")
    assert len(Plan(("m",), ("latin",), contexts, (0, 1, 3, 10), tasks)) == 1900


def test_a_limit_is_shared_among_the_models() -> None:
    plan = Plan(("a", "b", "c"), ("latin",), ("minimal",), (0,), ("x", "y", "z"), limit=7, shared=True)
    assert [(key.model, key.task_id) for key in plan] == [
        *(("a", task) for task in "xyz"),
        *(("b", task) for task in "xy"),
        *(("c", task) for task in "xy"),
    ]
    assert len(replace(plan, limit=100)) == 9, "no model has more than its own plan"
    assert [len(replace(plan, limit=2).of_model(model)) for model in "abc"] == [1, 1, 0]

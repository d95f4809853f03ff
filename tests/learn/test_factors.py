"""What each factor is worth, on made-up runs whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from learn.runs import Outcome, by_chance, write_made_up_run, write_suite
from probatio.core.records import TrialKey
from probatio.learn.analysis import study_of
from probatio.learn.findings import Factors


def _factors(root: Path, outcome: Outcome, tasks: int = 60, **axes: tuple[object, ...]) -> Factors:
    run = write_made_up_run(root / "r", write_suite(root / ("suite"), tasks), outcome, **axes)  # type: ignore[arg-type]
    factors = study_of([run]).factors
    assert factors is not None
    return factors


def test_an_effect_is_told_in_points_near_the_truth(tmp_path: Path) -> None:
    gain = {"minimal": 0.0, "basic": 0.2, "complete": 0.4}
    factors = _factors(
        tmp_path,
        by_chance(lambda key: 0.4 + gain[key.context]),
        tasks=90,
        contexts=tuple(gain),
        n_shots=(0, 1, 3, 10),
    )
    effects = {effect.level: effect for effect in factors.effects if effect.factor == "context"}
    for level, truth in (("basic", 20), ("complete", 40)):
        effect = effects[level]
        assert effect.points == pytest.approx(truth, abs=6)
        assert effect.points_low is not None
        assert effect.points_high is not None
        assert effect.points_low <= truth <= effect.points_high
    tests = {test.terms: test.p for test in factors.tests}
    assert tests[("context",)] < 0.001
    assert tests[("n_shot",)] > 0.05


def test_points_of_a_balanced_design_are_the_plain_difference_of_rates(tmp_path: Path) -> None:
    """With one factor the model is saturated: Firth adds half a pass and half a failure to each level."""
    factors = _factors(
        tmp_path, lambda key: key.context == "basic" or key.task_id < "task_30", contexts=("minimal", "basic")
    )
    (effect,) = factors.effects
    assert effect.points == pytest.approx(100 * (60.5 / 61 - 30.5 / 61), abs=1e-6)


def test_factors_with_one_level_are_left_out_and_named(tmp_path: Path) -> None:
    factors = _factors(tmp_path, by_chance(lambda key: 0.5), contexts=("minimal", "basic"))
    assert {effect.factor for effect in factors.effects} == {"context"}
    assert factors.interplay == []
    assert "model has one level only (m) and is left out." in factors.notes


def test_a_level_that_always_passes_has_no_interval_for_its_odds_and_says_so(tmp_path: Path) -> None:
    outcome = by_chance(lambda key: 1.0 if key.context == "complete" else 0.5)
    factors = _factors(tmp_path, outcome, contexts=("minimal", "complete"), n_shots=(0, 1))
    (effect,) = (effect for effect in factors.effects if effect.factor == "context")
    assert (effect.odds_low, effect.odds_high) == (None, None)
    assert effect.p < 0.001
    assert effect.points == pytest.approx(50, abs=12)
    assert "All 120 answers with context complete passed: no interval for its odds." in factors.notes


def test_levels_no_task_tells_apart_are_worth_nothing(tmp_path: Path) -> None:
    factors = _factors(tmp_path, lambda key: key.task_id < "task_30", contexts=("minimal", "basic"))
    (effect,) = factors.effects
    assert effect.points == pytest.approx(0, abs=1e-6)
    assert effect.p == pytest.approx(1)


def _interplay(key: TrialKey) -> float:
    """Context helps the large model only."""
    return 0.3 + (0.5 if key.model == "large" and key.context == "complete" else 0.0)


def test_interplay_is_found_where_it_is_and_not_where_it_is_not(tmp_path: Path) -> None:
    factors = _factors(
        tmp_path,
        by_chance(_interplay),
        models=("small", "large"),
        contexts=("minimal", "complete"),
        n_shots=(0, 3),
    )
    tests = {test.terms: test for test in factors.interplay}
    assert tests["context", "model"].p < 0.001
    assert tests["context", "n_shot"].p > 0.01
    assert tests["context", "model"].departing in (
        "context complete with model large", "context complete with model small",
        "context minimal with model large", "context minimal with model small",
    )  # fmt: skip


def test_factors_that_cannot_be_told_apart_are_said_to_be_so(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 30)
    runs = [
        write_made_up_run(
            tmp_path / model, suite, by_chance(lambda key: 0.5), models=(model,), contexts=(context,)
        )
        for model, context in (("a", "minimal"), ("b", "basic"))
    ]
    factors = study_of(runs).factors
    assert factors is not None
    assert [effect.factor for effect in factors.effects] == ["context"]
    assert "model b can't be separated from the other factors here and is left out." in factors.notes


@pytest.mark.parametrize(
    ("tasks", "outcome", "contexts", "message"),
    [
        (9, by_chance(lambda key: 0.5), ("minimal", "basic"), "at least 10 tasks"),
        (20, lambda key: True, ("minimal", "basic"), "All 40 answers passed"),
        (20, by_chance(lambda key: 0.5), ("minimal",), "nothing to tell apart"),
    ],
)
def test_where_nothing_can_be_told_the_reason_is(
    tmp_path: Path, tasks: int, outcome: Outcome, contexts: tuple[str, ...], message: str
) -> None:
    run = write_made_up_run(
        tmp_path / "r", write_suite(tmp_path / "suite", tasks), outcome, contexts=contexts
    )
    study = study_of([run])
    assert study.factors is None
    assert message in (study.no_factors or "")

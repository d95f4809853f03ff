"""What each factor is worth, on made-up runs whose truth is known."""

from __future__ import annotations

from math import inf
from pathlib import Path

import numpy as np
import pytest

from learn.runs import Outcome, by_chance, make_run, write_made_up_run, write_suite
from probatio.core.records import TrialKey
from probatio.learn.analysis import study_of
from probatio.learn.factors import FactorCells, Term, measure_effects
from probatio.learn.findings import Effect, Factors
from probatio.learn.statistics.logit import fit


def _factors(root: Path, outcome: Outcome, tasks: int = 60, **axes: tuple[object, ...]) -> Factors:
    run = make_run(root, tasks, outcome, **axes)  # type: ignore[arg-type]
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


def made_up_cells(
    chance: np.random.Generator, tasks: int, ease: float, *, spread: float, wander: float, worth: float = 0.0
) -> FactorCells:
    """Two contexts, sixteen answers each. Tasks differ by `spread` log-odds, a task by `wander` between the
    contexts."""
    odds = chance.normal(ease, spread, (tasks, 1)) + chance.normal(0, wander, (tasks, 2)) + [0, worth]
    return FactorCells(
        levels={"context": [0, 1]},
        of_cell={"context": [0, 1]},
        passed=chance.binomial(16, 1 / (1 + np.exp(-odds))).astype(float),
        asked=np.full((tasks, 2), 16.0),
        terms=[Term("context", 1, 0)],
        design=np.array([[1.0, 0.0], [1.0, 1.0]]),
    )


def effects_of(cells: FactorCells) -> list[Effect]:
    return measure_effects(cells, fit(cells.design, cells.passed, cells.asked), [])


@pytest.mark.parametrize(("ease", "spread", "wander"), [(4.0, 2.0, 1.5), (0.0, 1.0, 1.0)])
def test_a_level_that_is_worth_nothing_is_called_so_at_ten_tasks(
    ease: float, spread: float, wander: float
) -> None:
    """Near the ceiling Wald's p was below 0.05 in 11 of 100."""
    chance = np.random.default_rng(12)
    effects = [
        effects_of(made_up_cells(chance, 10, ease, spread=spread, wander=wander))[0] for _ in range(150)
    ]
    assert np.mean([effect.p < 0.05 for effect in effects]) <= 0.05


def test_intervals_exclude_no_effect_exactly_where_p_is_below_5_percent() -> None:
    chance = np.random.default_rng(13)
    shown = 0
    for ease, worth in 15 * ((3.0, 0.0), (2.0, 1.0), (0.0, 0.8), (-1.0, -1.5), (-3.0, 1.0)):
        for effect in effects_of(made_up_cells(chance, 15, ease, spread=1.0, wander=0.5, worth=worth)):
            shown += effect.p < 0.05
            if effect.odds_low is not None or effect.odds_high is not None:
                outside = (effect.odds_low or 0) > 1 or (effect.odds_high or inf) < 1
                assert outside == (effect.p < 0.05), effect
                assert (effect.odds_low or 0) <= effect.odds_ratio <= (effect.odds_high or inf)
            if effect.points_low is not None and effect.points_high is not None:
                outside = effect.points_low > 0 or effect.points_high < 0
                assert outside == (effect.p < 0.05), effect
                assert effect.points_low <= effect.points <= effect.points_high
    assert shown > 15


def test_the_interval_in_points_holds_the_truth() -> None:
    """The truth: what two contexts differ by over very many tasks."""
    many = made_up_cells(np.random.default_rng(1), 200_000, 1.5, spread=1.0, wander=0.5, worth=-0.8)
    truth = 100 / 16 * (many.passed[:, 1].mean() - many.passed[:, 0].mean())
    chance = np.random.default_rng(14)
    effects = [
        effects_of(made_up_cells(chance, 20, 1.5, spread=1.0, wander=0.5, worth=-0.8))[0] for _ in range(150)
    ]
    held = [
        effect.points_low <= truth <= effect.points_high
        for effect in effects
        if effect.points_low is not None and effect.points_high is not None
    ]
    assert len(held) == 150 and np.mean(held) >= 0.92


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
    run = make_run(tmp_path, tasks, outcome, contexts=contexts)
    study = study_of([run])
    assert study.factors is None
    assert message in (study.no_factors or "")

"""Learning curves: the monotone fit against another's, the band's honesty, and where a mark is reached."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from scipy.stats import norm

from learn.runs import by_chance, make_run, write_made_up_run, write_suite
from probatio.core.records import TrialKey
from probatio.learn.analysis import study_of
from probatio.learn.report.pictures import draw_study
from probatio.learn.report.sections import format_report, summarise
from probatio.learn.report.tables import format_cell, make_tables
from probatio.learn.report.wording import describe_reach
from probatio.learn.statistics.isotonic import find_fall, fit_isotonic, fit_with_band

CONTEXTS = ("examples-only", "minimal", "basic", "complete")


def test_a_curve_that_falls_is_levelled_at_the_mean_of_the_fall() -> None:
    passed, asked = np.array([[1.0, 6.0, 4.0, 9.0]]), np.array([[10.0, 10.0, 10.0, 10.0]])
    assert fit_isotonic(passed, asked)[0] == pytest.approx([0.1, 0.5, 0.5, 0.9])


@pytest.mark.parametrize("seed", range(20))
def test_the_fit_is_the_weighted_isotonic_one(seed: int) -> None:
    chance = np.random.default_rng(seed)
    asked = chance.integers(1, 50, (3, 15)).astype(float)
    passed = chance.binomial(asked.astype(int), chance.random((3, 15))).astype(float)
    for row, fitted in enumerate(fit_isotonic(passed, asked)):
        expected = isotonic_regression(passed[row] / asked[row], weights=asked[row]).x
        assert fitted == pytest.approx(expected, abs=1e-12)


def test_the_band_is_the_same_each_time() -> None:
    passed = np.random.default_rng(0).integers(0, 2, (20, 6)).astype(float)
    first, second = (fit_with_band(passed, np.ones((20, 6)))[1] for _ in range(2))
    assert (first == second).all()


def test_ten_tasks_that_all_pass_do_not_make_a_band_of_no_width() -> None:
    _, draws = fit_with_band(np.ones((10, 3)), np.ones((10, 3)))
    assert 0.68 < np.quantile(draws[:, -1], 0.025) < 0.80  # Wilson's end for 10 of 10 is 0.72


@pytest.mark.slow
@pytest.mark.soak
def test_the_band_holds_the_true_curve_as_often_as_it_says() -> None:
    truth = np.array([0.1, 0.3, 0.5, 0.8, 0.95])
    chance = np.random.default_rng(8)
    held = np.zeros(5)
    for _ in range(400):
        # A task's own luck is shared by its conditions: one draw decides how hard it is.
        ease = chance.random((40, 1)) * 0.7 + chance.random((40, 5)) * 0.3
        cut = np.quantile(
            np.random.default_rng(1).random(200000) * 0.7 + np.random.default_rng(2).random(200000) * 0.3,
            truth,
        )
        _, draws = fit_with_band((ease < cut).astype(float), np.ones((40, 5)), resamples=400)
        low, high = np.quantile(draws, (0.025, 0.975), axis=0)
        held += (low <= truth) & (truth <= high)
    assert (held / 400 >= 0.90).all(), held / 400


def _level(key: TrialKey) -> float:
    return {"examples-only": 0.1, "minimal": 0.5, "basic": 0.85, "complete": 0.99}[key.context]


def test_the_smallest_condition_that_reaches_a_mark_is_named_with_its_tokens(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 60)
    run = write_made_up_run(tmp_path / "r", suite, by_chance(_level), contexts=CONTEXTS, n_shots=(0, 1))
    (curve,) = study_of([run]).curves
    eighty, ninety = curve.reach
    assert eighty.fitted is not None
    assert ninety.fitted is not None
    assert (eighty.fitted.context, ninety.fitted.context) == ("basic", "complete")
    assert (
        ninety.fitted.tokens == 3001
    )  # words of the made-up prompt, one token each, and the `task_` all questions begin with
    assert (eighty.tokens.above, eighty.tokens.at_most) == (241, 601)  # no tokens between were tried
    assert (eighty.interval.above or 0) <= 241 and (eighty.interval.at_most or 10**9) >= 601
    assert not curve.estimated


def test_a_mark_that_no_condition_reaches_is_not_reached(tmp_path: Path) -> None:
    run = make_run(tmp_path, 30, lambda key: key.task_id < "task_15", contexts=CONTEXTS)
    (curve,) = study_of([run]).curves
    assert [reach.fitted for reach in curve.reach] == [None, None]
    assert (curve.reach[1].tokens.at_most, curve.reach[1].interval.at_most) == (None, None)
    told = describe_reach(curve.reach[0], curve.estimated)
    assert told.startswith("80 % not learned with up to 3,001 tokens; best 50 % (")


def test_no_number_of_tokens_is_told_that_was_not_tried(tmp_path: Path) -> None:
    run = make_run(tmp_path, 20, lambda key: key.context != "examples-only", contexts=CONTEXTS)
    (curve,) = study_of([run]).curves
    assert describe_reach(curve.reach[0], False) == (
        "80 % with more than 1, at most 201 tokens (minimal, 0-shot; 95 %: more than 1, at most 201)"
    )
    everywhere = make_run(tmp_path, 20, lambda key: True, "all", contexts=CONTEXTS)
    (curve,) = study_of([everywhere]).curves
    assert describe_reach(curve.reach[0], False).startswith(
        "80 % with at most 1 token (examples-only, 0-shot"
    )


def test_a_small_condition_that_is_good_by_itself_is_told_where_a_larger_one_falls_back(
    tmp_path: Path,
) -> None:
    """By one task of twelve: chance explains that."""
    fails = {"examples-only": 6, "minimal": 1, "basic": 2, "complete": 0}
    run = make_run(tmp_path, 12, lambda key: int(key.task_id[-2:]) >= fails[key.context], contexts=CONTEXTS)
    (curve,) = study_of([run]).curves
    assert curve.dip is None
    assert curve.reach[1].fitted is not None
    assert curve.reach[1].alone is not None
    assert (curve.reach[1].fitted.context, curve.reach[1].alone.context) == ("complete", "minimal")


def drawn_tasks(chance: np.random.Generator, truth: list[float], tasks: int, samples: int = 1) -> np.ndarray:
    """Right answers of all samples, tasks by conditions. A task's own luck is shared by its conditions."""
    luck = 0.7 * chance.normal(size=(tasks, 1))
    noise = 0.51**0.5 * chance.normal(size=(samples, tasks, len(truth)))
    return np.asarray((luck + noise < norm.ppf(truth)).sum(0), dtype=float)


@pytest.mark.parametrize("truth", [[0.2, 0.75, 0.4, 0.9], [0.3, 0.9, 0.9, 0.6], [0.8, 0.5, 0.5, 0.5]])
def test_a_curve_that_dips_is_found_out(truth: list[float]) -> None:
    """The band of the fit held the truth there in few runs, and nothing warned."""
    chance, found, held = np.random.default_rng(40), [], []
    for _ in range(60):
        right = drawn_tasks(chance, truth, 50)
        found.append(find_fall(right, np.ones_like(right)).p < 0.05)
        low, high = np.quantile(fit_with_band(right, np.ones_like(right), 200)[1], (0.025, 0.975), axis=0)
        held.append((low <= truth) & (truth <= high))
    assert np.mean(held, axis=0).min() < 0.4  # without a warning it was claimed to be 0.95
    assert np.mean(found) >= 0.85


@pytest.mark.parametrize(("samples", "power"), [(1, 0.2), (3, 0.75)])
@pytest.mark.parametrize("truth", [[0.1, 0.4, 0.7, 0.93, 0.8], [0.3, 0.6, 0.93, 0.8, 0.93]])
def test_a_dip_of_13_points_after_a_rise_is_found(truth: list[float], samples: int, power: float) -> None:
    """In 2 to 9 % when the rise of the curve counted as noise; in about 28 % and 80 % now."""
    chance = np.random.default_rng(42)
    rights = [drawn_tasks(chance, truth, 60, samples) for _ in range(150)]
    found = [find_fall(right, np.full_like(right, samples), 400).p < 0.05 for right in rights]
    assert np.mean(found) >= power


@pytest.mark.parametrize(("points", "tasks", "samples", "power"), [(10, 100, 5, 0.85), (15, 60, 3, 0.8)])
def test_a_dip_of_10_to_15_points_is_found_in_a_larger_study(
    points: int, tasks: int, samples: int, power: float
) -> None:
    """In 15 % and 21 % when the rise of the curve counted as noise; in 97 % and 93 % now."""
    chance = np.random.default_rng(43)
    truth = [0.3, 0.6, 0.9, 0.9 - points / 100, 0.9]
    rights = [drawn_tasks(chance, truth, tasks, samples) for _ in range(100)]
    found = [find_fall(right, np.full_like(right, samples), 400).p < 0.05 for right in rights]
    assert np.mean(found) >= power


@pytest.mark.parametrize("truth", [[0.5] * 6, [0.5] * 15, [0.1, 0.3, 0.5, 0.8, 0.95], [0.9, 0.9], [0.02] * 4])
def test_a_curve_that_never_falls_is_hardly_ever_said_to_fall(truth: list[float]) -> None:
    chance = np.random.default_rng(41)
    for tasks, samples in ((8, 1), (20, 1), (20, 3), (60, 1)):
        rights = (drawn_tasks(chance, truth, tasks, samples) for _ in range(250))
        found = [find_fall(right, np.full_like(right, samples), 400).p < 0.05 for right in rights]
        assert np.mean(found) <= 0.05 + 2.6 * (0.05 * 0.95 / 250) ** 0.5


@pytest.mark.parametrize("tasks", [1, 2, 3, 4])
def test_four_tasks_that_all_fall_prove_no_fall(tasks: int) -> None:
    right = np.tile([0.0, 1.0, 0.0], (tasks, 1))
    assert find_fall(right, np.ones_like(right)).p >= 0.05


def test_a_fall_between_two_conditions_is_the_sign_flip_test_of_all_patterns() -> None:
    right = np.array([[1, 0], [1, 0], [1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [1, 1], [0, 0]], dtype=float)
    fall = find_fall(right, np.ones_like(right), 20_000)
    assert (fall.start, fall.end) == (0, 1)
    assert fall.size == pytest.approx(5 / 9)
    differences = right[:, 0] - right[:, 1]
    sums = [np.dot(signs, differences) for signs in product((-1, 1), repeat=9)]
    assert fall.p == pytest.approx(np.mean(np.array(sums) >= 5), abs=0.005)


def test_tasks_asked_under_few_conditions_make_no_fall() -> None:
    """Easy tasks only in the small context, hard ones in both: no task does worse with more."""
    passed, asked = np.zeros((20, 2)), np.ones((20, 2))
    passed[:10, 0], asked[:10, 1] = 1, 0
    assert find_fall(passed, asked).p == 1


def test_where_the_rate_falls_there_are_points_and_a_sentence_and_no_claim(tmp_path: Path) -> None:
    level = {"examples-only": 0.1, "minimal": 0.95, "basic": 0.4, "complete": 0.95}
    run = make_run(tmp_path, 60, by_chance(lambda key: level[key.context]), contexts=CONTEXTS)
    study = study_of([run])
    (curve,) = study.curves
    assert curve.dip is not None and curve.dip.p < 0.01
    assert (curve.dip.before.context, curve.dip.after.context) == ("minimal", "basic")
    assert curve.reach == []
    assert {(point.fit, point.band_low, point.band_high) for point in curve.points} == {(None, None, None)}
    (told,) = (line for line in summarise(study) if line.startswith("m: "))
    assert "The rate falls with more context" in told and "no number of tokens is said to be enough" in told
    report = format_report(study, {})
    assert curve.dip.sentence in report
    assert "| m | no curve: the rate falls | no curve: the rate falls |" in report
    drawn = draw_study(study)["learning-curves"]
    assert '<path class="fit' not in drawn and '<path class="band' not in drawn and "<use" in drawn
    table = make_tables(study)["curves"]
    assert table.rows and all(format_cell(table.columns[-1], row) == "–" for row in table.rows)


def test_tokens_are_estimated_from_the_prompt_where_the_run_does_not_tell_them(tmp_path: Path) -> None:
    run = make_run(tmp_path, 20, by_chance(_level), contexts=CONTEXTS, tokens=False)
    (curve,) = study_of([run]).curves
    assert curve.estimated
    # 200 words of five characters, and the `task_` their questions begin with
    assert next(point.tokens for point in curve.points if point.context == "minimal") == round(1005 / 3.5)


def test_control_tasks_do_not_count_as_learning(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 10, controls=10)
    run = write_made_up_run(
        tmp_path / "r", suite, lambda key: key.task_id.startswith("control"), contexts=CONTEXTS
    )
    study = study_of([run])
    assert study.controls == 40
    assert (study.overall.passed, study.overall.asked) == (0, 40)
    assert study.control_rate is not None and study.control_rate.passed == 40
    assert {point.rate.passed for point in study.curves[0].points} == {0}


def test_one_condition_makes_no_curve(tmp_path: Path) -> None:
    study = study_of([make_run(tmp_path, 20, lambda key: True)])
    assert study.curves == []
    assert study.no_curves is not None
    assert "at least 2 conditions" in study.no_curves

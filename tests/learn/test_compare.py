"""Two sides paired by trial: pairing, the numbers against a library, flips, and what can't be compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import binomtest

from learn.runs import Outcome, write_made_up_run, write_suite
from probatio.core.errors import UsageError
from probatio.learn.analysis import study_of
from probatio.learn.compare import compare, compare_all, list_sides
from probatio.learn.report.comparison import describe_comparison, describe_interval, list_comparison
from probatio.learn.report.sections import summarise


def _run(root: Path, outcome: Outcome, name: str = "r", **axes: object) -> Path:
    suite = root / "suite" if (root / "suite").exists() else write_suite(root / "suite", 20)
    return write_made_up_run(root / name, suite, outcome, **axes)  # type: ignore[arg-type]


def test_two_models_of_one_run_are_paired_task_by_task(tmp_path: Path) -> None:
    """a passes tasks 0–9, b passes 4–15: 6 shared, 6 gained, 4 lost."""
    passes = {"a": range(10), "b": range(4, 16)}
    _run(tmp_path, lambda key: int(key.task_id[-2:]) in passes[key.model], models=("a", "b"))
    comparison = compare("r:model=a", "r:model=b", tmp_path)
    assert (comparison.differ_in, comparison.pairs, comparison.tasks) == (["model"], 20, 20)
    assert (comparison.rate_a.passed, comparison.rate_b.passed) == (10, 12)
    assert (comparison.gained, comparison.lost) == (6, 4)
    assert comparison.difference == pytest.approx(10)
    assert comparison.low < 10 < comparison.high
    assert comparison.p > 0.5
    assert comparison.low < 0 < comparison.high
    assert [flip.task_id for flip in comparison.flips] == [
        f"task_{number:02}" for number in (0, 1, 2, 3, 10, 11, 12, 13, 14, 15)
    ]
    assert [flip.gained - flip.lost for flip in comparison.flips] == [-1] * 4 + [1] * 6


def test_two_contexts_are_paired_over_everything_else(tmp_path: Path) -> None:
    _run(
        tmp_path,
        lambda key: key.context == "basic",
        models=("a", "b"),
        contexts=("minimal", "basic"),
        n_shots=(0, 1),
    )
    comparison = compare("r:context=minimal", "r:context=basic", tmp_path)
    assert (comparison.differ_in, comparison.pairs, comparison.tasks, comparison.difference) == (
        ["context"],
        80,
        20,
        100,
    )


def test_controls_are_in_no_headline_and_in_no_comparison_but_their_own(tmp_path: Path) -> None:
    """a passes 10 of 20 tasks and no control, b as many tasks and every control: they know the same."""
    suite = write_suite(tmp_path / "suite", 20, controls=20)
    run = write_made_up_run(
        tmp_path / "r",
        suite,
        lambda key: key.model == "b" if key.task_id.startswith("control") else key.task_id < "task_10",
        models=("a", "b"),
    )
    study = study_of([run])
    assert (study.overall.passed, study.overall.asked, study.overall.tasks) == (20, 40, 20)
    assert study.control_rate is not None
    assert (study.control_rate.passed, study.control_rate.asked) == (20, 40)
    first, beside, *_ = summarise(study)
    assert first.startswith("20/40 passed (50 %")
    assert beside.startswith("40 control trials, which ask nothing about the language, are left out: 20/40")
    axes = {axis.name: {level.name: level.rate for level in axis.levels} for axis in study.axes}
    assert {(rate.passed, rate.asked) for rate in axes["model"].values()} == {(10, 20)}
    assert (axes["type"]["write_host"].passed, axes["type"]["write_host"].asked) == (20, 40)
    assert {(one.passed, one.asked) for one in study.funnels} == {(10, 20)}
    found = compare("r:model=a", "r:model=b", tmp_path)
    assert (found.pairs, found.tasks, found.difference, found.controls) == (20, 20, 0, 40)
    assert any("40 control trials" in line for line in list_comparison(found))
    alone = compare("r:model=a,type=write_host", "r:model=b,type=write_host", tmp_path)
    assert (alone.tasks, alone.difference, alone.controls) == (20, 100, 0)


def test_a_run_of_controls_alone_says_so(tmp_path: Path) -> None:
    run = write_made_up_run(tmp_path / "r", write_suite(tmp_path / "suite", 0, controls=8), lambda key: True)
    (told,) = summarise(study_of([run]))
    assert told.startswith("8 control trials")


def test_two_runs_of_the_same_trials_are_paired(tmp_path: Path) -> None:
    _run(tmp_path, lambda key: True, "a", contexts=("minimal", "basic"))
    _run(tmp_path, lambda key: key.task_id != "task_07", "b", contexts=("minimal", "basic"))
    comparison = compare("a", "b", tmp_path)
    assert (comparison.differ_in, comparison.gained, comparison.lost) == (["run"], 0, 2)
    assert [(flip.task_id, flip.passed_a, flip.passed_b) for flip in comparison.flips] == [("task_07", 2, 0)]


def test_two_runs_of_different_models_are_paired_by_task(tmp_path: Path) -> None:
    _run(tmp_path, lambda key: True, "a", models=("x",))
    _run(tmp_path, lambda key: True, "b", models=("y",))
    assert compare("a", "b", tmp_path).differ_in == ["run", "model"]


def test_pairs_that_could_not_be_asked_and_trials_without_a_partner_are_left_out_and_counted(
    tmp_path: Path,
) -> None:
    _run(
        tmp_path,
        lambda key: "api_error" if key.task_id == "task_00" else True,
        "a",
        contexts=("minimal", "basic"),
    )
    _run(tmp_path, lambda key: True, "b")
    comparison = compare("a", "b", tmp_path)
    assert (comparison.pairs, comparison.unasked, comparison.unpaired_a, comparison.unpaired_b) == (
        19,
        1,
        20,
        0,
    )


def test_several_pairs_per_task_widen_the_interval(tmp_path: Path) -> None:
    """Under ten conditions each, the same tasks differ: 200 pairs that say what 20 say."""
    contexts = tuple(f"c{number}" for number in range(10))
    better = {f"task_{number:02}" for number in range(5)}
    _run(tmp_path, lambda key: False, "a", contexts=contexts)
    _run(tmp_path, lambda key: key.task_id in better, "b", contexts=contexts)
    many = compare("a", "b", tmp_path)
    few = compare("a:context=c1", "b:context=c1", tmp_path)
    assert (many.pairs, few.pairs) == (200, 20)
    assert many.high - many.low == pytest.approx(few.high - few.low, rel=0.1)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("r", "r", "hold the same trials"),
        ("r:model=a", "r", "hold the same trials"),
        ("r:model=a", "r:model=c", "There is no model `c`.* There are: a, b"),
        ("r:model=a", "s", "There is no run `s`"),
        ("r:n_shot=9", "r", "There is no n_shot `9`"),
        ("r:date=2026-10-01", "r", "a run can't be narrowed by date"),
    ],
)
def test_what_can_not_be_compared_is_a_sentence(
    tmp_path: Path, first: str, second: str, message: str
) -> None:
    _run(tmp_path, lambda key: True, models=("a", "b"))
    with pytest.raises(UsageError, match=message):
        compare(first, second, tmp_path)


def test_sides_without_a_common_level_are_told_how_to_narrow(tmp_path: Path) -> None:
    _run(tmp_path, lambda key: True, "a", models=("x", "y"))
    _run(tmp_path, lambda key: True, "b", models=("v", "w"))
    with pytest.raises(UsageError, match="RUN:model=NAME"):
        compare("a", "b", tmp_path)


def test_two_suite_versions_are_never_compared(tmp_path: Path) -> None:
    write_made_up_run(tmp_path / "a", write_suite(tmp_path / "one", 5), lambda key: True)
    write_made_up_run(tmp_path / "b", write_suite(tmp_path / "two", 5, version="2.0.0"), lambda key: True)
    with pytest.raises(UsageError, match="nothing is compared across suite versions"):
        compare("a", "b", tmp_path)


def test_several_pairs_per_task_do_not_make_p_smaller(tmp_path: Path) -> None:
    """Three tasks lost under ten conditions are three tasks lost, not thirty."""
    contexts = tuple(f"c{number}" for number in range(10))
    _run(tmp_path, lambda key: True, "a", contexts=contexts)
    _run(tmp_path, lambda key: int(key.task_id[-2:]) > 2, "b", contexts=contexts)
    comparison = compare("a", "b", tmp_path)
    assert comparison.lost == 30
    assert comparison.p > 0.05
    assert binomtest(0, 30, 0.5).pvalue < 1e-8


def test_sides_of_a_run_keep_what_narrowed_it(tmp_path: Path) -> None:
    _run(tmp_path, lambda key: True, models=("y", "x"), contexts=("minimal", "basic"), n_shots=(0, 10, 2))
    assert list_sides("r:context=basic", "model", tmp_path) == [
        "r:context=basic,model=y",
        "r:context=basic,model=x",
    ]
    assert list_sides("r", "n-shot", tmp_path) == ["r:n_shot=0", "r:n_shot=2", "r:n_shot=10"]
    with pytest.raises(UsageError, match="only one dialect"):
        list_sides("r", "dialect", tmp_path)
    with pytest.raises(UsageError, match="There is no axis `colour`"):
        list_sides("r", "colour", tmp_path)


def test_three_sides_give_the_same_numbers_as_two_and_two(tmp_path: Path) -> None:
    models = ("a", "b", "c")
    _run(tmp_path, lambda key: int(key.task_id[-2:]) % (2 + models.index(key.model)) == 0, models=models)
    together = compare_all([f"r:model={model}" for model in models], tmp_path)
    alone = [compare(one.a, one.b, tmp_path) for one in together]
    assert [(one.difference, one.low, one.high, one.p) for one in together] == [
        (one.difference, one.low, one.high, one.p) for one in alone
    ]
    assert all(one.p_holm is not None and one.p_holm >= one.p for one in together)
    assert all(one.p_holm is None for one in alone)


def test_a_comparison_is_a_sentence(tmp_path: Path) -> None:
    _run(tmp_path, lambda key: True, "a")
    _run(tmp_path, lambda key: int(key.task_id[-2:]) > 8, "b")
    comparison = compare("a", "b", tmp_path)
    assert describe_comparison(comparison, "one", "two").startswith(
        "two passes 45.0 points less than one (95 % interval: 1"
    )
    assert describe_comparison(comparison).endswith(" less; p 0.004).")
    assert describe_comparison(compare("b", "a", tmp_path)).startswith(
        "a passes 45.0 points more than b (95 % interval: 1"
    )


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(-48.1, -31, "31.0 to 48.1 less"), (-3, 7.2, "3.0 less to 7.2 more"), (1, 2, "1.0 to 2.0 more")],
)
def test_an_interval_is_read_without_signs(low: float, high: float, words: str) -> None:
    assert describe_interval(low, high) == words

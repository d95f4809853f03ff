"""Two sides paired by trial: pairing, the numbers against a library, flips, and what can't be compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import binomtest

from probatio.errors import UsageError
from probatio.study.compare import compare, mcnemar, parse_side
from study.runs import Outcome, write_made_up_run, write_suite


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (1, 0), (5, 0), (3, 9), (9, 3), (10, 10), (130, 171)])
def test_mcnemars_p_is_the_exact_binomial_one(gained: int, lost: int) -> None:
    expected = binomtest(gained, gained + lost, 0.5).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == pytest.approx(expected, rel=1e-9)


def test_mcnemars_p_stays_a_number_for_many_flips() -> None:
    assert 0 < mcnemar(4000, 4200) < 0.05


def test_a_side_is_a_run_and_what_narrows_it() -> None:
    side = parse_side("results/a:model=gguf:x.gguf,context=minimal,n-shot=3,context=basic")
    assert side.run == "results/a"
    assert side.filters == {"model": ["gguf:x.gguf"], "context": ["minimal", "basic"], "n_shot": ["3"]}


def test_a_colon_that_narrows_nothing_belongs_to_the_runs_name() -> None:
    assert parse_side("C:runs").run == "C:runs"


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
    assert comparison.p == pytest.approx(binomtest(4, 10, 0.5).pvalue)
    assert [flip.task_id for flip in comparison.flips] == [
        f"task_{number:02}" for number in (0, 1, 2, 3, 10, 11, 12, 13, 14, 15)
    ]
    assert [flip.gained - flip.lost for flip in comparison.flips] == [-1] * 4 + [1] * 6


def test_two_contexts_are_paired_over_everything_else(tmp_path: Path) -> None:
    _run(tmp_path, lambda key: key.context == "basic", models=("a", "b"), contexts=("minimal", "basic"), n_shots=(0, 1))
    comparison = compare("r:context=minimal", "r:context=basic", tmp_path)
    assert (comparison.differ_in, comparison.pairs, comparison.tasks, comparison.difference) == (
        ["context"],
        80,
        20,
        100,
    )


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


def test_pairs_that_could_not_be_asked_and_trials_without_a_partner_are_left_out_and_counted(tmp_path: Path) -> None:
    _run(tmp_path, lambda key: "api_error" if key.task_id == "task_00" else True, "a", contexts=("minimal", "basic"))
    _run(tmp_path, lambda key: True, "b")
    comparison = compare("a", "b", tmp_path)
    assert (comparison.pairs, comparison.unasked, comparison.unpaired_a, comparison.unpaired_b) == (19, 1, 20, 0)


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
    ],
)
def test_what_can_not_be_compared_is_a_sentence(tmp_path: Path, first: str, second: str, message: str) -> None:
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

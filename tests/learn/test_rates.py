"""Rates along the axes, in the order a reader expects, and the hardest tasks."""

from __future__ import annotations

from pathlib import Path

from learn.runs import make_run, write_made_up_run, write_suite
from probatio.core.statistics.intervals import wilson
from probatio.learn.analysis import study_of


def test_every_axis_is_told_in_its_own_order(tmp_path: Path) -> None:
    run = make_run(
        tmp_path,
        8,
        lambda key: key.task_id < ("task_04"),
        models=("zeta", "alpha"),
        contexts=("complete", "examples-only", "own"),
        n_shots=(10, 3),
        dialects=("symbols", "latin"),
    )
    axes = {axis.name: [level.name for level in axis.levels] for axis in study_of([run]).axes}
    assert axes["model"] == ["zeta", "alpha"]
    assert axes["context"] == ["examples-only", "complete", "own"]
    assert axes["n_shot"] == ["3", "10"]
    assert axes["dialect"] == ["latin", "symbols"]
    assert axes["difficulty"] == ["easy", "hard"]
    assert axes["type"][0] == "translate_to"
    assert axes["category"] == ["loops", "strings"]


def test_a_cell_has_wilsons_interval_and_a_pooled_rate_a_wider_one(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 20)
    run = write_made_up_run(
        tmp_path / "r", suite, lambda key: key.task_id < "task_10", contexts=("minimal", "basic", "complete")
    )
    study = study_of([run])
    cell = study.axes[1].levels[0].rate
    assert (cell.low, cell.high) == wilson(10, 20)
    pooled = study.axes[0].levels[0].rate
    # The tasks behave alike under every context: 60 answers say no more than 20.
    assert pooled.clustered
    assert pooled.high - pooled.low >= cell.high - cell.low


def test_the_hardest_tasks_come_first_and_those_that_never_fail_not_at_all(tmp_path: Path) -> None:
    fails = {"task_03": ("minimal", "basic"), "task_01": ("minimal",)}
    run = make_run(
        tmp_path, 6, lambda key: key.context not in fails.get(key.task_id, ()), contexts=("minimal", "basic")
    )
    hardest = study_of([run]).hardest
    assert [(task.task_id, task.rate.passed, task.rate.asked) for task in hardest] == [
        ("task_03", 0, 2),
        ("task_01", 1, 2),
    ]
    assert (hardest[0].type, hardest[0].category, hardest[0].difficulty) == ("write", "strings", "hard")


def test_samples_of_one_task_are_clustered(tmp_path: Path) -> None:
    run = make_run(tmp_path, 10, lambda key: key.task_id < "task_05", samples=4)
    rate = study_of([run]).overall
    assert (rate.asked, rate.tasks, rate.clustered) == (40, 10, True)

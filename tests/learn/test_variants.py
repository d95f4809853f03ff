"""Variants of one task are one task in every interval, test and count: asked ten times over, a suite of
twelve tasks knows no more than those twelve."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from learn.runs import write_made_up_run, write_suite
from probatio.core.records import Task, TrialKey
from probatio.learn.analysis import study_of
from probatio.learn.compare import compare
from probatio.learn.findings import Study
from probatio.learn.planning import PowerPlan, plan_run_power
from probatio.learn.report.sections import format_report, summarise
from probatio.runs.plan import Plan
from probatio.runs.record import read_run, write_run

TASKS, EACH = 12, 10


def varied(root: Path, outcome: Callable[[TrialKey, int], bool], *, marked: bool) -> Path:
    """A run of variants, ten of each of twelve tasks, whose suite says so or does not."""
    suite = write_suite(root / "suite", TASKS * EACH)
    file = suite / "tasks" / "all.yml"
    listed = json.loads(file.read_text(encoding="utf-8"))["tasks"]
    for number, task in enumerate(listed):
        task |= {"category": "loops", "difficulty": "easy", "type": "predict_output"}
        task |= {"origin": f"first_{number // EACH}"} if marked else {}
    file.write_text(json.dumps({"tasks": listed}), encoding="utf-8")

    def of_origin(key: TrialKey) -> bool:
        return outcome(key, int(key.task_id.removeprefix("task_")) // EACH)

    conditions = {"models": ("a", "b"), "contexts": ("minimal", "complete")}
    return write_made_up_run(root / "r", suite, of_origin, **conditions)  # type: ignore[arg-type]


def passes(key: TrialKey, first: int) -> bool:
    """All variants of a task end alike."""
    return first < (4 if key.model == "a" else 7) + 2 * (key.context == "complete")


@pytest.fixture
def studies(tmp_path: Path) -> tuple[Study, Study]:
    marked, unmarked = (
        study_of([varied(tmp_path / str(marked), passes, marked=marked)]) for marked in (True, False)
    )
    return marked, unmarked


def test_variants_of_one_task_are_one_cluster_in_rates_axes_curves_and_factors(
    studies: tuple[Study, Study],
) -> None:
    marked, unmarked = studies
    assert (marked.overall.tasks, unmarked.overall.tasks) == (TASKS, TASKS * EACH)
    assert marked.overall.share == unmarked.overall.share
    for wide, narrow in zip(_rates(marked), _rates(unmarked), strict=True):
        assert wide.share == narrow.share
        assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
    assert [curve.tasks for curve in marked.curves] == [TASKS, TASKS]
    assert marked.factors is not None
    assert unmarked.factors is not None
    assert marked.factors.tasks == TASKS
    for doubtful, sure in zip(marked.factors.effects, unmarked.factors.effects, strict=True):
        assert doubtful.p > sure.p


def _rates(study: Study):  # type: ignore[no-untyped-def]
    return [study.overall, *(level.rate for axis in study.axes for level in axis.levels)]


def test_a_study_of_variants_says_of_how_many_tasks_they_are(studies: tuple[Study, Study]) -> None:
    marked, unmarked = studies
    assert f"over {TASKS * EACH} tasks from {TASKS}" in summarise(marked)[0]
    assert f"The {TASKS * EACH} tasks are variants of {TASKS}." in format_report(marked, {})
    assert f"over {TASKS * EACH} tasks" in summarise(unmarked)[0]
    assert "variants" not in format_report(unmarked, {})


def test_a_comparison_takes_variants_as_one_task_and_names_each_that_changed(tmp_path: Path) -> None:
    found = {}
    for marked in (True, False):
        varied(tmp_path / str(marked), passes, marked=marked)
        found[marked] = compare("r:model=a", "r:model=b", tmp_path / str(marked))
    assert (found[True].tasks, found[False].tasks) == (TASKS, TASKS * EACH)
    assert found[True].difference == found[False].difference
    assert found[True].high - found[True].low > 1.5 * (found[False].high - found[False].low)
    assert found[True].p > found[False].p
    assert found[True].flips == found[False].flips


def test_the_power_of_a_planned_run_is_that_of_the_tasks_without_variants_and_controls() -> None:
    tasks = {
        f"t{number}": Task(f"t{number}", "write", "c", origin=f"o{number // EACH}") for number in range(120)
    }
    tasks["control"] = Task("control", "write_host", "c")
    plan = plan_run_power(Plan(("a", "b"), ("latin",), ("minimal",), (0,), tuple(tasks)), tasks)
    assert isinstance(plan, PowerPlan)
    assert (plan.power.tasks, plan.power.design.conditions) == (TASKS, EACH)


def test_variants_are_one_task_in_what_attempts_solve(tmp_path: Path) -> None:
    intervals = []
    for marked in (True, False):
        run = varied(tmp_path / str(marked), passes, marked=marked)
        record = read_run(run)
        write_run(run, msgspec.structs.replace(record, plan=msgspec.structs.replace(record.plan, attempts=2)))
        first = study_of([run]).trying[0].within[0]
        intervals.append(first.high - first.low)
    assert intervals[0] > 1.5 * intervals[1]

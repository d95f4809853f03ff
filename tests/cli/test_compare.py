"""`probatio compare`: what it prints, and its gate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from probatio.cli.compare import command
from study.runs import write_made_up_run, write_suite


def compared(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Model b passes three tasks fewer than a."""
    lost = {"task_01", "task_02", "task_03"}
    write_made_up_run(
        tmp_path / "results" / "r", write_suite(tmp_path / "suite", 20), lambda key: key.model == "a" or key.task_id not in lost,
        models=("a", "b"),
    )  # fmt: skip
    return tmp_path / "results"


def test_the_difference_comes_with_its_interval_p_and_the_tasks_that_flipped(results: Path) -> None:
    done = compared("r:model=a", "r:model=b", "--results", results)
    assert done.exit_code == 0
    assert "B less A: -15.0 points, 95 % " in done.output
    assert "(20 pairs, clustered by 20 tasks)" in done.output
    assert "Only B passes 0, only A passes 3; exact McNemar p 0.250" in done.output
    assert "  worse   task_01: 1/1 → 0/1" in done.output


@pytest.mark.parametrize(("limit", "code"), [("-20", 0), ("-15", 0), ("-10", 1), ("0", 1)])
def test_the_gate_fails_below_its_limit_and_not_at_it(results: Path, limit: str, code: int) -> None:
    done = compared("r:model=a", "r:model=b", "--results", results, "--fail-below", limit)
    assert done.exit_code == code


def test_json_holds_the_comparison_and_the_gate(results: Path) -> None:
    done = compared("r:model=a", "r:model=b", "--results", results, "--json", "--fail-below", "-1")
    found = json.loads(done.output)
    assert done.exit_code == 1
    assert (found["event"], found["difference"], found["gate"]["failed"]) == ("comparison", -15.0, True)
    assert [flip["task_id"] for flip in found["flips"]] == ["task_01", "task_02", "task_03"]


def test_help_shows_an_example() -> None:
    assert "probatio compare monday tuesday --fail-below -2" in compared("--help").output

"""`probatio study compare`: what it prints, and its gate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import Done, probatio
from learn.runs import make_run, write_made_up_run, write_suite


def compared(*arguments: object) -> Done:
    return probatio("study", "compare", *arguments)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Model b passes three tasks fewer than a."""
    lost = {"task_01", "task_02", "task_03"}
    return make_run(
        tmp_path, 20, lambda key: key.model == "a" or key.task_id not in lost, "results/r", models=("a", "b")
    ).parent


def test_the_difference_comes_with_its_interval_p_and_the_tasks_that_flipped(results: Path) -> None:
    done = compared("r:model=a", "r:model=b", "--results", results)
    assert done.returncode == 0
    first, *rest = done.output.splitlines()
    assert first.startswith(
        "r:model=b passes 15.0 points less than r:model=a (95 % interval: 34.0 less to 6.7 more; "
    )
    assert first.endswith(" more; p 0.178): no difference is shown.")
    assert "20 pairs, clustered by 20 tasks. Only B passes 0, only A passes 3." in rest
    assert "p and the interval are of one test over tasks: answers to one task resemble each other." in rest
    assert "  worse   task_01: 1/1 → 0/1" in done.output


@pytest.mark.parametrize(("limit", "code"), [("-20", 0), ("-15", 0), ("-10", 1), ("0", 1)])
def test_the_gate_fails_below_its_limit_and_not_at_it(results: Path, limit: str, code: int) -> None:
    done = compared("r:model=a", "r:model=b", "--results", results, "--fail-below", limit)
    assert done.returncode == code


def test_json_holds_the_comparison_and_the_gate(results: Path) -> None:
    done = compared("r:model=a", "r:model=b", "--results", results, "--json", "--fail-below", "-1")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert (found["event"], found["difference"], found["gate"]["failed"]) == ("comparison", -15.0, True)
    assert [flip["task_id"] for flip in found["flips"]] == ["task_01", "task_02", "task_03"]


@pytest.fixture
def four(tmp_path: Path) -> Path:
    """Models that pass the first 20, 18, 10 and 2 of 20 tasks."""
    passes = {"a": 20, "b": 18, "c": 10, "d": 2}
    suite = write_suite(tmp_path / "suite", 20)
    write_made_up_run(
        tmp_path / "results" / "r",
        suite,
        lambda key: int(key.task_id[-2:]) < passes[key.model],
        models=tuple(passes),
    )  # fmt: skip
    return tmp_path / "results"


def test_every_two_of_several_are_compared_and_the_correction_is_said(four: Path) -> None:
    done = compared("r", "--each", "model", "--results", four)
    *sentences, last = done.output.splitlines()
    assert len(sentences) == 6
    assert sentences[0].startswith("r:model=d passes 90.0 points less than r:model=a (95 % interval: ")
    assert sentences[0].endswith("p < 0.001, corrected).")
    assert sentences[-1].startswith("r:model=b passes 10.0 points less than r:model=a")
    assert sentences[-1].endswith("p 0.319, corrected): no difference is shown.")
    assert "corrected together (Holm)" in last
    assert " 5 of them show a difference." in last


def test_a_gate_over_several_sides_looks_at_each_against_the_first(four: Path) -> None:
    sides = [f"r:model={model}" for model in "abc"]
    refused = probatio("study", "compare", *sides, "--results", str(four), "--fail-below", "-20")
    assert "--to-first" in refused.stderr
    done = compared(*sides, "--to-first", "--results", four, "--fail-below", "-20", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["corrected"], found["gate"]["failed"]) == (1, "holm", True)
    assert [(one["a"], one["b"]) for one in found["comparisons"]] == [
        (sides[0], sides[1]),
        (sides[0], sides[2]),
    ]


@pytest.mark.parametrize(
    ("words", "says"), [(["r"], "--each model"), (["r", "s", "--each", "model"], "takes one run")]
)
def test_what_is_missing_is_said(four: Path, words: list[str], says: str) -> None:
    refused = probatio("study", "compare", *words, "--results", str(four))
    assert says in refused.stderr

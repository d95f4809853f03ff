"""Headroom of Faber: what frontier-class models answered at once to generated tasks, with `minimal` and nothing else."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from probatio.grade import assess
from probatio.records import Response
from probatio.suite.language_suite import load_suite

HERE = Path(__file__).parent / "faber"
SETS = sorted(file.stem for file in HERE.glob("at-once-*.jsonl"))
AT_ONCE = (0.55, 0.90)
TWISTED = "level-5"


@cache
def passed(name: str) -> dict[str, list[bool]]:
    """Folder → which answers are right."""
    found: dict[str, list[bool]] = {}
    for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        kept = json.loads(line)
        suite = load_suite(HERE / kept["folder"])
        task = suite.task(kept["task"], kept["dialect"])
        response = Response(
            task_id=task.id,
            model=name,
            n_shot=0,
            dialect=kept["dialect"],
            context="minimal",
            timestamp="",
            run_id="kept",
            framework_version="",
            response=kept["answer"],
        )
        assessed = assess(task, response, suite.answer_language(task))
        assert assessed.error_type != "unchecked"
        found.setdefault(kept["folder"], []).append(assessed.correct)
    return found


def share(name: str, folder: str) -> float:
    right = passed(name)[folder]
    return sum(right) / len(right)


def test_there_are_three_subjects() -> None:
    assert len(SETS) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_level_six_and_the_twists_leave_room_above_and_below(name: str) -> None:
    for folder in ("level-6", TWISTED):
        assert AT_ONCE[0] <= share(name, folder) <= AT_ONCE[1], (folder, share(name, folder))


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_a_higher_level_is_never_easier(name: str) -> None:
    shares = [share(name, f"level-{level}") for level in (2, 4, 6)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1]

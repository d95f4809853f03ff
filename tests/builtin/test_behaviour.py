"""The same answers of models get the same grades, unless the grader's author has raised its version."""

from __future__ import annotations

from pathlib import Path

import pytest

from builtin import behaviour
from builtin.behaviour import JUDGE, PROGRAMS, moved
from probatio.builtin.daily.graders import GRADERS, BuiltInGrader

DETERMINISTIC = [
    pytest.param(each, marks=pytest.mark.slow) if GRADERS[each].starts_processes else each
    for each, pinned in behaviour.pinned().items()
    if "frontier" in pinned and each != PROGRAMS
]


@pytest.mark.parametrize("use_case", DETERMINISTIC)
def test_kept_answers_of_frontier_models_are_graded_as_pinned(use_case: str) -> None:
    told = moved(use_case, "frontier", behaviour.grade_frontier(use_case))
    assert not told, "\n".join(told)


def test_the_judge_is_asked_and_read_as_pinned() -> None:
    told = moved(JUDGE, "calibration", behaviour.grade_by_judge())
    assert not told, "\n".join(told)


@pytest.mark.slow
def test_recorded_programs_are_graded_as_pinned(shared: Path) -> None:
    told = moved(PROGRAMS, "recorded", behaviour.grade_recorded())
    assert not told, "\n".join(told)


@pytest.mark.slow
def test_recorded_programs_are_graded_as_their_harness_graded_them(shared: Path) -> None:
    """Where ours differs, the original harness's cleaning lost the answer; each such answer is one of
    these."""
    programs = [each for each in behaviour.regrade_recorded() if each.reference["type"] != "predict_output"]
    unlike = [
        each
        for each in programs
        if each.grade["correct"] != bool(each.reference["levels"] and all(each.reference["levels"]))
    ]
    assert len(unlike) / len(programs) <= 0.02
    unexplained = []
    for answer, grade, reference in unlike:
        text = answer["response"]
        reasoning_removed = "</think>" in text
        more_than_the_blank = reference["type"] == "complete_code" and any(mark in text for mark in "\n(`")
        right_fence_taken = "```typescript" in text and "```faber" in text
        if not grade["correct"] or not (reasoning_removed or more_than_the_blank or right_fence_taken):
            unexplained.append((reference["task_id"], reference["model"], text[-200:]))
    # One opening fence is garbled to "ffaber"; the original harness cut it away as a word.
    assert len(unexplained) <= 1, unexplained


def test_a_grade_that_moves_under_the_same_version_is_told_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    group, digests = next(iter(behaviour.pinned()[JUDGE]["calibration"].items()))
    now = {**behaviour.pinned()[JUDGE]["calibration"], group: f"{digests.partition(' ')[0]} 000000000000"}
    (told,) = moved(JUDGE, "calibration", now)
    assert f"judge, calibration, {group}: the same answers get other grades" in told
    assert "raise the grader's version" in told
    other = {**now, group: "000000000000 000000000000"}
    assert moved(JUDGE, "calibration", other) == [
        f"judge, calibration, {group}: other answers than those pinned: run `python -m builtin.behaviour "
        "judge` in tests/."
    ]
    monkeypatch.setitem(behaviour.__dict__, "GRADERS", {JUDGE: BuiltInGrader(2)})
    (raised,) = moved(JUDGE, "calibration", now)
    assert raised.startswith("judge has version 2, pinned is 1")


def test_a_moved_grade_is_not_pinned_under_the_same_version(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {
        group: f"{digests.partition(' ')[0]} 0"
        for group, digests in behaviour.pinned()[JUDGE]["calibration"].items()
    }
    monkeypatch.setattr(behaviour, "grade_by_judge", lambda: now)
    before = behaviour.FILE.read_bytes()
    with pytest.raises(SystemExit, match="the same answers get other grades"):
        behaviour.main([JUDGE])
    assert behaviour.FILE.read_bytes() == before

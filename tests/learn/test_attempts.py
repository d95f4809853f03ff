"""A study of several attempts, from files written through the real records: counted by hand."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from learn.runs import make_run, write_made_up_run, write_suite
from probatio.core.records import Feedback
from probatio.learn.analysis import study_of
from probatio.learn.report.pictures import draw_study
from probatio.learn.report.sections import format_report, summarise
from probatio.runs.record import read_run, write_run
from probatio.runs.store.layout import ANSWERS, GRADES

TASKS = 12


def _number(task: str) -> int:
    """Of a control none that is solved."""
    return int(task[-2:]) if task.startswith("task_") else 99


def tried(
    folder: Path,
    suite: Path,
    feedback: Feedback,
    solved_at: dict[int, int],
    contexts: tuple[str, ...] = ("minimal",),
) -> Path:
    """A run of three attempts; task → the attempt that solves it. First answers are syntax errors where a
    later one is right."""

    def first(key):  # type: ignore[no-untyped-def]
        number = _number(key.task_id)
        return (
            True if solved_at.get(number) == 1 else "syntax_error" if number in solved_at else "wrong_output"
        )

    run = write_made_up_run(folder, suite, first, contexts=contexts)
    record = read_run(run)
    write_run(
        run,
        msgspec.structs.replace(
            record, plan=msgspec.structs.replace(record.plan, attempts=3), feedback=feedback
        ),
    )
    for name in (ANSWERS, GRADES):
        lines = [msgspec.json.decode(line) for line in (run / name).read_bytes().splitlines()]
        more = []
        for line in lines:
            number = _number(line["task_id"])
            line["tokens_in"], line["tokens_out"] = 100, 10
            for attempt in (2, 3):
                if solved_at.get(number, 9) >= attempt:
                    right = solved_at.get(number) == attempt
                    again = {**line, "attempt": attempt, "tokens_in": 100 * attempt}
                    if name == GRADES:
                        again |= {"correct": right, "error_type": None if right else "wrong_output"}
                    more.append(again)
        (run / name).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines + more))
    return run


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    suite = write_suite(tmp_path / "suite", TASKS)
    none = tried(tmp_path / "none", suite, "none", {0: 1, 1: 1, 2: 1, 3: 2})
    told = tried(tmp_path / "told", suite, "diagnostics", {0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3})
    return none, told


def test_first_answers_alone_are_in_the_rates_and_later_ones_in_a_table_of_their_own(
    runs: tuple[Path, Path],
) -> None:
    study = study_of([runs[1]])
    assert (study.overall.passed, study.overall.asked) == (3, TASKS)
    (one,) = study.trying
    assert [(rate.passed, rate.asked) for rate in one.within] == [(3, 12), (5, 12), (7, 12)]
    assert {repair.error: (repair.rate.passed, repair.rate.asked) for repair in one.repairs} == {
        "wrong_output": (0, 5),
        "syntax_error": (4, 4),
    }
    # 110 at once; 110 + 210 at the second; 110 + 210 + 310 at the third.
    assert one.tokens_to_solve == pytest.approx((3 * 110 + 2 * 320 + 2 * 630) / 7)
    assert one.tokens_spent == pytest.approx((3 * 110 + 2 * 320 + 7 * 630) / 12)


def test_feedback_is_compared_over_the_same_trials(runs: tuple[Path, Path]) -> None:
    study = study_of(list(runs))
    (worth,) = study.feedback_worth
    assert (worth.a, worth.b, worth.pairs) == ("none", "diagnostics", TASKS)
    assert worth.points[0] == pytest.approx(100 * 3 / 12)
    assert worth.points[1] < worth.points[0] < worth.points[2]
    assert worth.tokens is not None
    assert worth.tokens[0] == pytest.approx(-310 / 12)  # task 4 is solved one attempt earlier
    text = format_report(study, {})
    assert "## Attempts" in text
    assert "+25.0 points solved within 3 attempts" in text
    said = "m, diagnostics feedback: 3 of 12 at once (25 %), 7 of 12 within three (58 %)"
    assert said in summarise(study)


def test_feedback_is_worth_nothing_at_once_and_more_at_each_attempt(runs: tuple[Path, Path]) -> None:
    study = study_of(list(runs))
    (worth,) = study.feedback_worth
    assert [round(points, 1) for points, _, _ in worth.within] == [0.0, 8.3, 25.0]
    assert worth.within[-1] == worth.points
    text = format_report(study, {})
    assert "| m | diagnostics instead of none | +0.0 (" in text


def test_controls_are_in_no_count_of_attempts(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", TASKS, controls=4)
    (one,) = study_of([tried(tmp_path / "r", suite, "none", dict.fromkeys(range(6), 1))]).trying
    assert [(rate.passed, rate.asked) for rate in one.within] == [(6, TASKS)] * 3


def test_attempts_are_told_by_context_and_as_a_curve_beside_that_of_documentation_alone(
    tmp_path: Path,
) -> None:
    suite = write_suite(tmp_path / "suite", TASKS)
    contexts = ("minimal", "complete")
    study = study_of([tried(tmp_path / "r", suite, "diagnostics", {0: 1, 1: 2, 2: 3}, contexts)])
    (one,) = study.trying
    assert {context: [rate.passed for rate in rates] for context, rates in one.contexts.items()} == {
        context: [1, 2, 3] for context in contexts
    }
    (both,) = study.tried_curves
    assert [point.rate.passed for point in both.alone.points] == [1, 1]
    assert [point.rate.passed for point in both.tried.points] == [3, 3]
    text = format_report(study, {})
    assert "| r | m | diagnostics | complete | 8 % (" in text
    assert "| m | documentation alone | not learned with up to" in text
    assert "| m | documentation and compiler, 3 attempts | not learned with up to" in text
    picture = draw_study(study)["attempts"]
    assert "documentation and compiler" in picture


def test_a_run_of_one_attempt_says_nothing_of_attempts(tmp_path: Path) -> None:
    run = make_run(tmp_path, 6, lambda key: True)
    study = study_of([run])
    assert (study.trying, study.feedback_worth) == ([], [])
    assert "## Attempts" not in format_report(study, {})

"""A study of several attempts, from files written through the real records: counted by hand."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from learn.runs import make_run, write_made_up_run, write_suite
from probatio.core.records import Feedback
from probatio.learn.analysis import study_of
from probatio.learn.report.sections import format_report, summarise
from probatio.runs.record import read_run, write_run
from probatio.runs.store.layout import ANSWERS, GRADES

TASKS = 12


def tried(folder: Path, suite: Path, feedback: Feedback, solved_at: dict[int, int]) -> Path:
    """A run of three attempts; task → the attempt that solves it. First answers are syntax errors where a
    later one is right."""

    def first(key):  # type: ignore[no-untyped-def]
        number = int(key.task_id[-2:])
        return (
            True if solved_at.get(number) == 1 else "syntax_error" if number in solved_at else "wrong_output"
        )

    run = write_made_up_run(folder, suite, first)
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
            number = int(line["task_id"][-2:])
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
    assert any("25 % → 42 % → 58 % solved within 1, 2 and 3 attempts" in line for line in summarise(study))


def test_a_run_of_one_attempt_says_nothing_of_attempts(tmp_path: Path) -> None:
    run = make_run(tmp_path, 6, lambda key: True)
    study = study_of([run])
    assert (study.trying, study.feedback_worth) == ([], [])
    assert "## Attempts" not in format_report(study, {})

"""Grading the samples of a day: the same answer to the same case is checked once, whoever gave it and however
often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from probatio.builtin.daily.graders import trivial_answer
from probatio.core.errors import CannotCheck
from probatio.core.records import Assessment, SampleAnswer
from probatio.grading import samples as grading
from probatio.grading.checked import close_checked, open_checked
from probatio.grading.samples import Grading
from probatio.jail.workers import GraderFingerprint, Lane, Pool, Unchecked
from probatio.suites.daily_suite import load_daily

SUITE = load_daily()
FIRST, SECOND = (case.id for case in SUITE.use_cases["structured_extraction"].cases[:2])
SUMMARY, WRITING = (SUITE.use_cases[each].cases[0].id for each in ("summarization", "creative_writing"))
OBJECT = '{"buyer": "Tidemark Boatyard"}'


def sample(text: str, case: str = FIRST, number: int = 0) -> SampleAnswer:
    return SampleAnswer(
        case=case, model="m", round="base", sample=number, response=text, finish_reason="stop"
    )


class Counted(Pool):
    """The workers of this machine, and how many checks they made."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.fails = 0  # so many calls at first that find no tool
        self.breaks: bytes | None = None  # what an answer holds that ends its grader

    async def run(
        self,
        lane: Lane,
        function: str,
        payload: bytes,
        before: Callable[[], None] | None = None,
        grader: GraderFingerprint | None = None,
    ) -> bytes:
        self.calls += 1
        if self.calls <= self.fails:
            raise CannotCheck("No browser today.")
        if self.breaks is not None and self.breaks in payload:
            raise Unchecked("the check did not end within its limits")
        return await super().run(lane, function, payload, before, grader)


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PROBATIO_CHECKED_MB", "10")
    open_checked().share = 0.0
    counter = Counted()
    monkeypatch.setattr(grading, "get_pool", lambda: counter)
    yield counter
    counter.close()
    close_checked()


def graded(*samples: SampleAnswer, at_once: bool = False) -> list[Assessment]:
    async def run() -> list[Assessment]:
        grading = Grading(SUITE, "auto")
        if at_once:
            return await asyncio.gather(*(grading.grade(each) for each in samples))
        return [await grading.grade(each) for each in samples]

    return asyncio.run(run())


@pytest.mark.parametrize("at_once", [True, False])
def test_samples_that_say_the_same_are_checked_once_and_graded_each(counted: Counted, at_once: bool) -> None:
    found = graded(*(sample(OBJECT, number=number) for number in range(5)), at_once=at_once)
    assert counted.calls == 1
    assert [each.score for each in found] == [found[0].score] * 5
    assert 0 < (found[0].score or 0) < 1


def test_another_word_or_another_case_is_another_check(counted: Counted) -> None:
    found = graded(sample(OBJECT), sample(OBJECT.replace("Tidemark", "Tidewater")), sample(OBJECT, SECOND))
    assert counted.calls == 3
    assert len({each.score for each in found}) == 3


def test_a_check_with_a_remark_is_made_anew(counted: Counted) -> None:
    found = graded(sample("no object in here"), sample("no object in here"))
    assert counted.calls == 2
    assert [each.score for each in found] == [0.0, 0.0]


def test_a_tool_that_was_missing_is_looked_for_again(counted: Counted) -> None:
    counted.fails = 2  # for the answer, and for a trivial one
    first, second = graded(sample(OBJECT), sample(OBJECT))
    assert first.error_type == "api_error"
    assert second.error_type is None
    assert second.score == graded(sample(OBJECT))[0].score


def test_a_check_that_ends_once_is_made_again(counted: Counted) -> None:
    counted.fails = 1
    (found,) = graded(sample(OBJECT))
    assert found.error_type is None
    assert counted.calls == 3  # the answer, a trivial one, the answer


@pytest.mark.parametrize("case", [FIRST, SUMMARY, WRITING], ids=["deterministic", "hybrid", "judged"])
def test_an_answer_that_ends_our_grader_twice_is_wrong_in_every_part(counted: Counted, case: str) -> None:
    counted.breaks = b"Lanternfish"
    (found,) = graded(sample("Lanternfish", case))
    assert (found.error_type, found.score, found.level_a) == ("crashed_checker", 0.0, True)
    assert found.error_detail == "the answer ended its grader twice: the check did not end within its limits"
    assert found.breakdown["note"] == found.error_detail
    assert {found.breakdown["checked"], found.breakdown["judged"]} <= {0.0, None}
    assert counted.calls == 3


def test_a_machine_that_grades_not_even_a_trivial_answer_makes_no_answer_wrong(counted: Counted) -> None:
    counted.breaks = b""
    (found,) = graded(sample(OBJECT))
    assert found.error_type == "unchecked"


def test_many_answers_that_end_a_grader_cost_one_trivial_answer(counted: Counted) -> None:
    counted.breaks = b"Lanternfish"
    found = graded(*(sample(f"Lanternfish {number}") for number in range(5)))
    assert {each.error_type for each in found} == {"crashed_checker"}
    assert counted.calls == 5 * 2 + 1


def test_every_case_has_a_trivial_answer_that_breaks_no_grader() -> None:
    """It tells a broken machine from a broken answer. Rungs are names of parts, or a list of programs."""
    trivial = {name: trivial_answer(case, case.use_case) for name, case in SUITE.cases.items()}
    assert all(trivial.values())
    assert "def f1(" in trivial["code_short"]
    assert not [name for name, text in trivial.items() if "{function}" in text]

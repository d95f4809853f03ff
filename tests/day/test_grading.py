"""Grading the samples of a day: the same answer to the same case is checked once, whoever gave it and however often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from probatio.day import grading
from probatio.day.examining import Examined, PackedCase, examine
from probatio.day.grading import Grading
from probatio.errors import CannotCheck
from probatio.records import Assessment, Response
from probatio.sandbox import Choice
from probatio.suite.daily_suite import load_daily
from probatio.workers import Pool

SUITE = load_daily()
FIRST, SECOND = (case.id for case in SUITE.use_cases["structured_extraction"].cases[:2])
OBJECT = '{"buyer": "Tidemark Boatyard"}'


def sample(text: str, case: str = FIRST, number: int = 0) -> Response:
    return Response(
        timestamp="", run_id="2026-03-10", framework_version="2.0.0", task_id=case, model="m", n_shot=0, context="base",
        response=text, finish_reason="stop", sample=number,
    )  # fmt: skip


class Counted:
    """The real checks, in their workers, and how often they were called for."""

    def __init__(self) -> None:
        self.calls = 0
        self.fails = 0  # so many calls at first that find no tool

    async def __call__(
        self,
        pool: Pool,
        case: PackedCase,
        response: Response,
        *,
        checked: bool,
        choice: Choice,
        before: Callable[[], None],
    ) -> Examined:
        self.calls += 1
        if self.calls <= self.fails:
            raise CannotCheck("No browser today.")
        return await examine(pool, case, response, checked=checked, choice=choice, before=before)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    counter = Counted()
    monkeypatch.setattr(grading, "examine", counter)
    yield counter


def graded(*samples: Response, at_once: bool = False) -> list[Assessment]:
    async def run() -> list[Assessment]:
        grading = Grading(SUITE, "auto")
        try:
            if at_once:
                return await asyncio.gather(*(grading.grade(each) for each in samples))
            return [await grading.grade(each) for each in samples]
        finally:
            grading.close()

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
    counted.fails = 1
    first, second = graded(sample(OBJECT), sample(OBJECT))
    assert first.error_type == "api_error"
    assert second.error_type is None
    assert second.score == graded(sample(OBJECT))[0].score


def test_what_is_remembered_is_bounded(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "REMEMBERED", 2)
    texts = [OBJECT.replace("Tidemark", name) for name in ("A", "B", "C", "A", "C")]
    graded(*(sample(text) for text in texts))
    assert counted.calls == 4  # A had gone, C was there

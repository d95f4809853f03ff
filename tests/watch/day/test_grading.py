"""Grading the samples of a day: the same answer to the same case is checked once, whoever gave it and however
often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from probatio.core.errors import CannotCheck
from probatio.core.records import Assessment, SampleAnswer
from probatio.grading.checked import close_checked, open_checked
from probatio.jail.workers import Lane, Pool, Same
from probatio.suites.daily_suite import load_daily
from probatio.watch.day.grading import assess as grading
from probatio.watch.day.grading.assess import Grading

SUITE = load_daily()
FIRST, SECOND = (case.id for case in SUITE.use_cases["structured_extraction"].cases[:2])
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

    async def run(
        self,
        lane: Lane,
        function: str,
        payload: bytes,
        before: Callable[[], None] | None = None,
        same: Same | None = None,
    ) -> bytes:
        self.calls += 1
        if self.calls <= self.fails:
            raise CannotCheck("No browser today.")
        return await super().run(lane, function, payload, before, same)


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
    counted.fails = 1
    first, second = graded(sample(OBJECT), sample(OBJECT))
    assert first.error_type == "api_error"
    assert second.error_type is None
    assert second.score == graded(sample(OBJECT))[0].score

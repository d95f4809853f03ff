"""An answer is checked once in a lifetime; what the cache says is believed only as far as it is checked
again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import get_args

import pytest

from probatio.core.records import ERROR_KINDS, ErrorType, Response, Task
from probatio.grading.checked import CheckedAnswers, close_checked, key_of, open_checked
from probatio.grading.trial_answers import assess_trial
from probatio.jail import Choice
from probatio.jail.workers import GraderFingerprint, Lane, Pool, Unchecked
from probatio.languages.contract import LanguageSpec

SAME = GraderFingerprint("", b"", b"the grader")


class Made:
    """Stands for workers: gives what it is told to, and counts."""

    ahead = 1

    def __init__(self, reply: bytes | Exception) -> None:
        self.reply, self.checks = reply, 0

    async def run(
        self,
        lane: Lane,
        function: str,
        payload: bytes,
        before: Callable[[], None] | None = None,
        grader: GraderFingerprint | None = None,
    ) -> bytes:
        self.checks += 1
        await asyncio.sleep(0)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply

    def close(self) -> None:
        pass


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CheckedAnswers]:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PROBATIO_CHECKED_MB", "10")
    found = open_checked()
    found.share = 0.0
    yield found
    close_checked()


async def once(pool: Made, answer: bytes = b"answer", settled: bool = True) -> bytes:
    make = partial(pool.run, Lane("any", cpu_seconds=1, seconds=1), "", b"")
    return await open_checked().check(key_of(SAME, b"question", answer, "case"), make, lambda reply: settled)


async def test_the_second_time_nobody_checks(cache: CheckedAnswers) -> None:
    pool = Made(b"good")
    assert [await once(pool), await once(pool)] == [b"good", b"good"]
    assert pool.checks == 1
    assert (cache.usage.checked, cache.usage.kept) == (1, 1)
    await once(pool, b"another answer")
    assert pool.checks == 2


async def test_what_a_busy_machine_may_have_caused_is_not_kept(cache: CheckedAnswers) -> None:
    pool = Made(b"late")
    assert [await once(pool, settled=False) for _ in range(2)] == [b"late"] * 2
    assert pool.checks == 2


async def test_an_answer_that_comes_again_while_it_is_checked_is_checked_once(cache: CheckedAnswers) -> None:
    pool = Made(b"good")
    assert await asyncio.gather(*(once(pool) for _ in range(5))) == [b"good"] * 5
    assert (pool.checks, cache.usage.checked, cache.usage.kept) == (1, 1, 4)
    late = Made(b"late")
    assert await asyncio.gather(*(once(late, b"other", settled=False) for _ in range(3))) == [b"late"] * 3
    assert late.checks == 1
    fails = Made(Unchecked("no end"))
    found = await asyncio.gather(*(once(fails, b"third") for _ in range(3)), return_exceptions=True)
    assert [str(each) for each in found] == ["no end"] * 3
    assert fails.checks == 1


async def test_where_one_is_broken_off_the_next_who_waits_makes_the_check(cache: CheckedAnswers) -> None:
    pool = Made(b"good")
    first, second = (asyncio.create_task(once(pool)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == b"good"
    assert pool.checks == 2


async def test_that_an_answer_could_not_be_checked_is_not_kept(cache: CheckedAnswers) -> None:
    for _ in range(2):
        with pytest.raises(Unchecked):
            await once(Made(Unchecked("no end")))
    assert await once(Made(b"good")) == b"good"


async def test_a_drawn_one_is_checked_again_and_a_difference_is_loud(cache: CheckedAnswers) -> None:
    said: list[str] = []
    cache.say = said.append
    await once(Made(b"good"))
    cache.share = 1.0
    assert await once(Made(b"good")) == b"good"
    assert cache.usage.sampled == 1
    assert said == []
    assert await once(Made(b"bad")) == b"bad"
    assert cache.usage.differed == 1
    assert "differs from a new check of an answer to `case`" in said[0]
    cache.share = 0.0
    assert await once(Made(b"never asked")) == b"bad"


async def test_a_drawn_one_that_can_not_be_checked_today_counts_as_kept_but_not_where_all_are_to_be_fresh(
    cache: CheckedAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    await once(Made(b"good"))
    monkeypatch.setattr(cache, "draw", lambda: True)
    assert await once(Made(Unchecked("no end"))) == b"good"
    cache.share = 1.0
    with pytest.raises(Unchecked):
        await once(Made(Unchecked("no end")))


SPEC = LanguageSpec("TypeScript", ("ts",), "typescript")
TASK = Task(id="t", type="write_host", category="c", goal="g", expected_output="1")


def answer(text: str) -> Response:
    return Response(
        timestamp="", run_id="", framework_version="", task_id="t", model="m", n_shot=0, context="",
        response=text,
        dialect="standard",
    )  # fmt: skip


async def test_a_program_runs_once_and_a_slow_one_each_time(cache: CheckedAnswers) -> None:
    """In the real jail. What took a second may have met a limit of time on this machine."""
    choice: Choice = "auto"
    pool = Pool()
    wrong, slow = (
        answer("console.log(2)"),
        answer("await new Promise(f => setTimeout(f, 1100)); console.log(1)"),
    )
    try:
        first = [await assess_trial(pool, TASK, each, SPEC, choice) for each in (wrong, slow)]
        assert [each.error_type for each in first] == ["wrong_output", None]
    finally:
        pool.close()
    nobody = Made(Unchecked("it was checked again"))  # nor can a trivial program be
    assert await assess_trial(nobody, TASK, wrong, SPEC, choice) == first[0]
    assert (await assess_trial(nobody, TASK, slow, SPEC, choice)).error_type == "unchecked"
    assert (await assess_trial(nobody, TASK, wrong, SPEC, choice, keep=False)).error_type == "unchecked"
    assert nobody.checks == 3


def test_every_error_type_says_whether_its_check_is_kept_and_whether_it_counts() -> None:
    assert list(ERROR_KINDS) == list(get_args(ErrorType))
    assert not {name for name, kind in ERROR_KINDS.items() if kind.final and not kind.counts}

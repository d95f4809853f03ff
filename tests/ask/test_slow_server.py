"""A healthy but slow server loses nothing: what waits at our gate waits on our own account."""

import asyncio
import time

import pytest

from ask.test_client import Once, route
from double import Double, Faults
from probatio.ask import client as asking
from probatio.ask import retry
from probatio.ask.client import ChatClient, GivenUp
from probatio.ask.retry import format_wait
from probatio.core.records import Answer, Sampling, Timeouts

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site


async def all_asked(client: ChatClient, double: Double, number: int, timeouts: Timeouts) -> list[Answer]:
    there = route(double, timeouts=timeouts)
    return await asyncio.gather(*(client.ask(there, str(n), Sampling()) for n in range(number)))


async def test_one_wait_that_is_longer_than_a_trial_may_take_costs_no_trial() -> None:
    said: list[str] = []
    with Double(Once("too_many_hinted"), retry_after=1.5, latency=0.01) as double:
        async with ChatClient(64, said.append) as client:
            answers = await all_asked(client, double, 40, Timeouts(attempt=1, trial=1))
    assert [answer.error for answer in answers] == [None] * 40
    assert not said  # of a short wait


async def test_a_server_that_answers_one_at_a_time_loses_nothing_and_is_asked_one_at_a_time() -> None:
    with Double(latency=0.12, slots=1) as double:
        async with ChatClient(64) as client:
            answers = await all_asked(client, double, 60, Timeouts(attempt=3, trial=3))
            pace = client.gate.pace("double")
    assert [answer.error for answer in answers] == [None] * 60
    assert (int(pace.limit), double.most_in_flight <= 16) == (1, True)
    assert all(
        answer.latency_ms < 300 for answer in answers[50:]
    )  # the server's own time, not that of a queue of ours


async def test_time_outs_behind_our_own_requests_lower_the_pace_and_cost_no_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", (0.02,) * 5)
    with Double(latency=0.5, slots=1) as double:
        async with ChatClient(64) as client:
            # Four at once take two seconds, and 1.2 are allowed, for the trial as well.
            answers = await all_asked(client, double, 8, Timeouts(attempt=1.2, trial=1.2))
    assert [answer.error for answer in answers] == [None] * 8
    assert any(answer.tries > 1 for answer in answers)


async def test_a_server_that_keeps_silent_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", (0.01,) * 5)
    with Double(Faults(hang=1.0)) as double:
        async with ChatClient(64) as client:
            with pytest.raises(GivenUp, match="no answer within the time limit"):
                await all_asked(client, double, 20, Timeouts(attempt=0.2))
        assert len(double.bodies) <= 16


async def test_a_wait_within_the_limit_is_said_and_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "SAID_SECONDS", 1.0)
    said: list[str] = []
    with Double(Once("too_many_hinted"), retry_after=1.3) as double:
        async with ChatClient(8, said.append) as client:
            asked = asyncio.create_task(client.ask(route(double, timeouts=Timeouts(wait=2)), "p", Sampling()))
            while not client.gate.reopens_in() and not asked.done():  # noqa: ASYNC110 - the gate has no event for it
                await asyncio.sleep(0.01)
            assert 0 < client.gate.reopens_in() <= 1.3
            assert (await asked).text == "42"
            assert client.gate.reopens_in() == 0
    assert said == ["v/m: the server asks to wait a second; it is asked again then."]


async def test_a_wait_beyond_the_limit_is_told_at_once() -> None:
    with Double(Faults(too_many_hinted=1.0), retry_after=3600) as double:
        async with ChatClient(8) as client:
            began = time.monotonic()
            with pytest.raises(GivenUp, match=r"asks to wait an hour .*--max-wait allows 10 minutes"):
                await client.ask(route(double), "p", Sampling())
            assert time.monotonic() - began < 60


async def test_waits_that_are_asked_for_again_and_again_end_with_the_limit() -> None:
    with Double(Faults(too_many_hinted=1.0), retry_after=0.3) as double:
        async with ChatClient(8) as client:
            answer = await client.ask(route(double, timeouts=Timeouts(wait=0.5, trial=0.9)), "p", Sampling())
    assert answer.text is None
    assert "429" in str(answer.error)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "a second"), (25, "25 seconds"), (60, "a minute"), (90, "1.5 minutes"), (3600, "an hour"),
    (7200, "2 hours"),
     (86_400, "a day"), (200_000, "2.3 days")],
)  # fmt: skip
def test_a_wait_is_told_as_a_person_says_it(seconds: float, words: str) -> None:
    assert format_wait(seconds) == words

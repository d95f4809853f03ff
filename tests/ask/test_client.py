"""The client against a real server that stumbles in every way we know."""

import asyncio

import pytest

from double import Double, Faults
from probatio.ask import retry
from probatio.ask.client import ChatClient, StopTheRun
from probatio.ask.gate import GateClosed
from probatio.ask.routes import Route
from probatio.core.records import Answer, Sampling, Timeouts

SAMPLING = Sampling()


def route(double: Double, **changes: object) -> Route:
    options = {
        "key": "double",
        "model_name": "v/m",
        "api_key": "k",
        "url": f"{double.base_url}/chat/completions",
    }
    return Route(**{**options, **changes})  # type: ignore[arg-type]


async def asked(double: Double, **changes: object) -> Answer:
    async with ChatClient(8) as client:
        return await client.ask(route(double, **changes), "Quid est?", SAMPLING)


class Once(Faults):
    """Fails the first request in the given way, then never again."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kinds = [kind]

    def draw(self, chance: object) -> str | None:
        return self._kinds.pop() if self._kinds else None


KINDS = [
    "too_many", "too_many_hinted", "too_many_in_body", "server_error", "reset", "torn",
    "bad_json", "empty_choices", "error_in_200", "error_in_choice", "status:504", "status:408",
]  # fmt: skip


async def test_every_passing_fault_is_followed_by_an_answer_on_the_second_attempt() -> None:
    async def one(kind: str) -> tuple[str, str | None, int]:
        with Double(Once(kind)) as double:
            answer = await asked(double)
            return kind, answer.text, answer.tries

    assert await asyncio.gather(*map(one, KINDS)) == [(kind, "42", 2) for kind in KINDS]


@pytest.mark.parametrize("status", [400, 403, 404, 422])
async def test_a_request_that_can_not_succeed_is_asked_once(status: int) -> None:
    with Double(Faults(status={status: 1.0})) as double:
        answer = await asked(double)
    assert (answer.text, answer.tries) == (None, 1)
    assert f"refused with {status}" in str(answer.error)


@pytest.mark.parametrize(("status", "word"), [(401, "key"), (402, "credit")])
async def test_a_refused_key_or_an_empty_account_stops_the_run(status: int, word: str) -> None:
    with Double(Faults(status={status: 1.0})) as double, pytest.raises(StopTheRun, match=word):
        await asked(double)


async def test_after_the_last_retry_the_failure_is_told_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", (0.01,) * 5)
    with Double(Faults(server_error=1.0)) as double:
        answer = await asked(double)
        assert double.served["server_error"] == 6
    assert (answer.text, answer.tries) == (None, 6)
    assert "status 50" in str(answer.error)


async def test_a_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", (0.01,))
    with Double(Faults(hang=1.0)) as double:
        answer = await asked(double, timeouts=Timeouts(attempt=0.2))
    assert (answer.text, answer.tries) == (None, 2)
    assert "time limit" in str(answer.error)


async def test_a_trial_ends_when_its_own_time_is_up() -> None:
    with Double(Faults(server_error=1.0)) as double:
        answer = await asked(double, timeouts=Timeouts(trial=0.5))
    assert answer.tries == 1
    assert "time limit" in str(answer.error)


async def test_nobody_listening_is_a_connection_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", ())
    with Double() as double:
        gone = double.base_url
    async with ChatClient(1) as client:
        answer = await client.ask(
            Route(key="x", url=f"{gone}/chat/completions", model_name="m"), "p", SAMPLING
        )
    assert "connection failed" in str(answer.error)


async def test_retry_after_is_obeyed() -> None:
    with Double(Once("too_many_hinted"), retry_after=2.0) as double:
        began = asyncio.get_running_loop().time()
        answer = await asked(double)
        assert asyncio.get_running_loop().time() - began >= 2.0
    assert answer.text == "42"


async def test_latency_is_that_of_the_successful_attempt() -> None:
    with Double(Once("server_error"), latency=0.05) as double:
        answer = await asked(double)
    assert 50 <= answer.latency_ms < 900


async def test_the_key_goes_into_the_header_and_the_settings_into_the_body() -> None:
    with Double() as double:
        await asked(double, provider_order=("Azure",), reasoning="low")
        headers, body = double.headers[0], double.bodies[0]
    assert headers["Authorization"] == "Bearer k"
    assert body["provider"] == {"order": ["Azure"], "allow_fallbacks": False}
    assert (body["reasoning"], body["usage"]) == ({"effort": "low"}, {"include": True})


async def test_429s_lower_the_number_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", (0.05,) * 5)
    with Double(Faults(too_many_hinted=0.5), retry_after=0.02, latency=0.01) as double:
        async with ChatClient(64) as client:
            there = route(double)
            answers = await asyncio.gather(*(client.ask(there, str(n), SAMPLING) for n in range(60)))
            assert client.gate.pace("double").limit < 8
    assert sum(answer.text == "42" for answer in answers) > 50


async def test_a_stopping_run_lets_answers_in_flight_come_home_and_sends_nothing_more() -> None:
    with Double(latency=1.0) as double:
        async with ChatClient(2) as client:
            there = route(double)
            flying = [asyncio.create_task(client.ask(there, str(n), SAMPLING)) for n in range(4)]
            while len(double.bodies) < 2:  # noqa: ASYNC110 - the server is in another thread
                await asyncio.sleep(0.01)
            client.gate.close()
            results = await asyncio.gather(*flying, return_exceptions=True)
    assert [type(result) for result in results] == [Answer, Answer, GateClosed, GateClosed]

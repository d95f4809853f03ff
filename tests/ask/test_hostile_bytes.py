"""Replies as bytes from a seed, through the real client: no exception, no hang, never another's answer."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ask.hostile_bytes import FIELDS, ODD_VALUES, hostile_reply
from ask.playing import played, route
from probatio.ask import retry
from probatio.ask.chat import read_reply
from probatio.ask.client import ChatClient
from probatio.ask.retry import Fault
from probatio.core.errors import ProbatioError
from probatio.core.records import Answer, Sampling


async def play_seeds(first: int, count: int) -> int:
    """Ask so many questions, each answered with the reply of its seed; how many got their own answer."""

    def play(connection: socket.socket, request: bytes) -> None:
        seed = int(request.rpartition(b"seed ")[2].partition(b'"')[0])
        connection.sendall(hostile_reply(seed, f"seed {seed} is mine"))
        if seed % 4:
            connection.shutdown(socket.SHUT_RDWR)

    async def ask_one(client: ChatClient, url: str, seed: int) -> bool:
        # A route of its own for each: one that gave no answer is given up, and here most give none.
        where = replace(route(url, 1.0), key=str(seed))
        try:
            answer = await client.ask(where, f"seed {seed}", Sampling())
        except ProbatioError:
            return False
        others = re.findall(r"seed (\d+) is mine", str(answer.text))
        assert set(others) <= {str(seed)}, (seed, answer)
        return bool(others)

    with played(play) as player:
        async with ChatClient(8) as client:
            seeds = range(first, first + count)
            return sum(await asyncio.gather(*(ask_one(client, player.url, seed) for seed in seeds)))


@pytest.fixture
def one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", ())


@pytest.mark.usefixtures("one_try")
@pytest.mark.parametrize("first", [0, 10_000])
async def test_no_reply_of_any_bytes_gets_an_exception_or_another_answer_out_of_the_client(
    first: int,
) -> None:
    began = time.monotonic()
    assert await play_seeds(first, 250) > 5
    assert time.monotonic() - began < 60


@pytest.mark.soak
@pytest.mark.usefixtures("one_try")
async def test_nor_do_thousands() -> None:
    for first in range(100_000, 110_000, 1000):
        assert await play_seeds(first, 1000) > 20


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(ODD_VALUES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(FIELDS), values, max_size=6), st.sampled_from([200, 400, 429, 500]))
@settings(max_examples=100, deadline=None)
def test_a_reply_with_any_value_in_any_field_is_an_answer_or_a_fault(
    value: dict[str, Any], status: int
) -> None:
    outcome = read_reply(status, {}, json.dumps(value).encode("utf-8", "surrogatepass"), 0.0)
    if isinstance(outcome, Answer):
        assert isinstance(outcome.text, str)
        assert 0 <= outcome.tokens_in <= 10**7
        assert outcome.cost is None or 0 <= outcome.cost <= 1000
    else:
        assert len(outcome.reason) < 500
        assert outcome.wait is None or outcome.wait >= 0


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("status", [200, 400])
def test_a_field_of_any_type_is_an_answer_or_a_fault(field: str, status: int) -> None:
    good = '"choices": [{"message": {"content": "42"}}]'
    for odd in ODD_VALUES:
        for body in (
            f'{{"{field}": {odd}, {good}}}',
            f'{{{good}, "{field}": {odd}}}',
            f'{{"error": {{"{field}": {odd}}}}}',
            f'{{"usage": {{"{field}": {odd}}}, {good}}}',
            f'{{"choices": [{{"message": {{"content": "42", "{field}": {odd}}}, "{field}": {odd}}}]}}',
            f'{{"choices": [{{"message": {{"content": [{{"{field}": {odd}}}]}}}}]}}',
            f'{{"error": {{"metadata": {{"{field}": {odd}, "headers": {{"X-RateLimit-Reset": {odd}}}}}}}}}',
        ):
            assert isinstance(
                read_reply(status, {}, body.encode("utf-8", "surrogatepass"), 0.0), Answer | Fault
            )

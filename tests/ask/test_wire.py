"""What a server can make us spend: bytes, memory and time of one reply, and the reply to the next request."""

from __future__ import annotations

import asyncio
import gzip
import os
import socket
import subprocess
import sys
import time
import tracemalloc
from types import SimpleNamespace
from typing import Any

import pytest

from ask.playing import Play, ask, played, route, say
from probatio.ask import retry
from probatio.ask.body import MAX_REPLY_BYTES, read_body
from probatio.ask.client import ChatClient
from probatio.ask.wire import MAX_FRAMING, MAX_HEADER_BYTES, is_public
from probatio.core.records import Sampling

OK = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
GZIP = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"


@pytest.fixture(autouse=True)
def one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", ())


def completion(text: str) -> bytes:
    body = b'{"choices": [{"message": {"content": "%s"}}]}' % text.encode()
    return OK % (len(body), body)


def chunks(data: bytes, size: int) -> bytes:
    pieces = (data[at : at + size] for at in range(0, len(data), size))
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def endless(begin: bytes, again: bytes) -> Play:
    """Sends on and on, until the client goes."""

    def play(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(begin)
        block = again * ((1 << 16) // len(again))
        for _ in range(100 * MAX_FRAMING // len(block)):
            connection.sendall(block)

    return play


ENDLESS = {
    "hints": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"),
    "continuations": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "blank lines": (b"", b"\r\n"),
    "blanks in a header": (b"HTTP/1.1 200 OK\r\nX: ", b" "),
    "a chunk's extension": (CHUNKED + b"2;", b"x"),
    "extensions of a chunk": (CHUNKED + b"2", b";a=b"),
    "zeros of a chunk's size": (CHUNKED, b"0"),
    "a trailer": (CHUNKED + b"2\r\n42\r\n0\r\nX: ", b"x"),
    "a trailer's name": (CHUNKED + b"2\r\n42\r\n0\r\n", b"x"),
    "trailers": (CHUNKED + b"2\r\n42\r\n0\r\n", b"X: 1\r\n"),
    "chunks of two bytes": (CHUNKED, b"2\r\n  \r\n"),
    "a body": (b"HTTP/1.1 200 OK\r\n\r\n", b" "),
    "a body of a failure": (b"HTTP/1.1 500 No\r\n\r\n", b" "),
    "a body of a redirect": (b"HTTP/1.1 307 No\r\nLocation: /v2\r\n\r\n", b" "),
    "packed nothing": (GZIP + gzip.compress(b"")[:10], b"\0\0\0\xff\xff"),
    "empty packed parts": (GZIP, gzip.compress(b"")),
    "replies": (b"", completion("42")),
}  # fmt: skip


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_has_no_end_is_a_fault_long_before_time_is_up(kind: str) -> None:
    with played(endless(*ENDLESS[kind])) as player:
        began = time.monotonic()
        (answer,) = ask(player.url, seconds=30.0)
    assert (answer.text or "42") == "42"
    assert "time limit" not in str(answer.error)
    assert time.monotonic() - began < 15


BROKEN = {
    "a chunk without a size": CHUNKED + b"2\r\n42\r\nZZ\r\n",
    "a chunk longer than its size": CHUNKED + b"2\r\n42424242\r\n",
    "a long trailer": CHUNKED + b"2\r\n42\r\n0\r\nX: " + b"x" * (MAX_HEADER_BYTES * 2),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_body_that_breaks_is_told_at_once(kind: str) -> None:
    with played(say(BROKEN[kind])) as player:  # and the connection stays open
        began = time.monotonic()
        (answer,) = ask(player.url, seconds=30.0)
    assert "no HTTP" in str(answer.error) or "no end" in str(answer.error)
    assert time.monotonic() - began < 5


CHILD = """
import asyncio, resource, sys
from ask.playing import route
from probatio.ask import retry
from probatio.ask.client import ChatClient
from probatio.core.records import Sampling
retry.BACKOFF_SECONDS = ()
async def main():
    async with ChatClient(8) as client:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        each = (client.ask(route(sys.argv[1], 60.0), str(n), Sampling()) for n in range(4))
        answers = await asyncio.gather(*each)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(sum(answer.text is not None for answer in answers), grown)
asyncio.run(main())
"""


def spend(play: Play) -> tuple[int, int]:
    """How many of four answers came, asked at once by a process of its own, and its megabytes for them."""
    with played(play) as player:
        child = subprocess.run(
            [sys.executable, "-c", CHILD, player.url],
            capture_output=True, text=True, timeout=300, check=True,
            env={**os.environ, "PYTHONPATH": "tests"},
        )  # fmt: skip
    answers, kilobytes = map(int, child.stdout.split())
    return answers, kilobytes // 1024


BODY = b'{"choices": [{"message": {"content": "%s"}}]}' % (b"x" * 120_000)
SPLIT = {
    "two bytes": CHUNKED + chunks(BODY, 2) + b"0\r\n\r\n",
    "one byte": CHUNKED + chunks(BODY, 1) + b"0\r\n\r\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SPLIT)
def test_a_long_answer_in_tiny_chunks_is_read_and_takes_the_memory_of_what_is_kept(kind: str) -> None:
    answers, megabytes = spend(say(SPLIT[kind]))
    assert answers == 4
    assert megabytes < 60


@pytest.mark.slow
def test_the_longest_reply_in_tiny_chunks_is_broken_off() -> None:
    answers, megabytes = spend(say(CHUNKED + chunks(b" " * MAX_REPLY_BYTES, 2)))
    assert answers == 0
    assert megabytes < 120


async def test_a_body_that_comes_in_drips_takes_the_memory_of_what_is_kept() -> None:
    drips = [number.to_bytes(2, "big") for number in range(40_000)]

    async def readany() -> bytes:
        return drips.pop()

    content = SimpleNamespace(readany=readany, at_eof=lambda: not drips)
    reply: Any = SimpleNamespace(headers={}, content_length=None, connection=None, content=content)
    tracemalloc.start()
    try:
        body = await read_body(reply)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(body) == 80_000
    assert kept < 300_000
    assert most < 600_000


async def test_a_reply_sent_early_answers_no_other_question() -> None:
    """It waits in the kernel, unread: our loop was busy when it came."""
    asked: list[bytes] = []

    def play(connection: socket.socket, request: bytes) -> None:
        asked.append(request)
        connection.sendall(completion(str(len(asked))))
        if len(asked) == 1:
            time.sleep(0.02)
            connection.sendall(completion("a lie"))

    with played(play) as player:
        async with ChatClient(8) as client:
            answers = []
            for prompt in "123":
                answers.append((await client.ask(route(player.url), prompt, Sampling())).text)
                time.sleep(0.06)  # noqa: ASYNC251  # the busy loop
    assert answers == ["1", "2", "3"]


SPARE = {
    "a whole reply": completion("a lie"),
    "half a reply": b"HTTP/1.1 200 OK\r\nContent-Le",
    "a reply without its body": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
    "two replies": completion("a lie") * 2,
    "a hint": b"HTTP/1.1 103 Early Hints\r\n\r\n",
}


@pytest.mark.parametrize("pause", [0.0, 0.02])
@pytest.mark.parametrize("kind", SPARE)
async def test_bytes_to_spare_are_the_reply_to_nothing(kind: str, pause: float) -> None:
    asked: list[bytes] = []

    def play(connection: socket.socket, request: bytes) -> None:
        asked.append(request)
        connection.sendall(completion(str(len(asked))))
        if len(asked) == 1:
            time.sleep(pause)
            connection.sendall(SPARE[kind])

    with played(play) as player:
        async with ChatClient(8) as client:
            answers = []
            for prompt in "123":
                answers.append((await client.ask(route(player.url), prompt, Sampling())).text)
                await asyncio.sleep(0.06)
    assert answers == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("1.1.1.1", True), ("2606:4700::1111", True), ("127.0.0.1", False), ("10.1.2.3", False),
        ("169.254.169.254", False), ("192.168.0.1", False), ("100.64.0.1", False), ("0.0.0.0", False),
        ("::1", False), ("fe80::1%eth0", False), ("fd00::1", False), ("::ffff:127.0.0.1", False),
        ("::ffff:1.1.1.1", True), ("2002:7f00:1::", False), ("224.0.0.1", False), ("ff02::1", False),
        ("localhost", False), ("127.1", False), ("", False),
    ],
)  # fmt: skip
def test_which_addresses_are_of_the_whole_internet(address: str, public: bool) -> None:
    assert is_public(address) == public

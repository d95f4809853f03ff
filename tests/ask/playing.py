"""A server that plays bytes: to each connection, whatever a function sends, from a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from probatio.ask.client import ChatClient
from probatio.ask.routes import Route
from probatio.core.errors import ProbatioError
from probatio.core.records import Answer, Sampling, Timeouts

Play = Callable[[socket.socket, bytes], object]
"""Sends what it likes in reply to one request, whose bytes it is given."""


@dataclass
class Player:
    """Where it listens, and what it was asked."""

    port: int
    requests: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/chat/completions"


@contextmanager
def played(play: Play) -> Iterator[Player]:
    listening = socket.create_server(("127.0.0.1", 0))
    player = Player(listening.getsockname()[1])

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while request := read_request(connection):
                player.requests.append(request)
                play(connection, request)

    def listen() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    try:
        yield player
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def read_request(connection: socket.socket) -> bytes:
    """One request with its body; nothing where the client is gone."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (piece := connection.recv(65536)):
            return b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = int((head.lower() + b"\r\n").partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
    while len(body) < length:
        if not (piece := connection.recv(65536)):
            return b""
        body += piece
    return head + b"\r\n\r\n" + body


def say(data: bytes) -> Play:
    return lambda connection, _: connection.sendall(data)


def route(url: str, seconds: float = 5.0, key: str | None = None) -> Route:
    limits = Timeouts(attempt=seconds, trial=seconds, connect=seconds, wait=seconds)
    return Route(key="d", url=url, model_name="v/m", api_key=key, timeouts=limits)


def ask(url: str, *prompts: str, seconds: float = 5.0, key: str | None = None) -> list[Answer]:
    """The answers to prompts, one after another, by one client; only what it declares gets out of it."""

    async def all_of_them() -> list[Answer]:
        async with ChatClient(8) as client:
            return [await ask_one(client, prompt) for prompt in prompts or ("Quid est?",)]

    async def ask_one(client: ChatClient, prompt: str) -> Answer:
        try:
            return await client.ask(route(url, seconds, key), prompt, Sampling())
        except ProbatioError as stops:
            return Answer(None, error=str(stops))

    return asyncio.run(all_of_them())

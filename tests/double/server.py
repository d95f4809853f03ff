"""An OpenAI/OpenRouter-compatible chat server with faults. Run as a module for a server in a process of its
own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import ssl
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Reply = Callable[[dict[str, Any]], str]


@dataclass
class RawReply:
    """A reply to the byte: a body with its headers as they are, or with `wire` even the bytes of the whole
    reply."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    chunked: bool = False  # without a length, so that nothing tells its size before
    wire: bytes = b""


Hostile = Callable[[dict[str, Any], dict[str, str]], RawReply | None]
"""From the body and the headers of a request to what is sent back; None lets the double answer as usual."""


def completion(text: str = "42", **changes: Any) -> dict[str, Any]:
    """A good reply, with `changes` over its own fields."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.0001}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {"model": "m", "provider": "DoubleCo", "choices": [choice], "usage": usage, **changes}


@dataclass
class Faults:
    """Which share of requests goes wrong, and how."""

    too_many: float = 0.0  # 429 without a hint
    too_many_hinted: float = 0.0  # 429 with Retry-After
    too_many_in_body: float = 0.0  # 429 with the hint in the body, as OpenRouter puts it
    server_error: float = 0.0  # 500, 502 or 503
    reset: float = 0.0
    hang: float = 0.0
    torn: float = 0.0  # a body that ends before its length
    bad_json: float = 0.0
    garbage: float = 0.0  # bytes that are no text
    empty_choices: float = 0.0
    error_in_200: float = 0.0
    error_in_choice: float = 0.0
    status: dict[int, float] = field(default_factory=dict)  # any other status

    def draw(self, chance: random.Random) -> str | None:
        at = chance.random()
        kinds = {name: share for name, share in vars(self).items() if name != "status"}
        kinds |= {f"status:{code}": share for code, share in self.status.items()}
        for kind, share in kinds.items():
            at -= share
            if at < 0:
                return kind
        return None


class Double:
    """A server on loopback, on a thread of its own. `served` counts what it did; `prompts` what it
    answered."""

    def __init__(
        self,
        faults: Faults | None = None,
        reply: Reply | None = None,
        *,
        latency: float = 0.0,
        slots: int = 10_000,
        seed: int = 7,
        retry_after: float = 0.2,
        cost: float | None = 0.0001,
        provider: Callable[[int], str] = lambda number: "DoubleCo",
        keep_bodies: bool = True,
        hostile: Hostile | None = None,
        catalogue: Callable[[str], RawReply | None] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.tls = tls
        self.hostile = hostile
        self.catalogue = catalogue  # path of a GET, without /api/v1 → its reply; None is 404
        self.gets: list[str] = []
        self.get_headers: list[dict[str, str]] = []
        self.faults = faults or Faults()
        self.reply = reply or (lambda body: "42")
        self.latency = latency
        self._slots = asyncio.Semaphore(
            slots
        )  # so many are worked on at a time; the others wait in line, as with Ollama
        self.retry_after = retry_after
        self.cost = cost
        self.provider = provider
        self.keep_bodies = keep_bodies
        self.served: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.answered: Counter[str] = Counter()
        self.in_flight = 0
        self.most_in_flight = 0
        self.port = 0
        self._chance = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v1"

    def __enter__(self) -> Double:
        self._thread.start()
        self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self.start())
        self._ready.set()
        self._loop.run_forever()

    async def start(self, port: int = 0) -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/{tail:.*}/chat/completions", self._chat)
        app.router.add_get("/{tail:.*}", self._look_up)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, backlog=1024, ssl_context=self.tls)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def _look_up(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/api/v1")
        self.gets.append(path)
        self.get_headers.append(dict(request.headers))
        raw = self.catalogue(path) if self.catalogue else None
        if raw is None:
            return web.json_response({"error": {"code": 404, "message": "Not Found"}}, status=404)
        return await _sent(raw, request)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._answer(request)
        finally:
            self.in_flight -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        if self.keep_bodies:
            self.bodies.append(body)
            self.headers.append(dict(request.headers))
        number = sum(self.served.values())
        fault = self.faults.draw(self._chance)
        async with self._slots:
            if self.latency:
                await asyncio.sleep(self.latency)
        self.served[fault or "answer"] += 1
        if fault:
            return await self._stumble(fault, request)
        if self.hostile and (raw := self.hostile(body, dict(request.headers))):
            return await _sent(raw, request)
        if self.keep_bodies:
            self.answered[body["messages"][-1]["content"]] += 1
        return web.json_response(self._completion(body, number))

    def _completion(self, body: dict[str, Any], number: int) -> dict[str, Any]:
        text = self.reply(body)
        usage: dict[str, Any] = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        if self.cost is not None:
            usage["cost"] = self.cost
        return {
            "id": f"gen-{number}",
            "object": "chat.completion",
            "model": body["model"],
            "provider": self.provider(number),
            "system_fingerprint": "fp_double",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            ],
            "usage": usage,
        }

    async def _stumble(self, fault: str, request: web.Request) -> web.StreamResponse:
        error: dict[str, dict[str, Any]] = {"error": {"code": 429, "message": "Rate limit exceeded"}}
        if fault == "too_many":
            return web.json_response(error, status=429)
        if fault == "too_many_hinted":
            return web.json_response(error, status=429, headers={"Retry-After": str(self.retry_after)})
        if fault == "too_many_in_body":
            error["error"]["metadata"] = {"retry_after_seconds": self.retry_after}
            return web.json_response(error, status=429)
        if fault == "server_error":
            return web.Response(status=self._chance.choice([500, 502, 503]), text="upstream is down")
        if fault == "hang":
            await asyncio.sleep(60)
        if fault == "reset":
            assert request.transport
            request.transport.abort()
            return web.Response()
        if fault == "torn":
            torn = web.StreamResponse(headers={"Content-Length": "500", "Content-Type": "application/json"})
            await torn.prepare(request)
            await torn.write(b'{"choices": [{"message": {"content": "4')
            assert request.transport
            request.transport.close()
            return torn
        if fault == "bad_json":
            return web.Response(text="<html>gateway</html>", content_type="text/html")
        if fault == "garbage":
            return web.Response(body=bytes(range(256)) * 4, content_type="application/json")
        if fault == "empty_choices":
            return web.json_response({"choices": [], "model": "double"})
        if fault == "error_in_200":
            return web.json_response({"error": {"code": 502, "message": "Provider returned error"}})
        if fault == "error_in_choice":
            choice = {
                "finish_reason": "error",
                "message": {"content": ""},
                "error": {"code": 502, "message": "cut"},
            }
            return web.json_response({"choices": [choice]})
        status = int(fault.partition(":")[2])
        return web.json_response(
            {"error": {"code": status, "message": f"refused with {status}"}}, status=status
        )


async def _sent(raw: RawReply, request: web.Request) -> web.StreamResponse:
    if raw.wire:
        assert request.transport
        request.transport.write(raw.wire)
        request.transport.close()
        return web.Response()
    if not raw.chunked:
        return web.Response(
            body=raw.body, status=raw.status, headers={"Content-Type": "application/json", **raw.headers}
        )
    streamed = web.StreamResponse(
        status=raw.status, headers={"Content-Type": "application/json", **raw.headers}
    )
    await streamed.prepare(request)
    with contextlib.suppress(ConnectionError):
        await streamed.write(raw.body)
        await streamed.write_eof()
    return streamed


def main() -> None:
    """`python -m double.server --latency 0.02`: prints the port and serves until stdin closes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()

    async def serve() -> None:
        double = Double(latency=options.latency, keep_bodies=False)
        await double.start(options.port)
        print(double.port, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

    asyncio.run(serve())


if __name__ == "__main__":
    main()

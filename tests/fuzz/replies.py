"""Mutated HTTP replies, played by a real server to the real client.

`ask` gives an answer, with a text or an error, or raises one of its two declared exceptions. It never raises
anything else, hangs, or takes memory without bound; and an answer never belongs to another request: each
request has a token, and a reply that was not asked for says another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import re
import resource
import zlib
from random import Random
from typing import Any

import msgspec

from fuzz import canary
from fuzz.findings import SHOWN, Finding, line_of, pack, place_of, unpack
from fuzz.mutations import NUMBERS, mutate_bytes, mutate_text, mutate_value, to_json
from probatio.ask import retry
from probatio.ask.client import ChatClient, StopTheRun
from probatio.ask.gate import GateClosed
from probatio.ask.routes import Route
from probatio.core.records import Answer, Sampling, Timeouts
from probatio.core.records.writable import pack_record
from probatio.core.redact import forget_all

TOKEN = "token-0000000000-x"
"""In a script, what becomes the token of the request that is replied to; as long as any other."""
STALE = f"stale {TOKEN}"
"""What a reply says that nobody asked for, and which request it came with."""
TOGETHER = 32
LIMITS = Timeouts(connect=2.0, attempt=0.5, trial=1.0, wait=0.02)
LONG = Timeouts(connect=2.0, attempt=8.0, trial=9.0, wait=0.02)
"""For a reply that is long: what it takes of memory shows only when much of it has come."""
HANG_SECONDS = 60.0
GROWTH_MB = 120
"""Memory that a batch may add to the most the process ever had: 32 replies at once, unpacked."""
MOST_BYTES = 16 << 20
"""Of one piece: the server is in the same process, and its copies of a longer one would be what is measured.
What is longer is made of a piece sent many times."""
KEY = "sk-or-v1-7f3a9c0d2b4e6f8a1c3e5d7f9b0a2c4e"


class Piece(msgspec.Struct, frozen=True):
    """Bytes that are sent `times` times, after a pause."""

    data: bytes
    times: int = 1
    pause: float = 0.0


class ReplyInput(msgspec.Struct, frozen=True):
    """What the server sends when it has read the request, and whether it hangs up then."""

    pieces: tuple[Piece, ...]
    closes: bool = False

    @property
    def size(self) -> int:
        return sum(len(piece.data) * piece.times for piece in self.pieces)


# What a reply is made of


def completion(chance: Random) -> dict[str, Any]:
    """A chat completion, as servers send them."""
    content: Any = f"the answer {TOKEN}"
    if chance.random() < 0.1:
        content = [{"type": "text", "text": f"part {TOKEN}"}, {"type": "image", "text": 1}]
    return {
        "id": "1",
        "model": "v/m",
        "provider": "p",
        "system_fingerprint": "f",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content, "refusal": None,
                     "reasoning": "so"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": 0.001,
                  "prompt_tokens_details": {"cached_tokens": 2}},
    }  # fmt: skip


FAULTS: tuple[Any, ...] = (
    {"error": {"message": "rate limited", "code": 429, "metadata": {"headers": {"Retry-After": "1"}}}},
    {"error": {"message": "no", "code": "invalid_api_key"}},
    {"error": "text"},
    {"error": {"code": 10**30, "message": KEY}},
    {"detail": [{"msg": "x"}]},
    [],
    None,
    "text",
)


def _body(chance: Random) -> bytes:
    value: Any = completion(chance)
    kind = chance.random()
    if kind < 0.15:
        value = chance.choice(FAULTS)
    if 0.1 < kind < 0.55:
        value = mutate_value(value, chance)
    text = to_json(value)
    if kind > 0.85:
        text = mutate_text(text, STREAM, chance)
    elif kind > 0.8:
        text = STREAM
    elif kind > 0.78:
        text = text.replace(TOKEN, f"{TOKEN} {KEY[:20]}\\n{KEY[20:]} {KEY}")
    elif kind > 0.76:
        text = text.replace("15", chance.choice(NUMBERS))
    data = text.encode("utf-8", "surrogatepass")
    return mutate_bytes(data, chance) if chance.random() < 0.15 else data


STREAM = 'data: {"choices":[{"delta":{"content":"a token-0000000000-x"}}]}\n\n: ping\n\ndata: [DONE]\n\n'

STATUSES = (
    "HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 201 Created", "HTTP/1.1 204 No Content",
    "HTTP/1.1 304 Not",
    "HTTP/1.1 400 Bad", "HTTP/1.1 401 No", "HTTP/1.1 402 Pay", "HTTP/1.1 403 No", "HTTP/1.1 404 No",
    "HTTP/1.1 408 T",
    "HTTP/1.1 413 L", "HTTP/1.1 422 U", "HTTP/1.1 429 Slow", "HTTP/1.1 500 E", "HTTP/1.1 502 E",
    "HTTP/1.1 503 E",
    "HTTP/1.1 529 E", "HTTP/1.1 307 R", "HTTP/1.1 308 R", "HTTP/1.1 301 R", "HTTP/1.1 101 S",
    "HTTP/1.1 100 Continue",
    "HTTP/1.1 102 P", "HTTP/1.1 999 X", "HTTP/1.1 000 X", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK",
    "HTTP/9.9 200 OK",
    "HTTP/1.1 200", "HTTP/1.1  200  OK", "http/1.1 200 ok", "ICY 200 OK", "HTTP/1.1 -20 OK",
    "HTTP/1.1 200 " + "x" * 9_000,
    "HTTP/1.1 200 \x1b[2J", "", "GET / HTTP/1.1", "HTTP/2 200", "HTTP/1.1\t200 OK", "HTTP/1.1 ²00 OK",
)  # fmt: skip

PLACES = (
    "http://[::1", "http://[", "//", "/v1/chat/completions", "?x=1", "#", "http://127.0.0.1:LISTENER/x",
    "http://169.254.169.254/",
    "http://user:pw@127.0.0.1:LISTENER/", "file:///etc/passwd", "javascript:1", "http://\u0130/",
    "http://a b/", "http://x:99999/",
    "http://x:-1/", "\\\\x\\y", "http://%00/", "http://127.0.0.1:LISTENER", "/" * 3_000,
    "http://" + "a" * 300 + "/", "\udcff", "",
)  # fmt: skip

HEADERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Location", PLACES),
    ("Retry-After", ("0", "1", "-1", "nan", "1e309", "99999999999999999999",
        "Fri, 31 Dec 9999 23:59:59 GMT", "x", "0.01",
                     "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 99 Foo 2026 25:61:61 GMT", "1_0", "٣", "")),
    ("Content-Type", ("application/json", "text/event-stream", "text/html; charset=utf-7",
        "application/json; charset=\xff")),
    ("Content-Encoding", ("gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "x-gzip", "GZIP", "",
        "a" * 500)),
    ("Content-Length", ("0", "-1", "1", "99999999999", "+5", "0x10", "5, 6", "1e3", "١", "", " 5 ")),
    ("Transfer-Encoding", ("chunked", "gzip, chunked", "chunked, chunked", "identity", "Chunked",
        "chunked;q=1", "\x0bchunked")),
    ("Connection", ("close", "keep-alive", "upgrade", "close, keep-alive")),
    ("Upgrade", ("h2c", "websocket")),
    ("Set-Cookie", ("a=b", "a=b; Domain=127.0.0.1; Max-Age=99999999999999999999", "x" * 5_000)),
    ("X-RateLimit-Reset", ("0", "1e400", "nan", "9" * 50)),
    ("X-Long", ("y" * 20_000,)),
    ("Content-Range", ("bytes 0-1/2",)),
)  # fmt: skip


def make_reply(chance: Random, port: int = 0) -> ReplyInput:
    """A reply: a head, a body in some framing, and perhaps what nobody asked for after it."""
    body = _body(chance)
    big = chance.random()
    if big < 0.002:
        return _too_much(chance)
    headers: list[tuple[str, str]] = [("Content-Type", "application/json")]
    status = STATUSES[0] if chance.random() < 0.8 else chance.choice(STATUSES)
    if re.search(r" (30\d) ", status):
        headers.append(("Location", chance.choice(PLACES)))
    body = _encode(body, headers, chance)
    framed = _frame(body, headers, chance)
    for _ in range(chance.choices((0, 1, 2, 130), (60, 25, 13, 2))[0]):
        name, values = chance.choice(HEADERS)
        headers.append((name, chance.choice(values)))
    head = _head(status, headers, chance).replace(b"LISTENER", str(port).encode())
    whole = (head + framed)[:MOST_BYTES]
    if chance.random() < 0.1:
        return ReplyInput((Piece(whole + _second(chance)),))
    return ReplyInput(tuple(_send(whole, chance)), closes=chance.random() < 0.2)


def _encode(body: bytes, headers: list[tuple[str, str]], chance: Random) -> bytes:
    coding = chance.choice(("", "", "", "", "", "gzip", "deflate", "raw", "lie"))
    if not coding:
        return body
    headers.append(("Content-Encoding", {"raw": "deflate", "lie": "gzip"}.get(coding, coding)))
    packed = {"gzip": gzip.compress(body), "deflate": zlib.compress(body), "raw": zlib.compress(body)[2:-4]}
    found = packed.get(coding, body)
    if chance.random() < 0.2:
        found = chance.choice((found + found, found[:-3], mutate_bytes(found, chance), found + b"x", b""))
    return found


def _frame(body: bytes, headers: list[tuple[str, str]], chance: Random) -> bytes:
    framing = chance.choice(("length",) * 5 + ("chunked",) * 4 + ("until the end", "wrong length"))
    if framing == "chunked":
        headers.append(("Transfer-Encoding", "chunked"))
        return _chunk(body, chance)
    if framing != "until the end":
        wrong = chance.choice((-1, 1, 1_000, -len(body))) if framing == "wrong length" else 0
        headers.append(("Content-Length", str(max(0, len(body) + wrong))))
    return body


def _chunk(body: bytes, chance: Random) -> bytes:
    size = chance.choice((1, 2, 7, 100, 1 << 16))
    odd = chance.choice(("", "", "", "", ";x=y", ";" + "x" * 5_000, " ", "\t;"))
    parts = [
        f"{len(body[at : at + size]):x}{odd}\r\n".encode() + body[at : at + size] + b"\r\n"
        for at in range(0, len(body), size)
    ]
    trailer = chance.choice(
        (b"", b"", b"X: y\r\n", b"X: y\r\n" * 200, b"Content-Length: 5\r\n", b"\xff\r\n", b"X" * 9_000)
    )
    end = chance.choice(
        (
            b"0\r\n",
            b"0\r\n",
            b"0\r\n",
            b"00000\r\n",
            b"-1\r\n",
            b"fffffffffffffffff\r\n",
            b"zz\r\n",
            b"0;x\r\n",
            b"",
        )
    )
    framed = b"".join(parts) + end + trailer + b"\r\n"
    return mutate_bytes(framed, chance) if chance.random() < 0.1 else framed


def _head(status: str, headers: list[tuple[str, str]], chance: Random) -> bytes:
    ends = "\r\n" if chance.random() < 0.96 else chance.choice(("\n", "\r"))
    lines = [status, *(f"{name}: {value}" for name, value in headers)]
    head = ends.join(lines).encode("latin-1", "replace") + ends.encode() * 2
    return mutate_bytes(head, chance) if chance.random() < 0.05 else head


def _send(data: bytes, chance: Random) -> list[Piece]:
    manner = chance.random()
    if manner < 0.8:
        return [Piece(data)]
    if manner < 0.86:
        return [Piece(data[: chance.randrange(len(data) + 1)])]
    cut = chance.randrange(len(data) + 1)
    return [Piece(data[:cut]), Piece(data[cut:], pause=chance.choice((0.001, 0.01, 0.05, 0.7)))]


def _second(chance: Random) -> bytes:
    """A whole reply that nobody asked for. It comes with the one before: what comes after the next request
    was sent can't be told from its reply."""
    body = to_json({"choices": [{"message": {"content": STALE}, "finish_reason": "stop"}]}).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    )
    return chance.choice((b"", b"\r\n", b"HTTP/1.1 100 Continue\r\n\r\n")) + head + body


PROBES = 5_000_000_000
"""The seed of a plain request after a reply with another behind it is so much higher."""
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


PLAIN = ReplyInput(
    (Piece(OK + b'Content-Length: 58\r\n\r\n{"choices":[{"message":{"content":"%s"}}]}' % TOKEN.encode()),)
)
"""What a good server sends."""


def _too_much(chance: Random) -> ReplyInput:
    """Without end, as far as a server gets within a request's time."""
    bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = bomb.compress(b" " * (1 << 20)) + bomb.flush(zlib.Z_FULL_FLUSH)
    head, endless = chance.choice((
        (CHUNKED, Piece(b"2\r\n  \r\n" * 5_000, 800)),
        (CHUNKED, Piece(b"1\r\n \r\n" * 5_000, 800)),
        (CHUNKED + b"0\r\n", Piece(b"X-Trailer: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n" * 1_000, 500)),
        (OK + b"Content-Encoding: gzip\r\n\r\n", Piece(packed, 3_000)),
        (OK + b"\r\n", Piece(b" " * (1 << 16), 400)),
        (OK + b"\r\n", Piece(b'{"a":[' * 10_000, 100)),
        (OK, Piece(b"X-H: y\r\n" * 1_000, 300)),
        (b"HTTP/1.1 200 ", Piece(b"x" * 50_000, 300)),
        (b"", Piece(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000, 300)),
        (CHUNKED, Piece(b"0" * 50_000, 300)),
    ))  # fmt: skip
    return ReplyInput((Piece(head), endless), closes=True)


# Playing


class Replies:
    """The server and the client, on one event loop."""

    kind = "replies"
    batch = 200

    def __init__(self) -> None:
        canary.lay_out()
        retry.BACKOFF_SECONDS = ()  # type: ignore[assignment]  # one try for each reply
        self._listener = canary.Listener()
        self._scripts: dict[str, ReplyInput] = {}
        self._connections: set[asyncio.Task[None]] = set()

    def make(self, seed: int) -> ReplyInput:
        return make_reply(Random(f"replies {seed}"), self._listener.port)

    @staticmethod
    def unpack(packed: str) -> ReplyInput:
        return msgspec.msgpack.decode(unpack(packed), type=ReplyInput)

    def play(self, inputs: list[tuple[int, ReplyInput]]) -> list[Finding]:
        before = _most_memory()
        findings = asyncio.run(self._play(inputs))
        forget_all()
        if (grown := _most_memory() - before) > GROWTH_MB:
            big = max(inputs, key=lambda each: each[1].size)
            findings.append(_find(*big, "memory", f"a batch with this reply took {grown} MB more"))
        if self._listener.called():
            findings += [
                _find(seed, given, "another address", "something was sent to an address that a reply names")
                for seed, given in inputs
                if any(str(self._listener.port).encode() in piece.data for piece in given.pieces)
            ]
        return findings

    async def _play(self, inputs: list[tuple[int, ReplyInput]]) -> list[Finding]:
        loop = asyncio.get_running_loop()
        loose: list[dict[str, Any]] = []
        loop.set_exception_handler(lambda _, context: loose.append(context))
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 20)
        port = server.sockets[0].getsockname()[1]
        places = asyncio.Semaphore(TOGETHER)
        async with ChatClient(TOGETHER) as client:
            found = await asyncio.gather(*(self._ask(client, port, places, *each) for each in inputs))
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        findings = [each for several in found for each in several]
        for context in loose:
            error = context.get("exception")
            place = place_of(error) if error else str(context.get("message"))
            if isinstance(error, ConnectionError | asyncio.CancelledError):
                continue  # of our own server, whose client hung up
            findings.append(_find(*inputs[0], f"loose: {place}", f"in this batch: {context}"))
        return findings

    async def _ask(
        self, client: ChatClient, port: int, places: asyncio.Semaphore, seed: int, given: ReplyInput
    ) -> list[Finding]:
        async with places:
            findings = [await self._ask_once(client, port, seed, given)]
            if any(STALE.encode() in piece.data for piece in given.pieces):
                # On the same connection, if it was kept.
                findings.append(await self._ask_once(client, port, seed + PROBES, PLAIN))
            return [each for each in findings if each]

    async def _ask_once(self, client: ChatClient, port: int, seed: int, given: ReplyInput) -> Finding | None:
        token = f"token-{seed:010d}-x"
        self._scripts[token] = given
        # Paced alone, on connections that all share: a spoilt one may get to any of them.
        url = f"http://127.0.0.1:{port}/v1/chat/completions"
        route = Route(
            key=token,
            url=url,
            model_name="v/m",
            api_key=KEY,
            timeouts=LONG if given.size > 1 << 20 else LIMITS,
        )
        try:
            answer = await asyncio.wait_for(client.ask(route, token, Sampling()), HANG_SECONDS)
        except (StopTheRun, GateClosed):
            return None
        except TimeoutError:
            return _find(seed, given, "a hang", f"no answer within {HANG_SECONDS:.0f} s")
        except Exception as error:
            return _find(seed, given, place_of(error), f"{line_of(error)}: {error!r:.300}")
        told = f"{answer.text} {answer.reasoning}"
        for other in re.findall(r"token-\d{10}-x", told):
            if other not in (token, TOKEN) and other in self._scripts:
                origin = self._scripts[other]
                return _find(int(other[6:16]), origin, "another's answer", f"{token} got {told[:200]!r}")
        wrong = describe_fault(answer)
        return _find(seed, given, wrong[0], wrong[1]) if wrong else None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._reply(reader, writer):
                    pass
        finally:
            writer.transport.abort()
            self._connections.discard(task)

    async def _reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and play what belongs to it; False where the server hangs up."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        body = await reader.readexactly(int(length[1]) if length else 0)
        token = str(json.loads(body)["messages"][0]["content"])
        given = self._scripts[token]
        for piece in given.pieces:
            if piece.pause:
                await writer.drain()
                await asyncio.sleep(piece.pause)
            for _ in range(piece.times):
                writer.write(piece.data.replace(TOKEN.encode(), token.encode()))
                await writer.drain()
        return not given.closes

    def close(self) -> None:
        pass


def describe_fault(answer: Any) -> tuple[str, str] | None:
    """What is wrong with what `ask` gave: a place and a sentence; None where nothing is."""
    if not isinstance(answer, Answer):
        return "no answer", f"ask returned {answer!r:.200}"
    if answer.text is None and not answer.error:
        return "neither text nor error", repr(answer)[:300]
    told = f"{answer.text} {answer.error} {answer.reasoning}"
    if KEY in told:
        return "a key in an answer", told[:300]
    for number in (answer.tokens_in, answer.tokens_out, answer.cost):
        if number is not None and not 0 <= number < float("inf"):
            return "an impossible number", repr(answer)[:300]
    pack_record(answer)
    return None


def _find(seed: int, given: ReplyInput, place: str, what: str) -> Finding:
    shown = ascii(b" ... ".join(piece.data for piece in given.pieces)[:SHOWN])[:SHOWN]
    return Finding("replies", seed, place, what, shown, pack(given))


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

"""HTTP/1.1 as a chat call needs it: one POST, its reply within a limit, and the connection kept for the next.

A general client took more CPU per call than all else a trial costs, three times what this takes (`bench/engine.py`). Replies
are parsed by llhttp, the parser of Node.js; addresses, TLS and connecting are the standard library's.
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
import socket
import ssl
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

import httptools

from probatio.ask.body import ACCEPTED, BadBody, Body

IDLE_SECONDS = 15.0
"""A connection that rested longer is not used again: servers and routers drop them, and the first to notice is a lost request."""

MAX_HEAD = 256 * 1024
"""Bytes of a reply's headers and trailers together."""

MOST_REDIRECTS = 5
_REDIRECTS = frozenset({307, 308})
"""The statuses that say: send the same request there. The others would make it a GET, which asks nothing."""

_PORTS = {"http": 80, "https": 443}
_IN_A_PATH = "/%:@!$&'()*+,;=~"
_NO_HEADER = re.compile(r"[\x00-\x1f\x7f]")


class BadAddress(Exception):
    """The address, or the key that goes with it, can't be put into a request."""


class ConnectionFailed(Exception):
    """No connection, or one that ended before the reply did; the message says why."""


class Origin(NamedTuple):
    """Which server: connections to it serve any request to it."""

    scheme: str
    host: str
    port: int


class Reply(NamedTuple):
    """A complete reply, its body unpacked."""

    status: int
    raw_headers: list[tuple[bytes, bytes]]
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        """By name in lower case; of a name that comes twice, the last."""
        return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in self.raw_headers}


class Connections:
    """Connections to any servers, opened when there is none free. Lives on one event loop."""

    def __init__(self) -> None:
        self._free: dict[Origin, list[_Connection]] = {}
        self._open: set[_Connection] = set()

    async def post(self, url: str, body: bytes, *, key: str | None, seconds: float, connect_seconds: float) -> Reply:
        """The reply to a POST of JSON. Raises BadAddress, BadBody, ConnectionFailed or TimeoutError.

        A redirect that keeps the method is followed; the key does not go along to another server.
        """
        until = asyncio.get_running_loop().time() + seconds
        first = origin = _place(url)[0]
        for _ in range(MOST_REDIRECTS + 1):
            head = _head(url, key if origin == first else None)
            reply = await self._sent(origin, head, body, until, connect_seconds)
            if reply.status not in _REDIRECTS or not (target := reply.headers.get("location")):
                break
            url = urljoin(url, target)
            origin = _place(url)[0]
        return reply

    async def close(self) -> None:
        for connection in list(self._open):
            connection.end()
        self._free.clear()
        await asyncio.sleep(0)  # sockets are closed in the next turn of the loop

    async def _sent(self, origin: Origin, head: bytes, body: bytes, until: float, connect_seconds: float) -> Reply:
        loop = asyncio.get_running_loop()
        connection = self._rested(origin, loop.time()) or await self._opened(origin, until, connect_seconds)
        waiting = connection.ask(b"%s%d\r\n\r\n%s" % (head, len(body), body))
        late = loop.call_at(until, connection.late)
        try:
            reply = await waiting
        except BaseException:
            connection.end()
            raise
        finally:
            late.cancel()
        if connection.usable:
            connection.rests_since = loop.time()
            self._free.setdefault(origin, []).append(connection)
        else:
            connection.end()
        return reply

    def _rested(self, origin: Origin, now: float) -> _Connection | None:
        """The connection that was used last, of those that can be used again."""
        free = self._free.get(origin)
        while free:
            connection = free.pop()
            if connection.usable and now - connection.rests_since < IDLE_SECONDS:
                return connection
            connection.end()
        return None

    async def _opened(self, origin: Origin, until: float, seconds: float) -> _Connection:
        loop = asyncio.get_running_loop()
        secure = _tls() if origin.scheme == "https" else None
        try:
            async with asyncio.timeout_at(min(until, loop.time() + seconds)):
                _, connection = await loop.create_connection(
                    lambda: _Connection(loop, self._open),
                    origin.host,
                    origin.port,
                    ssl=secure,
                    happy_eyeballs_delay=0.25,
                )
        except TimeoutError:
            raise
        except (OSError, UnicodeError) as error:
            raise ConnectionFailed(f"{origin.host}:{origin.port}: {_why(error)}") from None
        return connection


class _Connection(asyncio.Protocol):
    """One connection: at most one request at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, open_ones: set[_Connection]) -> None:
        self._loop = loop
        self._open_ones = open_ones
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Reply] | None = None
        self.usable = False
        self.rests_since = 0.0

    def ask(self, request: bytes) -> asyncio.Future[Reply]:
        """Send a request; the reply comes with the future. May raise what the socket raises."""
        assert self._transport is not None
        self._waiting = self._loop.create_future()
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: Body | None = None
        self._failure: Exception | None = None
        self._status = self._head_bytes = 0
        self._to_the_end = self._complete = self._further = self._keeps = False
        self._transport.write(request)
        return self._waiting

    def late(self) -> None:
        self._settle(TimeoutError())

    def end(self) -> None:
        self.usable = False
        if self._transport is not None:
            self._transport.abort()

    # What the transport calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._open_ones.add(self)
        self.usable = True
        if raw := transport.get_extra_info("socket"):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # a model may think for minutes without a byte

    def data_received(self, data: bytes) -> None:
        if self._waiting is None:  # nobody has asked
            self.end()
            return
        if self._body is None:
            self._head_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._fail(ConnectionFailed("the server changes to another protocol"))
        except httptools.HttpParserError as error:
            if self._complete:  # more than its reply
                self._further = True
            else:
                self._fail(ConnectionFailed(f"the reply is no HTTP: {error}"))
        if self._failure is None and self._body is None and self._head_bytes > MAX_HEAD:
            self._fail(BadBody("the headers of the reply have no end"))
        if self._failure is not None:
            self._settle(self._failure)
        elif self._complete:
            self.usable = self.usable and self._keeps and not self._further
            self._finish()

    def connection_lost(self, error: Exception | None) -> None:
        self._open_ones.discard(self)
        self.usable = False
        if self._waiting is None:
            return
        if self._to_the_end and error is None:
            self._finish()
        else:
            when = "within its reply" if self._status else "before it replied"
            self._settle(ConnectionFailed(f"the server ended the connection {when}"))

    # What the parser calls.

    def on_message_begin(self) -> None:
        self._further = self._complete  # whatever comes after the reply is read past, and is the end of the connection

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._further:
            return
        self._headers.append((name, value))
        if self._body is not None:  # a trailer
            self._head_bytes += len(name) + len(value)
            if self._head_bytes > MAX_HEAD:
                self._fail(BadBody("the trailers of the reply have no end"))

    def on_headers_complete(self) -> None:
        if self._further:
            return
        self._status = self._parser.get_status_code()
        if self._status < 200:
            return
        length: int | None = None
        coding, chunked = "", False
        for name, value in self._headers:
            match name.lower():
                case b"content-length":
                    length = int(value) if value.isdigit() else None
                case b"content-encoding":
                    coding = value.decode("latin-1")
                case b"transfer-encoding":
                    chunked = True
        self._to_the_end = length is None and not chunked
        self._keeps = self._parser.should_keep_alive()  # the parser knows it only now
        try:
            self._body = Body(coding, length)
        except BadBody as error:
            self._fail(error)

    def on_body(self, piece: bytes) -> None:
        if self._body is not None and self._failure is None and not self._further:
            try:
                self._body.add(piece)
            except BadBody as error:
                self._fail(error)

    def on_message_complete(self) -> None:
        if self._status < 200:  # "go on", or hints before the reply
            self._headers, self._status = [], 0
        else:
            self._complete = True

    def _fail(self, why: Exception) -> None:
        self._failure = self._failure or why

    def _finish(self) -> None:
        if self._body is None:
            return
        try:
            self._settle(Reply(self._status, self._headers, self._body.whole()))
        except BadBody as error:
            self._settle(error)

    def _settle(self, outcome: Reply | Exception) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is None or waiting.done():
            return
        if isinstance(outcome, Exception):
            self.usable = False
            waiting.set_exception(outcome)
        else:
            waiting.set_result(outcome)


@lru_cache(maxsize=256)
def _place(url: str) -> tuple[Origin, str, str]:
    """Where a request goes: the server, the path, and the name and password of the address where it has them."""
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna" if not (parts.hostname or "").isascii() else "ascii").decode()
    except ValueError:
        raise BadAddress from None
    if parts.scheme not in _PORTS or not host or _NO_HEADER.search(url) or " " in host:
        raise BadAddress
    path = quote(parts.path or "/", safe=_IN_A_PATH)
    if parts.query:
        path += "?" + quote(parts.query, safe=_IN_A_PATH + "?")
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else ""
    return Origin(parts.scheme, host, port or _PORTS[parts.scheme]), path, login


@lru_cache(maxsize=256)
def _head(url: str, key: str | None) -> bytes:
    """A request up to the length of its body."""
    origin, path, login = _place(url)
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    port = "" if origin.port == _PORTS[origin.scheme] else f":{origin.port}"
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {host}{port}",
        "User-Agent: Probatio",
        "X-Title: Probatio",
        "Accept: */*",
        f"Accept-Encoding: {ACCEPTED}",
        "Content-Type: application/json",
    ]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    elif login:
        lines.append(f"Authorization: Basic {base64.b64encode(login.encode()).decode()}")
    if any(map(_NO_HEADER.search, lines)):
        raise BadAddress
    return "\r\n".join([*lines, "Content-Length: "]).encode()


@cache
def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _why(error: Exception) -> str:
    """Why there is no connection, in a few words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate can't be trusted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"no TLS connection: {error.reason or error}"
    if isinstance(error, socket.gaierror | UnicodeError):
        return "there is no such host" if isinstance(error, UnicodeError) else str(error.strerror).lower()
    return os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else str(error)

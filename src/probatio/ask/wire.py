"""The wire: the sockets of every request we send, and how much a server may say on one.

This is the only module that opens a connection for us; `connections` sends requests over it. Three rules hold
for whatever a server sends:

- What is not the body of a reply has a limit: chunk sizes, hints before it, blank lines, trailers. 8 MB
  in chunks of two bytes are 28 MB on the wire, and each chunk costs us a microsecond. The body has the limit
  of its reader.
- A reply that breaks off in the middle of its body is told at once, not when time is up.
- A connection with bytes to spare is not used again: they could pass for the reply to the next request.
"""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import select
import socket
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import AddrInfoType, Connection
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.streams import EMPTY_PAYLOAD
from aiohttp.tracing import Trace

from probatio.ask.body import ACCEPTED

MAX_FRAMING = 1 << 20
"""Bytes of one reply that are not its body, and one more for every sixteen of the body. A server that sends
each token as a chunk of its own has as many for an answer of 800 kB."""

MAX_HEADERS = 128
MAX_HEADER_BYTES = 8190
"""Of a reply: so many headers and trailers in all, and so many bytes of each."""

IDLE_SECONDS = 15.0
"""Then an idle connection is not used again: servers and routers drop it, and the request would be lost."""

MOST_SPOILT = 8
"""After so many connections with an unasked reply, no other is tried."""

_HEADERS = {
    "User-Agent": "Probatio",
    "X-Title": "Probatio",
    "Accept": "*/*",
    "Accept-Encoding": ACCEPTED,
}

_ENDLESS = ("Got more than", "Too many headers")
"""How aiohttp's message begins where headers pass a limit."""


class BrokenReply(aiohttp.ClientError):
    """The server sends what is no reply, or one without end; the message is a clause that says how."""


def open_session(public_only: bool) -> aiohttp.ClientSession:
    """A session of connections. `public_only`: to no private network.

    Only `connections` calls this: it follows no redirect by aiohttp's own rule.
    """
    connector = _Connector(
        limit=0,  # the gate limits
        keepalive_timeout=IDLE_SECONDS,
        ttl_dns_cache=300,
        resolver=aiohttp.ThreadedResolver(),  # the system's, which knows a company's own hosts
        socket_factory=_open_public_socket if public_only else _open_socket,
    )
    connector._factory = functools.partial(_Protocol, connector._loop)  # type: ignore[assignment]
    return aiohttp.ClientSession(
        connector=connector,
        headers=_HEADERS,
        cookie_jar=aiohttp.DummyCookieJar(),  # a question must not depend on the one before
        auto_decompress=False,  # `read_body` unpacks, within a limit
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
        max_headers=MAX_HEADERS,
    )


def is_public(host: str) -> bool:
    """Whether an IP address is one of the whole internet. A name is not: it must be resolved first."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    inner = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    return all(each.is_global and not each.is_multicast for each in (address, inner or address))


def describe_bad_http(message: str) -> str:
    """What the parser says of a reply, as a clause."""
    if message.startswith(_ENDLESS):
        return "the headers of the reply have no end"
    return f"the connection failed: the reply is no HTTP: {' '.join(message.split())}"


class _Protocol(ResponseHandler):
    """One connection: counts what comes, and says whether the next request may use it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._taken = 0
        self._used = False

    def set_response_params(self, **params: Any) -> None:
        self._taken = 0
        self._used = True
        self._payload = None  # the body before, which is whole
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        before = self._payload
        if data and before is not None and before is not EMPTY_PAYLOAD and before.is_eof():
            self.force_close()  # the reply was whole before these bytes came
        super().data_received(data)
        self._taken += len(data)
        body = self._payload.total_bytes if self._payload is not None else 0
        if self._taken - body > MAX_FRAMING + body // 16 and self.transport is not None:
            self._break_off(BrokenReply("the reply has no end"))

    def set_exception(self, exc: BaseException, *cause: BaseException) -> None:
        super().set_exception(exc, *cause)
        if isinstance(exc, HttpProcessingError):  # aiohttp tells the next reader, not the one of this body
            self._tell_reader(BrokenReply(describe_bad_http(exc.message)))

    @property
    def is_clean(self) -> bool:
        """Whether the server said nothing since its last reply, read by us or not. Costs a system call."""
        if self.should_close or self.transport is None:
            return False
        # Before its first request, a connection may hold bytes that belong to TLS.
        return not self._used or not _is_readable(self.transport.get_extra_info("socket").fileno())

    def _break_off(self, error: BrokenReply) -> None:
        self.set_exception(error)
        self._tell_reader(error)
        if self.transport is not None:
            self.transport.abort()

    def _tell_reader(self, error: BrokenReply) -> None:
        if self._payload is not None and not self._payload.is_eof() and self._payload.exception() is None:
            self._payload.set_exception(error)


class _Connector(aiohttp.TCPConnector):
    """Drops connections on which the server sent something unasked: it could pass for the next reply."""

    async def connect(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109  # the signature is aiohttp's
    ) -> Connection:
        for _ in range(MOST_SPOILT):
            connection = await super().connect(req, traces, timeout)
            if isinstance(connection.protocol, _Protocol) and connection.protocol.is_clean:
                return connection
            connection.close()
        raise aiohttp.ServerDisconnectedError


def _is_readable(descriptor: int) -> bool:
    if not hasattr(select, "poll"):  # Windows, where select() takes any number of a socket
        return bool(select.select([descriptor], [], [], 0)[0])
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(0))


def _open_socket(address: AddrInfoType) -> socket.socket:
    opened = socket.socket(*address[:3])
    opened.setsockopt(
        socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1
    )  # a model may think for minutes without a byte
    return opened


def _open_public_socket(address: AddrInfoType) -> socket.socket:
    """Here and not before: a name may be looked up again, with another result, until it is connected to."""
    if not is_public(str(address[4][0])):
        raise OSError("a public server sends us to an address of a private network")
    return _open_socket(address)

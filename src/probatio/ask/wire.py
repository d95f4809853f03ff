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
import ipaddress
import select
import socket
from typing import TYPE_CHECKING, Any

import aiohttp

if TYPE_CHECKING:
    from aiohttp.connector import Connection

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
    "Accept-Encoding": "identity",
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
    return aiohttp.ClientSession(
        connector=connector,
        headers=_HEADERS,
        cookie_jar=aiohttp.DummyCookieJar(),  # a question must not depend on the one before
        auto_decompress=False,  # what is packed can unpack to more than any memory holds
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


async def read_piece(reply: aiohttp.ClientResponse) -> bytes:
    """What came of the body; empty at its end. Each piece allows the server some more framing."""
    content, connection = reply.content, reply.connection
    if connection is None or connection.protocol is None:  # all of the reply came
        return await content.readany()
    reader = connection.protocol
    meter = connection.transport and connection.transport.get_protocol()
    if isinstance(meter, _Meter):
        meter.reading = content
    try:
        if reader.exception() is not None and not content.is_eof():
            raise aiohttp.ClientPayloadError
        piece = await content.readany()
    except aiohttp.ClientPayloadError:
        _explain(reader.exception())
        raise
    if isinstance(meter, _Meter):
        meter.allow(len(piece))
    return piece


def _explain(why: BaseException | None) -> None:
    """Raise what is wrong with a reply, if it was not just cut. aiohttp tells the next reader."""
    if isinstance(why, BrokenReply):
        raise why from None
    if why is not None and not isinstance(why, aiohttp.ClientError):
        raise BrokenReply(describe_bad_http(str(getattr(why, "message", why)))) from None


class _Meter(asyncio.Protocol):
    """Stands between a connection and aiohttp: counts what comes, and ends what has no end.

    aiohttp has limits for headers, and none for what else is not the body.
    """

    def __init__(self, transport: asyncio.Transport, reader: Any) -> None:
        self._transport = transport
        self._reader = reader
        self._feed = reader.data_received
        self._said = reader.exception
        self._left = 0
        self._endless: BrokenReply | None = None
        self._used = False
        self.reading: aiohttp.StreamReader | None = None

    def begin(self) -> bool:
        """Start to count for a request. False if the connection can't be used: the server said something
        since its last reply, read by aiohttp or not. Costs a system call."""
        if self._reader.should_close:
            return False
        # Before its first request, a connection may hold bytes that belong to TLS.
        if self._used and _is_readable(self._transport.get_extra_info("socket").fileno()):
            return False
        self._used = True
        self._left = MAX_FRAMING
        self.reading = None
        return True

    def allow(self, size: int) -> None:
        """Count bytes as those of a body, which were read. Unread are at most 768 kB: then aiohttp waits."""
        self._left += size + size // 16

    def data_received(self, data: bytes) -> None:
        self._left -= len(data)
        self._feed(data)
        if self._left < 0 and self._endless is None:
            self._endless = BrokenReply("the reply has no end")
            self._transport.abort()
        elif self._said() is not None:
            self._transport.abort()  # aiohttp only closes it, which waits for the server

    def connection_lost(self, error: Exception | None) -> None:
        self._reader.connection_lost(self._endless or error)
        body = self.reading  # aiohttp leaves it waiting where a trailer is at fault
        if body is not None and not body.is_eof() and body.exception() is None:
            body.set_exception(aiohttp.ClientPayloadError())

    def eof_received(self) -> None:
        self._reader.eof_received()

    def pause_writing(self) -> None:
        self._reader.pause_writing()

    def resume_writing(self) -> None:
        self._reader.resume_writing()


class _Connector(aiohttp.TCPConnector):
    """Drops connections on which the server sent something unasked: it could pass for the next reply."""

    async def connect(self, *asked: Any, **more: Any) -> Connection:
        for _ in range(MOST_SPOILT):
            connection = await super().connect(*asked, **more)
            # `protocol` and its `should_close` stand in no manual of aiohttp, hence the pin of its version. A
            # second reply may wait there, and nothing else tells us before it is taken for the next one.
            transport, reader = connection.transport, connection.protocol
            if transport is not None:
                meter = transport.get_protocol()
                if not isinstance(meter, _Meter):
                    meter = _Meter(transport, reader)
                    transport.set_protocol(meter)
                if meter.begin():
                    return connection
            connection.close()
        raise aiohttp.ServerDisconnectedError


def _is_readable(descriptor: int) -> bool:
    if not hasattr(select, "poll"):  # Windows, where select() takes any number of a socket
        return bool(select.select([descriptor], [], [], 0)[0])
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(0))


def _open_socket(address: aiohttp.AddrInfoType) -> socket.socket:
    opened = socket.socket(*address[:3])
    opened.setsockopt(
        socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1
    )  # a model may think for minutes without a byte
    return opened


def _open_public_socket(address: aiohttp.AddrInfoType) -> socket.socket:
    """Here and not before: a name may be looked up again, with another result, until it is connected to."""
    if not is_public(str(address[4][0])):
        raise OSError("a public server sends us to an address of a private network")
    return _open_socket(address)

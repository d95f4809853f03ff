"""Who is answered by the live server, and for how long it waits: names, connections and headers.

A page of someone else can lead a name of its own to this machine (DNS rebinding) and read what we serve: so a
request for a name that is not ours gets no page. Connections that never finish their request give way to
readers.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from probatio.core.errors import UsageError
from probatio.core.text.visible import make_one_line

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""Names that are always ours."""
ANYWHERE = ("0.0.0.0", "[::]")

HEADER_SECONDS = 5.0
"""For a request to be whole, from its connection or from the answer before it."""
MOST_CONNECTIONS = 256
"""Open at a time, or a quarter of the files that the process may open: others are being taken and closed."""
BACKLOG = 64
"""Connections that wait to be taken, all at once: fewer than there are files left."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/@\s]+)(?::\d*)?")


class HostCheck:
    """The pages, for requests that ask for them by a name of ours; 421 for any other name."""

    def __init__(self, app: ASGIApp, host: str, names: Iterable[str] = ()) -> None:
        own = [host if ":" not in host else f"[{host}]", *names]
        for name in own:
            if find_name(name) is None:
                raise UsageError(
                    f"{name!r} is no name of a host; write it as watch.example, without http:// and a path."
                )
        self._app, self._names = app, {*LOOPBACK, *map(find_name, own)}
        self._any_number = bool(self._names & {*ANYWHERE})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        asked = Headers(scope=scope).getlist("host")
        name = find_name(asked[0]) if len(asked) == 1 else None
        if name is not None and (name in self._names or (self._any_number and _is_number(name))):
            return await self._app(scope, receive, send)
        shown = make_one_line(name or "no name")[:100]
        refusal = PlainTextResponse(
            f"This site does not answer to {shown}. If that is its name, start it with "
            f"`probatio site serve --host-name {shown}`.\n",
            421,
            headers={"X-Content-Type-Options": "nosniff"},
        )
        return await refusal(scope, receive, send)


def find_name(host: str) -> str | None:
    """The name in a header `Host`, with or without a port; None if it is not a valid name."""
    match = _HOST.fullmatch(host.strip().lower())
    return match[1].removesuffix(".") if match else None


def _is_number(name: str) -> bool:
    """Whether the host is an address of numbers, which no one can lead elsewhere."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


class Connection(H11Protocol):
    """A connection that has `HEADER_SECONDS` for a request. When there are too many, the one that has waited
    longest goes, of the address that has most of them."""

    _deadline: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > most_connections():
            _make_room([each for each in self.connections if isinstance(each, Connection)])

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._deadline is None and self.is_waiting:
            self._wait()
        elif self._deadline is not None and not self.is_waiting:
            self._deadline.cancel()
            self._deadline = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    @property
    def is_waiting(self) -> bool:
        """Whether it has no request that is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._since = time.monotonic()
        self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)


def _make_room(there: list[Connection]) -> None:
    """Close one connection: one that waits, if there is one."""
    many = Counter(each.client and each.client[0] for each in there)
    last = max(there, key=lambda each: (each.is_waiting, many[each.client and each.client[0]], -each._since))
    last.connections.discard(last)  # now, not when its end has been told: the next one may be here before
    last.transport.abort()


def most_connections() -> int:
    """How many connections may be open."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files == resource.RLIM_INFINITY else max(8, min(MOST_CONNECTIONS, files // 4))

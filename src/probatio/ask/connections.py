"""One POST and its reply, over aiohttp: bounded in headers, body and time, on kept connections."""

from __future__ import annotations

import base64
import os
import re
import socket
import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import aiohttp
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import AddrInfoType, Connection
from aiohttp.tracing import Trace
from msgspec.structs import replace
from yarl import URL

from probatio.ask.body import ACCEPTED, BadBody, read_body
from probatio.ask.retry import Fault, fault_of_status
from probatio.core.proxies import strip_login
from probatio.core.redact import redact

IDLE_SECONDS = 15.0
"""Then an idle connection is not used again: servers and routers drop it, and the request would be lost."""

MAX_HEADERS = 128
MAX_HEADER_BYTES = 8190
"""Of a reply: so many headers and trailers in all, and so many bytes of each."""

MAX_REASON = 300
"""Characters of a failure's own words."""

MOST_REDIRECTS = 5
_REDIRECTS = frozenset({307, 308})
"""The statuses that say: send the same request there. The others would make it a GET, which asks nothing."""

MOST_SPOILT = 8
"""After so many connections with an unasked reply, no other is tried."""

_NO_HEADER = re.compile(r"[\x00-\x1f\x7f]")
_ENDLESS = ("Got more than", "Too many headers")
"""How aiohttp's message begins where headers pass a limit."""


_HEADERS = {
    "User-Agent": "Probatio",
    "X-Title": "Probatio",
    "Accept": "*/*",
    "Accept-Encoding": ACCEPTED,
    "Content-Type": "application/json",
}


class Reply(NamedTuple):
    """A complete reply, its body unpacked."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connections:
    """Connections to any servers, opened when none is free. Lives on one event loop."""

    def __init__(self) -> None:
        connector = _Connector(
            limit=0,  # the gate limits
            keepalive_timeout=IDLE_SECONDS,
            ttl_dns_cache=300,
            resolver=aiohttp.ThreadedResolver(),  # the system's, which knows a company's own hosts
            socket_factory=_open_socket,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers=_HEADERS,
            cookie_jar=aiohttp.DummyCookieJar(),  # a question must not depend on the one before
            auto_decompress=False,  # `read_body` unpacks, within a limit
            max_line_size=MAX_HEADER_BYTES,
            max_field_size=MAX_HEADER_BYTES,
            max_headers=MAX_HEADERS,
        )

    async def post(
        self,
        url: str,
        body: bytes,
        *,
        key: str | None,
        seconds: float,
        connect_seconds: float,
        proxy: str | None = None,
    ) -> Reply | Fault:
        """The reply to a POST of JSON, or why there is none.

        A redirect that keeps the method is followed on the same server; any other is the reply.
        """
        try:
            target, headers = _prepare(url, key)
            timeout = _limit(seconds, connect_seconds)
            for _ in range(MOST_REDIRECTS + 1):
                async with self._session.post(
                    target,
                    data=aiohttp.BytesPayload(body),
                    headers=headers,
                    timeout=timeout,
                    proxy=proxy,
                    allow_redirects=False,
                ) as reply:
                    if reply.status == 101:
                        return Fault(
                            "the connection failed: the server changes to another protocol", retry=True
                        )
                    whole = Reply(reply.status, reply.headers, await read_body(reply))
                following = _follow(target, whole)
                if following is None:
                    return whole
                target = following
        except BadBody as error:
            return Fault(redact(str(error)), retry=True)
        except TimeoutError:
            return Fault("no answer within the time limit", retry=True, timed_out=True)
        except (aiohttp.ClientError, OSError) as error:
            return explain(error, proxy)
        except ValueError:
            return Fault(redact(f"the address {url} is not valid"), retry=False)
        return whole

    async def close(self) -> None:
        await self._session.close()


def explain(error: aiohttp.ClientError | OSError, proxy: str | None) -> Fault:
    """A failure in our words: aiohttp's own may show a whole address."""
    match error:
        case aiohttp.InvalidURL():
            return Fault(redact(f"the address {error.url} is not valid"), retry=False)
        case aiohttp.ClientResponseError() if error.message.startswith(_ENDLESS):
            return Fault("the headers of the reply have no end", retry=True)
        case aiohttp.ClientProxyConnectionError():
            why = f"the proxy {strip_login(proxy or '')}: {_reason(error.os_error)}"
        case aiohttp.ClientHttpProxyError():
            reason = f"the proxy {strip_login(proxy or '')} refuses to connect"
            refused = fault_of_status(error.status, {}, error.message.encode(), 0.0)
            return replace(refused, reason=redact(f"{reason}: {refused.reason}")[:MAX_REASON])
        case aiohttp.ClientConnectorCertificateError():
            why = f"{error.host}:{error.port}: {_reason(error.certificate_error)}"
        case aiohttp.ClientConnectorError():
            why = f"{error.host}:{error.port}: {_reason(error.os_error)}"
        case aiohttp.ClientResponseError():
            why = f"the reply is no HTTP: {' '.join(error.message.split())}"
        case aiohttp.ClientPayloadError():
            why = "the server ended the connection within its reply"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientConnectionResetError():
            why = "the server ended the connection before it replied"
        case OSError():
            why = _reason(error)
        case _:
            why = str(error) or type(error).__name__
    return Fault(f"the connection failed: {redact(why)[:MAX_REASON]}", retry=True)


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
            if connection.protocol is not None and not connection.protocol.should_close:
                return connection
            connection.close()
        raise aiohttp.ServerDisconnectedError


@lru_cache(maxsize=256)
def _limit(seconds: float, connect_seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds, connect=connect_seconds)


@lru_cache(maxsize=256)
def _prepare(url: str, key: str | None) -> tuple[URL, dict[str, str]]:
    """The address without login, and the header with the login or the key. Raises ValueError."""
    parts = urlsplit(url)
    headers: dict[str, str] = {}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    elif parts.username:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
    if (
        parts.scheme not in ("http", "https")
        or " " in parts.netloc
        or any(map(_NO_HEADER.search, (url, *headers.values())))
    ):
        raise ValueError
    return URL(url).with_user(None), headers


def _follow(target: URL, reply: Reply) -> URL | None:
    """Where a reply sends the same request on the same server; None where it does not."""
    if reply.status not in _REDIRECTS or not (place := reply.headers.get("Location")):
        return None
    try:
        there = target.join(URL(place))
        return there if there.origin() == target.origin() else None
    except ValueError:
        return None


def _open_socket(address: AddrInfoType) -> socket.socket:
    opened = socket.socket(*address[:3])
    opened.setsockopt(
        socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1
    )  # a model may think for minutes without a byte
    return opened


def _reason(error: Exception) -> str:
    """Why there is no connection, in a few words."""
    match error:
        case ssl.SSLCertVerificationError():
            return f"its certificate can't be trusted: {error.verify_message}"
        case ssl.SSLError():
            return f"no TLS connection: {error.reason or error}"
        case socket.gaierror():
            return str(error.strerror).lower()
        case OSError() if error.errno:
            return os.strerror(error.errno).lower()
        case _:
            return str(error)

"""Requests and their replies, over aiohttp: bounded in headers, body and time, on kept connections.

All that we send goes from here: chat calls, catalogues, heartbeats, weights. No redirect is followed to
another server (scheme, host and port), except from the hub to its storage (`follow`), which gets no key.
"""

from __future__ import annotations

import base64
import os
import re
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import unquote, urlsplit

import aiohttp
from msgspec.structs import replace
from yarl import URL

from probatio.ask.body import BadBody, read_body
from probatio.ask.proxies import find_proxy, is_this_machine, strip_login
from probatio.ask.published import publish_address
from probatio.ask.retry import MAX_PLACE, Fault, fault_of_status
from probatio.ask.wire import BrokenReply, describe_bad_http, is_public, open_session
from probatio.core.records import Auth
from probatio.core.redact import redact

MAX_REASON = 300
"""Characters of a failure's own words."""

MOST_REDIRECTS = 5
_REDIRECTS = frozenset({307, 308})
"""The statuses that say: send the same request there. The others would make it a GET, which asks nothing."""

_NO_HEADER = re.compile(r"[\x00-\x1f\x7f]")

_JSON = {"Content-Type": "application/json"}

BEARER = Auth()


class Reply(NamedTuple):
    """A complete reply, its body unpacked."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connections:
    """Connections to any servers, opened when none is free. Lives on one event loop."""

    def __init__(self, *, public_only: bool = False) -> None:
        self._session = open_session(public_only)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def post(
        self,
        url: str,
        body: bytes,
        *,
        key: str | None,
        auth: Auth = BEARER,
        seconds: float,
        connect_seconds: float,
        proxy: str | None = None,
    ) -> Reply | Fault:
        """The reply to a POST of JSON, or why there is none.

        A redirect that keeps the method is followed on the same server; any other is the reply.
        """
        return await self._send(
            "POST",
            url,
            body,
            key=key,
            auth=auth,
            limit=_limit(seconds, connect_seconds),
            proxy=proxy,
            moves=MOST_REDIRECTS,
        )

    async def get(
        self,
        url: str,
        *,
        key: str | None = None,
        auth: Auth = BEARER,
        seconds: float,
        proxy: str | None = None,
        kind: str = "chat completion",
    ) -> Reply | Fault:
        """The reply to a GET, or why there is none. A redirect is the reply. `kind`: what is asked for."""
        return await self._send(
            "GET", url, None, key=key, auth=auth, limit=_limit(seconds, 10.0), proxy=proxy, kind=kind
        )

    @asynccontextmanager
    async def stream(
        self, method: str, url: str, headers: Mapping[str, str], limit: aiohttp.ClientTimeout
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The reply with its body still to be read. A redirect is the reply. Raises as aiohttp does."""
        async with self._session.request(
            method, url, headers=headers, timeout=limit, proxy=find_proxy(url), allow_redirects=False
        ) as reply:
            yield reply

    async def _send(
        self,
        method: str,
        url: str,
        body: bytes | None,
        *,
        key: str | None,
        auth: Auth,
        limit: aiohttp.ClientTimeout,
        proxy: str | None,
        moves: int = 0,
        kind: str = "chat completion",
    ) -> Reply | Fault:
        try:
            target, headers = _prepare(url, key, auth, body is not None)
            while True:
                async with self._session.request(
                    method,
                    target,
                    data=body and aiohttp.BytesPayload(body),
                    headers=headers,
                    timeout=limit,
                    proxy=proxy,
                    allow_redirects=False,
                ) as reply:
                    if reply.status == 101:
                        return Fault(
                            "the connection failed: the server changes to another protocol", retry=True
                        )
                    whole = Reply(reply.status, reply.headers, await read_body(reply, kind))
                following = _find_move(target, whole) if moves else None
                if following is None:
                    return whole
                target = following
                moves -= 1
        except BadBody as error:
            return Fault(redact(str(error)), retry=True)
        except TimeoutError:
            return Fault("no answer within the time limit", retry=True, timed_out=True)
        except (aiohttp.ClientError, OSError) as error:
            return explain(error, proxy)
        except ValueError:
            return Fault(f"the address {publish_address(url)} is not valid", retry=False)
        except Exception as error:  # whatever aiohttp makes of a reply costs this request alone
            why = f"{type(error).__name__}: {error}"
            return Fault(f"the reply can't be read: {redact(why)[:MAX_REASON]}", retry=True)

    async def close(self) -> None:
        await self._session.close()


def explain(error: aiohttp.ClientError | OSError, proxy: str | None) -> Fault:
    """A failure in our words: aiohttp's own may show a whole address."""
    match error:
        case aiohttp.InvalidURL():
            return Fault(f"the address {publish_address(str(error.url))} is not valid", retry=False)
        case BrokenReply():
            return Fault(redact(str(error))[:MAX_REASON], retry=True)
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
            return Fault(redact(describe_bad_http(error.message))[:MAX_REASON], retry=True)
        case aiohttp.ClientPayloadError():
            why = "the server ended the connection within its reply"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientConnectionResetError():
            why = "the server ended the connection before it replied"
        case OSError():
            why = _reason(error)
        case _:
            why = str(error) or type(error).__name__
    return Fault(f"the connection failed: {redact(why)[:MAX_REASON]}", retry=True)


def follow(here: str, place: str, *, public_only: bool) -> str:
    """The address that a download is sent on to. Raises ValueError for one that it must not go to: no web
    address, one without TLS after one with it, or by its number one of a private network."""
    try:
        there = URL(here).join(URL(place))
    except ValueError:
        raise ValueError(f"it sends us to {redact(place)[:MAX_PLACE]!r}, which is no address") from None
    safe = there.scheme == "https" or there.scheme == URL(here).scheme == "http"
    if not safe or not there.host or there.user or there.password:
        raise ValueError(f"it sends us to {redact(str(there))[:MAX_PLACE]}, which is not asked")
    number = re.fullmatch(r"[0-9.]+|.*:.*", there.host)
    if public_only and (is_this_machine(there.host) or (number and not is_public(there.host))):
        raise ValueError(f"it sends us to {there.host}, an address of a private network")
    return str(there)


@lru_cache(maxsize=256)
def _limit(seconds: float, connect_seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds, connect=connect_seconds)


@lru_cache(maxsize=256)
def _prepare(url: str, key: str | None, auth: Auth, sends_json: bool) -> tuple[URL, dict[str, str]]:
    """The address without login, and the header with the login or the key. Raises ValueError."""
    parts = urlsplit(url)
    headers = dict(_JSON) if sends_json else {}
    if key:
        headers[auth.header] = auth.write(key)
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


def _find_move(target: URL, reply: Reply) -> URL | None:
    """Where a reply sends the same request on the same server; None where it does not."""
    if reply.status not in _REDIRECTS or not (place := reply.headers.get("Location")):
        return None
    try:
        there = target.join(URL(place))
        return there.with_user(None) if there.origin() == target.origin() else None
    except ValueError:
        return None


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

"""One POST over real sockets, and servers that send whatever bytes they like."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from double.proxy import HOST, Proxy, certified, needs_openssl
from probatio.ask.connections import Connections, Reply
from probatio.ask.retry import Fault
from probatio.ask.wire import MAX_HEADER_BYTES, MAX_HEADERS

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n42"


class Server:
    """Sends one reply after another, whatever is asked, and keeps what it was asked on which connection."""

    def __init__(self, *replies: bytes | None) -> None:
        self.replies = list(replies)  # None: it says nothing and waits
        self.requests: list[tuple[int, str]] = []
        self.connections = 0
        self.writers: list[asyncio.StreamWriter] = []
        self.closes = False
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        number = self.connections
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                await reader.readexactly(length)
                self.requests.append((number, head.decode()))
                reply = self.replies.pop(0)
                if reply is None:
                    await reader.read()
                    return
                writer.write(reply)
                await writer.drain()
                if self.closes:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/chat/completions"


@asynccontextmanager
async def served(*replies: bytes | None, closes: bool = False) -> AsyncIterator[tuple[Server, Connections]]:
    server = Server(*replies)
    server.closes = closes
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    connections = Connections()
    try:
        yield server, connections
    finally:
        await connections.close()
        listening.close()


async def post(
    connections: Connections, url: str, key: str | None = "the-key", seconds: float = 10.0
) -> Reply:
    reply = await connections.post(url, b"{}", key=key, seconds=seconds, connect_seconds=5.0)
    assert isinstance(reply, Reply), reply
    return reply


async def fail(
    connections: Connections,
    url: str,
    key: str | None = None,
    seconds: float = 10.0,
    proxy: str | None = None,
) -> Fault:
    fault = await connections.post(url, b"{}", key=key, seconds=seconds, connect_seconds=5.0, proxy=proxy)
    assert isinstance(fault, Fault), fault
    return fault


async def test_a_connection_serves_one_call_after_another() -> None:
    async with served(OK, OK, OK) as (server, connections):
        assert [(await post(connections, server.url)).body for _ in range(3)] == [b"42"] * 3
        assert server.connections == 1
        first = server.requests[0][1]
    assert (
        first.startswith("POST /v1/chat/completions HTTP/1.1\r\n")
        and f"Host: 127.0.0.1:{server.port}\r\n" in first
    )
    assert "Authorization: Bearer the-key\r\n" in first and "Content-Type: application/json\r\n" in first


WHOLE = {
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n4\r\n1\r\n2\r\n0\r\n\r\n",
    "with a trailer": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"2\r\n42\r\n0\r\nX-Sum: 1\r\n\r\n",
    "to the end of the connection": b"HTTP/1.1 200 OK\r\nX-Other: 1\r\n\r\n42",
    "of HTTP/1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n42",
    "after a 100": b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
    "after hints": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK,
}


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_reply_of_any_honest_shape_is_read_whole(kind: str) -> None:
    async with served(WHOLE[kind], closes="end" in kind or "1.0" in kind) as (server, connections):
        reply = await post(connections, server.url)
    assert (reply.status, reply.body) == (200, b"42")


BROKEN: dict[str, tuple[bytes, str]] = {
    "no reply": (b"", "before it replied"),
    "half a body": (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n42", "within its reply"),
    "half a chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n42", "within its reply"),
    "half its headers": (b"HTTP/1.1 200 OK\r\nContent-Len", "before it replied"),
    "no HTTP": (b"220 mail.example ESMTP\r\n", "is no HTTP"),
    "two lengths": (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n42", "is no HTTP"),
    "another protocol": (
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
        "another protocol",
    ),
    "an endless header": (b"HTTP/1.1 200 OK\r\nX: " + b"x" * (MAX_HEADER_BYTES * 2), "have no end"),
    "endless headers": (b"HTTP/1.1 200 OK\r\n" + b"X: 1234567\r\n" * (MAX_HEADERS * 2), "have no end"),
    "endless trailers": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: 1234567\r\n" * (MAX_HEADERS * 2),
        "have no end|within its reply",
    ),
    "a body too large": (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "larger than any"),
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_a_broken_reply_is_a_fault_that_says_how(kind: str) -> None:
    wire, why = BROKEN[kind]
    async with served(wire, OK, closes=True) as (server, connections):
        fault = await fail(connections, server.url)
        assert re.search(why, fault.reason), fault.reason
        assert fault.retry
        assert (await post(connections, server.url)).body == b"42", (
            "the next call goes over another connection"
        )
        assert server.connections == 2


async def test_what_a_server_says_unasked_is_no_reply_to_the_next_call() -> None:
    async with served(OK + OK.replace(b"42", b"99"), OK) as (server, connections):
        assert (await post(connections, server.url)).body == b"42"
        assert (await post(connections, server.url)).body == b"42"
        assert server.connections == 2


async def test_what_a_server_says_later_unasked_is_no_reply_to_the_next_call() -> None:
    async with served(OK, OK) as (server, connections):
        assert (await post(connections, server.url)).body == b"42"
        server.writers[0].write(OK.replace(b"42", b"99"))
        await asyncio.sleep(0.05)
        assert (await post(connections, server.url)).body == b"42"
        assert server.connections == 2


@pytest.mark.parametrize("said", [b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n42", OK])
async def test_a_connection_that_the_server_ends_is_not_used_again(said: bytes) -> None:
    async with served(said, OK, closes=True) as (server, connections):
        assert (await post(connections, server.url)).body == b"42"
        await asyncio.sleep(0.05)
        assert (await post(connections, server.url)).body == b"42"
        assert server.connections == 2


async def test_a_silent_server_ends_by_the_clock_and_its_late_reply_is_nobodys() -> None:
    async with served(None, OK) as (server, connections):
        assert (await fail(connections, server.url, seconds=0.1)).timed_out
        assert (await post(connections, server.url)).body == b"42"
        assert server.connections == 2


async def test_a_call_that_is_dropped_takes_its_connection_along() -> None:
    async with served(None, OK) as (server, connections):
        call = asyncio.ensure_future(post(connections, server.url))
        await asyncio.sleep(0.05)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await post(connections, server.url)).body == b"42"


def moved(to: str) -> bytes:
    return f"HTTP/1.1 307 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode()


async def test_a_redirect_is_followed_on_the_same_server_and_nothing_is_sent_to_another() -> None:
    async with served(moved("/v2/chat/completions"), OK) as (server, connections):
        assert (await post(connections, server.url)).body == b"42"
        assert server.requests[1][1].startswith("POST /v2/") and "the-key" in server.requests[1][1]
    async with served(OK) as (other, _), served(moved(other.url)) as (server, connections):
        assert (await post(connections, server.url)).status == 307
        assert other.connections == 0
    async with served(moved("http://[")) as (server, connections):
        assert (await post(connections, server.url)).status == 307


async def test_a_circle_of_redirects_ends() -> None:
    async with served(*[moved("/again")] * 50) as (server, connections):
        assert (await post(connections, server.url)).status == 307
        assert len(server.requests) < 10


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("ftp://127.0.0.1/v1", None),
        ("127.0.0.1/v1", None),
        ("http://", None),
        ("http://a:99999/v1", None),
        ("http://a b/v1", None),
        ("http://127.0.0.1/v1\r\nX: y", None),
        ("http://127.0.0.1/v1", "key\r\nX-Other: 1"),
    ],
)
async def test_what_can_not_be_put_into_a_request_is_refused(url: str, key: str | None) -> None:
    connections = Connections()
    fault = await fail(connections, url, key)
    assert (fault.reason, fault.retry) == (f"the address {url} is not valid", False)
    await connections.close()


async def test_a_password_in_an_address_is_sent_as_such_and_no_part_of_the_path() -> None:
    async with served(OK) as (server, connections):
        await post(
            connections, server.url.replace("127", "user:p%40ss@127").replace("/v1", "/vía 1"), key=None
        )
        assert "Authorization: Basic dXNlcjpwQHNz\r\n" in server.requests[0][1]
        assert server.requests[0][1].startswith("POST /v%C3%ADa%201/chat/completions HTTP/1.1")


async def test_a_host_that_is_not_there_is_named() -> None:
    connections = Connections()
    assert "nowhere.invalid:80: " in (await fail(connections, "http://nowhere.invalid/v1")).reason
    async with served() as (server, _):
        gone = server.url
    assert "connection refused" in (await fail(connections, gone)).reason
    await connections.close()


async def test_a_proxy_that_is_not_there_or_refuses_is_named_without_its_password() -> None:
    connections = Connections()
    async with served() as (server, _):
        gone = server.port
    fault = await fail(connections, f"https://{HOST}:9/v1", proxy=f"http://me:secret@127.0.0.1:{gone}")
    assert fault.reason == f"the connection failed: the proxy 127.0.0.1:{gone}: connection refused"
    with Proxy("me:secret") as proxy:
        fault = await fail(connections, f"https://{HOST}:9/v1", proxy=proxy.url.replace("secret", "wrong"))
    assert fault.reason.startswith(
        f"the proxy 127.0.0.1:{proxy.port} refuses to connect: the proxy wants another name"
    )
    assert (fault.retry, fault.stops_run) == (False, True)
    with Proxy(refuses=503) as proxy:
        fault = await fail(connections, f"https://{HOST}:9/v1", proxy=proxy.url)
    assert (fault.reason, fault.retry) == (
        f"the proxy 127.0.0.1:{proxy.port} refuses to connect: status 503: No",
        True,
    )
    await connections.close()


ONE_POST = """
import asyncio, sys
from probatio.ask.connections import Connections
async def main():
    connections = Connections()
    print(await connections.post(sys.argv[1], b"{}", key=None, seconds=10, connect_seconds=5))
    await connections.close()
asyncio.run(main())
"""


@needs_openssl
async def test_tls_goes_to_a_server_that_can_be_trusted_and_to_no_other(tmp_path: Path) -> None:
    certificate, context = certified(tmp_path)
    server = Server(OK)
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0, ssl=context)
    url = f"https://localhost:{listening.sockets[0].getsockname()[1]}/v1"

    async def post_apart(**env: str) -> str:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", ONE_POST, url, stdout=asyncio.subprocess.PIPE, env={**os.environ, **env}
        )
        return (await child.communicate())[0].decode()

    assert "certificate can't be trusted" in await post_apart()
    assert "body=b'42'" in await post_apart(SSL_CERT_FILE=str(certificate))
    listening.close()

"""Our own HTTP: real sockets, and servers that send whatever bytes they like."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from probatio.ask.body import BadBody
from probatio.ask.http import MAX_HEAD, BadAddress, ConnectionFailed, Connections, Reply

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n42"


class Server:
    """Sends one reply after another, whatever is asked, and keeps what it was asked on which connection."""

    def __init__(self, *replies: bytes | None) -> None:
        self.replies = list(replies)  # None: it says nothing and waits
        self.requests: list[tuple[int, str]] = []
        self.connections = 0
        self.closes = False
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
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


async def post(connections: Connections, url: str, key: str | None = "the-key", seconds: float = 10.0) -> Reply:
    return await connections.post(url, b"{}", key=key, seconds=seconds, connect_seconds=5.0)


async def test_a_connection_serves_one_call_after_another() -> None:
    async with served(OK, OK, OK) as (server, connections):
        assert [(await post(connections, server.url)).body for _ in range(3)] == [b"42"] * 3
        assert server.connections == 1
        first = server.requests[0][1]
    assert first.startswith("POST /v1/chat/completions HTTP/1.1\r\n") and f"Host: 127.0.0.1:{server.port}\r\n" in first
    assert "Authorization: Bearer the-key\r\n" in first and "Content-Type: application/json\r\n" in first


WHOLE = {
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n4\r\n1\r\n2\r\n0\r\n\r\n",
    "with a trailer": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n42\r\n0\r\nX-Sum: 1\r\n\r\n",
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


BROKEN: dict[str, tuple[bytes, type[Exception], str]] = {
    "no reply": (b"", ConnectionFailed, "before it replied"),
    "half a body": (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n42", ConnectionFailed, "within its reply"),
    "half a chunk": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n42",
        ConnectionFailed,
        "within its reply",
    ),
    "half its headers": (b"HTTP/1.1 200 OK\r\nContent-Len", ConnectionFailed, "before it replied"),
    "no HTTP": (b"220 mail.example ESMTP\r\n", ConnectionFailed, "is no HTTP"),
    "two lengths": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n42",
        ConnectionFailed,
        "is no HTTP",
    ),
    "another protocol": (
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
        ConnectionFailed,
        "another protocol",
    ),
    "endless headers": (b"HTTP/1.1 200 OK\r\nX: " + b"x" * (MAX_HEAD * 2), BadBody, "have no end"),
    "endless trailers": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: 1234567\r\n" * (MAX_HEAD // 4),
        BadBody,
        "have no end",
    ),
    "a body too large": (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", BadBody, "larger than any"),
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_a_broken_reply_is_an_error_that_says_how(kind: str) -> None:
    wire, error, why = BROKEN[kind]
    async with served(wire, OK, closes=True) as (server, connections):
        with pytest.raises(error, match=why):
            await post(connections, server.url)
        assert (await post(connections, server.url)).body == b"42", "the next call goes over another connection"
        assert server.connections == 2


async def test_what_a_server_says_unasked_is_no_reply_to_the_next_call() -> None:
    async with served(OK + OK.replace(b"42", b"99"), OK) as (server, connections):
        assert (await post(connections, server.url)).body == b"42"
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
        with pytest.raises(TimeoutError):
            await post(connections, server.url, seconds=0.1)
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


async def test_a_redirect_keeps_the_key_on_the_same_server_and_drops_it_on_another() -> None:
    async with served(moved("/v2/chat/completions"), OK) as (server, connections):
        assert (await post(connections, server.url)).body == b"42"
        assert server.requests[1][1].startswith("POST /v2/") and "the-key" in server.requests[1][1]
    async with served(OK) as (other, _), served(moved(other.url)) as (server, connections):
        assert (await post(connections, server.url)).body == b"42"
        assert "the-key" in server.requests[0][1] and "the-key" not in other.requests[0][1]


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
    with pytest.raises(BadAddress):
        await post(Connections(), url, key)


async def test_a_password_in_an_address_is_sent_as_such_and_no_part_of_the_path() -> None:
    async with served(OK) as (server, connections):
        await post(connections, server.url.replace("127", "user:p%40ss@127").replace("/v1", "/vía 1"), key=None)
        assert "Authorization: Basic dXNlcjpwQHNz\r\n" in server.requests[0][1]
        assert server.requests[0][1].startswith("POST /v%C3%ADa%201/chat/completions HTTP/1.1")


async def test_a_host_that_is_not_there_is_named() -> None:
    connections = Connections()
    with pytest.raises(ConnectionFailed, match=r"nowhere\.invalid:80: "):
        await post(connections, "http://nowhere.invalid/v1")
    async with served() as (server, _):
        gone = server.url
    with pytest.raises(ConnectionFailed, match="connection refused"):
        await post(connections, gone)


def certified(folder: Path) -> tuple[Path, Path]:
    """A certificate that nobody has signed, and its key."""
    certificate, secret = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", str(secret), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, secret


@pytest.mark.skipif(not shutil.which("openssl"), reason="makes a certificate with openssl")
async def test_tls_goes_to_a_server_that_can_be_trusted_and_to_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, secret = certified(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, secret)
    server = Server(OK)
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0, ssl=context)
    url = f"https://localhost:{listening.sockets[0].getsockname()[1]}/v1"
    connections = Connections()
    with pytest.raises(ConnectionFailed, match="certificate can't be trusted"):
        await post(connections, url)
    trusting: Callable[[], ssl.SSLContext] = lambda: ssl.create_default_context(cafile=str(certificate))  # noqa: E731
    monkeypatch.setattr("probatio.ask.http._tls", trusting)
    assert (await post(connections, url)).body == b"42"
    await connections.close()
    listening.close()

"""A real HTTP proxy on loopback that keeps what it was asked for, and a certificate for a server behind
it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import shutil
import ssl
import subprocess
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

HOST = "0.0.0.0"
"""A server on loopback by an address that is not known as this machine's, so that a proxy is asked for it."""

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="makes a certificate with openssl")


def certified(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate that no one has signed, and the context of a server that has it."""
    certificate, secret = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-days", "2", "-subj", "/CN=localhost", "-addext", f"subjectAltName=DNS:localhost,IP:{HOST}"),
            *("-keyout", str(secret), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, secret)
    return certificate, context


class Proxy:
    """Carries CONNECT and plain requests on, on a thread of its own. `log` has the first line of each."""

    def __init__(self, login: str = "", refuses: int = 0) -> None:
        self.log: list[str] = []
        self.port = 0
        self._login, self._refuses = login, refuses
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http://{f'{self._login}@' if self._login else ''}127.0.0.1:{self.port}"

    def __enter__(self) -> Proxy:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._carry, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        server.close()
        self._loop.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            line = head.split(b"\r\n")[0].decode()
            self.log.append(line)
            wanted = f"Proxy-Authorization: Basic {base64.b64encode(unquote(self._login).encode()).decode()}"
            if self._login and wanted not in head.decode():
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                return
            if self._refuses:
                writer.write(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % self._refuses)
                return
            method, target, _ = line.split()
            there = urlsplit(target if "://" in target else f"//{target}")
            onward, back = await asyncio.open_connection(there.hostname, there.port)
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                back.write(head.replace(target.encode(), there.path.encode(), 1))
            await asyncio.gather(_copy(reader, back), _copy(onward, writer))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof() if writer.can_write_eof() else writer.close()

"""A webhook on loopback that keeps what it is sent, and answers as it is told: well, with a status, or
never."""

from __future__ import annotations

import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class Hook:
    """Listens at `url` (Apprise's json://). `received` holds the messages it accepted, `asked` counts every
    request."""

    def __init__(self, status: int = 200, *, hang: bool = False, drip: bool = False) -> None:
        self.status, self.hang, self.drip = status, hang, drip
        self.on_message: list[dict[str, Any]] = []
        self.asked = 0
        self._release = threading.Event()
        hook = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                hook.asked += 1
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if hook.hang:
                    hook._release.wait(30)
                    return
                if hook.drip:
                    self.wfile.write(b"HTTP/1.0 200 OK\r\n")
                    while not hook._release.wait(0.2):
                        self.wfile.write(b"X-More: y\r\n")
                        self.wfile.flush()
                    return
                if hook.status < 300:
                    hook.on_message.append(message)
                self.send_response(hook.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"json://127.0.0.1:{self.port}/hook"

    @property
    def titles(self) -> list[str]:
        return [message["title"] for message in self.on_message]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._release.set()
        time.sleep(0)
        self._server.shutdown()
        self._server.server_close()


def closed_port() -> int:
    """A port nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    return port

"""A mail server on loopback: as much of SMTP as a client needs to deliver, over a real socket. It keeps what
it is given."""

from __future__ import annotations

import socketserver
import threading
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from typing import Self


class MailServer:
    """`received` holds the mails it accepted."""

    def __init__(self) -> None:
        self.on_message: list[Message] = []
        mails = self.on_message

        class Session(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self._say("220 loopback")
                while words := self.rfile.readline():
                    verb = words[:4].upper()
                    if verb == b"DATA":
                        self._say("354 go on")
                        lines = []
                        while (line := self.rfile.readline()) not in (b".\r\n", b""):
                            lines.append(line[1:] if line.startswith(b"..") else line)
                        mails.append(message_from_bytes(b"".join(lines)))
                    self._say("221 bye" if verb == b"QUIT" else "250 well")
                    if verb == b"QUIT":
                        return

            def _say(self, reply: str) -> None:
                self.wfile.write(f"{reply}\r\n".encode())

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session)
        self._server.daemon_threads = True
        port = self._server.server_address[1]
        self.url = (
            f"mailto://127.0.0.1:{port}/?from=watch@x.example&to=team@x.example&mode=insecure&format=text"
        )

    @property
    def subjects(self) -> list[str]:
        return [str(make_header(decode_header(mail["Subject"]))) for mail in self.on_message]

    @property
    def texts(self) -> list[str]:
        """The plain text of each mail."""
        return [_text(mail) for mail in self.on_message]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _text(mail: Message) -> str:
    part = next(each for each in mail.walk() if each.get_content_type() == "text/plain")
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode().replace("\r\n", "\n")

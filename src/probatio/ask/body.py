"""The body of a reply, read and unpacked within a limit: memory stays flat.

We take the body as it comes over the wire and unpack it ourselves, piece by piece, and stop at the limit: 3
MB of gzip can hold 6 GB.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp

MAX_REPLY_BYTES = 8 * 1024 * 1024
"""No chat completion is larger: a million tokens with their reasoning are about 6 MB. A server that sends on
and on must not fill our memory, and a hundred of its replies may come at once."""

ACCEPTED = "gzip, deflate"
"""The packings we ask for: those that the standard library of every Python can unpack within a limit."""

MAX_PARTS = 64
"""The most packed parts in one body. Each costs a copy of the rest; thousands of empty ones would cost
seconds."""

_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


MENDED = "bytes that are no UTF-8, or half a surrogate pair; each became U+FFFD"
"""The note on an answer whose text could not be decoded as it came."""

_BOM = b"\xef\xbb\xbf"
_ESCAPES = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""A pair of halves, half a pair alone, or any other escape, so that a backslash which is itself escaped
begins none."""


class BadBody(Exception):
    """The body can't be taken; the message is a clause that says why."""


class Body:
    """The body of a reply, piece by piece. Raises `BadBody` if it is too large or wrongly packed."""

    def __init__(self, coding: str, length: int | None, kind: str = "chat completion") -> None:
        self._too_large = f"the reply is larger than any {kind}"
        if (length or 0) > MAX_REPLY_BYTES:
            raise BadBody(self._too_large)
        self._unpack = _make_unpacker(coding)
        self._content = (
            bytearray()
        )  # not a list: a body that comes byte by byte would take forty times its size
        self._packed = 0

    def add(self, chunk: bytes) -> None:
        self._packed += len(chunk)
        size = len(self._content)
        self._content += self._unpack.unpack(chunk, MAX_REPLY_BYTES + 1 - size) if self._unpack else chunk
        if max(self._packed, len(self._content)) > MAX_REPLY_BYTES:
            raise BadBody(self._too_large)

    def whole(self) -> bytes:
        """All of it, unpacked, once no more comes."""
        if self._unpack:
            self._unpack.end()
        return bytes(self._content)


async def read_body(reply: aiohttp.ClientResponse, kind: str = "chat completion") -> bytes:
    """The whole body of a reply, unpacked."""
    body = Body(reply.headers.get("Content-Encoding", ""), reply.content_length, kind)
    content = reply.content
    while not content.at_eof():
        body.add(await content.readany())
    return body.whole()


def mend(body: bytes) -> tuple[bytes, str | None]:
    """The body made decodable, and a note on what was changed. An answer cut in an emoji is kept."""
    fault = None
    body = body.removeprefix(_BOM)
    if not body.isascii():
        try:
            body.decode()
        except UnicodeDecodeError:
            body, fault = body.decode("utf-8", "replace").encode(), MENDED
    if b"\\ud" in body or b"\\uD" in body:
        whole = _ESCAPES.sub(lambda found: b"\\ufffd" if found["half"] else found[0], body)
        if whole != body:
            body, fault = whole, MENDED
    return body, fault


def _make_unpacker(coding: str) -> _Unpacker | None:
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return None
    if coding not in _WINDOWS:
        raise BadBody(f"the reply is packed as `{coding[:40]}`, which was not asked for")
    return _Unpacker(coding)


class _Unpacker:
    """One packed body, which may be several packed parts one after another."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._window = _WINDOWS[coding]
        self._stream = zlib.decompressobj(wbits=self._window)
        self._begun = False
        self._parts = 1

    def unpack(self, data: bytes, most: int) -> bytes:
        """What a chunk holds, at most `most` bytes of it; the rest is beyond the limit."""
        if not self._begun and data and self._coding == "deflate" and data[0] & 0x0F != 8:
            self._window = (
                -zlib.MAX_WBITS
            )  # many servers leave out the two bytes the standard wants before it
            self._stream = zlib.decompressobj(wbits=self._window)
        self._begun = self._begun or bool(data)
        pieces: list[bytes] = []
        try:
            while data and most > 0:
                if self._stream.eof:
                    self._parts += 1
                    if self._parts > MAX_PARTS:
                        raise BadBody(f"the reply is packed in more than {MAX_PARTS} parts")
                    self._stream = zlib.decompressobj(wbits=self._window)
                piece = self._stream.decompress(data, most)
                most -= len(piece)
                pieces.append(piece)
                data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
        except zlib.error:
            raise BadBody(f"the reply is not the {self._coding} it says it is") from None
        return b"".join(pieces)

    def end(self) -> None:
        if self._begun and not self._stream.eof:
            raise BadBody(f"the reply ends within its {self._coding}")

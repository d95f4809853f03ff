"""The body of a reply, read within a limit: memory stays flat.

We ask for bodies that are not packed, and take no other: 3 MB of gzip can hold 6 GB.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from probatio.ask.wire import read_piece

if TYPE_CHECKING:
    import aiohttp

MAX_REPLY_BYTES = 8 * 1024 * 1024
"""No chat completion is larger: a million tokens with their reasoning are about 6 MB. A server that sends on
and on must not fill our memory, and a hundred of its replies may come at once."""

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


async def read_body(reply: aiohttp.ClientResponse, kind: str = "chat completion") -> bytes:
    """The whole body of a reply. Raises `BadBody` if it is packed or too large."""
    coding = reply.headers.get("Content-Encoding", "").strip().lower()
    if coding not in ("", "identity"):
        raise BadBody(f"the reply is packed as `{coding[:40]}`, which was not asked for")
    # No list of pieces: a body that comes byte by byte would take forty times its size.
    content, size = bytearray(), reply.content_length or 0
    while size <= MAX_REPLY_BYTES and not reply.content.at_eof():
        content += await read_piece(reply)
        size = max(size, len(content))
    if size > MAX_REPLY_BYTES:
        raise BadBody(f"the reply is larger than any {kind}")
    return bytes(content)


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

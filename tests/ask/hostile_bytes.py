"""Replies meant to harm, as bytes from a seed: a good reply with its frame, packing and JSON changed."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Callable

ODD_VALUES = (
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "-1e999",
    "9" * 5000,
    "1e-400",
    "NaN",
    "Infinity",
    '""',
    '"x"',
    "[]",
    "{}",
    "[[]]",
    '"\\ud800"',
    '"\\u0000"',
    '"' + "a" * 3000 + '"',
    "[" * 2000 + "]" * 2000,
    '{"a":' * 1500 + "1" + "}" * 1500,
    '"429"',
    "429",
    "[null]",
    '{"message": 5}',
    '{"code": "x", "message": ["y"]}',
    "1.5",
    '"1e3"',
    '{"": {}}',
)
"""What may stand where another type belongs."""

FIELDS = (
    "choices",
    "usage",
    "model",
    "provider",
    "system_fingerprint",
    "error",
    "message",
    "content",
    "refusal",
    "reasoning",
    "reasoning_content",
    "finish_reason",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "text",
    "type",
    "retry_after",
    "metadata",
    "headers",
    "raw",
    "code",
)

HEADERS = (
    b"Content-Length: -1",
    b"Content-Length: 5",
    b"Content-Length: 99999999999999999999",
    b"Content-Length: x",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip, chunked",
    b"Transfer-Encoding: identity",
    b"Content-Encoding: gzip",
    b"Content-Encoding: br",
    b"Content-Encoding: deflate",
    b"Content-Encoding: \xff",
    b"Connection: close",
    b"Connection: upgrade\r\nUpgrade: websocket",
    b"Location: http://[::1",
    b"Location: /x",
    b"Retry-After: 0",
    b"Retry-After: Thu, 01 Jan 99999 00:00:00 GMT",
    b"Set-Cookie: a=b; Max-Age=99999999999999",
    b"X: " + b"y" * 9000,
    b": empty",
    b"no colon",
    b"X:\x00",
    b" folded",
    b"Content-Type: text/html; charset=\xff",
    b"Sec-WebSocket-Key1: x",
    b"Trailer: X",
    b"Date: \xf0\x9f\x98\x80",
)

STATUSES = (
    100,
    101,
    103,
    199,
    200,
    201,
    204,
    205,
    206,
    301,
    304,
    307,
    308,
    400,
    404,
    408,
    429,
    500,
    503,
    599,
    600,
    999,
)


def hostile_reply(seed: int, mark: str) -> bytes:
    """The bytes of a reply. A text in it holds `mark`, by which it is known whose reply it was."""
    chance = random.Random(seed)
    body = _bend_json(chance, mark)
    headers: list[bytes] = []
    if chance.random() < 0.25:
        pack: Callable[[bytes], bytes] = chance.choice((gzip.compress, zlib.compress, lambda data: data))
        body = pack(body) * chance.choice((1, 1, 1, 2, 70))
        headers.append(chance.choice((b"Content-Encoding: gzip", b"Content-Encoding: deflate")))
    body = _mutate(chance, body) if chance.random() < 0.3 else body
    if chance.random() < 0.4:
        headers.append(b"Transfer-Encoding: chunked")
        body = _chunk(chance, body)
    elif chance.random() < 0.9:
        headers.append(b"Content-Length: %d" % len(body))
    if chance.random() < 0.4:
        headers += chance.sample(HEADERS, chance.randint(1, 4))
    status = chance.choice(STATUSES) if chance.random() < 0.4 else 200
    line = b"HTTP/%s %d OK" % (chance.choice((b"1.1", b"1.1", b"1.1", b"1.0", b"2.0", b"9.9")), status)
    reply = b"\r\n".join((line, *headers, b"", b"")) + body
    if chance.random() < 0.15:
        reply = (
            chance.choice((b"\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b"\0", b" ")) * chance.randint(1, 9)
            + reply
        )
    if chance.random() < 0.15:
        reply += chance.choice((b"\r\n", b"x", b"HTTP/1.1 200 OK\r\n", reply))
    return _mutate(chance, reply) if chance.random() < 0.25 else reply


def _bend_json(chance: random.Random, mark: str) -> bytes:
    message = {"role": "assistant", "content": mark}
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "cost": 0.001}
    value = {"model": "m", "choices": [{"finish_reason": "stop", "message": message}], "usage": usage}
    text = json.dumps(value)
    for _ in range(chance.choice((0, 0, 1, 2, 4))):
        field, odd = chance.choice(FIELDS), chance.choice(ODD_VALUES)
        at = text.find(f'"{field}": ')
        if at < 0:
            text = f'{{"{field}": {odd}, {text[1:]}' if text.startswith("{") else text
        else:
            end = at + len(field) + 4
            text = f"{text[:end]}{odd}{chance.choice((', ', ''))}{text[end:]}"
    return text.encode("utf-8", "surrogatepass")


def _chunk(chance: random.Random, body: bytes) -> bytes:
    size = chance.choice((1, 2, 7, 1000, 100_000))
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    extra = chance.choice((b"", b"", b";a=b", b";" + b"x" * 300, b" "))
    framed = b"".join(b"%x%s\r\n%s\r\n" % (len(piece), extra, piece) for piece in pieces)
    return framed + chance.choice(
        (b"0\r\n\r\n", b"0\r\n\r\n", b"", b"0\r\nX: 1\r\n\r\n", b"-1\r\n", b"zz\r\n")
    )


def _mutate(chance: random.Random, data: bytes) -> bytes:
    """Cut, doubled, or with other bytes at a few places."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(4):
            case 0:
                del changed[at : at + chance.randint(1, 20)]
            case 1:
                changed[at:at] = chance.randbytes(chance.randint(1, 8))
            case 2:
                changed[at:at] = changed[at : at + chance.randint(1, 40)]
            case _:
                del changed[max(at, 1) :]
    return bytes(changed)

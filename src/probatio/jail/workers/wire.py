"""What goes between pool, nursery and workers: frames on a stream, and orders to the nursery."""

from __future__ import annotations

import struct

import msgspec

HEADER = struct.Struct("!BI")
"""Kind and size of a frame."""

READY, DONE, NO_TOOL, NO_JAIL, FAILED = range(5)
"""Kinds of a worker's frames: it is there; the result; a tool is missing; the jail is broken; it raised."""
LAST = 16
"""Added to the kind where the worker ends after this frame."""

LARGEST = 16 << 20
"""Bytes of one frame. An answer is cut far below this; a worker that sends more is ended."""


class Fork(msgspec.Struct, frozen=True, tag=True):
    """Fork a worker; its end of the stream comes with the order."""

    number: int
    cpu_seconds: float
    memory_mb: int
    checks: int
    warm: str


class Kill(msgspec.Struct, frozen=True, tag=True):
    """End a worker and all it has started."""

    number: int


Order = Fork | Kill


def frame(kind: int, payload: bytes) -> bytes:
    return HEADER.pack(kind, len(payload)) + payload


def encode_request(function: str, payload: bytes) -> bytes:
    """What a worker is asked: the name of a function and what it is given."""
    name = function.encode()
    return HEADER.pack(len(name), len(payload)) + name + payload

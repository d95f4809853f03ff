"""Reading the judge's reply apart: a server may send anything in its name, so a worker reads it, under limits."""

from __future__ import annotations

import msgspec

from probatio.judge.protocol import Mark, Marks, Unreadable, read_marks
from probatio.records.writable import packed
from probatio.suite.daily_suite import Rubric
from probatio.workers import Lane, Unchecked, shared

_LANE = Lane("judge's replies", cpu_seconds=2, seconds=120, warm="probatio.judge.reading:warm", travels=False)
_FUNCTION = "probatio.judge.reading:read_here"


class _Asked(msgspec.Struct, frozen=True, array_like=True):
    reply: bytes
    rubric: Rubric


class _Read(msgspec.Struct, frozen=True, array_like=True):
    marks: dict[str, Mark]
    fault: str | None = None


_encode = msgspec.msgpack.Encoder().encode
_asked = msgspec.msgpack.Decoder(_Asked).decode
_read = msgspec.msgpack.Decoder(_Read).decode


async def read_apart(reply: str, rubric: Rubric) -> Marks:
    """The marks in a reply. Raises `Unreadable`, also where reading it takes too long."""
    asked = _Asked(reply.encode("utf-8", "surrogatepass"), rubric)
    try:
        read = _read((await shared().run(_LANE, _FUNCTION, _encode(asked))).payload)
    except Unchecked as error:
        raise Unreadable(f"The reply can't be read: {error}.") from None
    if read.fault is not None:
        raise Unreadable(read.fault)
    return read.marks


def read_here(payload: bytes) -> bytes:
    """What the worker does."""
    asked = _asked(payload)
    try:
        marks = read_marks(asked.reply.decode("utf-8", "surrogatepass"), asked.rubric)
    except Unreadable as error:
        return packed(_Read({}, str(error)))
    return packed(_Read(marks))


def warm() -> None:
    """Importing this module loads all that reading needs."""

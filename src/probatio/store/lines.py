"""JSON lines: read one at a time, appended whole. A crash can tear only the last line, and a torn last line is no line."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from probatio.errors import UsageError

T = TypeVar("T")

_BLOCK = 1 << 16


def read_lines(path: Path, shape: type[T]) -> Iterator[T]:
    """The records of a file, one at a time. A torn last line is passed over; a bad line elsewhere is named."""
    decode = msgspec.json.Decoder(shape, strict=False).decode
    for number, line in numbered_lines(path):
        try:
            yield decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path}, line {number}: {error}.") from None


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, from 1, as they stand; no blank line and no torn last line among them."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n") and not is_whole(line):
                return
            if line.strip():
                yield number, line


def lines_of(file: int) -> Iterator[bytes]:
    """The lines of an open file from its beginning, wherever others read or write in it."""
    offset, rest = 0, b""
    while block := os.pread(file, _BLOCK, offset):
        offset += len(block)
        *whole, rest = (rest + block).split(b"\n")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest


def is_whole(line: bytes) -> bool:
    """Whether a line without its newline is complete all the same (other tools end files so)."""
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def mend_end(file: int) -> None:
    """Make an open file end with a newline: by cutting a torn last line, or by ending a whole one."""
    size = end = os.fstat(file).st_size
    tail = b""
    while end > 0 and b"\n" not in tail:
        start = max(0, end - _BLOCK)
        tail = os.pread(file, end - start, start) + tail
        end = start
    last = tail.rpartition(b"\n")[2]
    if not last:
        return
    if is_whole(last):
        append(file, b"\n")
    else:
        os.ftruncate(file, size - len(last))


def append(file: int, data: bytes) -> None:
    """Append all of it or nothing: where the disk takes only a part, that part is cut off again."""
    size = os.fstat(file).st_size
    written = 0
    try:
        while written < len(data):
            written += os.write(file, data[written:])
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(file, size)
        raise

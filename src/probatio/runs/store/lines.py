"""JSON lines: read one at a time, appended whole. Only the last line can be torn, and is then left out."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from probatio.core import jsonfile
from probatio.core.errors import UsageError
from probatio.core.inside import open_reader

T = TypeVar("T")

_BLOCK = 1 << 16
AT_ONCE = 32 * 1024 * 1024
"""Bytes of a file that are read at once: a day of a hundred models. Longer files are read in constant
memory."""
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes. An answer has 8 MB at most; a file without an end of line would be read whole."""


class Span(NamedTuple):
    """Where a line stands in its file, in bytes."""

    offset: int
    size: int


def read_lines(path: Path, shape: type[T]) -> Iterator[T]:
    """The records of a file, one at a time. A torn last line is left out; another bad line is an error."""
    return (record for _, record in read_placed(path, shape))


def read_placed(
    path: Path, shape: type[T], *, lenient: bool = False, containing: bytes = b"", folder: Path | None = None
) -> Iterator[tuple[Span, T]]:
    """The records of a file with their places.

    `containing`: only lines with these bytes are decoded, because decoding is slow. `lenient`: lines that
    can't be read are left out. A path that leads out of `folder` (default: the file's folder) is refused.
    """
    decode = jsonfile.Decoder(shape, strict=False).decode
    offset = 0
    for number, line in enumerate(_raw_lines(path, folder), 1):
        span = Span(offset, len(line))
        offset += len(line)
        if containing in line and line.strip():
            try:
                yield span, decode(line)
            except msgspec.DecodeError as error:
                if not lenient:
                    raise UsageError(f"{path}, line {number}: {error}.") from None


def all_at_once(
    path: Path, shape: type[T], folder: Path | None = None, *, strict: bool = False
) -> list[T] | None:
    """All records of a file, in a third of the time of reading line by line; record n stands on line n + 1.

    None if the file is long, or has a line that is torn, blank or can't be read: then read it line by line.
    """
    try:
        file = open_reader(path, folder)
    except FileNotFoundError:
        return None if has_lines(path) else []
    with file:
        if os.fstat(file.fileno()).st_size > AT_ONCE:
            return None
        data = file.read()
    try:
        records = jsonfile.Decoder(shape, strict=strict).decode_lines(data)
    except msgspec.DecodeError:
        return None
    return records if len(records) == data.count(b"\n") + (data[-1:] not in (b"\n", b"")) else None


def line_at(path: Path, span: Span, shape: type[T], folder: Path | None = None) -> T:
    """The record at a place that `placed_lines` gave."""
    (line,) = _lines_at(path, [span], folder)
    try:
        return jsonfile.decode(line, shape, strict=False)
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} has a line that is no record: {error}.") from None


def has_lines(path: Path) -> bool:
    """Whether the file exists, plain or packed."""
    return path.exists() or path.with_name(f"{path.name}.zst").exists()


def lines_at(path: Path, spans: Sequence[Span], shape: type[T], folder: Path | None = None) -> list[T | None]:
    """The records at several places, with the file opened once; None for a line that can't be read."""
    decode = jsonfile.Decoder(shape, strict=False).decode
    records: list[T | None] = []
    for line in _lines_at(path, spans, folder):
        try:
            records.append(decode(line))
        except msgspec.DecodeError:
            records.append(None)
    return records


def _lines_at(path: Path, spans: Sequence[Span], folder: Path | None) -> Iterator[bytes]:
    try:
        file = open_reader(path, folder)
    except FileNotFoundError:
        from probatio.runs.store.packed import path_of_packed, read_packed_at

        there = read_packed_at(path_of_packed(path), [span.offset for span in spans], folder)
        yield from (there.get(span.offset, b"") for span in spans)
        return
    with file:
        for span in spans:
            file.seek(span.offset)
            yield file.read(span.size)


def number_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, from 1, without blank lines and a torn last line."""
    return ((number, line) for number, line in enumerate(_raw_lines(path), 1) if line.strip())


def _raw_lines(path: Path, folder: Path | None = None) -> Iterator[bytes]:
    """Every line of a file except a torn last one, plain or packed; no lines if there is no file."""
    for line in _every_line(path, folder):
        if not line.endswith(b"\n") and not is_whole(line):
            return
        yield line


def _every_line(path: Path, folder: Path | None) -> Iterator[bytes]:
    try:
        file = open_reader(path, folder)
    except FileNotFoundError:
        if has_lines(path):
            from probatio.runs.store.packed import path_of_packed, read_packed

            yield from read_packed(path_of_packed(path), folder)
        return
    with file:
        if os.fstat(file.fileno()).st_size <= LONGEST_LINE:
            yield from file
            return
        while line := file.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise UsageError(
                    f"{path} has a line of more than {LONGEST_LINE >> 20} MB: that is no file of ours."
                )
            yield line


def read_at(file: int, size: int, offset: int) -> bytes:
    """Bytes of an open file from an offset. Windows moves the file's position, which nothing here uses."""
    if hasattr(os, "pread"):
        return os.pread(file, size, offset)
    os.lseek(file, offset, os.SEEK_SET)
    return os.read(file, size)


def lines_of(file: int) -> Iterator[bytes]:
    """The lines of an open file from its beginning; its position does not matter."""
    offset, rest = 0, b""
    while block := read_at(file, _BLOCK, offset):
        offset += len(block)
        *whole, rest = (rest + block).split(b"\n")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest


def is_whole(line: bytes) -> bool:
    """Whether a last line without newline is complete; other tools end files like that."""
    try:
        jsonfile.decode(line)
    except msgspec.DecodeError:
        return False
    return True


def mend_end(file: int) -> None:
    """Make an open file end with a newline: by cutting a torn last line, or by ending a whole one."""
    size = end = os.fstat(file).st_size
    tail = b""
    while end > 0 and b"\n" not in tail:
        start = max(0, end - _BLOCK)
        tail = read_at(file, end - start, start) + tail
        end = start
    last = tail.rpartition(b"\n")[2]
    if not last:
        return
    if is_whole(last):
        append(file, b"\n")
    else:
        os.ftruncate(file, size - len(last))


def append(file: int, data: bytes) -> None:
    """Append all bytes or none: a part that a full disk took is cut off. No one else may write to it."""
    written = 0
    try:
        while written < len(data):
            written += os.write(file, data[written:] if written else data)
    except OSError:
        if written:
            with contextlib.suppress(OSError):
                os.ftruncate(file, os.fstat(file).st_size - written)
        raise

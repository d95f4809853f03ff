"""Packed lines: JSON lines behind Zstandard (`.jsonl.zst`), which DuckDB reads; every byte comes back.

Zstandard is in Python from 3.14 on; before that the same module comes as a backport.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from probatio.core.errors import Incomplete, UsageError
from probatio.core.files import replacement, take_lock
from probatio.core.inside import open_new, open_reader
from probatio.runs.store.layout import ANSWERS, DAY_FILE, GRADES, LOCK

SUFFIX = ".zst"
LEVEL = 9
"""Half the size of the usual level 3, because prompts repeat; level 19 takes thirty times as long for a
quarter less."""
_BLOCK = 1 << 20
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line. An answer is at most 8 MB, so Probatio writes no longer line."""
LEAST_LIMIT = 64 * 1024 * 1024
"""Bytes that any packed file may give. No grades of 20,000 trials are as long (13 MB)."""


class Limit(NamedTuple):
    """How far a packed file is unpacked."""

    times: int
    """Its size, so many times."""
    total: int
    """Bytes, in no case more."""

    def most(self, size: int) -> int:
        return min(max(LEAST_LIMIT, self.times * size), self.total)


LIMITS = {GRADES: Limit(500, 1 << 30), ANSWERS: Limit(3000, 8 << 30)}
"""Measured on what `pack` writes: grades of 20,000 trials give 70 times their size, 310 times where they are
all the same; answers 20 to 160 times, with the same prompt of 100 kB each time 1,000, and 2,500 where that is
one word. A study holds grades in memory, answers never."""


class Packed(msgspec.Struct, frozen=True):
    """What came of packing a file."""

    file: str
    lines: int
    bytes_before: int
    bytes_after: int


def path_of_packed(path: Path) -> Path:
    """The packed form of a file of lines."""
    return path.with_name(path.name + SUFFIX)


def is_packed_file(path: Path) -> bool:
    return path.suffix == SUFFIX


def pack(source: Path) -> Packed:
    """Write the packed form next to the file, and prove that it gives every byte back. The file stays."""
    zstd = _import_zstd()
    target = path_of_packed(source)
    options = {zstd.CompressionParameter.compression_level: LEVEL, zstd.CompressionParameter.checksum_flag: 1}
    with replacement(target) as part:
        with (
            open_reader(source) as lines,
            os.fdopen(open_new(part), "wb") as file,
            zstd.ZstdFile(file, "w", options=options) as packing,
        ):
            packing.write(b"")  # so that an empty file becomes a packed file of nothing
            count, digest = _copy(lines, packing)
        try:
            with open_packed(part) as lines:
                back = _copy(lines, None)
        except UsageError:
            raise Incomplete(
                f"{source} stays as it is: its lines are so much alike that no one would take the packed "
                "file for one of ours."
            ) from None
        if back != (count, digest):
            raise Incomplete(f"{source} could not be packed: it does not come back as it stands.")
    return Packed(source.name, count, source.stat().st_size, target.stat().st_size)


def unpack(source: Path) -> Path:
    """Write the lines of a packed file again; the packed one stays. Zstandard has a checksum of them."""
    target = source.with_suffix("")
    with replacement(target) as part, open_packed(source) as lines, os.fdopen(open_new(part), "wb") as file:
        _copy(lines, file)
    return target


class _Bounded(io.RawIOBase):
    """A file that is being unpacked, up to so many bytes."""

    def __init__(self, unpacked: BinaryIO, size: int, path: Path) -> None:
        self._limit = LIMITS[GRADES if GRADES in path.name else ANSWERS]
        self._unpacked, self._most, self._path = unpacked, self._limit.most(size), path

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._unpacked.read(len(buffer))
        buffer[: len(data)] = data
        self._require(self._unpacked.tell())
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._require(offset)
        return self._unpacked.seek(offset, whence)

    def tell(self) -> int:
        return self._unpacked.tell()

    def _require(self, place: int) -> None:
        if place > self._most:
            raise UsageError(
                f"{self._path} unpacks to more than {self._most >> 20:,} MB: a packed file may give "
                f"{self._limit.times:,} times its size ({LEAST_LIMIT >> 20} MB in any case), and at most "
                f"{self._limit.total >> 20:,} MB. That is no packed file of ours; if it is yours, unpack it "
                "yourself (zstd -d) and remove it."
            )


@contextmanager
def open_packed(path: Path, folder: Path | None = None) -> Iterator[BinaryIO]:
    """The lines of a packed file as a file open for reading. A path that leads out of `folder` is refused."""
    zstd = _import_zstd()
    with open_reader(path, folder) as file, zstd.ZstdFile(file) as lines:
        size = os.fstat(file.fileno()).st_size
        try:
            yield io.BufferedReader(_Bounded(lines, size, path), _BLOCK)
        except (zstd.ZstdError, EOFError) as error:
            raise UsageError(f"{path} is not a packed file that can be read: {error}") from None


def longest_line(path: Path) -> int:
    """Bytes of the longest line of a file, plain or packed, with its end; 1 MB if all are shorter."""
    longest, begun = _BLOCK, 0  # `begun`: bytes of a line whose end was not seen yet
    with open_packed(path) if is_packed_file(path) else open_reader(path) as file:
        while block := file.read(_BLOCK):
            end = block.find(b"\n")
            longest = max(longest, begun + (len(block) if end < 0 else end))
            begun = begun + len(block) if end < 0 else len(block) - 1 - block.rfind(b"\n")
            if longest > LONGEST_LINE:
                raise _refuse_line(path)
    return longest + 1


def _refuse_line(path: Path) -> UsageError:
    return UsageError(f"{path} has a line of more than {LONGEST_LINE >> 20} MB: that is no line of ours.")


def read_packed(path: Path, folder: Path | None = None) -> Iterator[bytes]:
    """The lines of a packed file, byte for byte as they stood."""
    with open_packed(path, folder) as lines:
        for line in iter(partial(lines.readline, LONGEST_LINE + 1), b""):
            if len(line) > LONGEST_LINE:
                raise _refuse_line(path)
            yield line


def read_packed_at(path: Path, offsets: Sequence[int], folder: Path | None = None) -> dict[int, bytes]:
    """The lines at these offsets. The file is read from its beginning, a gigabyte in about a second."""
    found = {}
    with open_packed(path, folder) as lines:
        for offset in sorted(set(offsets)):
            lines.seek(offset)
            found[offset] = lines.readline(LONGEST_LINE)
    return found


def _copy(source: BinaryIO, target: BinaryIO | None) -> tuple[int, bytes]:
    """Copy all bytes; give the number of lines and the digest. A last line without an end is a line."""
    digest, ends, last = hashlib.sha256(), 0, b"\n"
    while block := source.read(_BLOCK):
        digest.update(block)
        ends, last = ends + block.count(b"\n"), block[-1:]
        if target is not None:
            target.write(block)
    return ends + (last != b"\n"), digest.digest()


def _import_zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def is_packed(folder: Path) -> bool:
    """Whether the answers of a run are packed."""
    return path_of_packed(folder / ANSWERS).exists() and not (folder / ANSWERS).exists()


def pack_run(folder: Path, *, keep: bool = False) -> list[Packed]:
    """Put packed files in the place of a run's lines; with `keep` next to them."""
    if (folder / DAY_FILE).exists():
        raise UsageError(
            f"{folder} is a day: the ledger vouches for its files as they are, so days are not packed."
        )
    with _lock(folder):
        lines = [file for name in (ANSWERS, GRADES) if (file := folder / name).exists()]
        if not lines:
            reason = "it is packed already" if is_packed(folder) else "it holds no answers"
            raise UsageError(f"There is nothing to pack in {folder}: {reason}.")
        done = [pack(file) for file in lines]
        for file in [] if keep else lines:
            file.unlink()
        return done


def unpack_run(folder: Path) -> list[Path]:
    """Unpack the lines of a run. Lines next to the packed ones are newer (graded again) and stay."""
    with _lock(folder):
        packed = [file for name in (ANSWERS, GRADES) if (file := path_of_packed(folder / name)).exists()]
        if not packed:
            raise UsageError(f"{folder} is not packed: it has no {path_of_packed(Path(ANSWERS))}.")
        done = []
        for file in packed:
            if not file.with_suffix("").exists():
                done.append(unpack(file))
                file.unlink()
        return done


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Keep other processes from writing to the run."""
    try:
        lock = take_lock(folder / LOCK)
    except BlockingIOError:
        raise Incomplete(
            f"Another process is writing to {folder}: wait for it, a run is packed when it is over."
        ) from None
    try:
        yield
    finally:
        os.close(lock)

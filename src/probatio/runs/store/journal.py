"""The journal: every answer on disk before it is graded, every grade once, whatever kills the process.

Three rules carry the contract. A line goes out in one append, so a crash can tear only the last line. A torn
last line is cut off when the run is opened again. One process holds the run's lock, so no two of them write.

What an earlier process has written is read once, by `take_up`, through the same open file that lines are
appended to.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import msgspec

from probatio.core import jsonfile
from probatio.core.errors import Incomplete, UsageError
from probatio.core.files import replacement, take_lock
from probatio.core.inside import open_inside, open_new, open_reader
from probatio.core.records import NOT_SCORED, UNASKED_ERRORS
from probatio.core.records.writable import make_writable
from probatio.runs.store.layout import ANSWERS, GRADES, LOCK, RESERVE, SET_ASIDE
from probatio.runs.store.lines import Span, append, lines_of, mend_end, read_at

RESERVE_BYTES = 8 * 1024 * 1024
"""Kept free inside the run: when the disk fills, the answers in flight are paid for and still need a place. A
hundred answers of 4,000 tokens with their prompts take about this much."""

SYNC_SECONDS = 1.0
"""How much a power cut may cost. `kill -9` costs nothing: what is written is in the kernel's hands."""

T = TypeVar("T")
_encode = msgspec.json.Encoder().encode


def _line(record: msgspec.Struct) -> bytes:
    """A record as its line. Half a surrogate pair, which no file can hold, is replaced."""
    try:
        return _encode(record) + b"\n"
    except UnicodeEncodeError:
        return _encode(make_writable(msgspec.to_builtins(record))) + b"\n"


class DiskFull(Incomplete):
    """No room for another line; nothing is torn and the run can be resumed."""


class Journal:
    """The files of a run, open for writing by this process alone.

    With `retry_errors`, trials that could not be asked are taken out of the files while they are read, so
    that they are asked again; their lines are kept in another file.
    """

    def __init__(self, folder: Path, *, retry_errors: bool = False) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._retry_errors = retry_errors
        self._lock = _lock(folder)
        self._reserve = folder / RESERVE
        self._files: dict[str, _Lines] = {}
        try:
            self._reserve_space()
            for name in (ANSWERS, GRADES):
                self._open(name)
        except BaseException:
            self._leave()
            raise
        self._dirty = threading.Event()
        self._closing = threading.Event()
        self._syncer = threading.Thread(target=self._sync_now_and_then, name="journal-sync", daemon=True)
        self._syncer.start()
        self.full = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def take_up(self, name: str, shape: type[T]) -> Iterator[tuple[Span, T]]:
        """The lines that an earlier process wrote to this file, and their places."""
        lines = self._open(name)
        decode = jsonfile.Decoder(shape, strict=False).decode
        failed = _has_failed if self._retry_errors and name in (ANSWERS, GRADES) else None
        yield from lines.read(decode, failed)
        if lines.aside:
            if name == ANSWERS:  # a grade has no more to tell than its answer
                self._set_aside(lines.aside)
            lines.drop_aside()

    def at(self, name: str, span: Span, shape: type[T]) -> T:
        """One line of a file again, in full."""
        return jsonfile.decode(self._files[name].at(span), shape, strict=False)

    def answer(self, response: msgspec.Struct) -> None:
        """Keep an answer. Called before anything is done with it."""
        self.keep(ANSWERS, response)

    def grade(self, grade: msgspec.Struct) -> None:
        """Keep a grade."""
        self.keep(GRADES, grade)

    def keep(self, name: str, record: msgspec.Struct) -> None:
        """Keep a line in the file of that name; a further file is opened with its first line."""
        lines, line = self._open(name), _line(record)
        try:
            lines.append(line)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise Incomplete(f"{lines.path} can't be written: {error.strerror}.") from error
            self.full = True
            self._reserve.unlink(missing_ok=True)
            try:
                lines.append(line)
            except OSError:
                raise DiskFull(f"The disk is full: {lines.path} took no further line.") from error
        if not self._dirty.is_set():
            self._dirty.set()

    def digests(self) -> dict[str, str]:
        """File name → SHA-256, of the files whose every byte this process has read or written."""
        return {
            name: lines.digest.hexdigest() for name, lines in self._files.items() if lines.digest is not None
        }

    def close(self) -> None:
        if self._closing.is_set():
            return
        self._closing.set()
        self._dirty.set()
        self._syncer.join()
        self._sync()
        self._leave()

    def _leave(self) -> None:
        for lines in self._files.values():
            lines.close()
        with contextlib.suppress(IsADirectoryError):
            self._reserve.unlink(missing_ok=True)
        os.close(self._lock)

    def _open(self, name: str) -> _Lines:
        if name not in self._files:
            self._files[name] = _Lines(self.folder / name)
        return self._files[name]

    def _set_aside(self, lines: list[bytes]) -> None:
        with os.fdopen(
            open_inside(self.folder / SET_ASIDE, None, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab"
        ) as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())

    def _reserve_space(self) -> None:
        try:
            with os.fdopen(open_new(self._reserve), "wb") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
                else:  # macOS, Windows
                    file.write(bytes(RESERVE_BYTES))
        except OSError as error:
            self._reserve.unlink(missing_ok=True)
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(
                    f"The disk is full: {self.folder} needs at least {RESERVE_BYTES >> 20} MB."
                ) from error

    def _sync_now_and_then(self) -> None:
        while not self._closing.wait(SYNC_SECONDS):
            if self._dirty.is_set():
                self._dirty.clear()
                self._sync()

    def _sync(self) -> None:
        for lines in list(self._files.values()):
            with contextlib.suppress(OSError):
                lines.sync()


class _Lines:
    """One append-only file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.aside: list[bytes] = []  # lines that a reading has left out
        self._open()
        empty = os.fstat(self._file).st_size == 0
        self.digest = hashlib.sha256() if empty else None  # of the whole file, once it was read

    def read(
        self, decode: Callable[[bytes], T], left_out: Callable[[bytes], bool] | None
    ) -> Iterator[tuple[Span, T]]:
        """Every line, decoded. Lines chosen by `left_out` go to `aside`; places are without them."""
        digest, offset = hashlib.sha256(), 0
        for number, line in enumerate(lines_of(self._file), 1):
            if left_out and line.strip() and left_out(line):
                self.aside.append(line)
                continue
            digest.update(line)
            span = Span(offset, len(line))
            offset += len(line)
            if line.strip():
                try:
                    record = decode(line)
                except msgspec.DecodeError as error:
                    raise UsageError(f"{self.path}, line {number}: {error}.") from None
                yield span, record
        self.digest = digest

    def drop_aside(self) -> None:
        """Rewrite the file without the lines set aside."""
        gone = set(self.aside)
        with (
            replacement(self.path) as part,
            open_reader(self.path) as lines,
            os.fdopen(open_new(part), "wb") as kept,
        ):
            kept.writelines(line for line in lines if line not in gone)
        self.close()
        self._open()
        self.aside = []

    def at(self, span: Span) -> bytes:
        return read_at(self._file, span.size, span.offset)

    def append(self, line: bytes) -> None:
        append(self._file, line)
        if self.digest is not None:
            self.digest.update(line)

    def sync(self) -> None:
        os.fdatasync(self._file)

    def close(self) -> None:
        os.close(self._file)

    def _open(self) -> None:
        self._file = open_inside(self.path, None, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        mend_end(self._file)


class _Failure(msgspec.Struct):
    """The part of a raw or graded line that says whether the trial could be asked."""

    error: str | None = None
    response: str | None = ""
    error_type: str | None = None


_decode_failure = jsonfile.Decoder(_Failure).decode


def _has_failed(line: bytes) -> bool:
    """Whether the trial of this line could not be asked, or its answer could not be checked."""
    try:
        failure = _decode_failure(line)
    except msgspec.DecodeError:
        return False  # the reader of the line names its fault
    if failure.error_type == NOT_SCORED:
        return False
    return failure.error_type in UNASKED_ERRORS or (failure.response is None and failure.error is not None)


def _lock(folder: Path) -> int:
    """Hold the run."""
    try:
        return take_lock(folder / LOCK)
    except BlockingIOError:
        raise Incomplete(f"Another process is writing to {folder}; wait for it or stop it.") from None

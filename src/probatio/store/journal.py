"""The journal: every answer on disk before it is graded, every grade once, whatever kills the process.

Three rules carry the contract. A line goes out in one append, so a crash can tear only the last line. A torn last line is
cut off when the run is opened again. One process holds the run's lock, so no two of them write.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from probatio.errors import Incomplete
from probatio.records import UNASKED_ERRORS, Grade, Response
from probatio.store.files import take_lock
from probatio.store.layout import ANSWERS, GRADES, LOCK, RESERVE, SET_ASIDE
from probatio.store.lines import append, is_whole, mend_end

RESERVE_BYTES = 8 * 1024 * 1024
"""Kept free inside the run: when the disk fills, the answers in flight are paid for and still need a place. A hundred
answers of 4,000 tokens with their prompts take about this much."""

SYNC_SECONDS = 1.0
"""How much a power cut may cost. `kill -9` costs nothing: what is written is in the kernel's hands."""

_encode = msgspec.json.Encoder().encode


class DiskFull(Incomplete):
    """No room for another line; nothing is torn and the run can be resumed."""


class _Lines:
    """One append-only file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        mend_end(self._file, path)

    def append(self, line: bytes) -> None:
        append(self._file, line)

    def sync(self) -> None:
        os.fdatasync(self._file)

    def close(self) -> None:
        os.close(self._file)


class Journal:
    """The files of a run, open for writing by this process alone."""

    def __init__(self, folder: Path, *, retry_errors: bool = False) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(folder)
        if retry_errors:
            _set_errors_aside(folder)
        self._reserve = folder / RESERVE
        self._reserve_space()
        self._files = {name: _Lines(folder / name) for name in (ANSWERS, GRADES)}
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

    def answer(self, response: Response) -> None:
        """Keep an answer. Called before anything is done with it."""
        self.keep(ANSWERS, response)

    def grade(self, grade: Grade) -> None:
        """Keep a grade."""
        self.keep(GRADES, grade)

    def close(self) -> None:
        if self._closing.is_set():
            return
        self._closing.set()
        self._dirty.set()
        self._syncer.join()
        self._sync()
        for lines in self._files.values():
            lines.close()
        self._reserve.unlink(missing_ok=True)
        os.close(self._lock)

    def keep(self, name: str, record: msgspec.Struct) -> None:
        """Keep a line in the file of that name; a further file is opened with its first line."""
        if name not in self._files:
            self._files[name] = _Lines(self.folder / name)
        lines, line = self._files[name], _encode(record) + b"\n"
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
        self._dirty.set()

    def _reserve_space(self) -> None:
        try:
            with self._reserve.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
        except OSError as error:
            self._reserve.unlink(missing_ok=True)
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                os.close(self._lock)
                raise DiskFull(f"The disk is full: {self.folder} needs at least {RESERVE_BYTES >> 20} MB.") from error

    def _sync_now_and_then(self) -> None:
        while not self._closing.wait(SYNC_SECONDS):
            if self._dirty.is_set():
                self._dirty.clear()
                self._sync()

    def _sync(self) -> None:
        for lines in list(self._files.values()):
            with contextlib.suppress(OSError):
                lines.sync()


class _Failure(msgspec.Struct):
    """As much of a raw or graded line as tells whether the trial could be asked."""

    error: str | None = None
    response: str | None = ""
    error_type: str | None = None

    @property
    def unasked(self) -> bool:
        return self.error_type in UNASKED_ERRORS or (self.response is None and self.error is not None)


def _set_errors_aside(folder: Path) -> None:
    """Take trials that could not be asked out of both files, so that they are asked again. Safe to be killed anywhere:
    a line is kept aside before it leaves its file, and an answer whose grade is gone is graded again."""
    decode = msgspec.json.Decoder(_Failure).decode
    for path in (folder / GRADES, folder / ANSWERS):
        if not path.exists():
            continue
        part = path.with_name(f"{path.name}.part")
        aside: list[bytes] = []
        with path.open("rb") as lines, part.open("wb") as kept:
            for line in lines:
                if not line.endswith(b"\n") and not is_whole(line):
                    break
                if decode(line).unasked:
                    aside.append(line)
                else:
                    kept.write(line)
            kept.flush()
            os.fsync(kept.fileno())
        if not aside:
            part.unlink()
            continue
        if path.name == ANSWERS:
            with (folder / SET_ASIDE).open("ab") as errors:
                errors.writelines(aside)
                errors.flush()
                os.fsync(errors.fileno())
        part.replace(path)


def _lock(folder: Path) -> int:
    """Hold the run."""
    try:
        return take_lock(folder / LOCK)
    except BlockingIOError:
        raise Incomplete(f"Another process is writing to {folder}; wait for it or stop it.") from None

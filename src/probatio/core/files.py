"""Files that are written: replaced whole or not at all, held by one process at a time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from probatio.core.errors import Incomplete
from probatio.core.inside import open_inside, open_new

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows
    import msvcrt

    def _hold(lock: int) -> None:
        try:
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except PermissionError as error:  # its word for a lock that another holds
            raise BlockingIOError(*error.args) from None

else:

    def _hold(lock: int) -> None:
        flock(lock, LOCK_EX | LOCK_NB)


POLL_SECONDS = 0.05


def put(path: Path, data: bytes) -> None:
    """Put a file in place whole or not at all."""
    with replacement(path) as part, os.fdopen(open_new(part), "wb") as file:
        file.write(data)


def put_at_once(path: Path, data: bytes) -> None:
    """As `put`, in a cache: two processes or threads may put the same file there at once, and after a power
    cut it may be torn."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """A new file for `open_new`. It replaces `path` when the block ends well, and is removed otherwise.

    If `path` is a link, the link is replaced and its target stays as it is.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        yield part
        with os.fdopen(open_inside(part, None, os.O_RDWR), "rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def take_lock(path: Path, folder: Path | None = None) -> int:
    """Hold a lock file and return its descriptor.

    Raises BlockingIOError if another process holds it, and another OSError if the disk knows no locks. The
    lock ends with the process, so a killed process holds nothing. A path that leads out of `folder` is
    refused.
    """
    lock = open_inside(path, folder, os.O_RDWR | os.O_CREAT)
    try:
        _hold(lock)
    except OSError:
        os.close(lock)
        raise
    return lock


@contextmanager
def hold(path: Path, seconds: float, name: Path | None = None, folder: Path | None = None) -> Iterator[int]:
    """Hold a file within the block, waiting up to `seconds` for it. An error calls it `name`.

    A path that leads out of `folder` is refused.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + seconds
    while True:
        try:
            lock = take_lock(path, folder)
            break
        except BlockingIOError:
            if time.monotonic() > until:
                raise Incomplete(
                    f"Another process has held {name or path} for {seconds:.0f} s; stop it and try again."
                ) from None
            time.sleep(POLL_SECONDS)
    try:
        yield lock
    finally:
        os.close(lock)

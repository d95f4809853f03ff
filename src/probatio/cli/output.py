"""Where our output goes: to journald with a level before each line, or to a reader who may leave."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from probatio.core.text.visible import VisibleStream

ERROR, WARNING, INFO = "<3>", "<4>", "<6>"
OUR_ERRORS = "probatio: "
"""How the sentence begins that ends a command."""


def is_read_by_journald(stream: TextIO, env: Mapping[str, str] = os.environ) -> bool:
    """Whether journald reads this stream: systemd puts its device and inode into JOURNAL_STREAM."""
    try:
        there = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return env.get("JOURNAL_STREAM") == f"{there.st_dev}:{there.st_ino}"


def journal_stream(stream: TextIO, *, errors: bool = False) -> TextIO:
    """The stream with a level before each line where journald reads it, else the stream itself."""
    if not is_read_by_journald(stream):
        return stream
    wrapped: Any = _Levelled(stream, _of_error if errors else lambda line: INFO)
    return wrapped  # type: ignore[no-any-return]


def _of_error(line: str) -> str:
    return ERROR if line.startswith(OUR_ERRORS) else WARNING


class _Levelled:
    def __init__(self, stream: TextIO, level: Callable[[str], str]) -> None:
        self._stream = stream
        self._level = level
        self._begun = False  # whether the last line is still open

    def write(self, text: str) -> int:
        for line in text.splitlines(keepends=True):
            if not self._begun and line.strip():
                self._stream.write(self._level(line))
            if self._begun or line.strip():  # an empty line says nothing to a journal
                self._stream.write(line)
            self._begun = not line.endswith("\n") and (self._begun or bool(line.strip()))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class OutlivingStream:
    """A stream that goes silent when its reader has left: the run goes on without a display."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            self._fall_silent()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            self._fall_silent()

    def _fall_silent(self) -> None:
        """Send what is still in the buffer, and all that follows, nowhere."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def outlive_readers() -> None:
    """Go on when the reader of our output leaves: a closed pipe or terminal ends the display, not the run."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if isinstance(stream, VisibleStream):
            stream.raw = OutlivingStream(stream.raw)  # type: ignore[assignment]
        else:
            setattr(sys, name, OutlivingStream(stream))

"""Output whose reader may leave: a closed pipe or a closed terminal ends the display, not the run."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, TextIO

from probatio.visible import VisibleStream


class OutlivingStream:
    """A stream that goes silent when nobody can read it any more."""

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
        """What is still in the buffer, and all that follows, goes nowhere."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def outlive_readers() -> None:
    """From here on, whoever reads our output may leave."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if isinstance(stream, VisibleStream):
            stream.raw = OutlivingStream(stream.raw)  # type: ignore[assignment]
        else:
            setattr(sys, name, OutlivingStream(stream))

"""Lines for journald: where it reads our output, each begins with its level, as systemd defines it (`<6>` is information).

systemd puts device and inode of its own stream into JOURNAL_STREAM, so output that goes elsewhere stays as it is. Every line gets
a level of ours: a line that a server wrote can't choose its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TextIO

ERROR, WARNING, INFO = "<3>", "<4>", "<6>"
OUR_ERRORS = "probatio: "
"""How the sentence begins that ends a command."""


def is_read_by_journald(stream: TextIO, env: Mapping[str, str] = os.environ) -> bool:
    """Whether this very stream is the journal's."""
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

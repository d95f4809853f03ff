"""A program's standard input, handed over only once the jail round it is sure to end with the grader.

bubblewrap binds its processes to one another one by one while it builds the jail. A grader killed in those milliseconds would
leave the last of them, and the program with it, alive. So the text of the program waits on this side until bubblewrap's own
process in the jail is bound: without it the program finds an empty input and ends by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable

_CHUNK = 1 << 16
_FILTERED = b"\nSeccomp:\t2"  # bubblewrap takes on the filter right after it has bound itself


class Feed:
    """The writing end of a pipe, and what is still to be written."""

    def __init__(
        self, writer: int, text: bytes, first: Callable[[], int | None], before: Callable[[], None] | None = None
    ) -> None:
        os.set_blocking(writer, False)
        self.writer, self.rest = writer, memoryview(text)
        self.first = first
        """Process 1 of the jail, once it is known."""
        self.before = before
        """What is to be done to the program, which waits by now, before it gets anything to read."""
        self.open = True

    def bound(self) -> bool:
        """Whether the jail ends with us from now on."""
        pid = self.first()
        if pid is None:
            return False
        try:
            status = os.open(
                f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC
            )  # asked often: a third of a Path's price
        except OSError:  # it has ended
            return True
        try:
            return _FILTERED in os.read(status, _CHUNK)
        except OSError:
            return True
        finally:
            os.close(status)

    def write(self) -> bool:
        """Write what the pipe takes; False once all is written or nobody reads any more."""
        before, self.before = self.before, None
        if before:
            before()
        try:
            while self.rest:
                self.rest = self.rest[os.write(self.writer, self.rest[:_CHUNK]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            pass
        self.close()
        return False

    def close(self) -> None:
        if self.open:
            self.open = False
            os.close(self.writer)

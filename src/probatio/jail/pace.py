"""The pace of a program that takes many steps: how long each of them took, by clocks outside of it.

A program can switch off every timer in its own process, so the time of a step is not for it to tell. It
prints a line at the end of each step; what it used since the line before is read here, from the kernel.

On a busy machine a line is read late, when the program is in its next step already. So a step is charged only
with what it surely used: from the moment the line before it was read to the last look after which its own
line was not there yet. A look comes every 20 ms.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

PATIENCE = 0.15
"""Seconds beyond a limit after which a step is stopped: a program that ends it by its own timer keeps its
state."""
LATE = 0.1
"""Seconds beyond a limit after which a step that has ended counts as late: its line takes a moment."""


class Clocks(NamedTuple):
    """Seconds of CPU that a program has used, and of the clock on the wall."""

    cpu: float
    wall: float


STARTING = Clocks(cpu=0.4, wall=5.0)
"""What the jail and the runtime may take before the first step."""


class Pace:
    """Limits for one step, and which steps passed them."""

    def __init__(self, limit: Clocks, steps_in: Callable[[bytes], int]) -> None:
        self.limit = limit
        self.steps_in = steps_in
        """Takes what the program printed, and tells how many steps ended with it."""
        self.done = 0
        self.late: set[int] = set()
        """Numbers of the steps that took too long. Of several that ended at one look, all of them."""
        self._begun = Clocks(STARTING.cpu, time.monotonic() + STARTING.wall)
        self._looked = self._sure = self._begun

    def hear(self, printed: bytes, used: float) -> None:
        """The program printed this, after so many seconds of CPU in all."""
        ended = self.steps_in(printed)
        if ended:
            if self._beyond(self._sure, ended, LATE):
                self.late.update(range(self.done, self.done + ended))
            self.done += ended
            self._begun = self._looked = self._sure = Clocks(used, time.monotonic())

    def look(self, used: float) -> str | None:
        """The limit that the step in progress has surely passed; None if it has time."""
        self._sure, self._looked = self._looked, Clocks(used, time.monotonic())
        return self._beyond(self._sure, 1, PATIENCE)

    def _beyond(self, now: Clocks, steps: int, allowed: float) -> str | None:
        if now.cpu - self._begun.cpu > steps * self.limit.cpu + allowed:
            return "cpu"
        return "time" if now.wall - self._begun.wall > steps * self.limit.wall + allowed else None


def cpu_of(pid: int) -> float:
    """Seconds of CPU that all threads of a process have used. Raises OSError if it has ended."""
    return time.clock_gettime(~pid << 3 | 2)  # Linux numbers the CPU clock of a process so

"""Check with a trivial program whether a toolchain works at all, after it broke on an answer.

A check that breaks says nothing by itself. Our machine may be at fault (a library is gone, the disk is full),
or the answer is. What a program prints and how it ends are the model's to choose, so they decide nothing. A
small program that is known to be right decides: it is checked and run like the answer, under the same limits.
If it breaks too, our machine is at fault and the answer is kept for later; if not, the answer is wrong.

The result is used for a few seconds. Worked by hand:

     0.0 s  an answer breaks the checker; the trivial program is tried and passes: the answer is wrong
     0.1 s  so do ten more; it passed 0.1 s ago, and is not tried: they are wrong
     5.2 s  another one; that was too long ago, so it is tried again
     5.3 s  it breaks: the answer could not be checked, and neither can the next ones
    10.4 s  another one; it is tried again, for the machine may be mended
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from weakref import WeakKeyDictionary

from probatio.jail.workers import Checks

BELIEVED_SECONDS = 5.0
"""A toolchain is tried at most so often: thousands of answers that break it cost a few trials. So long, too,
answers may be called wrong after the machine broke; `probatio grade` tries them again."""

Attempt = Callable[[], Awaitable[str | None]]
"""Tries the trivial program: how it broke, or None."""


class Soundness:
    """What is known of toolchains. Pure: the time comes in."""

    def __init__(self) -> None:
        self._told: dict[bytes, tuple[float, str | None]] = {}

    def note(self, toolchain: bytes, now: float, fault: str | None) -> None:
        self._told[toolchain] = now, fault

    def is_known(self, toolchain: bytes, now: float) -> bool:
        """Whether its last trial still counts."""
        return toolchain in self._told and now - self._told[toolchain][0] < BELIEVED_SECONDS

    def fault(self, toolchain: bytes) -> str | None:
        """How the last trial broke; None if it passed."""
        return self._told[toolchain][1]


class Toolchains:
    """The toolchains as some workers have them, each tried once for all who ask at a time."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._known = Soundness()
        self._clock = clock
        self._going: dict[bytes, asyncio.Future[None]] = {}  # trials on their way

    async def find_fault(self, toolchain: bytes, attempt: Attempt) -> str | None:
        """How the toolchain breaks on a trivial program; None while it works."""
        loop = asyncio.get_running_loop()
        while (before := self._going.get(toolchain)) and before.get_loop() is loop:
            await asyncio.wait((before,))
        if not self._known.is_known(toolchain, self._clock()):
            going = self._going[toolchain] = loop.create_future()
            try:
                fault = await attempt()
                self._known.note(toolchain, self._clock(), fault)
            finally:
                going.cancel()
                if self._going.get(toolchain) is going:
                    del self._going[toolchain]
        return self._known.fault(toolchain)


_known: WeakKeyDictionary[Checks, Toolchains] = WeakKeyDictionary()


def toolchains_of(pool: Checks) -> Toolchains:
    """What is known of the toolchains of these workers."""
    return _known.setdefault(pool, Toolchains())

"""The contract of a pool of workers, on this machine or on many; a lane: the limits of one kind of check."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import msgspec

from probatio.core.errors import CannotCheck, Incomplete
from probatio.jail.workers.wire import FAILED, NO_JAIL, NO_TOOL


class Unchecked(Exception):
    """The check raised or passed a limit, as the message says: nothing is known about the answer."""


RAISED: dict[int, type[Exception]] = {NO_TOOL: CannotCheck, NO_JAIL: Incomplete, FAILED: Unchecked}
"""Kind of a worker's frame → what the caller gets."""


def read_frame(kind: int, payload: bytes) -> bytes:
    """The reply in a worker's frame; raises what the frame says was raised."""
    if raised := RAISED.get(kind):
        why = payload.decode("utf-8", "replace")
        raise raised(f"the check failed: {why}" if kind == FAILED else why)
    return payload


class GraderFingerprint(msgspec.Struct, frozen=True):
    """What must be the same wherever a check is made, or it could come out otherwise: the code, the tools, a
    grader's files. `function` makes it from `payload`, here and on every other machine."""

    function: str
    payload: bytes
    value: bytes


Before = Callable[[], None] | None
"""Called when it is a check's turn; what it raises ends the check."""


class Checks(Protocol):
    """A maker of checks: the pool of this process, or a cluster."""

    @property
    def ahead(self) -> int:
        """How many checks a caller with many should give at once."""
        ...

    async def run(
        self,
        lane: Lane,
        function: str,
        payload: bytes,
        before: Before = None,
        grader: GraderFingerprint | None = None,
    ) -> bytes:
        """What `function` (`module:name`, bytes to bytes) makes of the payload, in a worker with the limits
        of the lane.

        Raises `Unchecked` where it can't be known, `CannotCheck` where a tool is missing, `Incomplete` where
        no jail or no worker can be had.
        """
        ...

    def close(self) -> None:
        """End all workers; the next check starts new ones."""
        ...


class Lane(msgspec.Struct, frozen=True):
    """The limits of a kind of check. CPU is what ends a check that computes for ever, so that a busy machine
    ends no other; the clock ends one that waits for ever."""

    name: str
    cpu_seconds: float
    """Of the worker's own, without the jails it starts, which have their limits."""
    seconds: float
    memory_mb: int = 1024
    """Private memory of a worker. One with mpmath and pint has less than 120 MB of it."""
    workers: int = 0
    """So many, whatever the machine; 0: as many as its cores can serve."""
    beside: int = 0
    """Workers above the number of cores, where they wait most of the time."""
    cores_each: int = 1
    """Cores that one worker keeps busy."""
    checks: int = 2000
    """So many, and the worker makes room for a new one: what libraries keep for themselves goes with it."""
    warm: str = ""
    """A function that loads what the checks need, called once before the first worker is forked."""
    travels: bool = True
    """Whether a check is worth the way to another machine."""

    @property
    def limits(self) -> str:
        """The limits as a person reads them."""
        return f"{self.cpu_seconds:g} s of CPU, {self.seconds:g} s by the clock, {self.memory_mb} MB"

    def places(self, cores: int) -> int:
        """How many workers there are on so many cores."""
        return self.workers or math.ceil(cores / self.cores_each) + self.beside

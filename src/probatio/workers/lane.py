"""A lane: what one kind of check may use, and how many of them go on side by side."""

from __future__ import annotations

import functools
import math
import os
from pathlib import Path

import msgspec

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


@functools.cache
def cores() -> int:
    """The cores that this process may use. A container often has fewer than the machine, and a worker for each of the machine's
    would only make all of them late."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        return max(1, min(allowed, math.ceil(int(quota) / int(period))))
    except (OSError, ValueError):  # no such file, or `max`: no quota
        return max(1, allowed)


class Lane(msgspec.Struct, frozen=True):
    """The limits of a kind of check. CPU is what ends a check that computes for ever, so that a busy machine ends no other;
    the clock ends one that waits for ever."""

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
    """A function that loads what the checks need, called once, before the first worker is forked: no check pays for it."""
    travels: bool = True
    """Whether a check is worth the way to another machine."""

    @property
    def limits(self) -> str:
        """The limits as a person reads them."""
        return f"{self.cpu_seconds:g} s of CPU, {self.seconds:g} s by the clock, {self.memory_mb} MB"

    def places(self, cores: int) -> int:
        """How many workers there are on so many cores."""
        return self.workers or math.ceil(cores / self.cores_each) + self.beside

"""A lane: what one kind of check may use, and how many of them go on side by side."""

from __future__ import annotations

import os

import msgspec

CORES = os.cpu_count() or 1


class Lane(msgspec.Struct, frozen=True):
    """The limits of a kind of check. CPU is what ends a check that computes for ever, so that a busy machine ends no other;
    the clock ends one that waits for ever."""

    name: str
    cpu_seconds: float
    """Of the worker's own, without the jails it starts, which have their limits."""
    seconds: float
    memory_mb: int = 1024
    """Private memory of a worker. One with mpmath and pint has less than 120 MB of it."""
    workers: int = CORES
    checks: int = 2000
    """So many, and the worker makes room for a new one: what libraries keep for themselves goes with it."""
    warm: str = ""
    """A function that loads what the checks need, called once, before the first worker is forked: no check pays for it."""

    @property
    def limits(self) -> str:
        """The limits as a person reads them."""
        return f"{self.cpu_seconds:g} s of CPU, {self.seconds:g} s by the clock, {self.memory_mb} MB"

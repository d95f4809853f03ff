"""A program in the jail: what is started, what it may use, and how it ended."""

from __future__ import annotations

import msgspec

from probatio.core.values import MoreThanZero, Positive
from probatio.jail.calls import CallList

STOPS = ("time", "cpu", "memory", "output", "processes", "files")
SIGNALLED = range(129, 160)
"""Exit statuses of a program that a signal ended."""
NOT_STARTED = (126, 127)
"""As shells say it: not executable, not found; 127 is the loader's too, where a library is missing."""
JAIL_SPEAKS = ("bwrap: ", "probatio: ")
"""How a jail that can't be built begins its last words; its exit status is 1."""
SLOW = 1.0
"""Seconds. A program that took so long may have met a limit of time within because the machine is busy."""


class Limits(msgspec.Struct, frozen=True):
    """What one program may use. It is stopped at the first limit it passes."""

    seconds: MoreThanZero = 10.0
    """Wall time. Another limit could move scores that are compared over time."""
    cpu_seconds: Positive = 10
    memory_mb: Positive = 512
    """Memory that is the program's own, and the kernel's tables for it; a bare deno has about 20."""
    output_bytes: Positive = 1_000_000
    """Standard output and standard error together."""
    processes: Positive = 64
    """Threads of the one process a program is; deno starts about ten. New processes are refused by the jail,
    but for a toolchain that says it needs them: then all its processes and threads together."""
    file_mb: Positive = 16
    """The largest file, and the whole of the scratch folder where a runtime has one."""


class ProgramOutcome(msgspec.Struct, frozen=True):
    """How a program ended."""

    exit: int | None
    """Exit status; 128 + the signal's number, as in shells, if a signal ended it; None if a limit did."""
    stdout: str
    stderr: str
    stopped: str | None
    """The limit that stopped it: one of STOPS, or None."""
    seconds: float
    started: bool = True
    """False where the program never began: it does not parse, or something it imports does not exist."""

    @property
    def timely(self) -> bool:
        """Whether no limit of time can have had a part in this: only then is such a check kept."""
        return self.stopped not in ("time", "cpu") and self.seconds < SLOW

    @property
    def doubtful(self) -> bool:
        """Whether the runtime itself may have failed to start. A program can look the same on purpose, so
        this alone decides nothing."""
        crashed = not self.started and self.exit in SIGNALLED
        jail = self.exit == 1 and self.stderr.startswith(JAIL_SPEAKS)
        return crashed or jail or self.exit in NOT_STARTED


class Runtime(msgspec.Struct, frozen=True):
    """What is started in the jail and all that can be read there."""

    argv: tuple[str, ...]
    reads: tuple[str, ...]
    """Files and folders of the host, seen in the jail at the same place, read-only; nothing else is there."""
    env: tuple[tuple[str, str], ...] = ()
    reserved_mb: int = 128
    """Address space the runtime sets aside without using it, on top of the memory limit."""
    calls: CallList = "python"
    """Which system calls it may make."""
    scratch: bool = False
    """Whether the program gets an empty folder of its own to write in; it starts there."""
    file: tuple[str, bytes] | None = None
    """A file it is given, by name and content; it starts in the folder of that, which holds nothing else."""
    processes: bool = False
    """Whether it may start processes. Only a process namespace holds them (bubblewrap); `none` does not."""
    forks: bool = False
    """Whether it is the parent of a warm runner, which forks a process for each program and puts it under the
    filter of programs."""

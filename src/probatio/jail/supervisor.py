"""Supervise one started program: gather what it prints, and stop it at the first limit it passes."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path

from probatio.core.machine import count_cores
from probatio.jail.pace import Pace, cpu_of
from probatio.jail.program import Limits, ProgramOutcome

_LOOK = 0.02  # seconds between two looks at memory; filling 1 GB takes a core about fifty of them
_BOUND = 0.002  # seconds between two looks whether the jail is bound to us, which takes about five
_CHUNK = 1 << 16
_OWN_MEMORY = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap|VmPTE|HugetlbPages):\s*(\d+) kB", re.MULTILINE)
_KILLED = 128 + 9  # SIGKILL, which Windows has no name for

ProgramPid = Callable[[], int | None]
"""The process the program is in, once it is known: the first process we started may be the jail around it."""


class Supervisor:
    """One program under supervision, from its start to its end."""

    def __init__(
        self,
        pid: int,
        pipes: tuple[int, int],
        limits: Limits,
        program_pid: ProgramPid,
        group: bool = False,
        scratch: str | None = None,
        feed: Feed | None = None,
    ) -> None:
        self.pid, self.pipes, self.limits = pid, pipes, limits
        self.program_pid = program_pid
        self.group = group
        """Whether others of the program's session must go with it."""
        self.scratch = scratch
        """The folder it writes in, as seen from here; `{pid}` stands for the program's process."""
        self.feed = feed
        """What the program reads, where it is for us to write."""
        self.first: ProgramPid | None = None
        """Where the program may start processes: the first of its namespace, from which all others come."""
        self.pace: Pace | None = None
        self._used = 0.0
        self.start = time.monotonic()
        self.printed: dict[int, list[bytes]] = {pipe: [] for pipe in pipes}
        self.size = 0
        self.stopped: str | None = None

    def supervise(self) -> ProgramOutcome:
        """Wait until the program ended or was stopped, leave nothing of it behind, and tell how it ended."""
        try:
            self._follow()
        except BaseException:
            self.stopped = "time"  # no one supervises it any more, so it must not go on
            raise
        finally:
            status = self.reap()
        seconds = time.monotonic() - self.start
        code = os.waitstatus_to_exitcode(status)
        code = 128 - code if code < 0 else code
        used_up = seconds * count_cores() >= self.limits.cpu_seconds * 0.9
        if self.stopped is None and code == _KILLED and used_up:
            # The kernel does this at RLIMIT_CPU; a jailed program can't send signals, not even to itself.
            self.stopped = "cpu"
        out, err = (b"".join(self.printed[pipe]).decode("utf-8", "replace") for pipe in self.pipes)
        return ProgramOutcome(None if self.stopped else code, out, err, self.stopped, seconds)

    def _follow(self) -> None:
        poll = select.poll()
        for pipe in self.pipes:
            poll.register(pipe, select.POLLIN | select.POLLHUP)
        ended = self.watch_end()
        poll.register(ended, select.POLLIN)
        open_pipes = set(self.pipes)
        alive = True
        look = self.start + _LOOK
        waiting = self.feed
        try:
            while alive or open_pipes:
                now = time.monotonic()
                if now - self.start >= self.limits.seconds:
                    self.stopped = "time"
                elif now >= look:
                    self.stopped = self.over()
                    look = now + _LOOK
                if self.stopped:
                    return
                if waiting and waiting.is_bound():
                    if waiting.write():
                        poll.register(waiting.writer, select.POLLOUT)
                    waiting = None
                wait = min(look, self.start + self.limits.seconds, now + _BOUND if waiting else look) - now
                for fd, _ in poll.poll(max(0.0, wait) * 1000 + 0.5):
                    if fd == ended:
                        alive = False
                        poll.unregister(ended)
                    elif self.feed and fd == self.feed.writer:
                        poll.unregister(fd)
                        if self.feed.write():
                            poll.register(fd, select.POLLOUT)
                    elif not self._read(fd):
                        open_pipes.discard(fd)
                        poll.unregister(fd)
                if self.stopped or (not alive and not open_pipes):
                    return
                if not alive:
                    # A process that was left behind holds a pipe: read what is in it, and wait for no more.
                    for pipe in open_pipes:
                        os.set_blocking(pipe, False)
                        while self._read(pipe):
                            pass
                    return
        finally:
            os.close(ended)

    def watch_end(self) -> int:
        """A handle that can be read from once the program has ended."""
        return os.pidfd_open(self.pid)

    def _read(self, pipe: int) -> bool:
        """Take what a pipe holds; False at its end."""
        try:
            data = os.read(pipe, _CHUNK)
        except BlockingIOError:
            return False
        room = self.limits.output_bytes - self.size
        if len(data) > room:
            self.stopped = "output"
        data, size = data[: max(0, room)], len(data)
        self.printed[pipe].append(data)
        self.size += size
        if self.pace and pipe == self.pipes[0]:
            self.pace.hear(data, self._measure_cpu())
        return bool(size) and self.stopped is None

    def _measure_cpu(self) -> float:
        """Seconds of CPU of the program so far; as of the last look once it has ended."""
        pid = self.program_pid()
        if pid is not None:
            with contextlib.suppress(OSError):
                self._used = max(self._used, cpu_of(pid))
        return self._used

    def over(self) -> str | None:
        """The limit the program has passed by now, of those only a look from outside can tell."""
        pid = self.program_pid()
        if pid is None:
            return None
        if self.pace and (limit := self.pace.look(self._measure_cpu())):
            return limit
        try:
            memory, threads = self._family(self.first()) if self.first else read_usage(pid)
        except (OSError, ValueError):
            return None
        if memory > self.limits.memory_mb << 10:
            return "memory"
        if threads > self.limits.processes:
            return "processes"
        if self._weigh_scratch(pid) > self.limits.file_mb << 20:
            return "files"
        return None

    def _weigh_scratch(self, pid: int) -> int:
        """Bytes in the folder the program writes in.

        While a jail is being built its root is still ours: then our own /tmp stands in that place."""
        if self.scratch is None:
            return 0
        with contextlib.suppress(OSError):  # it has ended
            if "{pid}" not in self.scratch or not Path(f"/proc/{pid}/root").samefile("/"):
                return _weight(self.scratch.format(pid=pid))
        return 0

    def _family(self, first: int | None) -> tuple[int, int]:
        """kB and threads of all processes of the jail but its first, counted up to what it may have."""
        memory = threads = 0
        found = list_children(first) if first is not None else []
        for pid in found:
            with contextlib.suppress(OSError, ValueError):
                its_memory, its_threads = read_usage(pid)
                memory, threads = memory + its_memory, threads + its_threads
                found += list_children(pid)
            if threads > self.limits.processes:
                break
        return memory, threads

    def reap(self) -> int:
        """End whatever is left and take the status."""
        if self.stopped:
            inner = self.program_pid(), self.first and self.first()
            for pid in {self.pid, *inner} - {None}:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)  # type: ignore[arg-type]
        if self.group:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        return os.waitpid(self.pid, 0)[1]


def _read_status(pid: int) -> bytes:
    """/proc/PID/status, fifty times a second: without a Path and a buffer, for a third of their price."""
    status = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(status, _CHUNK)
    finally:
        os.close(status)


def read_usage(pid: int) -> tuple[int, int]:
    """kB of one process that are its own (private and shared, resident or not, and page tables), and threads.

    Shared memory is refused by the filter; counted all the same, for isolation `none` has no filter. Page
    tables count since reading one byte in each 2 MB of a huge mapping makes 4 kB of them and nothing else.
    """
    memory = sum(map(int, _OWN_MEMORY.findall(_read_status(pid))))
    return memory, len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208 - a thousand times cheaper than Path objects


def list_children(pid: int) -> list[int]:
    threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    return [
        int(word) for one in threads for word in Path(f"/proc/{pid}/task/{one}/children").read_text().split()
    ]


_LEAST = 4096  # bytes that a file or folder costs the host, however empty


def _weight(folder: str) -> int:
    """Bytes in a folder, links not followed; what goes away while we look counts nothing."""
    total = 0
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            with contextlib.suppress(OSError):
                total += max(_LEAST, os.lstat(f"{place}/{name}").st_size)
    return total


_FILTERED = b"\nSeccomp:\t2"  # bubblewrap takes on the filter right after it has bound itself


def is_filtered(pid: int) -> bool:
    """Whether a process has its filter, or has ended."""
    try:
        return _FILTERED in _read_status(pid)
    except OSError:
        return True


class Feed:
    """The writing end of a pipe, and what is still to be written."""

    def __init__(
        self,
        writer: int,
        text: bytes,
        first: Callable[[], int | None],
        before: Callable[[], None] | None = None,
    ) -> None:
        os.set_blocking(writer, False)
        self.writer, self.rest = writer, memoryview(text)
        self.first = first
        """Process 1 of the jail, once it is known."""
        self.before = before
        """What is to be done to the program, which waits by now, before it gets anything to read."""
        self.open = True

    def is_bound(self) -> bool:
        """Whether the jail ends with us from now on."""
        pid = self.first()
        return pid is not None and is_filtered(pid)

    def write(self) -> bool:
        """Write what the pipe takes; False once all is written or no one reads any more."""
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

"""Open handles of a jail: its options, its filter, texts, and the processes it has started."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

import msgspec

with contextlib.suppress(ImportError, AttributeError):  # other systems import this, and call nothing of it
    import fcntl
    import resource

    _SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


class ReportedPid:
    """The process the program is in: the child of the jail's first, which bubblewrap names."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._first: int | None = None
        self._program: int | None = None

    def first(self) -> int | None:
        """Process 1 of the jail, which is bubblewrap's own."""
        if self._first is None:
            match = re.search(rb'"child-pid": *(\d+)\D', os.pread(self.handle, 4096, 0))
            self._first = int(match[1]) if match else None
        return self._first

    def __call__(self) -> int | None:
        first = self.first()
        if self._program is None and first is not None:
            self._program = _child(first)
        return self._program or first


class Options(msgspec.Struct, frozen=True):
    """The orders bubblewrap waits for. Meanwhile it is put under the kernel's limits.

    A shell could set the limits first, for a millisecond of CPU; doing it after a fork is not safe among
    threads.
    """

    writer: io.FileIO
    words: tuple[str, ...]
    limits: dict[str, int]

    def tell(self, pid: int) -> None:
        for name, amount in self.limits.items():
            which = getattr(resource, name)
            _, hard = resource.prlimit(pid, which)
            amount = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
            resource.prlimit(pid, which, (amount, amount))
        view = memoryview(os.fsencode("\0".join((*self.words, ""))))
        with contextlib.suppress(BrokenPipeError):  # it has ended, and says why
            while view:
                view = view[self.writer.write(view) or 0 :]
        self.writer.close()


def limit_processes(pid: int | None, most: int) -> None:
    """From now on the kernel starts no more than `most` processes and threads in the jail whose program is
    process `pid`.

    It counts by user and user namespace, so this must be done once the jail has one of its own; and it never
    counts root's.
    """
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_NPROC, (most + 1, most + 1))  # one is bubblewrap's own


def seal(name: str, data: bytes) -> int:
    """A file in memory that can't be changed any more."""
    handle = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.lseek(handle, 0, os.SEEK_SET)
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, _SEALS)
    except BaseException:
        os.close(handle)
        raise
    return handle


def pipe(content: bytes) -> int:
    """The reading end of a pipe that holds `content`, which must be short."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    try:
        os.write(writer, content)
    finally:
        os.close(writer)
    return reader


def _child(pid: int) -> int | None:
    """The one child of a process that has at most one."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:  # a kernel without that list, or the process has ended
        children = [name for name in os.listdir("/proc") if name.isdigit() and _parent(name) == pid]  # noqa: PTH208
    except OSError:
        return None
    return int(children[0]) if children else None


def _parent(pid: str) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None

"""A worker: takes one check after another from its stream. The kernel holds its limits."""

from __future__ import annotations

import functools
import importlib
import mmap
import os
import signal
import socket
from collections.abc import Callable

from probatio.core.errors import CannotCheck, ProbatioError
from probatio.jail.workers.wire import DONE, FAILED, HEADER, LAST, NO_JAIL, NO_TOOL, READY, Fork, frame

_LOOK = 16  # checks between two looks at memory
_GROWN = 0.5  # of the limit, above what it had at first: time for a new worker
_PAGE = mmap.PAGESIZE

Check = Callable[[bytes], bytes]

_state = {"worker": False, "leaves": False}


def retire() -> bool:
    """End this worker after its reply, with all it has started: a check left it unfit for another.

    False if this is no worker; then the caller must clean up.
    """
    _state["leaves"] = True
    return _state["worker"]


def serve(stream: socket.socket, order: Fork) -> None:
    """Check what comes in until the stream ends or enough was done; never returns an error, says it."""
    import resource  # Windows has none, and its workers are those of plain.py

    # The soft limit alone: programs that are started from here set their own, above or below it.
    resource.setrlimit(resource.RLIMIT_DATA, (order.memory_mb << 20, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Ends the process, also within a computation that holds the lock.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _state.update(worker=True, leaves=False)
    stream.sendall(frame(READY, b""))
    first = _resident()
    for number in range(1, order.checks + 1):
        request = _request(stream)
        if request is None:
            break
        signal.setitimer(signal.ITIMER_PROF, order.cpu_seconds)
        try:
            kind, payload = DONE, find_function(request[0])(request[1])
        except BaseException as error:
            kind, payload = describe_failure(error)
        signal.setitimer(signal.ITIMER_PROF, 0)
        grown = number % _LOOK == 0 and _resident() - first > _GROWN * (order.memory_mb << 20)
        leaves = number == order.checks or kind == FAILED or grown or _state["leaves"]
        stream.sendall(frame(kind + LAST * leaves, payload))
        if leaves:
            break
    os._exit(0)  # nothing is waited for; the nursery ends what was started from here


def describe_failure(error: BaseException) -> tuple[int, bytes]:
    """The frame of a check that raised: its kind, and why as a sentence."""
    if isinstance(error, MemoryError):
        return FAILED, b"it needs more memory than a check may use"
    try:
        why = str(error)[:500].encode("utf-8", "replace")
    except Exception:
        why = b""
    if isinstance(error, CannotCheck):
        return NO_TOOL, why
    if isinstance(error, ProbatioError):
        return NO_JAIL, why
    return FAILED, f"{type(error).__name__}: ".encode() + why


@functools.cache
def find_function(name: str) -> Check:
    """The check of a name, `module:function`."""
    module, _, function = name.partition(":")
    check: Check = getattr(importlib.import_module(module), function)
    return check


def _request(stream: socket.socket) -> tuple[str, bytes] | None:
    """A frame: the length of the function's name, the name, and the payload."""
    header = _exactly(stream, HEADER.size)
    if header is None:
        return None
    named, size = HEADER.unpack(header)
    body = _exactly(stream, named + size)
    return None if body is None else (body[:named].decode(), body[named:])


def _exactly(stream: socket.socket, size: int) -> bytes | None:
    data = stream.recv(size)
    if len(data) == size:
        return data
    parts, have = [data], len(data)
    while have < size:
        if not parts[-1]:
            return None
        parts.append(stream.recv(min(size - have, 1 << 20)))
        have += len(parts[-1])
    return b"".join(parts)


def _resident() -> int:
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - a tenth of a Path's price
        _, pages, shared, *_ = file.read().split()
    return (int(pages) - int(shared)) * _PAGE

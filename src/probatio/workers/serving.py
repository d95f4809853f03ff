"""A worker: takes one check after another from its stream. The kernel holds its limits; it needs nobody's patience to end."""

from __future__ import annotations

import os
import resource
import signal
import socket

from probatio.workers.checking import checked
from probatio.workers.wire import FAILED, HEADER, LAST, READY, Fork, frame

_LOOK = 16  # checks between two looks at memory
_GROWN = 0.5  # of the limit, above what it had at first: time for a new worker
_PAGE = resource.getpagesize()

_state = {"worker": False, "leaves": False}


def retire() -> bool:
    """Called by a check that leaves its process unfit for another: the worker ends after this reply, with all it has started.
    False where this is no worker, and whoever made the mess must clean it up."""
    _state["leaves"] = True
    return _state["worker"]


def serve(stream: socket.socket, order: Fork) -> None:
    """Check what comes in until the stream ends or enough was done; never returns an error, says it."""
    # The soft limit alone: programs that are started from here set their own, above or below it.
    resource.setrlimit(resource.RLIMIT_DATA, (order.memory_mb << 20, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, also within a computation that holds the lock
    _state.update(worker=True, leaves=False)
    stream.sendall(frame(READY, b""))
    first = _resident()
    for number in range(1, order.checks + 1):
        request = _request(stream)
        if request is None:
            break
        signal.setitimer(signal.ITIMER_PROF, order.cpu_seconds)
        kind, payload = checked(*request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        grown = number % _LOOK == 0 and _resident() - first > _GROWN * (order.memory_mb << 20)
        leaves = number == order.checks or kind == FAILED or grown or _state["leaves"]
        stream.sendall(frame(kind + LAST * leaves, payload))
        if leaves:
            break
    os._exit(0)  # nothing is waited for; the nursery ends what was started from here


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

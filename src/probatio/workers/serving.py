"""A worker: takes one check after another from its stream. The kernel holds its limits; it needs nobody's patience to end."""

from __future__ import annotations

import functools
import importlib
import mmap
import os
import signal
import socket
from collections.abc import Callable

from probatio.errors import CannotCheck, ProbatioError
from probatio.workers.wire import DONE, DOUBTFUL, FAILED, HEADER, LAST, NO_JAIL, NO_TOOL, READY, Fork, frame

_LOOK = 16  # checks between two looks at memory
_GROWN = 0.5  # of the limit, above what it had at first: time for a new worker
_PAGE = mmap.PAGESIZE

Check = Callable[[bytes], bytes]

_state = {"worker": False, "leaves": False, "doubtful": False}


def retire() -> bool:
    """Called by a check that leaves its process unfit for another: the worker ends after this reply, with all it has started.
    False where this is no worker, and whoever made the mess must clean it up."""
    _state["leaves"] = True
    return _state["worker"]


def doubt() -> None:
    """Called by a check in whose result a limit of time had a part: the machine may have been busy, so nobody keeps it."""
    _state["doubtful"] = True


def serve(stream: socket.socket, order: Fork) -> None:
    """Check what comes in until the stream ends or enough was done; never returns an error, says it."""
    import resource  # Windows has none, and its workers are those of plain.py

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
        _state["doubtful"] = False
        signal.setitimer(signal.ITIMER_PROF, order.cpu_seconds)
        kind, payload = checked(*request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        grown = number % _LOOK == 0 and _resident() - first > _GROWN * (order.memory_mb << 20)
        leaves = number == order.checks or kind == FAILED or grown or _state["leaves"]
        stream.sendall(frame(kind + LAST * leaves + DOUBTFUL * _state["doubtful"], payload))
        if leaves:
            break
    os._exit(0)  # nothing is waited for; the nursery ends what was started from here


def checked(name: str, payload: bytes) -> tuple[int, bytes]:
    try:
        return DONE, function_named(name)(payload)
    except CannotCheck as error:
        return NO_TOOL, _sentence(error)
    except ProbatioError as error:
        return NO_JAIL, _sentence(error)
    except MemoryError:
        return FAILED, b"it needs more memory than a check may use"
    except BaseException as error:
        return FAILED, f"{type(error).__name__}: ".encode() + _sentence(error)


def _sentence(error: BaseException) -> bytes:
    try:
        return str(error)[:500].encode("utf-8", "replace")
    except Exception:
        return b""


@functools.cache
def function_named(name: str) -> Check:
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

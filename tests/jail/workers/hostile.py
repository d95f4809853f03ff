"""Checks that do what a grader must never do, called by name in real workers."""

from __future__ import annotations

import os
import subprocess
import time

from probatio.core.errors import CannotCheck, Incomplete


def echo(payload: bytes) -> bytes:
    return payload


def process(payload: bytes) -> bytes:
    return str(os.getpid()).encode()


def group(payload: bytes) -> bytes:
    return f"{os.getpgid(0)} {os.getppid()}".encode()


def loop(payload: bytes) -> bytes:
    while True:
        pass


def loop_with_the_lock_held(payload: bytes) -> bytes:
    """One operation of the interpreter, minutes long: no signal handler of Python's would be called within
    it."""
    return str((1 << 400_000_000) % ((1 << 200_000_001) - 1)).encode()


def swallow(payload: bytes) -> bytes:
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def wait(payload: bytes) -> bytes:
    time.sleep(600)
    return b""


def eat(payload: bytes) -> bytes:
    held = []
    while True:
        held.append(bytearray(1 << 24))


def leak(payload: bytes) -> bytes:
    KEPT.append(bytearray(b"x" * (4 << 20)))
    return str(os.getpid()).encode()


KEPT: list[bytearray] = []


def fail(payload: bytes) -> bytes:
    raise KeyError("half a pair \ud800")


def fail_to_say_so(payload: bytes) -> bytes:
    class Mute(BaseException):
        def __str__(self) -> str:
            raise RuntimeError

    raise Mute


def leave(payload: bytes) -> bytes:
    os._exit(0)


def crash(payload: bytes) -> bytes:
    os.abort()


def dive(payload: bytes) -> bytes:
    return dive(payload) + b""


def flood(payload: bytes) -> bytes:
    return bytes(64 << 20)


def no_tool(payload: bytes) -> bytes:
    raise CannotCheck("No browser today.")


def no_jail(payload: bytes) -> bytes:
    raise Incomplete("The jail could not be started.")


def start_another(payload: bytes) -> bytes:
    """Leaves a process behind that would outlive it, tells its number, and hangs."""
    child = subprocess.Popen(["/bin/sleep", "600"])
    with open(payload.decode(), "w") as file:  # noqa: PTH123
        file.write(f"{child.pid} {os.getpid()}")
    return loop(payload)


def crash_at_first(payload: bytes) -> bytes:
    """Ends its worker, but only the first one."""
    path = payload.decode()
    if not os.path.exists(path):  # noqa: PTH110
        with open(path, "w"):  # noqa: PTH123
            os.abort()
    return b"at last"


def sometimes(payload: bytes) -> bytes:
    """The payload from its end; but some payloads break the check."""
    if payload == b"raise":
        raise ValueError("broken")
    if payload == b"exit":
        os._exit(3)
    while payload == b"spin":
        pass
    return payload[::-1]

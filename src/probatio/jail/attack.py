"""An attack on the jail: the record, the target, whether it was held, and whether it outlives its grader."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from probatio.core.python import python_command
from probatio.jail.isolation import Choice
from probatio.jail.program import Limits, ProgramOutcome, Runtime

HARM = "HARM"
"""What a program prints once it has done what it came for."""

LIMITS = Limits(seconds=30.0, cpu_seconds=3, memory_mb=256, output_bytes=200_000, processes=48)
"""CPU time ends a loop. The clock allows more: an attack that has not begun would count as not tried."""


class Attack(msgspec.Struct, frozen=True):
    """A program that tries to do harm. `T` holds what it knows of its target."""

    name: str
    program: str
    held_by: str
    stops: tuple[str, ...] = ()
    """The limits one of which must stop it; empty where it must fail by itself."""
    slow: bool = False


@contextlib.contextmanager
def set_up_target() -> Iterator[dict[str, object]]:
    """Something to attack: a secret in the environment and in a file, sockets, a writable folder."""
    token = secrets.token_hex(16)
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as beside,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as letterbox,
    ):
        secret = Path(folder, f"expected-{token[:6]}.txt")
        secret.write_text(token)
        letterbox.bind(f"{beside}/letterbox")
        os.environ["PROBATIO_ATTACK_TOKEN"] = token
        try:
            yield {
                "token": token, "secret": str(secret), "folder": folder, "letterbox": letterbox.getsockname(),
                "port": server.getsockname()[1], "pid": os.getpid(), "traits": _read_traits(secret),
            }  # fmt: skip
        finally:
            del os.environ["PROBATIO_ATTACK_TOKEN"]


def _read_traits(path: Path) -> str:
    """What a program could change of a file without writing in it."""
    about = path.stat()
    return (
        f"mode {about.st_mode:o}, owner {about.st_uid}:{about.st_gid}, changed {about.st_mtime_ns}, "
        f"{os.listxattr(path)}"
    )


def find_harm(attack: Attack, outcome: ProgramOutcome, on: dict[str, object]) -> str | None:
    """None where the attack was held; else what it did."""
    if HARM in outcome.stdout:
        return outcome.stdout[outcome.stdout.index(HARM) :].splitlines()[0]
    if str(on["token"]) in outcome.stdout + outcome.stderr:
        return "it printed the secret"
    if len(outcome.stdout) + len(outcome.stderr) > LIMITS.output_bytes:
        return "it printed more than it may"
    if attack.stops and outcome.stopped not in attack.stops:
        stops = ", ".join(attack.stops)
        return f"it ended with {outcome.exit}, stopped by {outcome.stopped} and not by one of {stops}"
    if not attack.stops and outcome.exit != 0:
        return f"it could not be tried: {outcome.stderr.strip()[:300] or outcome.stopped}"
    secret = Path(str(on["secret"]))
    if _read_traits(secret) != on["traits"]:
        return f"it changed a file of the host from {on['traits']} to {_read_traits(secret)}"
    left = [entry.name for entry in Path(str(on["folder"])).iterdir() if entry != secret]
    return f"it left {left[0]} behind" if left else None


READY = "tries-to-stay"
"""The name a program gives itself once it has tried all it can to stay."""

_TRY_SECONDS, _GONE_SECONDS = 20.0, 3.0
_GRADER = """
import base64, json, msgspec, sys
from probatio.jail import Limits, Runtime, run
runtime, stdin, choice = json.load(sys.stdin)
run(msgspec.convert(runtime, Runtime), base64.b64decode(stdin), Limits(seconds=60, cpu_seconds=60), choice)
"""


def find_survivors(runtime: Runtime, stdin: bytes, choice: Choice) -> str | None:
    """None where nothing of the program lived on; else what did."""
    mark = f"mark-{secrets.token_hex(8)}"
    marked = msgspec.structs.replace(runtime, env=(*runtime.env, ("PROBATIO_MARK", mark)))
    told = json.dumps([msgspec.to_builtins(marked), base64.b64encode(stdin).decode(), choice])
    grader = subprocess.Popen(python_command("-c", _GRADER), stdin=subprocess.PIPE, text=True)
    try:
        assert grader.stdin is not None
        grader.stdin.write(told)
        grader.stdin.close()
        tried = _wait(
            lambda: any(_name(pid) == READY for pid in _find_marked(mark)) or grader.poll() is not None,
            _TRY_SECONDS,
        )
        if not tried or grader.poll() is not None:
            return "it could not be tried: the program did not start"
        grader.kill()
        grader.wait()
        _wait(lambda: not _find_marked(mark), _GONE_SECONDS)
        left = _find_marked(mark)
        names = ", ".join(_name(pid) for pid in left)
        return f"{len(left)} of its processes lived on ({names})" if left else None
    finally:
        grader.kill()
        grader.wait()
        for pid in _find_marked(mark):
            os.kill(pid, signal.SIGKILL)


def _wait(until: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if until():
            return True
        time.sleep(0.02)
    return False


def _find_marked(mark: str) -> list[int]:
    """Processes of this machine that hold the mark: the program, and the jail round it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark.encode() in (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""

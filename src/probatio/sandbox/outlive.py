"""Whether a program outlives its grader: one is started, killed as the kernel kills, and its programs are looked for."""

from __future__ import annotations

import base64
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from probatio.sandbox.isolation import Choice
from probatio.sandbox.program import Runtime

READY = "tries-to-stay"
"""The name a program gives itself once it has tried all it can to stay."""

_TRY_SECONDS, _GONE_SECONDS = 20.0, 3.0
_GRADER = """
import base64, json, msgspec, sys
from probatio.sandbox import Limits, Runtime, run
runtime, stdin, choice = json.load(sys.stdin)
run(msgspec.convert(runtime, Runtime), base64.b64decode(stdin), Limits(seconds=60, cpu_seconds=60), choice)
"""


def outlives(runtime: Runtime, stdin: bytes, choice: Choice) -> str | None:
    """None where nothing of the program lived on; else what did."""
    mark = f"mark-{secrets.token_hex(8)}"
    marked = msgspec.structs.replace(runtime, env=(*runtime.env, ("PROBATIO_MARK", mark)))
    told = json.dumps([msgspec.to_builtins(marked), base64.b64encode(stdin).decode(), choice])
    grader = subprocess.Popen([sys.executable, "-c", _GRADER], stdin=subprocess.PIPE, text=True)
    try:
        assert grader.stdin is not None
        grader.stdin.write(told)
        grader.stdin.close()
        tried = _wait(
            lambda: any(_name(pid) == READY for pid in _marked(mark)) or grader.poll() is not None, _TRY_SECONDS
        )
        if not tried or grader.poll() is not None:
            return "it could not be tried: the program did not start"
        grader.kill()
        grader.wait()
        _wait(lambda: not _marked(mark), _GONE_SECONDS)
        left = _marked(mark)
        return f"{len(left)} of its processes lived on ({', '.join(_name(pid) for pid in left)})" if left else None
    finally:
        grader.kill()
        grader.wait()
        for pid in _marked(mark):
            os.kill(pid, signal.SIGKILL)


def _wait(until: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if until():
            return True
        time.sleep(0.02)
    return False


def _marked(mark: str) -> list[int]:
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

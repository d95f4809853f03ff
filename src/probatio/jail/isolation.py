"""Which isolation works on this machine, found by trying it, and the refusal where none does."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Literal

import msgspec

from probatio.core.errors import UsageError

Kind = Literal["bubblewrap", "landlock", "none"]
Choice = Literal["auto", "bubblewrap", "landlock", "none"]

MADE_OF: dict[Kind, str] = {
    "bubblewrap": "own user, process, network, IPC, host-name and mount namespaces; only the runtime is "
    "mounted, read-only; no capabilities; seccomp filter; limits",
    "landlock": "Landlock over the file system; seccomp filter; no capabilities; "
    "own network where the kernel allows; limits",
    "none": "limits of time, memory and output only: the program can read, write and reach what you can",
}


class Isolation(msgspec.Struct, frozen=True):
    """The isolation programs run in, and why the better ones were passed over."""

    kind: Kind
    made_of: str
    passed_over: tuple[str, ...] = ()


class NoIsolation(UsageError):
    """No jail can be built here, so nothing hostile is started."""


CONTAINER = (
    'docker run --rm -v "$PWD:/work" --security-opt seccomp=unconfined --security-opt '
    "systempaths=unconfined probatio"
)
"""Runs a command of ours in the container, on the folder one is in; docs/deploy.md tells more."""


def explain_no_jail() -> str | None:
    """Where a model's code is run instead, on a system that has no jail for it. None on Linux."""
    if sys.platform == "linux":
        return None
    system = {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, sys.platform)
    return (
        f"{system} has no jail for a model's code, so none is run here. Asking, studying, comparing and the "
        f"site work; what has to be run is run in the container: {CONTAINER} grade RUN"
    )


_TRIAL_EXIT = 7  # a status that nothing but our own trial program ends with


def find_fault(kind: Kind) -> str | None:
    """None where the isolation works at this moment, else what it said when it was tried."""
    if sys.platform != "linux":
        return f"{kind} needs Linux"
    # Modules that only Linux can import.
    from probatio.jail import build
    from probatio.jail.libraries import libraries
    from probatio.jail.program import Limits, Runtime
    from probatio.jail.seccomp import available

    if kind == "bubblewrap" and build.bwrap() is None:
        return "bubblewrap is not installed"
    if not available():
        return f"{kind} needs x86_64 or aarch64"
    shell = shutil.which("sh") or "/bin/sh"
    try:
        trial = Runtime((shell, "-c", f"exit {_TRIAL_EXIT}"), libraries(shell))
        tried = build.run(kind, trial, b"", Limits(seconds=5.0))
    except OSError as error:
        return f"{kind} did not start: {error}"
    if tried.exit == _TRIAL_EXIT:
        return None
    return f"{kind} said: {tried.stderr.strip() or f'exit {tried.exit}'}"


def explain_unheld_processes(kind: Kind) -> str | None:
    """Why an isolation can't hold a toolchain that starts processes; None where it can, or holds nothing."""
    if kind == "landlock":
        return "Landlock has no process namespace to hold them; this needs bubblewrap"
    if kind == "bubblewrap" and os.geteuid() == 0:
        return "the kernel does not limit how many root starts; run Probatio as another user"
    kernel = tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])
    if kind == "bubblewrap" and kernel < (5, 14):
        return "this needs Linux 5.14 or later, which counts them by jail"
    return None


def runs_warm(kind: Kind) -> bool:
    """Whether a runner can be kept warm in an isolation: it needs a process namespace, which ends all that a
    runtime leaves behind, and the kernel's list of children."""
    return kind == "bubblewrap" and Path("/proc/thread-self/children").exists()


_fault = functools.cache(find_fault)


@functools.cache
def find_isolation(choice: Choice = "auto") -> Isolation:
    """The isolation to use: the best that works, or the one asked for. Refuses where that can't be had."""
    if told := explain_no_jail():
        raise NoIsolation(told)
    if choice == "none":
        return Isolation("none", MADE_OF["none"])
    wanted: tuple[Kind, ...] = ("bubblewrap", "landlock") if choice == "auto" else (choice,)
    faults: list[str] = []
    for kind in wanted:
        fault = _fault(kind)
        if fault is None:
            return Isolation(kind, MADE_OF[kind], tuple(faults))
        faults.append(fault)
    raise NoIsolation(
        f"No isolation works here, so no model's code is run ({'; '.join(faults)}). "
        "Allow user namespaces for bubblewrap (sysctl user.max_user_namespaces, "
        "kernel.apparmor_restrict_unprivileged_userns; in Docker: --security-opt seccomp=unconfined), "
        "or use a Linux kernel from 5.13 on with Landlock. "
        "To go on without isolation, on a machine you can lose, say --sandbox none."
    )


def warm_jail() -> None:
    """Find the jail once for all workers that are forked later. Without one, each check says so."""
    with contextlib.suppress(NoIsolation):
        find_isolation("auto")

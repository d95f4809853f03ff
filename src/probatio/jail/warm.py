"""Warm runners: a jail that stays, with a runtime that is loaded once and forked for each program.

The parent in the jail (`forking.py`) is stopped while no program runs. A program is a child of it under the
filter that every program has, with handles of its own and nothing to write in. The jail is ended, and another
one begun at need, when a program passes a limit, the parent ends or says what it should not, or anything else
is alive in there.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import signal
import socket
import struct
import subprocess
import threading
import time
import weakref
from pathlib import Path

import msgspec

from probatio.jail import build
from probatio.jail.handles import limit_processes, seal
from probatio.jail.program import Limits, ProgramOutcome, Runtime
from probatio.jail.seccomp import filter_program
from probatio.jail.supervisor import Supervisor, is_filtered, list_children, read_usage

_MOST_HELD = 4
_TRIES = 2
_ALL_PROCESSES = 4
"""Times the limit of one program: so many processes and threads the kernel lets be in a jail. A program meets
the limit itself first, by a look from outside."""
_STATUS = struct.Struct("<i")
_WAIT = 0.002
_SAID = 2000
_held = threading.local()  # a jail ends with the thread that began it


class Broken(Exception):
    """A warm runner that can't be used any more, or never could."""


def run(runtime: Runtime, program: bytes, stdin: bytes, limits: Limits) -> ProgramOutcome:
    """Run a program by the warm runner of this runtime, which is a Python and the file it loads.

    A runner that breaks is replaced once; then the outcome is that of a runtime that does not start.
    """
    why = ""
    for _ in range(_TRIES):
        try:
            warm = _take(runtime, limits)
            outcome = warm.run(program, stdin)
        except Broken as error:
            why = str(error)
            continue
        if warm.ended:
            _forget(runtime, limits)
        return outcome
    return ProgramOutcome(126, "", f"probatio: the server of commands.serve {why}", None, 0.0)


def _take(runtime: Runtime, limits: Limits) -> WarmJail:
    """The runner that is held for this runtime, if it is still fit for use; else a new one."""
    if getattr(_held, "pid", None) != os.getpid():  # after a fork they are another's
        _held.pid, _held.jails = os.getpid(), {}
    jails: dict[tuple[Runtime, Limits], WarmJail] = _held.jails
    warm = jails.pop((runtime, limits), None)
    if warm is None or not warm.is_fit():
        if warm:
            warm.end()
        while len(jails) >= _MOST_HELD:
            jails.pop(next(iter(jails))).end()
        warm = WarmJail(runtime, limits)
    jails[runtime, limits] = warm
    return warm


def _forget(runtime: Runtime, limits: Limits) -> None:
    _held.jails.pop((runtime, limits), None)


class WarmJail:
    """One jail with a runtime in it, from its start to its end."""

    def __init__(self, runtime: Runtime, limits: Limits) -> None:
        self.limits = limits
        self.control, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        said = os.memfd_create("said", os.MFD_CLOEXEC)
        try:
            with inner:  # its end is seen only where no copy of it is left
                self.pid, self.first, self.parent = _start(runtime, limits, inner, said)
            self.end = weakref.finalize(self, _end, self.pid, self.first, self.control, os.getpid())
            self._load(filter_program(runtime.calls), said)
        except BaseException:
            self.control.close()
            raise
        finally:
            os.close(said)

    @property
    def ended(self) -> bool:
        return not self.end.alive

    def run(self, program: bytes, stdin: bytes) -> ProgramOutcome:
        text, given = seal("program", program), seal("stdin", stdin)
        (out, its_out), (err, its_err) = os.pipe2(os.O_CLOEXEC), os.pipe2(os.O_CLOEXEC)
        try:
            try:
                os.kill(self.parent, signal.SIGCONT)
                socket.send_fds(self.control, [b"run"], [text, given, its_out, its_err])
            except OSError as error:
                raise self._break("ended") from error
            finally:
                for handle in (text, given, its_out, its_err):
                    os.close(handle)
            outcome = _Child(self, (out, err)).supervise()
        except BaseException:
            self.end()
            raise
        finally:
            os.close(out)
            os.close(err)
        if not self.ended:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.parent, signal.SIGSTOP)
        return outcome

    def is_fit(self) -> bool:
        """Whether nothing is in the jail but its first process and the parent, which has one thread."""
        if self.ended:
            return False
        try:
            return (
                list_children(self.first) == [self.parent]
                and not list_children(self.parent)
                and len(os.listdir(f"/proc/{self.parent}/task")) == 1  # noqa: PTH208
            )
        except OSError:
            return False

    def take_status(self) -> int:
        """How the program ended, as the parent says: the one thing it may say."""
        try:
            said = self.control.recv(_STATUS.size + 1, socket.MSG_DONTWAIT)
        except OSError as error:
            raise self._break("ended") from error
        if len(said) != _STATUS.size:
            raise self._break("said what it should not" if said else "ended")
        (status,) = _STATUS.unpack(said)
        if not (os.WIFEXITED(status) or os.WIFSIGNALED(status)):
            raise self._break("said what it should not")
        return int(status)

    def _load(self, rules: bytes, said: int) -> None:
        """Have the runtime loaded, within the limits of a program."""
        with contextlib.suppress(OSError):
            self.control.send(rules)
        ready = select.poll()
        ready.register(self.control, select.POLLIN)
        word = self.control.recv(16) if ready.poll(self.limits.seconds * 1000) else None
        if word == b"ready" and self.is_fit():
            return
        lines = os.pread(said, _SAID, 0).decode("utf-8", "replace").strip().splitlines()
        if word is None:
            why = f"was not loaded within {self.limits.seconds:g} s"
        elif word == b"ready":
            why = "has started threads or processes while it was loaded: such a runtime can't be forked"
        else:
            why = f"could not be loaded: {lines[-1] if lines else 'it said nothing'}"
        raise self._break(why)

    def _break(self, why: str) -> Broken:
        self.end()
        return Broken(why)


class _Child(Supervisor):
    """A program of a warm runner under supervision: the parent tells its end, and the jail goes with it."""

    def __init__(self, warm: WarmJail, pipes: tuple[int, int]) -> None:
        super().__init__(warm.pid, pipes, warm.limits, lambda: None)
        self.warm = warm

    def watch_end(self) -> int:
        return os.dup(self.warm.control.fileno())

    def over(self) -> str | None:
        try:
            children = list_children(self.warm.parent)
            if not children:
                return None
            memory, threads = read_usage(children[0])
            strays = len(children) > 1 or list_children(self.warm.first) != [self.warm.parent]
        except (OSError, ValueError):
            return None
        if memory > self.limits.memory_mb << 10:
            return "memory"
        return "processes" if strays or threads > self.limits.processes else None

    def reap(self) -> int:
        if self.stopped:
            self.warm.end()
            return signal.SIGKILL
        return self.warm.take_status()


def _start(runtime: Runtime, limits: Limits, control: socket.socket, said: int) -> tuple[int, int, int]:
    """Start a jail whose program waits: the processes of bubblewrap outside, of its first inside, and of the
    parent of all programs."""
    deadline = time.monotonic() + limits.seconds
    *before, file = runtime.argv
    parent_of_all = msgspec.structs.replace(runtime, argv=(*before, "-c", _parent(), file), forks=True)
    with build.start_bubblewrap(parent_of_all, limits) as start:
        child = subprocess.Popen(
            start.argv, stdin=control.fileno(), stdout=said, stderr=said, env=start.env,
            pass_fds=start.handles, start_new_session=True, cwd="/",
        )  # fmt: skip
        child.returncode = 0  # reaped when the jail is ended
        report = start.report
        assert report is not None
        first = parent = None
        try:
            if start.options:
                start.options.tell(child.pid)
            while (
                (first := report.first()) is None
                or not is_filtered(first)
                or (parent := report()) in (None, first)
            ):
                if time.monotonic() > deadline or os.waitid(
                    os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT
                ):
                    lines = os.pread(said, _SAID, 0).decode("utf-8", "replace").strip()
                    raise Broken(f"could not be started: {lines or 'the jail did not begin'}")
                time.sleep(_WAIT)
        except BaseException:
            _kill(child.pid, first)
            raise
        assert first is not None and parent is not None
        limit_processes(parent, _ALL_PROCESSES * limits.processes)
        return child.pid, first, parent


@functools.cache
def _parent() -> str:
    return Path(__file__).with_name("forking.py").read_text("utf-8")


def _kill(pid: int, first: int | None) -> None:
    for each in (first, pid):
        if each is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _end(pid: int, first: int, control: socket.socket, owner: int) -> None:
    """End the jail with all that is in it. A copy of this process has none."""
    control.close()
    if os.getpid() == owner:
        _kill(pid, first)

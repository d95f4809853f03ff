"""A command in a child of ours, under limits, and all that it opens, writes, starts and calls outside.

The child is forked from a process that has everything imported, so a command costs its own work only. An
audit hook sees every file that Python opens and every process that it starts. The kernel holds limits of
CPU, clock and memory; a child that passes one tells where it was.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import re
import resource
import shutil
import signal
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from fuzz.findings import OURS, line_of, place_of

CPU_SECONDS = 20
CLOCK_SECONDS = 90
MEMORY = 4 << 30
MOST_RESIDENT_MB = 1_000
"""A small world takes 250 MB, most of it shared with the process it was forked from."""


class Ended(msgspec.Struct):
    """How a command ended in the child, and what was seen."""

    code: int | None = None
    output: str = ""
    place: str = ""
    """Where an exception left our code."""
    what: str = ""
    outside: list[str] = []
    """What it opened, wrote, started or called that it may not."""
    resident_mb: int = 0


READABLE = (
    sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), str(Path(__file__).parents[2]), "/usr",
    "/lib", "/lib64",
    "/bin", "/sbin", "/opt", "/sys", "/proc/self/fd", "/proc/self/task", "/proc/self/stat",
    "/proc/self/status", "/proc/self/maps",
    "/proc/self/cgroup", "/proc/self/mountinfo", "/proc/self/mounts", "/proc/meminfo", "/proc/cpuinfo",
    "/proc/stat", "/proc/sys",
    "/proc/filesystems", "/proc/version", "/proc/loadavg",
    "/dev/null", "/dev/urandom", "/dev/shm", "/dev/pts", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl",
    "/etc/mime.types",
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/os-release", "/etc/httpd",
    "/etc/apache", "/etc/apache2",
    "/etc/alternatives", "/etc/machine-id", "/etc/services", "/etc/host.conf", "/etc/gai.conf",
    "/etc/debian_version",
)  # fmt: skip
"""What every Python program may read: itself, its libraries, the settings of the system."""
OWN_PROCESSES = re.compile(r"/proc/\d+/(?:fd|task|status|stat|statm|smaps_rollup|limits)\b")
"""What the jail looks at while a program runs in it; never an environment or a memory."""
WRITABLE = ("/dev/null", "/dev/shm", "/dev/pts", "/proc/self/fd")
STARTED = ("bwrap", "git", "deno", "ldconfig", "chromium", "chromium-headless-shell", "chrome-headless-shell")
"""Programs that we start ourselves, apart from Python; bwrap is the jail."""
LOADER = re.compile(r"(?:/usr)?/lib(?:64|/[\w-]+)?/ld-[\w.-]+$")
"""The system's own loader, which lists libraries; not for a file of the world."""
WRITES = {"os.rename": (0, 1), "os.remove": (0,), "os.mkdir": (0,), "os.rmdir": (0,), "os.link": (1,),
"os.symlink": (1,),
          "os.truncate": (0,), "os.chmod": (0,), "os.utime": (0,), "shutil.rmtree": (0,)}  # fmt: skip
"""Event → which of its arguments are paths that are written."""


class _Watch:
    """The audit hook: notes what is outside of `home`."""

    def __init__(self, home: Path, may_call: bool) -> None:
        self.home = str(home)
        self.may_call = may_call
        self.seen: list[str] = []
        self._own: list[Any] = []  # sockets it listens on itself, such as the stand-in of a rehearsal
        self._busy = False

    def __call__(self, event: str, given: tuple[Any, ...]) -> None:
        if self._busy:
            return
        self._busy = True
        try:
            if fault := self._fault(event, given):
                self.seen.append(f"{fault}, in {_our_caller()}")
        except Exception as error:
            self.seen.append(f"the watch itself: {event} {error!r}")
        finally:
            self._busy = False

    def _fault(self, event: str, given: tuple[Any, ...]) -> str | None:
        if event == "open":
            return self._opened(given[0], given[2])
        if event in ("os.listdir", "os.scandir") and isinstance(given[0], str | bytes):
            return self._opened(given[0], 0)
        if event == "os.link" and (fault := self._opened(given[0], 0)):
            return fault
        if event in WRITES:
            paths = (given[place] for place in WRITES[event])
            return next((fault for path in paths if (fault := self._written(path, event))), None)
        if event == "subprocess.Popen":
            return self._started(given[0] or given[1][0], given[1])
        if event in ("os.exec", "os.posix_spawn", "os.spawn", "os.system"):
            return self._started(given[0], ())
        if event == "socket.bind":
            self._own.append(given[0])
        if event == "socket.connect" and isinstance(given[1], tuple) and not self.may_call:
            own = [each.getsockname() for each in self._own if each.fileno() >= 0]
            return None if given[1] in own else f"called {given[1]}"
        return None

    def _opened(self, path: Any, flags: int | None) -> str | None:
        if not isinstance(path, str | bytes):
            return None
        name = os.fsdecode(path)
        flags = flags or 0
        if not name.startswith("/"):
            if "/" not in name:
                return None  # a last step, below a folder that is open; `inside` told the whole name before
            name = os.path.join(os.getcwd(), name)  # noqa: PTH118, PTH109
        if flags & os.O_NOFOLLOW:
            return None
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC):
            return self._written(name, "open")
        real = os.path.realpath(name)
        if self._inside(real) or real.startswith(READABLE) or not os.path.exists(real):  # noqa: PTH110
            return None
        if OWN_PROCESSES.match(real):
            return None
        if _is_parent(real, self.home):
            return None  # looked through on the way to the world
        return f"read {real}"

    def _written(self, path: Any, event: str) -> str | None:
        if not isinstance(path, str | bytes):
            return None
        name = os.fsdecode(path)
        if not name.startswith("/"):
            return None
        folder, last = os.path.split(name)
        real = os.path.realpath(name) if event == "open" else f"{os.path.realpath(folder)}/{last}"
        return None if self._inside(real) or real.startswith(WRITABLE) else f"wrote {real} ({event})"

    def _started(self, program: Any, words: Any) -> str | None:
        name = os.fsdecode(program) if isinstance(program, str | bytes | os.PathLike) else str(program)
        name = shutil.which(name) or name
        if LOADER.match(name) and not any(self._is_ours(word) for word in words):
            return None
        if os.path.basename(name) in STARTED and not self._inside(os.path.realpath(name)):  # noqa: PTH119
            return None
        return None if os.path.realpath(name) == os.path.realpath(sys.executable) else f"started {name}"

    def _is_ours(self, word: Any) -> bool:
        return os.path.exists(str(word)) and self._inside(os.path.realpath(str(word)))  # noqa: PTH110

    def _inside(self, real: str) -> bool:
        return real == self.home or real.startswith(self.home + "/")


def _our_caller() -> str:
    """The innermost function of ours that is at work."""
    frame = sys._getframe(1)
    while frame.f_back is not None and not OURS.search(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{frame.f_code.co_filename.partition('/src/')[2] or '?'}:{frame.f_code.co_name}"


def _is_parent(path: str, of: str) -> bool:
    return of.startswith(path.rstrip("/") + "/")


def run_in_child(
    deed: Callable[[], None], home: Path, cwd: Path, env: Mapping[str, str], may_call: bool
) -> Ended:
    """Call the deed in a child; everything below `home` is its own."""
    report = home / "report.json"
    traces = home / "traces.txt"
    child = os.fork()
    if child == 0:
        try:
            _be_child(deed, home, cwd, env, may_call, report, traces)
        finally:
            os._exit(0)
    usage = _wait(child)
    ended = Ended()
    if report.exists():
        ended = msgspec.json.decode(report.read_bytes(), type=Ended)
    if ended.code is None and not ended.place:
        ended.place, ended.what = _read_traces(traces)
    ended.resident_mb = usage.ru_maxrss >> 10
    return ended


def _wait(child: int) -> resource.struct_rusage:
    """Wait for the child, and end it where it does not even pass its own limit of time."""
    until = time.monotonic() + CLOCK_SECONDS + 30
    pause = 0.001
    while True:
        pid, _, usage = os.wait4(child, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    return usage


def _be_child(
    deed: Callable[[], None],
    home: Path,
    cwd: Path,
    env: Mapping[str, str],
    may_call: bool,
    report: Path,
    traces: Path,
) -> None:
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    import tempfile

    tempfile.tempdir = None
    sys.stdin = io.StringIO("")
    out = sys.stdout = sys.stderr = io.StringIO()
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    told = traces.open("w")
    faulthandler.enable(told)
    faulthandler.register(signal.SIGXCPU, told, chain=True)
    faulthandler.dump_traceback_later(CLOCK_SECONDS, exit=True, file=told)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    watch = _Watch(home, may_call)
    sys.addaudithook(watch)
    ended = Ended()
    try:
        deed()
        ended.code = 0
    except SystemExit as stop:
        ended.code = stop.code if isinstance(stop.code, int) else 1
    except BaseException as error:
        ended.place = place_of(error)
        ended.what = f"{line_of(error)}: {error!r:.300}"
    watch._busy = True
    ended.output = out.getvalue()[-20_000:].encode("utf-8", "replace").decode()
    ended.outside = list(dict.fromkeys(each.encode("utf-8", "replace").decode() for each in watch.seen))[:20]
    report.write_bytes(msgspec.json.encode(ended))


def _read_traces(traces: Path) -> tuple[str, str]:
    """The innermost line of ours in what faulthandler wrote when a limit was passed."""
    lines = traces.read_text(encoding="utf-8", errors="replace").splitlines() if traces.exists() else []
    ours = [line.strip() for line in lines if "/src/probatio/" in line or "/src/faber/" in line]
    where = ours[0].partition("/src/")[2] if ours else "no line of ours"
    kind = "a hang" if any("Timeout" in line for line in lines) else "a limit of CPU or a crash"
    file = where.partition('", line')[0]
    return f"{kind} in {file}:{where.rpartition(' in ')[2]}", where

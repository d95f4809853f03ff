"""A runner that is kept warm gives what a cold one gives, and no program of it reaches the next."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from languages.command.languages_here import command, python, usable
from probatio.core.errors import UsageError
from probatio.jail import Limits, ProgramOutcome
from probatio.jail.attack import LIMITS, Attack, find_harm, set_up_target
from probatio.languages.attacks import ATTACKS
from probatio.languages.command import CommandLanguage
from probatio.languages.python.attacks import program

SERVER = """import os, sys
words = []
held = open(__file__)
def run(program):
    exec(compile(program, "program", "exec"), {"__name__": "__main__"})
if __name__ == "__main__":
    run(open(sys.argv[1]).read())
"""
RIGHT = "print(int(input()) + 1)"


def served(folder: Path, server: str = SERVER, **more: object) -> CommandLanguage:
    """Python as a language, by a server whose programs can do all that Python can."""
    usable("bubblewrap")
    folder.joinpath("server.py").write_text(server)
    more.setdefault("limits", Limits(seconds=5, cpu_seconds=2, memory_mb=256, output_bytes=100_000))
    return command(
        ("{python}", "{folder}/server.py", "{file}"), "Served", suffix=".py", folder=str(folder),
        serve=("{python}", "{folder}/server.py"), **more,
    )  # fmt: skip


def run(language: CommandLanguage, text: str, stdin: str = "") -> ProgramOutcome:
    return language.run(text, "standard", stdin, "bubblewrap")


def without_place(outcome: ProgramOutcome) -> tuple[object, ...]:
    return outcome.exit, outcome.stdout, outcome.stderr.splitlines()[-1:], outcome.stopped, outcome.started


@pytest.mark.parametrize(
    ("text", "stdin"),
    [
        (RIGHT, "41"), ("import sys; sys.exit(3)", ""), ("raise SystemExit('no such word')", ""),
        ("1/0", ""), ("import os; os.abort()", ""), ("print('ä' * 3, end='')", ""),
        ("import os; os.close(1); print(1)", ""), ("import sys; print(sys.stdin.read())", "a\nb"),
        ("print('x' * 200_000)", ""), ("while True: pass", ""),
        ("x = bytearray(300 << 20)\nwhile True: pass", ""), ("import sys; sys.exit(300)", ""),
    ],
)  # fmt: skip
def test_a_warm_runner_gives_what_a_cold_one_gives(tmp_path: Path, text: str, stdin: str) -> None:
    # On a busy machine two seconds of CPU take many of the clock.
    warm = served(tmp_path, limits=Limits(seconds=40, cpu_seconds=2, memory_mb=256, output_bytes=100_000))
    cold = command(warm.commands.run, "Cold", suffix=".py", folder=str(tmp_path), limits=warm.commands.limits)
    assert without_place(run(warm, text, stdin)) == without_place(run(cold, text, stdin))


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_by_a_program_of_a_warm_runner_is_held(
    tmp_path: Path, attack: Attack, on: dict[str, object]
) -> None:
    language = served(tmp_path, limits=LIMITS)
    outcome = run(language, program(attack, on))
    if attack.name != "change its own file":  # it has none
        assert find_harm(attack, outcome, on) is None, outcome
    assert run(language, RIGHT, "41").stdout == "42\n"


@pytest.fixture(scope="module")
def on() -> Iterator[dict[str, object]]:
    with set_up_target() as attacked:
        yield attacked


_TRY = """
import ctypes, os, signal, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
parent = os.getppid()
def attempt(what, deed):
    try:
        if deed() is not False:
            print("HARM", what, flush=True)
    except (OSError, ValueError) as error:
        pass
def call(*words):
    if libc.syscall(*words) < 0:
        raise OSError
"""

ON_THE_RUNNER = {
    "forge a reply by every handle": """
for handle in [*range(3, 1024)]:
    attempt(handle, lambda: os.write(handle, struct.pack("<i", 0)))
""",
    "take the parent's handles": """
for handle in range(64):
    attempt(handle, lambda: os.open(f"/proc/{parent}/fd/{handle}", os.O_RDWR))
    attempt("link", lambda: os.readlink(f"/proc/{parent}/fd/{handle}"))
    attempt("pidfd", lambda: call(438, call(434, parent, 0) or 0, handle, 0))
""",
    "write in the parent's memory": """
for mode in (os.O_RDONLY, os.O_RDWR):
    attempt("mem", lambda: os.open(f"/proc/{parent}/mem", mode))
attempt("environment", lambda: os.open(f"/proc/{parent}/environ", os.O_RDONLY))
attempt("ptrace", lambda: call(101, 16, parent, 0, 0))
attempt("vm write", lambda: call(311, parent, 0, 0, 0, 0, 0))
attempt("vm read", lambda: call(310, parent, 0, 0, 0, 0, 0))
""",
    "do so by a program it becomes": """
text = f'''
import os
for name in ("mem", "environ", "fd/0", "fd/3", "fd/4"):
    try:
        os.open("/proc/{parent}/" + name, os.O_RDONLY)
        print("HARM", name)
    except OSError:
        pass
'''
os.execve(sys.executable, [sys.executable, "-S", "-c", text], os.environ)
""",
    "be looked at again": """
attempt("dumpable", lambda: libc.prctl(4, 1, 0, 0, 0) == 0)
attempt("another filter", lambda: libc.prctl(22, 2, 0, 0, 0) == 0)
""",
    "signal or limit the parent": """
for number in (signal.SIGSTOP, signal.SIGKILL, 0):
    attempt(number, lambda: os.kill(parent, number))
    attempt(number, lambda: os.kill(-1, number))
import resource
attempt("limit", lambda: resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1)))
""",
    "stay in the background": """
attempt("fork", lambda: os.fork() > 0)
attempt("clone", lambda: call(56, 17, 0, 0, 0, 0))
threading.Thread(target=time.sleep, args=(600,)).start()
""",
    "read on in what the runtime opened": """
import server
attempt("handle", lambda: os.lseek(server.held.fileno(), 5, 0))
""",
    "write anywhere": """
for place in ("/", "/tmp", "/scratch", os.path.dirname(sys.argv[0]), "/proc"):
    attempt(place, lambda: open(place + "/left", "w"))
attempt("server", lambda: open(sys.argv[0], "a"))
""",
    "change the runtime": """
import builtins, server
server.words.append(1); server.run = None; builtins.print = None; sys.modules.clear()
""",
}  # fmt: skip


@pytest.mark.parametrize("name", ON_THE_RUNNER)
def test_a_program_reaches_neither_its_runner_nor_the_next_program(tmp_path: Path, name: str) -> None:
    language = served(tmp_path)
    before = run(language, "import os; print(os.getppid())").stdout
    assert "HARM" not in (outcome := run(language, _TRY + ON_THE_RUNNER[name])).stdout, outcome
    assert outcome.exit == 0, outcome
    after = run(language, "import os, server; print(os.getppid()); assert server.words == [], server.words")
    assert (after.exit, after.stdout) == (0, before), after


def test_the_attacks_on_the_runner_do_harm_without_a_jail(tmp_path: Path) -> None:
    """An attack that never succeeds would prove nothing."""
    text = _TRY + ON_THE_RUNNER["take the parent's handles"]
    assert "HARM" in python().run(text, "standard", "", "none").stdout


LAST = {
    "sleep": ("import time; time.sleep(600)", "time"),
    "loop": ("while True: pass", "cpu"),
    "memory": ("x = bytearray(300 << 20)\nwhile True: pass", "memory"),
    "output": ("while True: print('x' * 1000)", "output"),
    "threads": (
        "import threading, time\n"
        "for _ in range(24): threading.Thread(target=time.sleep, args=(9,)).start()\n"
        "time.sleep(9)",
        "processes",
    ),
}


@pytest.mark.parametrize("name", LAST)
def test_after_a_limit_the_next_program_is_right(tmp_path: Path, name: str) -> None:
    text, stopped = LAST[name]
    limits = Limits(seconds=20 if name != "sleep" else 0.7, cpu_seconds=1, memory_mb=200, processes=16)
    language = served(tmp_path, limits=limits)
    assert run(language, text).stopped == stopped
    assert run(language, RIGHT, "41").stdout == "42\n"


def test_nothing_of_a_program_is_in_the_memory_of_the_next(tmp_path: Path) -> None:
    language = served(tmp_path)
    first = run(
        language,
        "import os\nmark = 'the-' + 'answer-of-another'  # the-answer-of-another\nprint(os.getppid())",
    )
    search = """
import ctypes, os
mark = b"rehtona-fo-rewsna-eht"[::-1]
found = 0
for line in open("/proc/self/maps"):
    where, rights, *rest = line.split()
    if rights.startswith("rw") and "[v" not in line:
        begin, end = (int(word, 16) for word in where.split("-"))
        text = ctypes.string_at(begin, end - begin)
        found += text.replace(mark[::-1], b"").count(mark) if begin <= id(mark) < end else text.count(mark)
        del text
print(os.getppid(), found)
"""
    parent, found = run(language, search).stdout.split()
    assert parent == first.stdout.strip()
    assert int(found) <= 1, "its own copy alone"


BROKEN = {
    "has no function": ("x = 1", "has no function run"),
    "can't be loaded": ("import nothing_of_that_name", "nothing_of_that_name"),
    "fails": ("1/0", "could not be loaded: ZeroDivisionError"),
    "has threads": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "def run(program): pass",
        "has started threads",
    ),
    "has processes": (
        "import os, time\nif os.fork() == 0: time.sleep(60)\ndef run(program): pass", "has started threads",
    ),
    "lies": (
        "import os, socket\n"
        "socket.socket.send = lambda s, data: os.write(s.fileno(), b'readyready'[:len(data)])\n"
        "import struct\nstruct.pack = lambda *words: b'much too long a reply'\n"
        "def run(program): pass",
        "said what it should not",
    ),
    "tells no status": (
        "import struct\nstruct.pack = lambda *words: b'\\x7f\\x13\\0\\0'\ndef run(program): pass",
        "said what it should not",
    ),
    "ends": ("import os\nos.waitpid = lambda *words: os._exit(0)\ndef run(program): pass", "ended"),
    "hangs": ("while True: pass", "loaded"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_server_that_breaks_is_a_runtime_that_does_not_start_and_says_why(
    tmp_path: Path, name: str
) -> None:
    server, why = BROKEN[name]
    try:
        outcome = run(served(tmp_path, server, limits=Limits(seconds=1.5, cpu_seconds=5)), RIGHT, "41")
    except UsageError as error:
        assert why in str(error)
        return
    assert (outcome.exit, outcome.doubtful) == (126, True), outcome
    assert why in outcome.stderr


def test_what_a_server_leaves_behind_ends_before_the_next_program(tmp_path: Path) -> None:
    stay = (
        "os.register_at_fork(after_in_parent=lambda: threading.Thread(target=time.sleep, args=(60,)).start())"
    )
    language = served(tmp_path, SERVER.replace("words = []", f"words = []\nimport threading, time\n{stay}"))
    parents = {run(language, "import os; print(os.getpid())").stdout for _ in range(3)}
    assert parents == {"3\n"}, "each in a namespace of its own: the first child there"


def test_a_warm_runner_ends_with_a_killed_grader(tmp_path: Path) -> None:
    served(tmp_path)
    text = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parents[2])]!r}
from pathlib import Path
from languages.command.test_warm import served, run
from probatio.jail import warm
run(served(Path({str(tmp_path)!r})), "print(1)")
(one,) = warm._held.jails.values()
print(one.pid, one.first, one.parent, flush=True)
input()
"""
    grader = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with grader:
        assert grader.stdout is not None
        pids = [int(word) for word in grader.stdout.readline().split()]
        assert len(pids) == 3
        grader.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and (left := [pid for pid in pids if _alive(pid)]):
        time.sleep(0.02)
    assert not left


def _alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    return False


def test_a_runner_is_idle_between_programs(tmp_path: Path) -> None:
    from probatio.jail import warm

    run(served(tmp_path), "print(1)")
    one = list(warm._held.jails.values())[-1]
    deadline = time.monotonic() + 5
    while ") T" not in Path(f"/proc/{one.parent}/stat").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("serve", "why"),
    [
        (("sh", "{folder}/server.py"), r"commands\.serve is \["),
        (("{python}", "-m", "json"), r"commands\.serve is \["),
        (("{python}", "{folder}/nothing.py"), "is not there"),
    ],
)
def test_only_a_python_file_of_the_folder_can_serve(tmp_path: Path, serve: tuple[str, ...], why: str) -> None:
    usable("bubblewrap")
    (tmp_path / "server.py").write_text(SERVER)
    language = command(("{python}", "{file}"), suffix=".py", folder=str(tmp_path), serve=serve)
    with pytest.raises(UsageError, match=why):
        run(language, RIGHT, "41")


def test_a_language_without_a_server_keeps_its_version(tmp_path: Path) -> None:
    warm = served(tmp_path)
    cold = command(
        warm.commands.run, "Served", suffix=".py", folder=str(tmp_path), limits=warm.commands.limits
    )
    said = warm.version()
    assert said != cold.version()
    (tmp_path / "server.py").write_text(SERVER + "\n")
    assert served(tmp_path, SERVER + "\n").version() != said


def test_where_no_namespace_holds_it_the_command_runs(tmp_path: Path) -> None:
    language = served(tmp_path)
    assert language.run(RIGHT, "standard", "41", "none").stdout == "42\n"

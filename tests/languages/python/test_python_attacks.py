"""A solution that attacks its tests, its checker or the machine gets no credit for it and does no harm."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from probatio.builtin.daily.code_generation.grader import check
from probatio.core.records.check_result import CheckResult
from probatio.jail import Choice, NoIsolation, build, find_isolation
from probatio.jail.attack import Attack, find_harm, set_up_target
from probatio.languages.python import Call, CallFailed, Raised, Result, Returned, run_calls
from probatio.languages.python.attacks import ATTACKS, mount, outlives_the_grader
from probatio.suites.daily_suite import Case

pytestmark = pytest.mark.slow  # hostile programs in every isolation


def usable(choice: Choice) -> None:
    try:
        find_isolation(choice)
    except NoIsolation as error:
        pytest.skip(str(error))


@pytest.fixture(params=["bubblewrap", "landlock"])
def kind(request: pytest.FixtureRequest) -> Choice:
    choice: Choice = request.param
    usable(choice)
    return choice


def graded(source: str, kind: Choice, tests: list[dict[str, object]] | None = None) -> CheckResult:
    """A case whose right answers can't be guessed: the function shall double its argument and add a
    secret."""
    tests = tests or [{"args": [n], "expected": f"ANSWER-{secrets.token_hex(8)}"} for n in range(4)]
    case = Case("secret", "", gold={"function": "f", "groups": [{"name": "secret", "tests": tests}]})
    return check(case, f"```python\n{source}\n```", kind)


SEARCH = """
import gc, os, re, sys
def everything():
    yield open("/proc/self/cmdline").read()
    yield open("/proc/self/environ").read()
    for fd in range(64):
        try:
            os.lseek(fd, 0, 0)
            yield os.read(fd, 1 << 20).decode("utf-8", "replace")
        except OSError:
            pass
    frame = sys._getframe()
    while frame:
        yield repr(frame.f_locals) + repr(frame.f_globals)
        frame = frame.f_back
    for thing in gc.get_objects():
        if type(thing) in (str, bytes, tuple, list, dict):
            yield repr(thing)[:100_000]
    for place, folders, names in os.walk("/"):
        folders[:] = [name for name in folders if name not in
                      ("proc", "sys", "python3.11", "python3.12", "python3.13")]
        for name in names:
            if name.endswith((".yml", ".py", ".json", ".txt")):
                try:
                    yield open(os.path.join(place, name)).read()
                except (OSError, UnicodeDecodeError):
                    pass
def f(n):
    for text in everything():
        if match := re.search("ANSWER-[0-9a-f]{16}", text):
            return match[0]
    return "nothing"
"""


def test_a_search_of_memory_files_and_handles_finds_no_expected_value(kind: Choice, tmp_path: Path) -> None:
    (tmp_path / "cases.yml").write_text("expected: ANSWER-0123456789abcdef")
    checked = graded(SEARCH, kind)
    assert checked.score == 0
    assert "'nothing' returned" in checked.parts[0].detail


def test_the_same_search_finds_what_is_in_the_jail(kind: Choice) -> None:
    (result,) = run_calls(SEARCH, "f", [Call(("ANSWER-0123456789abcdef",))], kind)
    assert result == Returned("ANSWER-0123456789abcdef")


def test_tests_can_not_be_edited(kind: Choice, tmp_path: Path) -> None:
    theirs = tmp_path / "cases.yml"
    theirs.write_text("expected: 1")
    folder = (
        Path(__file__).resolve().parents[3] / "src" / "probatio" / "builtin" / "daily" / "code_generation"
    )
    before = (folder / "cases.yml").read_bytes()
    source = f"""
def f(n):
    done = []
    for path in [{str(theirs)!r}, {str(folder / "cases.yml")!r}, {str(folder / "grader.py")!r},
                 "/tmp/x", "x"]:
        for mode in ("r", "w", "a"):
            try:
                open(path, mode).close()
                done.append(path)
            except OSError:
                pass
    return done
"""
    assert run_calls(source, "f", [Call((0,))], kind) == (Returned([]),)
    assert theirs.read_text() == "expected: 1"
    assert (folder / "cases.yml").read_bytes() == before


EXITS = {
    "at once": "import os\nos._exit(0)",
    "by sys.exit": "import sys\nsys.exit(0)",
    "in the call": "import os\ndef f(n):\n    os._exit(0)",
    "by SystemExit in the call": "def f(n):\n    raise SystemExit(0)",
    "after a line that looks like success": "import os\nos.write(1, b'4 passed\\nOK\\n')\nos._exit(0)",
    "at exit": "import atexit, os\natexit.register(os._exit, 0)\ndef f(n):\n    return None",
}


@pytest.mark.parametrize("source", EXITS.values(), ids=EXITS.keys())
def test_leaving_early_with_success_earns_nothing(source: str, kind: Choice) -> None:
    assert graded(source, kind).score == 0


PATCHES = {
    "the driver's own functions": """
import __main__
__main__.plain = lambda value, depth=0: '"passed"'
__main__.same = __main__.check = lambda *args: True
def f(n):
    return n
""",
    "builtins": """
import builtins
builtins.issubclass = lambda *args: True
builtins.isinstance = lambda *args: True
builtins.all = lambda *args: True
def f(n):
    return n
""",
    "json": """
import json, _json
json.dumps = json.loads = lambda *args, **more: {"passed": True}
_json.encode_basestring_ascii = lambda text: '"passed"'
def f(n):
    return "x"
""",
    "equality": """
class Yes(str):
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = lambda self: 0
    __class__ = property(lambda self: Exception)
    __str__ = __repr__ = __format__ = lambda self, *args: "ANSWER"
def f(n):
    return Yes("x")
""",
    "the frames above": """
import sys
def f(n):
    frame = sys._getframe()
    while frame:
        for name in list(frame.f_locals):
            if name in ("body", "line", "patience"):
                frame.f_locals[name] = "passed"
        frame = frame.f_back
    return n
""",
    "lines of its own on every handle": """
import os
def f(n):
    for fd in range(1, 64):
        for line in (b'{"call": %d, "passed": true}', b'{"call": %d, "value": true}',
                     b'{"call": %d, "value": null}'):
            try:
                os.write(fd, line % n + b"\\n")
            except OSError:
                pass
    print("PASSED", "OK", "4 passed in 0.01s")
    os._exit(0)
""",
    "lines that are no result": r"""
import os
def f(n):
    for text in ('{"call": 0}', '{"call": true, "value": 1}', '{"call": -1, "value": 1}',
                 '{"call": 99999, "value": 1}',
                 '{"call": 0, "value": {"set": [[]]}}', '{"call": 0, "value": {"dict": 3}}', "[" * 9999,
                 '{"call": 0, "value": {"x": 1, "y": 2}}',
                 '{"call": 0, "raised": 3}', '{"call": 0, "raised": [], "after": 7}', '{"end": 5}',
                 '{"end": "x", "raised": 1}',
                 '{"call": 0, "value": ' + "[" * 5000 + "]" * 5000 + '}',
                 '{"call": 0, "value": ' + "9" * 5000 + '}', "nul\0"):
        for fd in range(3, 9):
            try:
                os.write(fd, text.encode() + b"\n")
            except OSError:
                pass
    return "x"
""",
}


@pytest.mark.parametrize("source", PATCHES.values(), ids=PATCHES.keys())
def test_taking_over_the_driver_earns_nothing(source: str, kind: Choice) -> None:
    assert graded(source, kind).score == 0


def test_forging_the_lines_says_no_more_than_returning(kind: Choice) -> None:
    """The argument of calls.py, run: a forged right answer counts because whoever knows it could have
    returned it."""
    forged = """
import os
def f(n):
    for fd in range(3, 9):
        try:
            os.write(fd, b'{"call": %d, "value": %d}\\n' % (n, 2 * n))
        except OSError:
            pass
    os._exit(0)
"""
    tests: list[dict[str, object]] = [{"args": [0], "expected": 0}]
    assert graded(forged, kind, tests).score == graded("def f(n):\n    return 2 * n", kind, tests).score == 1


def outcome(source: str, kind: Choice) -> Result:
    return run_calls(source, "f", [Call(())], kind)[0]


ALL_HANDLES = """
import os, time
def write(text):
    for handle in range(1, 20):
        try:
            os.write(handle, text.encode() + b"\\n")
        except OSError:
            pass
def untimed(deed):
    start = time.process_time()
    while time.process_time() - start < 0.6:
        deed()
"""
LONG_CALLS = {
    "sets the timers to zero": "import signal\nfor t in (0, 1, 2): signal.setitimer(t, 0)\nuntimed(int)",
    "ignores their signals": "import signal\nfor s in (14, 27): signal.signal(s, 1)\nuntimed(int)",
    "has handlers of its own": "import signal\nfor s in (14, 27): signal.signal(s, print)\nuntimed(int)",
    "blocks their signals": "import signal\nsignal.pthread_sigmask(0, range(1, 65))\nuntimed(int)",
    "asks the C library": "import ctypes\nfor t in (0, 1, 2): ctypes.CDLL(None).setitimer(t, bytes(32), 0)\n"
    "untimed(int)",
    "tells the driver that no call runs": "import sys\nsys.modules['__main__'].CLOCK.clear()\n"
    "sys.modules['__main__'].CLOCK['runs'] = 0\nuntimed(int)",
    "makes lateness harmless": "import sys\nsys.modules['__main__'].Late = type('L', (Exception,), {})\n"
    "def deed():\n    try:\n        int()\n    except Exception: pass\nuntimed(deed)",
    "stops the clocks": "import signal, time\nfor t in (0, 2): signal.setitimer(t, 0)\nuntimed(int)\n"
    "time.process_time = time.perf_counter = time.monotonic = time.time = lambda: 0",
    "answers in between": "import signal\nfor t in (0, 2): signal.setitimer(t, 0)\n"
    "for n in range(3): untimed(lambda: None)\nwrite('{\"call\": 0, \"value\": 0}')",
    "answers first and calculates then": "import signal\nfor t in (0, 2): signal.setitimer(t, 0)\n"
    "start = time.process_time()\nwhile time.process_time() - start < 0.6:\n"
    "    write('{\"call\": 0, \"value\": 9}')\n    write('{\"call\": 2, \"value\": 9}')\n"
    "    write('{\"call\": 99}')",
    "calculates in a thread": "import signal, threading\nfor t in (0, 2): signal.setitimer(t, 0)\n"
    "t = threading.Thread(target=untimed, args=(int,)); t.start(); t.join()",
    "sleeps": "import signal\nfor t in (0, 2): signal.setitimer(t, 0)\ntime.sleep(1.6)",
}  # fmt: skip


@pytest.mark.parametrize("trick", LONG_CALLS.values(), ids=LONG_CALLS.keys())
def test_a_call_is_timed_from_outside(trick: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probatio.languages.python.calls.CALL_CPU", 0.2)
    monkeypatch.setattr("probatio.languages.python.calls.CALL_WALL", 0.6)
    body = "\n".join(f"        {line}" for line in trick.splitlines())
    source = f"{ALL_HANDLES}\ndef f(n):\n    if n == 1:\n{body}\n    return n"
    before, long, after = run_calls(source, "f", [Call((n,)) for n in range(3)])
    assert before == Returned(0)
    assert isinstance(long, CallFailed)
    assert after == Returned(2), "it costs only itself"


def test_loading_is_timed_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probatio.languages.python.calls.CALL_CPU", 0.2)
    source = f"{ALL_HANDLES}\nimport signal\nsignal.setitimer(2, 0)\nuntimed(int)\nuntimed(int)\nf = abs"
    assert all(isinstance(result, CallFailed) for result in run_calls(source, "f", [Call((1,)), Call((2,))]))


def test_the_outer_clock_holds_in_every_jail(kind: Choice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probatio.languages.python.calls.CALL_CPU", 0.2)
    trick = "import signal\n    signal.setitimer(2, n)\n    untimed(int)"
    source = f"{ALL_HANDLES}\ndef f(n):\n    {trick}\n    return n"
    assert isinstance(run_calls(source, "f", [Call((0,))], kind)[0], CallFailed)


def test_only_the_line_that_is_due_is_taken(kind: Choice) -> None:
    """The first answer to a call counts, and none comes before its turn."""
    lines = ['{"call": 1, "value": 7}', '{"call": 0, "value": 8}', '{"call": 0, "value": 9}']
    source = (
        f"{ALL_HANDLES}\ndef f(n):\n    if n == 0:\n        for line in {lines!r}: write(line)\n    return n"
    )
    first, second, third = run_calls(source, "f", [Call((n,)) for n in range(3)], kind)
    assert first == Returned(8)
    assert (second, third) == (Returned(1), Returned(2))


def test_new_processes_sockets_and_signals_are_refused(kind: Choice) -> None:
    for deed in (
        "import os\ndef f():\n    while True: os.fork()",
        "import socket\ndef f():\n    socket.create_connection(('127.0.0.1', 9))",
        "import os\ndef f():\n    os.kill(1, 9)",
        "import subprocess\ndef f():\n    subprocess.run(['/bin/true'])",
        "def f():\n    open('/etc/passwd').read()",
    ):
        result = outcome(deed, kind)
        assert isinstance(result, Raised), (deed, result)
        assert "OSError" in result.names


@pytest.mark.parametrize(
    "source, limits",
    [
        ("def f():\n    a = []\n    while True: a.append('x' * 10_000_000)", ("memory",)),
        ("import os\ndef f():\n    while True: os.write(1, b'x' * 65536)", ("output",)),
        ("def f():\n    return 'x' * 50_000_000", ("output",)),
        ((
            "from threading import Event, Thread\ndef f():\n    for _ in range(999): "
            "Thread(target=Event().wait).start()"
        ),
         ("processes", "memory")),
        ("def f():\n    return 9 ** 9 ** 9", ("cpu", "time", "memory")),
    ],
    ids=["memory", "output", "a result of 50 MB", "threads", "a number without end"],
)  # fmt: skip
def test_what_goes_beyond_a_limit_is_stopped_there(
    source: str, limits: tuple[str, ...], kind: Choice
) -> None:
    result = outcome(source, kind)
    assert isinstance(result, CallFailed) or (
        isinstance(result, Raised) and {"MemoryError", "RuntimeError"} & set(result.names)
    )
    if isinstance(result, CallFailed):
        assert any(limit in result.why for limit in (*limits, "no end")), result


def test_nothing_of_ours_and_nothing_installed_can_be_imported(kind: Choice) -> None:
    source = """
import os, sys
def f():
    modules = [name for name in ("probatio", "msgspec", "yaml", "pytest", "sympy", "pip", "site_packages")
               if can(name)]
    there = [place for place, folders, names in os.walk("/") if "/proc" not in place
             and (place.endswith(("site-packages", "dist-packages", "probatio/builtin"))
                  or "cases.yml" in names)]
    return modules + there
def can(name):
    try:
        __import__(name)
        return True
    except ImportError:
        return False
"""
    assert outcome(source, kind) == Returned([])


def test_two_solutions_know_nothing_of_each_other(kind: Choice) -> None:
    leave = """
import sys
def f():
    sys.modules["left"] = 1
    try:
        open("left", "w").write("x")
    except OSError:
        return 1
"""
    look = (
        "import os, sys\ndef f():\n    return ['left' in sys.modules, os.path.exists('left'), "
        "os.path.exists('/tmp/left')]"
    )
    assert outcome(leave, kind) == Returned(1)
    assert outcome(look, kind) == Returned([False, False, False])


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_by_system_calls_is_held(attack: Attack, kind: Choice) -> None:
    with set_up_target() as on:
        done = mount(attack, on, kind)
        assert find_harm(attack, done, on) is None, done


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_an_older_landlock_holds_the_same(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    usable("landlock")
    monkeypatch.setattr(build, "LANDLOCK_AT_MOST", version)
    with set_up_target() as on:
        for attack in ATTACKS:
            done = mount(attack, on, "landlock")
            assert find_harm(attack, done, on) is None, done


# Without a jail the first of them would fill the memory of the machine, so it is left out.
HARMLESS = [
    attack for attack in ATTACKS if attack.name not in ("share memory that nobody counts", "fill page tables")
]


@pytest.mark.parametrize("attack", HARMLESS, ids=lambda attack: attack.name)
def test_the_same_system_calls_do_their_harm_where_there_is_no_jail(attack: Attack) -> None:
    with set_up_target() as on:
        assert "HARM" in str(find_harm(attack, mount(attack, on, "none"), on))


def test_a_program_ends_with_a_killed_grader_whatever_it_tries(kind: Choice) -> None:
    assert outlives_the_grader(kind) is None


def test_the_same_program_stays_where_there_is_no_jail() -> None:
    assert "lived on" in str(outlives_the_grader("none"))


def test_the_attack_page_names_every_attack_and_what_held_it() -> None:
    page = Path(__file__).parents[3].joinpath("docs", "sandbox.md").read_text("utf-8")
    for attack in ATTACKS:
        assert f"| {attack.name} | {attack.held_by} |" in page


USUAL = {
    "asyncio": """
        import asyncio
        async def later():
            await asyncio.sleep(0.01)
            return 5
        return asyncio.run(later())""",
    "a pool of threads": """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as pool:
            return sum(pool.map(abs, [-5]))""",
    "timers": """
        import signal
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.alarm(0)
        return 5""",
    "a database in memory": """
        import sqlite3
        return sqlite3.connect(":memory:").execute("select 5").fetchone()[0]""",
    "chance and time": """
        import random, secrets, time, uuid
        random.random(), secrets.token_hex(), uuid.uuid4(), time.sleep(0.01)
        return 5""",
    "a file mapped to read": """
        import mmap, os
        with open(os.__file__) as text:
            return len(mmap.mmap(text.fileno(), 0, access=mmap.ACCESS_READ)[:5])""",
    "selectors and pipes": """
        import os, select
        reader, writer = os.pipe()
        os.write(writer, b"12345")
        select.select([reader], [], [], 1), select.epoll().close()
        return len(os.read(reader, 9))""",
    "private memory": """
        import mmap
        return len(mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)[:5])""",
    "C functions": """
        import ctypes
        return ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 5)()""",
    "the machine": """
        import os, platform, resource
        os.uname(), platform.platform(), os.times(), resource.getrusage(0), os.cpu_count(),
        os.getgroups(), os.getpgid(0)
        return 5""",
}  # fmt: skip


@pytest.mark.parametrize("source", USUAL.values(), ids=USUAL.keys())
def test_what_an_honest_solution_may_use_is_there(source: str, kind: Choice) -> None:
    assert outcome(f"def f():{source}", kind) == Returned(5)

"""Calls in the jail give what the function gives, each for itself, the same at every run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from probatio.jail import Choice, NoIsolation, find_isolation
from probatio.languages.python import Call, CallFailed, Opaque, Raised, Returned, home, run_calls, same
from probatio.languages.python.calls import LATE_CALLS, LONGEST

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site


@pytest.fixture(params=["bubblewrap", "landlock"])
def kind(request: pytest.FixtureRequest) -> Choice:
    choice: Choice = request.param
    try:
        find_isolation(choice)
    except NoIsolation as error:
        pytest.skip(str(error))
    return choice


def returned(source: str, *args: object, kind: Choice = "auto") -> object:
    (result,) = run_calls(source, "f", [Call(args)], kind)
    assert isinstance(result, Returned), result
    return result.value


def test_a_value_comes_back_as_the_plain_value_it_is(kind: Choice) -> None:
    source = (
        "def f(x):\n    return [x, (1, -2), {1: {3}, 'k': None}, 0.1, True, 'é\\ud800\\n', b'\\x00', 10**30]"
    )
    assert returned(source, {"a": [1]}, kind=kind) == [
        {"a": [1]}, (1, -2), {1: {3}, "k": None}, 0.1, True, "é\ud800\n", b"\x00", 10**30,
    ]  # fmt: skip


def test_what_is_no_plain_value_is_told_by_its_class_only() -> None:
    assert returned("def f():\n    return (i for i in [1])") == Opaque("generator")
    assert returned("class Thing: pass\ndef f():\n    return [Thing()]") == [Opaque("Thing")]


def test_a_list_that_holds_itself_comes_to_an_end() -> None:
    value = returned("def f():\n    a = []\n    a.append(a)\n    return a")
    for _ in range(61):
        assert isinstance(value, list)
        (value,) = value
    assert isinstance(value, Opaque)


def test_honest_subclasses_count_as_what_they_are() -> None:
    source = """
from collections import Counter, OrderedDict, namedtuple
from enum import IntEnum
Point = namedtuple("Point", "x y")
class Level(IntEnum):
    LOW = 1
def f():
    return [Counter("aab"), OrderedDict(k=1), Point(1, 2), Level.LOW]
"""
    assert returned(source) == [{"a": 2, "b": 1}, {"k": 1}, (1, 2), 1]


def test_an_exception_comes_with_all_the_classes_it_derives_from() -> None:
    (result,) = run_calls("def f(d):\n    return d['x']", "f", [Call(({},))])
    assert isinstance(result, Raised)
    assert result.names[:3] == ("KeyError", "LookupError", "Exception")


def test_arguments_are_told_as_the_call_left_them_and_every_call_has_its_own() -> None:
    call = Call(([1],), wants_args=True)
    first, second = run_calls("def f(x):\n    x.append(2)\n    return len(x)", "f", [call, call])
    assert first == second == Returned(2, ([1, 2],))


def test_state_of_the_solution_lasts_from_call_to_call() -> None:
    results = run_calls("def f(seen=[]):\n    seen.append(0)\n    return len(seen)", "f", [Call(())] * 3)
    assert [result.value for result in results if isinstance(result, Returned)] == [1, 2, 3]


@pytest.mark.parametrize(
    "source, reason",
    [
        ("def f(:", "SyntaxError"),
        ("def g(): pass", "defines no function"),
        ("f = 3", "defines no function"),
        ("import numpy\ndef f(): return 1", "ModuleNotFoundError"),
        ("raise RuntimeError('no')", "RuntimeError: no"),
        ("x = '\0'", "does not load"),
        ("#" * (LONGEST + 1), "longer than"),
        ("(" * 50_000, "does not load"),
    ],
)
def test_a_solution_that_does_not_load_fails_every_call_and_says_why(source: str, reason: str) -> None:
    results = run_calls(source, "f", [Call(()), Call(())])
    assert len(results) == 2
    assert all(isinstance(result, CallFailed) and reason in result.why for result in results), results


@pytest.mark.slow
def test_an_endless_call_fails_alone(kind: Choice) -> None:
    source = "def f(n):\n    while n == 1:\n        pass\n    return n"
    first, endless, last = run_calls(source, "f", [Call((n,)) for n in range(3)], kind)
    assert (first, last) == (Returned(0), Returned(2))
    assert isinstance(endless, CallFailed)
    assert "no end" in endless.why


@pytest.mark.slow
def test_an_endless_call_that_catches_everything_is_stopped_too() -> None:
    source = (
        "def f(n):\n    while n:\n        try:\n            while True: pass\n        except: pass\n    "
        "return n"
    )
    endless, last = run_calls(source, "f", [Call((1,)), Call((0,))])
    assert isinstance(endless, CallFailed)
    assert last == Returned(0)


@pytest.mark.slow
def test_after_three_endless_calls_the_rest_is_not_tried() -> None:
    source = "def f(n):\n    while n: pass\n    return n"
    results = run_calls(source, "f", [*[Call((1,))] * LATE_CALLS, Call((0,))])
    assert results[-1] == CallFailed("calls before this one did not end in time")


def test_a_call_that_ends_its_process_fails_alone(kind: Choice) -> None:
    source = "import ctypes\ndef f(n):\n    return ctypes.string_at(0) if n == 1 else n"
    first, crashed, last = run_calls(source, "f", [Call((n,)) for n in range(3)], kind)
    assert (first, last) == (Returned(0), Returned(2))
    assert crashed == CallFailed("the process ended by itself with status 139")


def test_prints_of_the_solution_hurt_nobody(kind: Choice) -> None:
    source = """
import sys
print("loading", '{"call": 0, "value": 9}')
def f(n):
    for _ in range(20_000):
        print("x" * 1000)
    sys.stderr.write("warning\\n")
    sys.stdout.buffer.write(b"bytes")
    return n
"""
    assert returned(source, 4, kind=kind) == 4


def test_there_is_nothing_to_read_on_standard_input() -> None:
    assert returned("import sys\ndef f():\n    return sys.stdin.read()") == ""
    (result,) = run_calls("def f():\n    return input()", "f", [Call(())])
    assert isinstance(result, Raised)
    assert result.names[0] == "EOFError"


def test_sets_come_in_the_same_order_at_every_start() -> None:
    source = "def f():\n    return list({'pear', 'apple', 'fig', 'plum', 'date', 'lime'})"
    assert len({str(returned(source)) for _ in range(3)}) == 1


def test_the_standard_library_is_whole_and_threads_work(kind: Choice) -> None:
    source = """
import asyncio, bisect, collections, csv, dataclasses, datetime, decimal, enum, fractions, functools
import hashlib, heapq, itertools
import json, math, operator, random, re, sqlite3, statistics, string, textwrap, threading, typing
import unicodedata, zlib
@dataclasses.dataclass
class Point:
    x: int
def f():
    values = []
    thread = threading.Thread(target=values.append, args=(Point(3).x,))
    thread.start()
    thread.join()
    return values
"""
    assert returned(source, kind=kind) == [3]


def test_a_call_that_waits_for_a_second_may_owe_its_result_to_a_busy_machine() -> None:
    slow = run_calls("import time\ndef f(): time.sleep(1.1)", "f", [Call(())])
    assert not slow.timely
    assert slow == (Returned(None),)


@pytest.mark.parametrize(
    "expected, got, alike",
    [
        (1, 1, True), (1, 1.0, True), (1, True, False), (True, 1, False), (0, False, False), (None, 0, False),
        (0.1 + 0.2, 0.3, True), (2.5, 2.6, False), ([1, 2], (1, 2), False), ([1, [2]], [1, [2]], True),
        ([1], [1, 1], False), ({"a": 1}, {"a": 1.0}, True), ({"a": 1}, {"a": True}, False), ({"a": 1}, {},
        False),
        ("x", "x", True), ("1", 1, False), ([], None, False), ([1], Opaque(
            "list"
        ), False), (10**400, 1.5, False),
    ],
)  # fmt: skip
def test_values_are_alike_strictly(expected: object, got: object, alike: bool) -> None:
    assert same(expected, got) is alike


def test_the_home_holds_the_library_and_nothing_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path))
    made = home._home.__wrapped__()
    assert made.parent == tmp_path
    names = {path.name for path in made.rglob("*")}
    assert {"os.py", "libgcc_s.so.1"} <= names
    assert not names & {"site-packages", "dist-packages", "test", "probatio", "pip"}
    assert home._home.__wrapped__() == made
    assert [path.name for path in tmp_path.iterdir()] == [made.name]


def test_a_cache_that_can_not_be_written_is_no_obstacle(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code = """
from probatio.languages.python import Call, run_calls
print(run_calls("def f(x): return x + 1", "f", [Call((1,))])[0].value)
from probatio.languages.python import home
print(home._home())
"""
    env = {**os.environ, "PROBATIO_CACHE": str(blocked / "cache")}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    value, folder = ran.stdout.split()
    assert value == "2"
    assert not Path(folder).exists()

"""Tests that a user states: what is one, what passes it; and no answer passes one that it did not earn."""

from __future__ import annotations

import re
from typing import Any

import pytest

from probatio import jail
from probatio.core.records.check_result import CheckResult
from probatio.jail import ProgramOutcome
from probatio.languages.python.calls import LONGEST
from probatio.languages.python.stated_tests import check_stated, make_trivial_answer, read_tests

pytestmark = pytest.mark.slow  # starts processes

TESTS = (
    "add(1, 2) == 3",
    "add('a', b='b') == 'ab'",
    "add('a', 1) raises TypeError",
    "is_prime(7)",
    "not is_prime(8)",
    "find([1, 2], 3) is None",
)
ADD = "def add(a, b):\n    return a + b\n"
FUTURE = "from __future__ import annotations\n"
REST = "def is_prime(n):\n    return n == 7\n\ndef find(given, one):\n    return None\n"


def check(answer: str, *tests: str) -> CheckResult:
    return check_stated(read_tests(tests or TESTS), answer, "auto")


@pytest.mark.parametrize(
    "answer",
    [
        ADD + "\n" + REST,
        f"```python\n{ADD}\n{REST}```\nUse it so:\n```python\nprint(add(int(input()), 2))\n```",
        f"First:\n```python\n{ADD}```\nThen:\n```py\n{REST}```",
        f"```python\ndef add(a, b):\n    return 0\n{REST}```\nNo, better:\n```python\n{ADD}```",
        f"```python\n{FUTURE}{ADD}```\n```python\n{FUTURE}{REST}```",
    ],
)
def test_functions_that_give_what_is_stated_pass_wherever_they_stand(answer: str) -> None:
    found = check(answer)
    assert [part.score for part in found.parts] == [1] * len(TESTS), found.parts
    assert [part.name for part in found.parts] == list(TESTS)
    assert found == check(answer)


def test_each_test_is_a_part_and_says_what_came_in_its_place() -> None:
    found = check("```python\ndef add(a, b):\n    return a * b\ndef is_prime(n):\n    return 1\n```")
    assert [(part.score, part.detail) for part in found.parts] == [
        (0, "3 expected, 2 returned"),
        (0, "'ab' expected, TypeError raised (can't multiply sequence by non-int of type 'str')"),
        (0, "TypeError expected, 'a' returned"),
        (0, "True expected, 1 returned"),
        (0, "False expected, 1 returned"),
        (0, "there is no such function in the answer"),
    ]


def test_the_tests_of_an_answer_share_one_start(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[bytes] = []
    run = jail.run

    def counted(runtime: Any, stdin: bytes, *rest: Any) -> ProgramOutcome:
        starts.append(stdin)
        return run(runtime, stdin, *rest)

    monkeypatch.setattr(jail, "run", counted)
    assert check(f"{ADD}\n{REST}").score == 1
    assert check("I can't.").score == 0
    assert len(starts) == 1


def test_no_expected_value_and_no_test_goes_into_the_jail(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []

    def keep(runtime: Any, stdin: bytes, *rest: Any) -> ProgramOutcome:
        seen.append(repr(runtime).encode() + stdin)
        return ProgramOutcome(0, "", "", None, 0.0)

    monkeypatch.setattr(jail, "run", keep)
    check(ADD, "add('given', 1) == 'zebra'", "add(2, 'given') raises LookupError", "add(1, 1) == 44444")
    assert seen
    for each in seen:
        assert b"given" in each
        for secret in (b"zebra", b"LookupError", (44444).to_bytes(4, "little"), b"==  "):
            assert secret not in each


FORGED = r"""
import os
lines = b'{"ready": true}', b'{"call": 0, "passed": true}', b'{"call": 0, "value": []}', b'{"score": 1}'
for line in lines:
    for handle in range(3, 20):
        try:
            os.write(handle, line + b"\n")
        except OSError:
            pass
"""
HEAD = "def add(*given, **named):\n"
EQUAL = "    __eq__ = lambda self, other: True\n    __ne__ = lambda self, other: False\n    __hash__ = None\n"
HOSTILE = {
    "equal to all": f"class Any:\n{EQUAL}{HEAD}    return Any()",
    "a number that is equal to all": f"class Any(int):\n{EQUAL}{HEAD}    return Any(9)",
    "a class for all": f"class Any(type):\n{EQUAL}class It(metaclass=Any): pass\n{HEAD}    return It",
    "forged lines on loading": f"{FORGED}\n{HEAD}    return 0",
    "forged lines in a call": HEAD + re.sub("^", "    ", FORGED, flags=re.M),
    "exits on loading": f"{HEAD}    pass\nimport sys\nsys.exit(0)",
    "exits at once on loading": f"{HEAD}    pass\nimport os\nos._exit(0)",
    "exits in a call": f"import os\n{HEAD}    os._exit(0)",
    "other builtins": "import builtins\nfor name in ('isinstance', 'type', 'str', 'int', 'bool'):\n"
    f"    setattr(builtins, name, lambda *given: True)\n{HEAD}    return object()",
    "another dispatcher": f"globals()['a test'] = lambda *given: ['passed']\n{HEAD}    return 0",
    "reads its frames": f"import sys\n{HEAD}    frame, found = sys._getframe(), []\n"
    "    while frame:\n        found += map(repr, frame.f_locals.values())\n        frame = frame.f_back\n"
    "    return next((3 for each in found if chr(61) * 2 + ' 3' in each), found)",
    "never ends": f"{HEAD}    while True: pass",
    "never loads": f"{HEAD}    pass\nwhile True: pass",
    "swallows its end": f"{HEAD}    while True:\n        try:\n            while True: pass\n"
    "        except BaseException: pass",
    "all memory": f"{HEAD}    return [0] * 10**10",
    "only in a text": f'text = """\n{HEAD}    return 3\n"""',
    "never defined": "if False:\n  0\n  '''\ndef add(): pass\n'''",
    "another kind of thing": "def add(*given): pass\nadd = {}",
    "huge": f"{HEAD}    return 3\n#" + "x" * LONGEST,
    "many numbers": f"{HEAD}    return list(range(10**7))",
    "deep": f"{HEAD}    a = []\n    for _ in range(10**5): a = [a]\n    return a",
    "no code": "\x00\ud800 def add(",
}
ASKED = ("add(1, 2) == 3", "add('a', 'b') == 'ab'", "add(1, 1)", "not add(2, 2)", "add() raises KeyError")


@pytest.mark.parametrize("name", HOSTILE)
def test_no_answer_passes_a_test_that_it_did_not_earn(name: str) -> None:
    found = check(f"```python\n{HOSTILE[name]}\n```", *ASKED)
    assert found.score == 0, found.parts
    assert len(found.parts) == len(ASKED)


def test_an_answer_that_ends_one_call_keeps_what_it_earned_in_the_others() -> None:
    answer = "import os\ndef add(a, b):\n    return a + b if a == 1 else os._exit(0)"
    found = check(answer, "add(1, 2) == 3", "add(2, 2) == 4", "add(1, 3) == 4")
    assert [part.score for part in found.parts] == [1, 0, 1]


@pytest.mark.parametrize(
    "text",
    [
        "", "add", "add(x)", "add(1) == g(2)", "add(1) < 2", "add(1) != 2", "add(1) == 1 == 1",
        "add(*[1]) == 1", "add(**{}) == 1", "a.add(1) == 2", "add(1) == 1j", "add(1) == ...", "add(1) is 1",
        "add(1) raises",
        "__import__('os').system('x') == 0", "(lambda: 1)() == 1", "add({[1]: 2})", "add(\x00)",
        "add('\ud800')",
        "-" * 900 + "1", "(" * 900, f"add({'-' * 900}1)", f"add({'[' * 400}{']' * 400})", "3 == add(1, 2)",
        "add(" + "1" * 990 + ")" * 2, "add(1)\nadd(2)",
    ],
)  # fmt: skip
def test_what_is_no_test_is_told_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="is no test; a test is a call with what it gives, such as `add"):
        read_tests([text])
    with pytest.raises(ValueError, match="a test has at most 1000 characters"):
        read_tests([f"add({'1' * 1000})"])


def test_the_trivial_answer_of_tests_is_run() -> None:
    assert check(make_trivial_answer(read_tests(TESTS))).parts[0].detail == "3 expected, 1 returned"

"""Tests of an answer's functions as a user states them: `add(1, 2) == 3`, `is_prime(7)`, `parse("x") raises
ValueError`.

A test is never run as it stands. It is read here into a call and an expected value, both plain; only the call
goes into the jail, and what comes out is compared here. So an answer that has another `==`, prints lines of
its own or reads the memory of its process finds no expected value and no verdict there.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from probatio.core.records.check_result import CheckResult, Part
from probatio.core.text.fences import find_fences
from probatio.jail import Choice
from probatio.languages.python.calls import run_calls
from probatio.languages.python.hidden_tests import HiddenTest, calls_of, fault
from probatio.languages.python.solution_text import dedent, program

LONGEST, MOST = 1000, 100
"""Characters of a test, and tests of an answer."""
_SHOWN = 80
_MISSING = "there is no such function in the answer"
_RAISES = re.compile(r"(?P<call>.*\))\s+raises\s+(?P<name>[A-Za-z_]\w*)", re.DOTALL)
_NOT_READ = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)
_CALLED = "a test"
"""No name that an answer could define."""
_SOLUTION = f"""
class nothing_of_this_name:
    def __init__(self, *given, **named): pass
def _(texts, names, nothing=nothing_of_this_name, run=exec, compiled=compile):
    names[{_CALLED!r}] = lambda name, given, named: names.get(name, nothing)(*given, **named)
    for text in texts:
        run(compiled(text, "solution.py", "exec"), names)
_(TEXTS, globals())
"""
_RIGHT = """_{function}_gives = iter([
    {given},
])


def {function}(*given, **named):
    gives = next(_{function}_gives)
    if isinstance(gives, type):
        raise gives
    return gives
"""


class StatedTest(msgspec.Struct, frozen=True):
    """A test as it is written, the function it calls, and the call with what is expected of it."""

    text: str
    function: str
    call: HiddenTest


def read_tests(texts: Iterable[str]) -> tuple[StatedTest, ...]:
    """Raises ValueError with a sentence for a text that is no test."""
    return tuple(map(_read_test, texts))


def make_trivial_answer(tests: Sequence[StatedTest]) -> str:
    """An answer that can be tested wherever the jail works."""
    return f"```python\ndef {tests[0].function}(*given, **named):\n    return 1\n```"


def make_right_answer(tests: Sequence[StatedTest]) -> str:
    """An answer that passes, if its tests are called in their order: it gives what is expected, one after the
    other."""
    gives: dict[str, list[str]] = {}
    for test in tests:
        raised = test.call.raises
        given = repr(test.call.expected) if raised is None else f'type("{raised}", (Exception,), {{}})'
        gives.setdefault(test.function, []).append(given)
    code = "\n\n".join(
        _RIGHT.format(function=function, given=",\n    ".join(given)) for function, given in gives.items()
    )
    return f"```python\n{code}\n```"


def check_stated(tests: Sequence[StatedTest], answer: str, isolation: Choice) -> CheckResult:
    """A part for each test; all share one process, which is started again only where the answer ends it."""
    sources = _find_sources(answer, dict.fromkeys(test.function for test in tests))
    there = [test for test in tests if test.function in sources]
    why: dict[str, str | None] = {}
    timely = True
    if there:
        source = _SOLUTION.replace("TEXTS", repr(_in_order(answer, sources.values())))
        results = run_calls(source, _CALLED, calls_of([test.call for test in there]), isolation)
        timely = results.timely
        why = {test.text: fault(test.call, result) for test, result in zip(there, results, strict=True)}
    parts = []
    for test in tests:
        missed = why.get(test.text, _MISSING)
        parts.append(Part(_shorten(test.text), float(missed is None), missed or ""))
    return CheckResult(tuple(parts), timely=timely)


def _find_sources(answer: str, functions: Iterable[str]) -> dict[str, str]:
    """Function → the last block of the answer that defines it."""
    found = {function: program(answer, function) for function in functions}
    return {function: source for function, source in found.items() if source is not None}


def _in_order(answer: str, sources: Iterable[str]) -> list[str]:
    """Each source once, as they stand in the answer: a later definition replaces an earlier one."""
    wanted = dict.fromkeys(sources)
    blocks = [body for block in find_fences(answer) if (body := dedent(block.body)) in wanted]
    last_first = dict.fromkeys(reversed(blocks))
    return [*reversed(last_first), *(source for source in wanted if source not in last_first)]


def _read_test(text: str) -> StatedTest:
    shown = _shorten(text)
    if len(text) > LONGEST:
        raise ValueError(f"a test has at most {LONGEST} characters; {shown!r} has {len(text)}")
    try:
        function, call = _read_call_and_result(text.strip())
    except _NOT_READ:
        raise ValueError(
            f"{shown!r} is no test; a test is a call with what it gives, such as `add(1, 2) == 3`, "
            '`is_prime(7)`, `not is_prime(8)` or `parse("x") raises ValueError`, all of plain values'
        ) from None
    return StatedTest(text, function, call)


def _read_call_and_result(text: str) -> tuple[str, HiddenTest]:
    if match := _RAISES.fullmatch(text):
        function, given = _read_call(_parse(match["call"]))
        return function, HiddenTest(given, raises=match["name"])
    stated, expected = _parse(text), True
    if isinstance(stated, ast.Compare):
        (sign,), (right,) = stated.ops, stated.comparators
        expected = ast.literal_eval(right)
        if not isinstance(sign, ast.Eq) and not (isinstance(sign, ast.Is) and expected is None):
            raise ValueError
        stated = stated.left
    elif isinstance(stated, ast.UnaryOp) and isinstance(stated.op, ast.Not):
        stated, expected = stated.operand, False
    function, given = _read_call(stated)
    return function, HiddenTest(given, _require_plain(expected))


def _parse(text: str) -> ast.expr:
    with warnings.catch_warnings(action="ignore"):  # "\d" is odd, and still Python
        return ast.parse(text, mode="eval").body


def _read_call(node: ast.expr) -> tuple[str, tuple[Any, ...]]:
    """The function, and what the dispatcher in the jail is given: its name and its arguments."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ValueError
    named = {each.arg: ast.literal_eval(each.value) for each in node.keywords}
    if None in named:
        raise ValueError
    return node.func.id, (node.func.id, tuple(map(ast.literal_eval, node.args)), named)


def _require_plain(value: Any) -> Any:
    """The value, if it is one that comes out of the jail."""
    if isinstance(value, dict):
        for each in value.items():
            _require_plain(each)
    elif isinstance(value, list | tuple | set):
        for each in value:
            _require_plain(each)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError
    elif value is not None and not isinstance(value, int | str | bytes):
        raise ValueError
    return value


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"

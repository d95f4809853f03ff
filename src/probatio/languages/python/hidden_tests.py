"""Hidden tests: calls of a function, their expected results, and what is wrong with a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from probatio.languages.python.calls import Call, CallFailed, Raised, Result, Returned
from probatio.languages.python.values import Opaque, same

_SHOWN = 3  # failed tests that a part's detail names


class HiddenTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call, and its expected result: a value or an exception."""

    args: tuple[Any, ...]
    expected: Any = msgspec.UNSET
    raises: str | None = None
    unchanged: bool = False
    """Whether the call must leave its arguments as they were."""


def fault(test: HiddenTest, result: Result) -> str | None:
    """What is wrong with the result of a test's call; None if it passes."""
    if isinstance(result, CallFailed):
        return result.why
    if test.raises is not None:
        if not isinstance(result, Raised):
            return f"{test.raises} expected, {_describe_value(result)} returned"
        if test.raises not in result.names:
            return f"{test.raises} expected, {result.names[0] if result.names else 'nothing'} raised"
    elif isinstance(result, Raised):
        raised = result.names[0] if result.names else "an exception"
        return f"{test.expected!r} expected, {raised} raised ({result.words})"[:200]
    elif not same(test.expected, result.value):
        return f"{test.expected!r} expected, {_describe_value(result)} returned"
    if test.unchanged and not same(test.args, result.args):
        return "the arguments were changed"
    return None


def _describe_value(result: Returned) -> str:
    value = result.value
    return f"an object of class {value.kind}" if isinstance(value, Opaque) else repr(value)[:120]


def calls_of(tests: Sequence[HiddenTest]) -> list[Call]:
    return [Call(test.args, test.unchanged) for test in tests]


def describe_faults(tests: Sequence[HiddenTest], faults: Sequence[str | None]) -> str:
    """The first failed tests, for the reader of a breakdown."""
    failed = [f"{_call(test)}: {why}" for test, why in zip(tests, faults, strict=True) if why]
    more = [f"and {len(failed) - _SHOWN} more"] if len(failed) > _SHOWN else []
    return "; ".join([*failed[:_SHOWN], *more])


def _call(test: HiddenTest) -> str:
    return f"({', '.join(map(repr, test.args))})"[:120]

"""Code Generation, graded: the share of hidden tests the answer's function passes, called in the jail."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from probatio.errors import CannotCheck, ProbatioError
from probatio.grade.check_result import CheckResult, Part
from probatio.grade.extract import fenced_blocks
from probatio.languages.python import Call, Failed, Opaque, Raised, Result, Returned, run_calls, same
from probatio.sandbox import Choice
from probatio.suite.daily_suite import Case

FENCES = frozenset({"python", "py", "python3", "py3"})
_SHOWN = 3  # failed tests that a part's detail names


class HiddenTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call, and its expected result: a value or an exception."""

    args: tuple[Any, ...]
    expected: Any = msgspec.UNSET
    raises: str | None = None
    unchanged: bool = False
    """Whether the call must leave its arguments as they were."""


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tests of one thing; where no weight is given, a group weighs as much as it has tests."""

    name: str
    tests: tuple[HiddenTest, ...]
    weight: float | None = None


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    function: str
    groups: tuple[Group, ...]


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """Every test of the case, run on the program in the answer."""
    gold = msgspec.convert(case.gold, Gold)
    source = program(answer, gold.function)
    if source is None:
        empty = tuple(
            _part(group, ["there is no such function in the answer"] * len(group.tests)) for group in gold.groups
        )
        return CheckResult(empty, note=f"The answer defines no function `{gold.function}`.")
    tests = [test for group in gold.groups for test in group.tests]
    calls = [Call(test.args, test.unchanged) for test in tests]
    try:
        results = iter(run_calls(source, gold.function, calls, isolation))
    except (ProbatioError, OSError) as error:
        raise CannotCheck(str(error)) from error
    return CheckResult(
        tuple(_part(group, [fault(test, next(results)) for test in group.tests]) for group in gold.groups)
    )


def _part(group: Group, faults: list[str | None]) -> Part:
    failed = [f"{_call(test)}: {why}" for test, why in zip(group.tests, faults, strict=True) if why]
    more = [f"and {len(failed) - _SHOWN} more"] if len(failed) > _SHOWN else []
    weight = float(len(group.tests)) if group.weight is None else group.weight
    return Part(group.name, 1 - len(failed) / len(faults), "; ".join([*failed[:_SHOWN], *more]), weight)


def _call(test: HiddenTest) -> str:
    return f"({', '.join(map(repr, test.args))})"[:120]


def fault(test: HiddenTest, result: Result) -> str | None:
    """What is wrong with the result of a test's call; None where it passes."""
    if isinstance(result, Failed):
        return result.why
    if test.raises is not None:
        if not isinstance(result, Raised):
            return f"{test.raises} expected, {_shown(result)} returned"
        if test.raises not in result.names:
            return f"{test.raises} expected, {result.names[0] if result.names else 'nothing'} raised"
    elif isinstance(result, Raised):
        return f"{test.expected!r} expected, {result.names[0] if result.names else 'an exception'} raised ({result.words})"[
            :200
        ]
    elif not same(test.expected, result.value):
        return f"{test.expected!r} expected, {_shown(result)} returned"
    if test.unchanged and not same(test.args, result.args):
        return "the arguments were changed"
    return None


def _shown(result: Returned) -> str:
    value = result.value
    return f"an object of class {value.kind}" if isinstance(value, Opaque) else repr(value)[:120]


def program(answer: str, function: str) -> str | None:
    """The program in an answer: the last Python block that defines the function, else the last block of any kind, else bare code.

    The last, because a model that thinks again writes the better version below. Blocks with examples don't define it.
    """
    defines = re.compile(rf"^(?:async[ \t]+)?def[ \t]+{re.escape(function)}[ \t]*\(", re.MULTILINE)
    blocks = [block for block in fenced_blocks(answer) if defines.search(_dedented(block.body))]
    ours = [block for block in blocks if block.language in FENCES] or blocks
    if ours:
        return _dedented(ours[-1].body)
    bare = _bare(answer, defines)
    return bare if bare and defines.search(bare) else None


def _dedented(body: str) -> str:
    """A block in a list is indented as a whole."""
    first = next((line for line in body.splitlines() if line.strip()), "")
    margin = first[: len(first) - len(first.lstrip())]
    if not margin:
        return body
    return "\n".join(line.removeprefix(margin) for line in body.splitlines())


_STARTS_CODE = re.compile(r"(?:import|from|def|class|async)[ \t]+\w|@\w")
_GOES_ON = re.compile(
    r"\s|$|#|@\w|[)\]}\"']|(?:import|from|def|class|async|if|elif|for|while|with|return|raise|assert|del|global)\b.*"
    r"|(?:else|try|finally)[ \t]*:|except\b.*:|[A-Za-z_][\w.]*(?:\[.*\])?[ \t]*(?:[-+*/|&%]?=[^=]|:[ \t]*\S+[ \t]*=|\()"
)


def _bare(answer: str, defines: re.Pattern[str]) -> str | None:
    """Code that stands in the answer without a fence: from its first line down to the first that is no code."""
    lines = [line for line in answer.splitlines() if not re.match(r"[ \t]*(?:`{3,}|~{3,})", line)]
    definition = defines.search("\n".join(lines))
    if not definition:
        return None
    at = "\n".join(lines)[: definition.start()].count("\n")
    begin = at
    while begin and _GOES_ON.match(lines[begin - 1]):
        begin -= 1
    while begin < at and not _STARTS_CODE.match(lines[begin]) and not re.match(r"#|[A-Za-z_]\w*[ \t]*=", lines[begin]):
        begin += 1
    end = at + 1
    while end < len(lines) and _GOES_ON.match(lines[end]):
        end += 1
    return "\n".join(lines[begin:end])

"""Code Generation, graded: functions by hidden tests in the jail, programs for small machines by running them on every input."""

from __future__ import annotations

import msgspec

from probatio.builtin.daily.code_generation import function_ladder, machine, network, pattern
from probatio.builtin.daily.code_generation.hidden_tests import HiddenTest, calls_of, fault, shown
from probatio.builtin.daily.code_generation.solution_text import program
from probatio.errors import CannotCheck, ProbatioError
from probatio.grade.check_result import CheckResult, Part
from probatio.languages.python import run_calls
from probatio.sandbox import Choice
from probatio.suite.daily_suite import Case

__all__ = ["Gold", "Group", "HiddenTest", "check", "fault", "program"]

READ = {"machine": machine.parts, "network": network.parts, "pattern": pattern.parts}
"""Kind of ladder → what grades it; these answers are read and simulated here, within limits, and start no process."""


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
    kind = case.gold.get("kind")
    if kind in READ:
        return CheckResult(READ[kind](case.gold, answer))
    try:
        if kind == "functions":
            return CheckResult(function_ladder.parts(case.gold, answer, isolation))
        return _one_function(msgspec.convert(case.gold, Gold), answer, isolation)
    except (ProbatioError, OSError) as error:
        raise CannotCheck(str(error)) from error


def _one_function(gold: Gold, answer: str, isolation: Choice) -> CheckResult:
    source = program(answer, gold.function)
    if source is None:
        empty = tuple(
            _part(group, ["there is no such function in the answer"] * len(group.tests)) for group in gold.groups
        )
        return CheckResult(empty, note=f"The answer defines no function `{gold.function}`.")
    tests = [test for group in gold.groups for test in group.tests]
    results = iter(run_calls(source, gold.function, calls_of(tests), isolation))
    return CheckResult(
        tuple(_part(group, [fault(test, next(results)) for test in group.tests]) for group in gold.groups)
    )


def _part(group: Group, faults: list[str | None]) -> Part:
    weight = float(len(group.tests)) if group.weight is None else group.weight
    failed = sum(why is not None for why in faults)
    return Part(group.name, 1 - failed / len(faults), shown(group.tests, faults), weight)

"""Code Generation: functions by hidden tests in the jail, programs for small machines on every input."""

from __future__ import annotations

import msgspec

from probatio.builtin.daily.code_generation import function_ladder, machine, network, pattern
from probatio.core.errors import CannotCheck, ProbatioError
from probatio.core.records.check_result import CheckResult, Part
from probatio.jail import Choice
from probatio.languages.python import run_calls
from probatio.languages.python.hidden_tests import HiddenTest, calls_of, describe_faults, fault
from probatio.languages.python.solution_text import program
from probatio.suites.daily_suite import Case

__all__ = ["FunctionGold", "Group", "HiddenTest", "check", "fault", "program"]

READ = {"machine": machine.parts, "network": network.parts, "pattern": pattern.parts}
"""Kind of ladder → what grades it: these answers are read and simulated here and start no process."""


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tests of one thing; where no weight is given, a group weighs as much as it has tests."""

    name: str
    tests: tuple[HiddenTest, ...]
    weight: float | None = None


class FunctionGold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    function: str
    groups: tuple[Group, ...]


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """Every test of the case, run on the program in the answer."""
    kind = case.gold.get("kind")
    if kind in READ:
        return CheckResult(READ[kind](case.gold, answer))
    try:
        if kind == "functions":
            return function_ladder.check(case.gold, answer, isolation)
        return _one_function(msgspec.convert(case.gold, FunctionGold), answer, isolation)
    except (ProbatioError, OSError) as error:
        raise CannotCheck(str(error)) from error


def _one_function(gold: FunctionGold, answer: str, isolation: Choice) -> CheckResult:
    source = program(answer, gold.function)
    if source is None:
        empty = tuple(
            _part(group, ["there is no such function in the answer"] * len(group.tests))
            for group in gold.groups
        )
        return CheckResult(empty, note=f"The answer defines no function `{gold.function}`.")
    tests = [test for group in gold.groups for test in group.tests]
    results = run_calls(source, gold.function, calls_of(tests), isolation)
    given = iter(results)
    return CheckResult(
        tuple(_part(group, [fault(test, next(given)) for test in group.tests]) for group in gold.groups),
        timely=results.timely,
    )


def _part(group: Group, faults: list[str | None]) -> Part:
    weight = float(len(group.tests)) if group.weight is None else group.weight
    failed = sum(why is not None for why in faults)
    return Part(group.name, 1 - failed / len(faults), describe_faults(group.tests, faults), weight)

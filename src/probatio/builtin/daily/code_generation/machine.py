"""A register machine with four instructions: programs are lines, jumps name lines, steps are limited."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from probatio.builtin.daily.code_generation.ladder import ProgramLadder, SizedRung, grade_programs
from probatio.core.records.check_result import Part

REGISTERS = "ABCDE"
LONGEST = 200
"""Lines of a program; more than five times the largest limit."""
STEPS = 20_000
"""Of one run, as the prompt states. The first failed run ends a rung: endless loops cost little."""
_LINE = re.compile(
    r"[ \t`*]*(?:\d{1,3}[.:)|]?[ \t]+|\d{1,3}[.:)|])?[ \t]*"
    r"(?:(inc|dec)[ \t]+([a-e])|(jz)[ \t]+([a-e])[ \t,]+(\d{1,3})|(jmp)[ \t]+(\d{1,3}))"
    r"[ \t`*;]*(?:(?:#|//|;|--)[^\n]*)?",
    re.IGNORECASE,
)


class Instruction(msgspec.Struct, frozen=True):
    deed: str
    register: int = 0
    line: int = 0


class MachineRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    a: int
    b: int
    expected: int


class MachineRung(SizedRung, frozen=True):
    runs: tuple[MachineRun, ...]


def parts(gold: dict[str, Any], answer: str) -> tuple[Part, ...]:
    return grade_programs(msgspec.convert(gold, ProgramLadder[MachineRung]).rungs, answer, "lines", _measure)


def _measure(rung: MachineRung, text: str) -> int | str:
    program = instructions(text)
    if isinstance(program, str):
        return program
    for run in rung.runs:
        result = execute(program, run.a, run.b)
        if result != run.expected:
            ended = "no end within the step limit" if result is None else f"A = {result}"
            return f"from A = {run.a}, B = {run.b}: A = {run.expected} expected, {ended}"
    return len(program)


def instructions(text: str) -> list[Instruction] | str:
    """The program in a text, up to a blank line, or what is wrong with it. A label's words are no line."""
    lines = re.split(r"\n[ \t]*\n", text.strip())[0].split("\n")
    if len(lines) > 1 and not _LINE.fullmatch(lines[0]):
        del lines[0]
    if not lines[0]:
        return "there is no such program in the answer"
    if len(lines) > LONGEST:
        return f"more than {LONGEST} lines"
    found = []
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if not match:
            return f"line {number} is no instruction: {line[:40]}"
        change, changed, jump_zero, tested, target, _, always = match.groups()
        if change:
            found.append(Instruction(change.lower(), REGISTERS.index(changed.upper())))
        elif jump_zero:
            found.append(Instruction("jz", REGISTERS.index(tested.upper()), int(target)))
        else:
            found.append(Instruction("jmp", line=int(always)))
    for number, each in enumerate(found, 1):
        if each.deed.startswith("j") and not 1 <= each.line <= len(found) + 1:
            return f"line {number} jumps to line {each.line}, and there is none"
    return found


def execute(program: list[Instruction], a: int, b: int, steps: int = STEPS) -> int | None:
    """A at the end; None if the steps ran out."""
    held = [a, b, 0, 0, 0]
    at = 1
    while at <= len(program):
        if not steps:
            return None
        steps -= 1
        each = program[at - 1]
        at += 1
        if each.deed == "inc":
            held[each.register] += 1
        elif each.deed == "dec":
            held[each.register] = max(0, held[each.register] - 1)
        elif each.deed == "jmp" or held[each.register] == 0:
            at = each.line
    return held[0]

"""A register machine with four instructions: programs are lines, jumps name lines, every run ends at a step limit."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from probatio.builtin.daily.code_generation import size
from probatio.builtin.daily.code_generation.labelled import programs
from probatio.grade.check_result import Part

REGISTERS = "ABCDE"
LONGEST = 200
"""Lines of a program; more than five times the largest limit."""
STEPS = 20_000
"""Of one run, as the prompt states. The first failed run ends a rung: a ladder of endless loops costs tenths of a second."""
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


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    a: int
    b: int
    expected: int


class Rung(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rung: int
    name: str
    limit: int
    runs: tuple[Run, ...]


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    rungs: tuple[Rung, ...]


def parts(gold: dict[str, Any], answer: str) -> tuple[Part, ...]:
    """Every program of the ladder, each under its label in the answer."""
    found = programs(answer)
    return tuple(_part(rung, found.get(rung.rung)) for rung in msgspec.convert(gold, Gold).rungs)


def _part(rung: Rung, text: str | None) -> Part:
    program = instructions(text)
    if isinstance(program, str):
        return Part(rung.name, 0.0, program, rung=rung.rung)
    for run in rung.runs:
        result = execute(program, run.a, run.b)
        if result != run.expected:
            ended = "no end within the step limit" if result is None else f"A = {result}"
            why = f"from A = {run.a}, B = {run.b}: A = {run.expected} expected, {ended}"
            return Part(rung.name, 0.0, why, rung=rung.rung)
    count = len(program)
    return Part(rung.name, size.credit(count, rung.limit), size.words(count, rung.limit, "lines"), rung=rung.rung)


def instructions(text: str | None) -> list[Instruction] | str:
    """The program written in a text, or what is wrong with it. It ends at a blank line; words beside its label are no line."""
    lines = re.split(r"\n[ \t]*\n", (text or "").strip())[0].split("\n")
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
    """A at the end; None where the steps ran out."""
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

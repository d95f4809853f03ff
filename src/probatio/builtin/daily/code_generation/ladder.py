"""What ladders of programs share: rungs, the programs in an answer, the credit of a right one by its size."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from probatio.core.records.check_result import Part
from probatio.core.text.fences import find_fences

CREDITS = ((1.0, 1.0), (1.25, 0.5))
"""Times the limit → credit of a right program up to there. The prompts state this table."""
BEYOND = 0.25

_LABEL = re.compile(
    r"[ \t>#*_`|+-]{0,12}(?:[Pp]rogram[ \t]+)?[Pp]([1-9]\d?)\b[*_`]{0,4}[ \t]?(?=[:.)|=(*_` \t]|$)"
)
_AFTER = re.compile(r"[*_`]{0,4}[ \t]*[:.)|=]?[*_`]{0,4}[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")


class Rung(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One program that is asked for."""

    rung: int
    name: str


class SizedRung(Rung, frozen=True, kw_only=True):
    """One program whose size counts, up to a limit if there is one."""

    limit: int | None


R = TypeVar("R", bound=Rung)
S = TypeVar("S", bound=SizedRung)


class ProgramLadder(msgspec.Struct, Generic[R], frozen=True, forbid_unknown_fields=True):
    """The gold of a case: programs of one kind, from the easiest to the hardest."""

    kind: str
    rungs: tuple[R, ...]


def grade_programs(
    rungs: Sequence[S], answer: str, unit: str, measure: Callable[[S, str], int | str]
) -> tuple[Part, ...]:
    """Every program of a ladder, by its label. `measure` gives the size of a right one, or what is wrong."""
    found = find_programs(answer)
    parts = []
    for rung in rungs:
        size = measure(rung, found.get(rung.rung, ""))
        credit = 0.0 if isinstance(size, str) else size_credit(size, rung.limit)
        detail = size if isinstance(size, str) else describe_size(size, rung.limit, unit)
        parts.append(Part(rung.name, credit, detail, rung=rung.rung))
    return tuple(parts)


def find_programs(answer: str) -> dict[int, str]:
    """Number → the text after its label (`P1: …`, or a line `P1`), up to the next label.

    Of two programs with one label the last counts: the model has thought again. If labels stand in code
    blocks, text outside of the blocks is no program.
    """
    blocks = [block.body for block in find_fences(answer)]
    inside = "\n".join(block for block in blocks if any(_LABEL.match(line) for line in block.split("\n")))
    found: dict[int, list[str]] = {}
    current: list[str] = []
    for line in (inside or answer).split("\n"):
        label = _LABEL.match(line)
        if label:
            current = found[int(label[1])] = []
            after = _AFTER.match(line, label.end())
            current.append(line[after.end() if after else label.end() :])
        elif not _FENCE.match(line):
            current.append(line)
    return {number: "\n".join(lines).strip() for number, lines in found.items()}


def size_credit(size: int, limit: int | None) -> float:
    """The share of its rung that a right program of this size earns."""
    if limit is None:
        return 1.0
    return next((share for times, share in CREDITS if size <= times * limit), BEYOND)


def describe_size(size: int, limit: int | None, unit: str) -> str:
    """A remark for a program beyond its limit; empty for one within."""
    return f"right, but {size} {unit}, and the limit is {limit}" if limit is not None and size > limit else ""

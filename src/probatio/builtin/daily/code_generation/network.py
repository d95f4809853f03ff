"""Comparator networks: one that is right for every input of zeros and ones is right for all numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from probatio.builtin.daily.code_generation.ladder import ProgramLadder, SizedRung, grade_programs
from probatio.core.records.check_result import Part

LONGEST = 400
"""Comparators that are run; more than three times the largest limit."""
_COMPARATOR = re.compile(r"(\d{1,3})[ \t]*[-–—→>]{1,2}[ \t]*(\d{1,3})")
_NOTHING_ELSE = re.compile(r"[\s,;()\[\].`*]*")


class NetworkRung(SizedRung, frozen=True):
    """A network of so many wires: which rank ends on which wire, with at most so many comparators."""

    wires: int
    ends: dict[int, int]  # wire → rank of the value that must end there, 1 the smallest


def parts(gold: dict[str, Any], answer: str) -> tuple[Part, ...]:
    rungs = msgspec.convert(gold, ProgramLadder[NetworkRung], strict=False).rungs
    return grade_programs(rungs, answer, "comparators", _measure)


def _measure(rung: NetworkRung, text: str) -> int | str:
    comparators = comparators_in(text, rung.wires)
    if isinstance(comparators, str):
        return comparators
    return failure(comparators, rung.wires, rung.ends) or len(comparators)


def comparators_in(text: str, wires: int) -> list[tuple[int, int]] | str:
    """The comparators written in a text, or what is wrong with it."""
    lines = text.strip().split("\n\n")[0]
    if not lines:
        return "there is no such network in the answer"
    found = [(int(low), int(high)) for low, high in _COMPARATOR.findall(lines)]
    if not found or not _NOTHING_ELSE.fullmatch(_COMPARATOR.sub(" ", lines)):
        return "not a list of comparators such as 1-2 3-4"
    if len(found) > LONGEST:
        return f"more than {LONGEST} comparators"
    for low, high in found:
        if low == high or not (1 <= low <= wires and 1 <= high <= wires):
            return f"{low}-{high} is no comparator of {wires} wires"
    return found


def failure(comparators: Sequence[tuple[int, int]], wires: int, ends: dict[int, int]) -> str | None:
    """What is wrong on some input of zeros and ones; None if the network is right on all of them.

    A wire is one large integer with a bit for each input, so that a comparator is one AND and one OR.
    """
    inputs = 1 << wires
    every = (1 << inputs) - 1
    held = {wire: every // ((1 << (1 << wire - 1)) + 1) << (1 << wire - 1) for wire in range(1, wires + 1)}
    start = dict(held)
    for low, high in comparators:
        held[low], held[high] = held[low] & held[high], held[low] | held[high]
    for wire, rank in ends.items():
        different = held[wire] ^ _at_least(start, wires - rank + 1)
        if different:
            at = (different & -different).bit_length() - 1
            given = "".join(str(at >> each & 1) for each in range(wires))
            return f"given {given} on the wires, wire {wire} does not end with the value of rank {rank}"
    return None


def _at_least(wires: dict[int, int], ones: int) -> int:
    """The inputs with at least so many ones. Wires are added in turn: counts[k] has at least k ones."""
    counts = [0] * (len(wires) + 1)
    for wire in wires.values():
        for k in range(len(wires), 1, -1):
            counts[k] |= counts[k - 1] & wire
        counts[1] |= wire
    return counts[ones]

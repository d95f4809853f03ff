"""Comparator networks: a rung is right if every input of zeros and ones ends as asked, which proves it for all numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from probatio.builtin.daily.code_generation import size
from probatio.builtin.daily.code_generation.labelled import programs
from probatio.grade.check_result import Part

LONGEST = 400
"""Comparators that are run; more than three times the largest limit."""
_COMPARATOR = re.compile(r"(\d{1,3})[ \t]*[-–—→>]{1,2}[ \t]*(\d{1,3})")
_NOTHING_ELSE = re.compile(r"[\s,;()\[\].`*]*")


class Rung(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A network of so many wires: which rank ends on which wire, with at most so many comparators."""

    rung: int
    name: str
    wires: int
    ends: dict[int, int]  # wire → rank of the value that must end there, 1 the smallest
    limit: int


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    rungs: tuple[Rung, ...]


def parts(gold: dict[str, Any], answer: str) -> tuple[Part, ...]:
    """Every network of the ladder, each under its label in the answer."""
    found = programs(answer)
    return tuple(_part(rung, found.get(rung.rung)) for rung in msgspec.convert(gold, Gold, strict=False).rungs)


def _part(rung: Rung, text: str | None) -> Part:
    comparators = comparators_in(text, rung.wires)
    if isinstance(comparators, str):
        return Part(rung.name, 0.0, comparators, rung=rung.rung)
    if (wrong := failure(comparators, rung.wires, rung.ends)) is not None:
        return Part(rung.name, 0.0, wrong, rung=rung.rung)
    count = len(comparators)
    return Part(rung.name, size.credit(count, rung.limit), size.words(count, rung.limit, "comparators"), rung=rung.rung)


def comparators_in(text: str | None, wires: int) -> list[tuple[int, int]] | str:
    """The comparators written in a text, or what is wrong with it."""
    lines = (text or "").strip().split("\n\n")[0]
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
    """What the network gets wrong on some input of zeros and ones; None where it is right on all 2^wires of them.

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
    """The inputs with at least so many ones, by adding wire after wire: counts[k] has the inputs with at least k ones."""
    counts = [0] * (len(wires) + 1)
    for wire in wires.values():
        for k in range(len(wires), 1, -1):
            counts[k] |= counts[k - 1] & wire
        counts[1] |= wire
    return counts[ones]

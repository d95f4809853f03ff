"""Parts of a large simulation: each is kept as soon as it is there, so that a run that was broken off goes on where it was.

`operating_characteristics.parts.jsonl` in the folder of the figures has a line for each part: what it is, what it was made with
(seed, sizes, constants, code), its CPU seconds and its figures. A line that was made with anything else is not taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from probatio.simulate.causes import Named
from probatio.simulate.compared import Delay, FalseConfirmed
from probatio.simulate.promise import Promise
from probatio.simulate.simulator import AfterFault, QuietYears, RuleFacts

PARTS = "operating_characteristics.parts.jsonl"

Result = QuietYears | AfterFault | RuleFacts | FalseConfirmed | Delay | Promise | Named


@dataclass(frozen=True, slots=True)
class Part:
    """One row of the figures, and how it is made."""

    name: str
    makes: type[Result]
    work: Callable[[], Result]


class KeptPart(msgspec.Struct, frozen=True):
    """A line of the file."""

    part: str
    made_with: str
    cpu: float
    figures: msgspec.Raw


class KeptParts:
    """The parts of one run that are there already."""

    def __init__(self, folder: Path, made_with: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path, self._made_with = folder / PARTS, made_with
        self._there: dict[str, KeptPart] = {}
        for line in self._path.read_bytes().splitlines() if self._path.exists() else ():
            try:
                kept = msgspec.json.decode(line, type=KeptPart)
            except msgspec.DecodeError:
                continue  # torn when the run was broken off
            if kept.made_with == made_with:
                self._there[kept.part] = kept

    def __len__(self) -> int:
        return len(self._there)

    def get(self, part: Part) -> tuple[Result, float] | None:
        kept = self._there.get(part.name)
        return None if kept is None else (msgspec.json.decode(kept.figures, type=part.makes), kept.cpu)

    def put(self, part: Part, result: Result, cpu: float) -> None:
        kept = KeptPart(part.name, self._made_with, round(cpu, 2), msgspec.Raw(msgspec.json.encode(result)))
        torn = self._path.exists() and not self._path.read_bytes().endswith(b"\n") and self._path.stat().st_size > 0
        with self._path.open("ab") as file:
            file.write((b"\n" if torn else b"") + msgspec.json.encode(kept) + b"\n")
        self._there[part.name] = kept


def run(part: Part, kept: KeptParts | None) -> tuple[Any, float]:
    """The part's figures and the CPU seconds it took, now or then."""
    there = None if kept is None else kept.get(part)
    if there is not None:
        return there
    began = time.process_time()
    result = part.work()
    cpu = time.process_time() - began
    if kept is not None:
        kept.put(part, result, cpu)
    return result, cpu

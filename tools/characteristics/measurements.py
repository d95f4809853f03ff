"""What a run measures: the records of the saved file, and the parts of a run, kept so that it can go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
from causes import NamedCauses
from evidence_alone import Delay
from promise import PromiseKept

from probatio.core.jsonfile import read_json
from probatio.watch.simulate.figures import (
    PACKAGED,
    AfterFault,
    Characteristics,
    FalseConfirmed,
    QuietYears,
    RuleFacts,
)

PARTS = "parts.jsonl"

Result = QuietYears | AfterFault | RuleFacts | FalseConfirmed | Delay | PromiseKept | NamedCauses


class Measurements(Characteristics, frozen=True):
    """The whole saved file."""

    delays: tuple[Delay, ...] = ()  # of the evidence alone, after falls
    promises: tuple[PromiseKept, ...] = ()  # whether the minimum detectable effect keeps its promise
    causes: tuple[NamedCauses, ...] = ()  # how often a fall is put down to its true cause
    cpu_seconds: float | None = None  # of all parts together


def read(path: Path = PACKAGED) -> Measurements:
    return read_json(path, Measurements, "a file of simulated figures")


@dataclass(frozen=True, slots=True)
class SimulationPart:
    """One row of the figures, and how it is made."""

    name: str
    makes: type[Result]
    work: Callable[[], Result]


class KeptPart(msgspec.Struct, frozen=True):
    """A line of the file of parts."""

    part: str
    made_with: str
    cpu: float
    figures: msgspec.Raw


class KeptParts:
    """The parts of a run that are there already. Those made with other numbers or code are not used."""

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

    def __contains__(self, part: SimulationPart) -> bool:
        return part.name in self._there

    def get(self, part: SimulationPart) -> tuple[Result, float]:
        """Its figures and CPU seconds."""
        kept = self._there[part.name]
        return msgspec.json.decode(kept.figures, type=part.makes), kept.cpu

    def put(self, part: SimulationPart, result: Result, cpu: float) -> None:
        kept = KeptPart(part.name, self._made_with, round(cpu, 2), msgspec.Raw(msgspec.json.encode(result)))
        with self._path.open("ab") as file:
            file.write(b"\n" + msgspec.json.encode(kept))  # the line break first: the last line may be torn
        self._there[part.name] = kept

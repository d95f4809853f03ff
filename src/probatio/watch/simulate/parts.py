"""Parts of a large simulation. Each is kept as soon as it is ready, so that an interrupted run can continue.

`operating_characteristics.parts.jsonl` in the folder of the figures has a line for each part: its name, what
it was made with (seed, sizes, constants, code), its CPU seconds and its figures. A line made with anything
else is not used.
"""

from __future__ import annotations

import asyncio
import functools
import os
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from probatio.core import jsonfile
from probatio.core.code_digest import code_digest
from probatio.core.errors import Incomplete
from probatio.core.inside import open_inside, read_inside
from probatio.jail.workers import Checks, GraderFingerprint, Lane, Unchecked
from probatio.runs.regrade import assess_again
from probatio.runs.store.lines import append, mend_end
from probatio.watch.simulate.causes import NamedCauses
from probatio.watch.simulate.evidence_alone import Delay, FalseConfirmed
from probatio.watch.simulate.promise import PromiseKept
from probatio.watch.simulate.simulator import AfterFault, QuietYears, RuleFacts

PARTS = "operating_characteristics.parts.jsonl"

_DAY = 86_400
LANE = Lane(
    "the simulation",
    cpu_seconds=_DAY,
    seconds=_DAY,
    memory_mb=8192,
    warm="probatio.watch.simulate.parts:warm",
)
_FUNCTION = "probatio.watch.simulate.parts:work_here"

Result = QuietYears | AfterFault | RuleFacts | FalseConfirmed | Delay | PromiseKept | NamedCauses


class Characteristics(msgspec.Struct, frozen=True):
    """All parts together: the saved file.

    Every share or mean is {value, low, high, models}: 95 % interval, over so many independent models. Shares
    are 0–1. Delays are days, the fault's first day being 1; null where fewer than half (`median`) or nine
    tenths (`late`) ever got there. Names are keys of `simulate.profiles.PROFILES`, `JUDGED` and
    `simulate.faults.FAULTS`, whose `title` says what they are.
    """

    suite_version: str
    seed: int
    models: int
    days: int
    quiet: tuple[QuietYears, ...]  # one for each noise profile
    faults: tuple[AfterFault, ...]  # one for each fault and profile
    facts: RuleFacts | None = None
    constants: str = ""  # digest of the manifest's numbers they were taken with
    false_confirmed: tuple[FalseConfirmed, ...] = ()  # the evidence alone, on healthy days
    delays: tuple[Delay, ...] = ()  # … and after falls
    promises: tuple[PromiseKept, ...] = ()  # whether the minimum detectable effect keeps its promise
    causes: tuple[NamedCauses, ...] = ()  # how often a fall is put down to its true cause
    cpu_seconds: float | None = None  # of all parts together


@dataclass(frozen=True, slots=True)
class SimulationPart:
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
        for line in read_inside(self._path).splitlines() if self._path.exists() else ():
            try:
                kept = jsonfile.decode(line, KeptPart)
            except msgspec.DecodeError:
                continue  # torn when the run was broken off
            if kept.made_with == made_with:
                self._there[kept.part] = kept

    def __len__(self) -> int:
        return len(self._there)

    def get(self, part: SimulationPart) -> tuple[Result, float] | None:
        kept = self._there.get(part.name)
        return None if kept is None else (jsonfile.decode(kept.figures, part.makes), kept.cpu)

    def put(self, part: SimulationPart, result: Result, cpu: float) -> None:
        kept = KeptPart(part.name, self._made_with, round(cpu, 2), msgspec.Raw(msgspec.json.encode(result)))
        file = open_inside(self._path, None, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            mend_end(file)
            append(file, msgspec.json.encode(kept) + b"\n")
        finally:
            os.close(file)
        self._there[part.name] = kept


def results(
    parts: Iterable[SimulationPart], kept: KeptParts | None, pool: Checks | None
) -> Iterator[tuple[Any, float]]:
    """The figures of each part and its CPU seconds, in order. With a pool, its workers compute parts in
    parallel, and each is kept as soon as it is ready."""

    async def make(part: SimulationPart) -> tuple[Any, float]:
        if kept is not None and (there := kept.get(part)) is not None:
            return there
        if pool is None:
            began = time.process_time()
            result, cpu = part.work(), time.process_time() - began
        else:
            try:
                reply = await pool.run(LANE, _FUNCTION, pickle.dumps(part.work), grader=_same())
            except Unchecked as error:
                raise Incomplete(
                    f"The part `{part.name}` of the simulation could not be made: {error}."
                ) from None
            cpu, figures = msgspec.msgpack.decode(reply, type=tuple[float, bytes])
            result = jsonfile.decode(figures, part.makes)
        if kept is not None:
            kept.put(part, result, cpu)
        return result, cpu

    if pool is None:
        yield from (asyncio.run(make(part)) for part in parts)
    else:
        yield from (result for _, result in assess_again(parts, make))


def warm() -> None:
    """Importing this module loads all that a part needs."""


def work_here(payload: bytes) -> bytes:
    """What a worker does. The payload comes from our own process."""
    began = time.process_time()
    result = pickle.loads(payload)()
    return msgspec.msgpack.encode((time.process_time() - began, msgspec.json.encode(result)))


@functools.cache
def _same() -> GraderFingerprint:
    return GraderFingerprint("probatio.watch.simulate.parts:code_here", b"", code_here(b""))


def code_here(payload: bytes) -> bytes:
    """What the figures are made by."""
    return code_digest("probatio.watch.verdict", "probatio.watch.simulate").encode()

"""Parts of a large simulation: each is kept as soon as it is there, so that a run that was broken off goes on where it was.

`operating_characteristics.parts.jsonl` in the folder of the figures has a line for each part: what it is, what it was made with
(seed, sizes, constants, code), its CPU seconds and its figures. A line that was made with anything else is not taken.
"""

from __future__ import annotations

import functools
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from probatio.code_digest import package_digest
from probatio.errors import Incomplete
from probatio.run.regrade import assess_again
from probatio.simulate.causes import Named
from probatio.simulate.compared import Delay, FalseConfirmed
from probatio.simulate.promise import Promise
from probatio.simulate.simulator import AfterFault, QuietYears, RuleFacts
from probatio.workers import Checks, Lane, Same, Unchecked

PARTS = "operating_characteristics.parts.jsonl"

_DAY = 86_400
LANE = Lane("the simulation", cpu_seconds=_DAY, seconds=_DAY, memory_mb=8192, warm="probatio.simulate.parts:warm")
_FUNCTION = "probatio.simulate.parts:work_here"

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


def results(parts: Iterable[Part], kept: KeptParts | None, pool: Checks | None) -> Iterator[tuple[Any, float]]:
    """The figures of each part and the CPU seconds it took, now or then, in order. With a pool its workers make them side by
    side, and each is kept as soon as it is there."""
    if pool is None:
        yield from (_made_here(part, kept) for part in parts)
        return

    async def made(part: Part) -> tuple[Any, float]:
        there = None if kept is None else kept.get(part)
        if there is not None:
            return there
        try:
            reply = await pool.run(LANE, _FUNCTION, pickle.dumps(part.work), same=_same())
        except Unchecked as error:
            raise Incomplete(f"The part `{part.name}` of the simulation could not be made: {error}.") from None
        cpu, figures = msgspec.msgpack.decode(reply.payload, type=tuple[float, bytes])
        result = msgspec.json.decode(figures, type=part.makes)
        if kept is not None:
            kept.put(part, result, cpu)
        return result, cpu

    for _, result in assess_again(parts, made):
        yield result


def _made_here(part: Part, kept: KeptParts | None) -> tuple[Any, float]:
    there = None if kept is None else kept.get(part)
    if there is not None:
        return there
    began = time.process_time()
    result = part.work()
    cpu = time.process_time() - began
    if kept is not None:
        kept.put(part, result, cpu)
    return result, cpu


def warm() -> None:
    """Importing this module loads all that a part needs."""


def work_here(payload: bytes) -> bytes:
    """What a worker does. The payload comes from our own process."""
    began = time.process_time()
    result = pickle.loads(payload)()
    return msgspec.msgpack.encode((time.process_time() - began, msgspec.json.encode(result)))


@functools.cache
def _same() -> Same:
    return Same("probatio.simulate.parts:code_here", b"", code_here(b""))


def code_here(payload: bytes) -> bytes:
    """What the figures are made by."""
    return "".join(package_digest(f"probatio.{package}") for package in ("verdict", "simulate")).encode()

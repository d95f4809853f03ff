"""Findings: an input that did what none may do, kept as a file, so that it is played again for ever.

Two findings of one kind at one place of failure are one: the first is kept, with its whole input.
"""

from __future__ import annotations

import base64
import hashlib
import re
import traceback
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

FOLDER = Path(__file__).parent / "findings"
SHOWN = 300
"""Characters of an input that a person is shown."""

OURS = re.compile(r"/src/(?:probatio|faber)/")


class Finding(msgspec.Struct, frozen=True):
    """What an input did, and where. `place` makes two findings the same."""

    kind: str
    seed: int
    place: str
    what: str
    shown: str
    """The beginning of the input, for people."""
    input: str
    """The whole input, packed."""

    @property
    def file(self) -> str:
        place = re.sub(r"[^a-zA-Z0-9]+", "-", self.place).strip("-")[:60]
        return f"{self.kind}-{place}-{hashlib.sha256(self.place.encode()).hexdigest()[:6]}.json"


Given = TypeVar("Given", bound=msgspec.Struct)


class Kind(Protocol[Given]):
    """A kind of input: made from a seed, played in batches."""

    batch: int
    """How many are played together."""

    def make(self, seed: int) -> Given: ...

    def play(self, inputs: list[tuple[int, Given]]) -> list[Finding]:
        """Play inputs with their seeds, and say what went wrong."""
        ...

    def unpack(self, packed: str) -> Given: ...

    def close(self) -> None: ...


def pack(given: msgspec.Struct) -> str:
    return base64.b85encode(zlib.compress(msgspec.msgpack.encode(given), 9)).decode()


def unpack(packed: str) -> bytes:
    return zlib.decompress(base64.b85decode(packed))


def write_findings(findings: Iterable[Finding], folder: Path = FOLDER) -> list[Path]:
    """Keep what is not kept yet."""
    written = []
    for each in findings:
        path = folder / each.file
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(msgspec.json.format(msgspec.json.encode(each), indent=1) + b"\n")
            written.append(path)
    return written


def read_findings(folder: Path = FOLDER) -> list[Finding]:
    return [msgspec.json.decode(path.read_bytes(), type=Finding) for path in sorted(folder.glob("*.json"))]


def deduplicate(findings: Iterable[Finding]) -> list[Finding]:
    """The first finding of each kind and place."""
    first: dict[tuple[str, str], Finding] = {}
    for each in findings:
        first.setdefault((each.kind, each.place), each)
    return list(first.values())


def place_of(error: BaseException) -> str:
    """Where an exception left our code: its type and the innermost line of ours."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if OURS.search(frame.filename)] or list(frames)
    if not ours:
        return type(error).__name__
    last = ours[-1]
    path = Path(last.filename).as_posix()
    return f"{type(error).__name__} in {path.partition('/src/')[2] or Path(path).name}:{last.name}"


def line_of(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if OURS.search(frame.filename)]
    return (
        f"{frames[-1].filename.partition('/src/')[2]}:{frames[-1].lineno}" if frames else "outside our code"
    )

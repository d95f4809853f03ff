"""Recorded lines as the site reads them: a line that can't be read is passed over, so that one bad line costs no page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

T = TypeVar("T")


class LinePlace(NamedTuple):
    """Where a line stands in its file, in bytes."""

    offset: int
    size: int


def readable_lines(path: Path, shape: type[T], containing: bytes = b"") -> Iterator[tuple[LinePlace, T]]:
    """The records of a file with their places. Decoding is what costs: only lines that hold `containing` are decoded."""
    if not path.exists():
        return
    decode = msgspec.json.Decoder(shape).decode
    offset = 0
    with path.open("rb") as file:
        for line in file:
            place = LinePlace(offset, len(line))
            offset += len(line)
            if containing not in line:
                continue
            try:
                yield place, decode(line)
            except msgspec.MsgspecError:
                continue


def line_at(path: Path, place: LinePlace, shape: type[T]) -> T:
    """The record at a place that `readable_lines` gave."""
    with path.open("rb") as file:
        file.seek(place.offset)
        return msgspec.json.decode(file.read(place.size), type=shape)

"""What an ELF file says about how it is loaded: its machine, its loader, the libraries it names and where.

The file may be a stranger's: every offset, count and length in it is a claim. Only so much is read, nothing
is started, and a file that contradicts itself is no ELF file.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import open_inside

MOST_SEGMENTS = 256  # a large browser has 12
MOST_ENTRIES = 4096  # of the dynamic section; the largest libraries have under 200
MOST_NAMES = 1024
LONGEST_NAME = 4096  # as long as a path may be

_LOAD, _DYNAMIC, _INTERP = 1, 2, 3
_NEEDED, _STRINGS, _SONAME, _RPATH, _RUNPATH = 1, 5, 14, 15, 29


class Elf(msgspec.Struct, frozen=True):
    """The part of an ELF file that its loader goes by."""

    kind: bytes
    """Class, byte order and machine: only files of one kind are loaded together."""
    loader: str | None
    """None for a library, and for a program that needs no loader."""
    needed: tuple[str, ...]
    soname: str | None
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]


class _Layout(msgspec.Struct, frozen=True):
    """Where the fields are, by the class of the file."""

    header: str  # place, size and number of the segments' descriptions
    at: tuple[int, int]  # the place; size and number
    segment: str
    order: tuple[int, int, int, int]  # of kind, offset, address and length in a segment's description
    entry: str  # of the dynamic section


_LAYOUTS = {
    1: _Layout("I", (28, 42), "IIIIIIII", (0, 1, 2, 4), "iI"),
    2: _Layout("Q", (32, 54), "IIQQQQQQ", (0, 2, 3, 5), "qQ"),
}
_ORDERS = {1: "<", 2: ">"}


def read_elf(path: str) -> Elf | None:
    """What the file says; None for one that is no ELF file, is broken, or can't be read."""
    try:
        file = open_inside(Path(os.path.realpath(path)))
    except (OSError, UsageError, ValueError):
        return None
    try:
        return _parse(file)
    except (OSError, struct.error, OverflowError, ValueError):  # an offset beyond the file, or beyond all
        return None
    finally:
        os.close(file)


def _parse(file: int) -> Elf | None:
    head = os.pread(file, 64, 0)
    if len(head) < 64 or head[:4] != b"\x7fELF" or head[4] not in _LAYOUTS or head[5] not in _ORDERS:
        return None
    layout, order = _LAYOUTS[head[4]], _ORDERS[head[5]]
    (table,) = struct.unpack_from(order + layout.header, head, layout.at[0])
    size, count = struct.unpack_from(f"{order}HH", head, layout.at[1])
    shape = struct.Struct(order + layout.segment)
    if size != shape.size or count > MOST_SEGMENTS:
        return None
    described = _read(file, table, size * count)
    segments = [[fields[each] for each in layout.order] for fields in shape.iter_unpack(described)]
    loader: str | None = None
    entries: list[tuple[int, int]] = []
    for kind, offset, _, length in segments:
        if kind == _INTERP:
            loader = _text(file, offset, min(length, LONGEST_NAME))
        elif kind == _DYNAMIC:
            entries = _entries(file, struct.Struct(order + layout.entry), offset, length)
    strings = next((value for tag, value in entries if tag == _STRINGS), None)
    names: dict[int, list[str]] = {}
    if strings is not None and (place := _offset(strings, segments)) is not None:
        named = [each for each in entries if each[0] in (_NEEDED, _SONAME, _RPATH, _RUNPATH)]
        for tag, at in named[:MOST_NAMES]:
            names.setdefault(tag, []).append(_text(file, place + at, LONGEST_NAME))
    return Elf(
        kind=head[4:6] + head[18:20],
        loader=loader,
        needed=tuple(names.get(_NEEDED, ())),
        soname=next(iter(names.get(_SONAME, ())), None),
        rpath=_places(names.get(_RPATH)),
        runpath=_places(names.get(_RUNPATH)),
    )


def _entries(file: int, shape: struct.Struct, offset: int, length: int) -> list[tuple[int, int]]:
    data = os.pread(file, min(length, MOST_ENTRIES * shape.size), offset)
    found: list[tuple[int, int]] = []
    for tag, value in shape.iter_unpack(data[: len(data) // shape.size * shape.size]):
        if tag == 0:
            break
        found.append((tag, value))
    return found


def _offset(address: int, segments: list[list[int]]) -> int | None:
    """Where in the file the content of an address is."""
    for kind, offset, start, length in segments:
        if kind == _LOAD and start <= address < start + length:
            return address - start + offset
    return None


def _read(file: int, offset: int, length: int) -> bytes:
    data = os.pread(file, length, offset)
    if len(data) != length:
        raise ValueError("it ends before")
    return data


def _text(file: int, offset: int, most: int) -> str:
    text, end, _ = os.pread(file, most, offset).partition(b"\0")
    if not end:
        raise ValueError("a name without an end")
    return os.fsdecode(text)


def _places(named: list[str] | None) -> tuple[str, ...]:
    return tuple(place for each in named or () for place in each.split(":") if place)

"""ELF files made by hand: what a stranger can write into a file that a suite names."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

HELPER = "./lang/helper"


def machine_of_python() -> int:
    with Path(sys.executable).open("rb") as file:
        return int(struct.unpack_from("<H", file.read(64), 18)[0])


def forge_elf(
    interpreter: str | None = None,
    needed: tuple[str, ...] = (),
    rpath: str | None = None,
    runpath: str | None = None,
    soname: str | None = None,
    machine: int | None = None,
) -> bytes:
    """A file of this machine's kind with a loader, names and paths of one's choice, and no code."""
    strings = b"\0"
    entries: list[tuple[int, int]] = []
    named = [*((1, each) for each in needed), (14, soname), (15, rpath), (29, runpath)]
    for tag, text in named:
        if text is not None:
            entries.append((tag, len(strings)))
            strings += text.encode() + b"\0"
    loader = interpreter.encode() + b"\0" if interpreter is not None else b""
    count = 2 + (interpreter is not None)
    place = 64 + 56 * count
    at_strings, at_loader = place, place + len(strings)
    at_dynamic = at_loader + len(loader)
    entries += [(5, at_strings), (10, len(strings)), (0, 0)]
    dynamic = b"".join(struct.pack("<qQ", *each) for each in entries)
    whole = at_dynamic + len(dynamic)
    segments = [(1, 0, whole), (2, at_dynamic, len(dynamic))]
    if interpreter is not None:
        segments.append((3, at_loader, len(loader)))
    described = b"".join(
        struct.pack("<IIQQQQQQ", kind, 4, at, at, at, size, size, 8) for kind, at, size in segments
    )
    kind = machine_of_python() if machine is None else machine
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, kind, 1, 0, 64, 0, 0, 64, 56, count, 0, 0, 0)
    return head + described + strings + loader + dynamic


def forge_interpreter_alone(interpreter: str = HELPER) -> bytes:
    """The 140 bytes of the issue: an ELF header, one segment, and the name of a program to start."""
    name = interpreter.encode() + b"\0"
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, machine_of_python(), 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return head + struct.pack("<IIQQQQQQ", 3, 4, 120, 120, 120, len(name), len(name), 1) + name

"""What a binary needs to start: the loader it names, and the libraries the loader would pick."""

from __future__ import annotations

import functools
import re
import struct
import subprocess
import sys
from pathlib import Path

_PT_INTERP = 3


def loader(binary: Path) -> str | None:
    """The dynamic loader an ELF file names; None for a static one."""
    with binary.open("rb") as file:
        head = file.read(4096)
        if head[:5] != b"\x7fELF\x02":
            return None
        (table,) = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        for entry in range(table, table + size * count, size):
            kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", head, entry)
            if kind == _PT_INTERP:
                file.seek(offset)
                return file.read(length).rstrip(b"\0").decode()
    return None


def _is_elf(binary: str) -> bool:
    with Path(binary).open("rb") as file:
        return file.read(4) == b"\x7fELF"


@functools.cache
def libraries(binary: str) -> tuple[str, ...]:
    """The loader and the shared libraries that a program or a loadable module starts with, as paths."""
    linker = loader(Path(binary)) or (loader(Path(sys.executable)) if _is_elf(binary) else None)
    if linker is None:
        return ()
    listed = subprocess.run([linker, "--list", binary], capture_output=True, text=True, check=False).stdout
    paths = {linker, *re.findall(r"(/\S+) \(0x", listed)}
    return tuple(sorted(paths))


def library_path(paths: tuple[str, ...]) -> str:
    """Where the loader looks for libraries: a jail has no cache of them."""
    return ":".join(sorted({str(Path(path).parent) for path in paths}))

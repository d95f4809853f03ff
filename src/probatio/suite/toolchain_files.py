"""The files of a language's own folder that its commands use: they move grades, so they are part of the suite's content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from probatio.inside import read_inside
from probatio.languages.contract import Commands

FOLDER = "{folder}"


def files_digest(commands: Commands) -> str:
    """The digest of every such file, by its name in the folder and its bytes."""
    root = Path(commands.folder)
    summed = hashlib.sha256()
    for path in sorted(set(_files(commands, root))):
        content = hashlib.sha256(read_inside(path, root)).hexdigest()
        summed.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
    return summed.hexdigest()


def _files(commands: Commands, root: Path) -> Iterator[Path]:
    words = (*commands.run, *(commands.check or ()), *(commands.version or ()), *commands.reads)
    for word in words:
        if FOLDER not in word:
            continue
        place = Path(word.replace(FOLDER, str(root)))
        yield from (each for each in (place, *place.rglob("*")) if each.is_file() and each.suffix != ".pyc")

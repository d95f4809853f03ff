"""A digest of our own code: what is kept on disk is used again only by the code that made it."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

HERE = Path(__file__).parents[2]
SUFFIXES = frozenset({".py", ".js", ".css", ".html", ".ts"})


@functools.cache
def code_digest(*modules: str) -> str:
    """The digest of packages or modules of ours: names and bytes of their code files, with comments."""
    summed = hashlib.blake2b(digest_size=16)
    for module in modules:
        place = HERE.joinpath(*module.split("."))
        files = [place.with_suffix(".py")] if not place.is_dir() else sorted(place.rglob("*"))
        for file in files:
            if file.suffix in SUFFIXES:
                summed.update(f"{file.relative_to(HERE).as_posix()}\0".encode())
                summed.update(file.read_bytes())
    return summed.hexdigest()

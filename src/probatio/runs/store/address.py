"""Results at an address: object storage, or whatever else fsspec reads (`s3://…`, `gs://…`, `https://…`).

What is there is copied into a folder of the user's cache, file by file, and only where it has changed since
the last copy; every reader then goes by that folder. The copy may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from probatio.ask.proxies import find_proxy
from probatio.core.errors import Incomplete, ProbatioError, UsageError
from probatio.core.extras import describe_missing, require
from probatio.core.files import put, replacement
from probatio.core.jsonfile import read_json
from probatio.core.machine import cache_folder
from probatio.runs.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.runs.store.lines import has_lines
from probatio.runs.store.packed import path_of_packed

POINTER = ".address.json"
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://.")


class Pointer(msgspec.Struct, frozen=True):
    """The note in a copy: its address, and the state of each file there."""

    address: str
    files: dict[str, str]


def is_address(text: str) -> bool:
    """Whether this names a place beyond the file system."""
    return _ADDRESS.match(text) is not None


def run_at(address: str) -> Path:
    """The run at an address as a folder."""

    def is_wanted(name: str, there: set[str]) -> bool:
        if name in (ANSWERS, GRADES, RUN_FILE) or name.startswith("tasks/"):
            return True
        # Lines that were graded again stand next to the packed ones, and count.
        return any(
            name == path_of_packed(Path(lines)).name and lines not in there for lines in (ANSWERS, GRADES)
        )

    folder = _copy(address, is_wanted)
    if not (folder / RUN_FILE).exists() and not any(has_lines(folder / name) for name in (GRADES, ANSWERS)):
        raise UsageError(f"There is no run at {address}: neither {RUN_FILE} nor {GRADES} is there.")
    return folder


def results_at(address: str) -> Path:
    """All runs and days under an address, as a folder."""
    folder = _copy(address, lambda name, there: not PurePosixPath(name).name.startswith("."))
    if not any(path.name != POINTER for path in folder.iterdir()):
        raise UsageError(f"There is nothing at {address}.")
    return folder


def bring_home(address: str, results: Path) -> Path:
    """A copy of the run at an address as a run of this results folder, to go on with."""
    source = run_at(address)
    target = results / source.name
    if target.exists():
        raise UsageError(
            f"{target} exists already: name it instead of {address}, or write elsewhere with --out FILE."
        )
    results.mkdir(parents=True, exist_ok=True)
    part = results / f".{source.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(source, part, ignore=shutil.ignore_patterns(POINTER))
    part.rename(target)
    return target


def _copy(address: str, is_wanted: Callable[[str, set[str]], bool]) -> Path:
    """The folder of the cache with what is wanted of an address; only what has changed since is copied."""
    address = address.rstrip("/")
    system, root = _filesystem(address)
    digest = hashlib.sha256(address.encode()).hexdigest()[:16]
    name = re.sub(r"[^A-Za-z0-9._-]", "_", address.rsplit("/", 1)[-1]).lstrip(".") or "results"
    folder = cache_folder() / "addresses" / digest / name
    with _explain_failures(address):
        system.invalidate_cache()
        found: dict[str, dict[str, Any]] = system.find(root, detail=True)
        there = {_inside(address, root, path): _state(about) for path, about in found.items()}
    folder.mkdir(parents=True, exist_ok=True)
    try:
        before = read_json(folder / POINTER, Pointer, "a note of what was copied").files
    except (OSError, UsageError):
        before = {}
    names = set(there)
    for file in before.keys() - names:
        (folder / file).unlink(missing_ok=True)
    for file, state in there.items():
        target = folder / file
        if not is_wanted(file, names) or (before.get(file) == state and target.exists()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with _explain_failures(f"{address}/{file}"), replacement(target) as part:
            system.get_file(f"{root}/{file}", str(part))
    put(folder / POINTER, msgspec.json.encode(Pointer(address, there)))
    return folder


def _inside(address: str, root: str, path: str) -> str:
    """The name of a file under the address. One that would lead out of the copy is refused."""
    name = path.removeprefix(root).lstrip("/")
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or "\\" in name:
        raise UsageError(
            f"{address} holds a file named {path!r}, which would lead out of its folder. Rename it there."
        )
    return name


def _state(about: dict[str, Any]) -> str:
    """A text that changes when the file does, as far as its storage shows."""
    marks = (
        about.get(key)
        for key in ("size", "ETag", "etag", "md5Hash", "LastModified", "mtime", "updated", "created")
    )
    return " ".join(str(mark) for mark in marks if mark is not None)


def _filesystem(address: str) -> tuple[Any, str]:
    """The file system for an address, and the path in it."""
    require("fsspec")
    import fsspec

    proxy = find_proxy(address)
    options = {"client_kwargs": {"proxy": proxy}} if proxy else {}
    try:
        system, root = fsspec.core.url_to_fs(
            address, skip_instance_cache=True, **options
        )  # keys and endpoints of now
    except ImportError as error:  # fsspec names the package of the protocol
        raise UsageError(f"{address} can't be read: {error}. {describe_missing('storage')}") from None
    except ValueError as error:
        raise UsageError(f"{address} is not an address that can be read: {error}.") from None
    return system, root.rstrip("/")


@contextmanager
def _explain_failures(address: str) -> Iterator[None]:
    """Turn errors of a storage into sentences: each kind has other errors."""
    try:
        yield
    except ProbatioError:
        raise
    except FileNotFoundError:
        raise UsageError(f"There is nothing at {address}.") from None
    except Exception as error:
        lines = str(error).strip().splitlines()
        raise Incomplete(f"{address} can't be read: {lines[0] if lines else type(error).__name__}") from error

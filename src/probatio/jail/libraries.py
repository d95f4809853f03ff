"""What a binary needs to start: its loader, and the libraries the loader would pick.

They are found by reading, as ld.so finds them, and never by asking a loader: `ld.so --list FILE` starts the
loader that the file names, and a file may be a stranger's. What such a file can have shown in the jail is a
library of the system, of Python's environment, or of its own tree; a path to anywhere else is not followed.
"""

from __future__ import annotations

import functools
import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import read_inside
from probatio.jail.elf import Elf, read_elf

MOST_TRIES = 5000  # paths looked at for one binary; a browser has 60 libraries
MOST_PLACES = 100  # folders that one file is given to look in

_CACHE = Path("/etc/ld.so.cache")
_CACHE_MARK = b"glibc-ld.so.cache1.1"
_MACHINE = os.uname().machine if hasattr(os, "uname") else ""
_DEFAULT = (
    f"/lib/{_MACHINE}-linux-gnu", f"/usr/lib/{_MACHINE}-linux-gnu",
    "/lib64", "/usr/lib64", "/lib", "/usr/lib",
)  # fmt: skip
_MUSL = ("/lib", "/usr/local/lib", "/usr/lib")  # its own order, where /etc/ld-musl-*.path says nothing
_STORES = ("/nix/store", "/gnu/store", "/usr/local/lib")
"""More places that only the system's owner fills: whole systems are built of the first two."""


@functools.cache
def libraries(binary: str) -> tuple[str, ...]:
    """The loader and the shared libraries that a program or a loadable module starts with, as paths.

    Nothing for a text, for a static program, for a binary of another machine and for a broken one.
    """
    start, own = _read(binary), _read(sys.executable)
    if start is None or own is None or start.kind != own.kind or own.loader is None:
        return ()
    if start.loader is None and not start.needed:
        return ()
    loader = start.loader if start.loader and _is_systems(start.loader, start.kind) else own.loader
    return tuple(sorted({loader, *_find_needed(binary, start, loader)}))


def library_path(paths: tuple[str, ...]) -> str:
    """Where the loader looks for libraries: a jail has no cache of them."""
    return ":".join(sorted({str(Path(path).parent) for path in paths}))


class _Loaded(msgspec.Struct, frozen=True):
    """A file that is loaded, and where its own needs are looked for first."""

    path: str
    needed: tuple[str, ...]
    places: tuple[str, ...]
    handed_on: tuple[str, ...]
    """The RPATHs that what it loads looks into, too."""


def _load(path: str, elf: Elf, above: tuple[str, ...] = ()) -> _Loaded:
    if elf.runpath:  # for its own needs alone, and its RPATH counts no more
        return _Loaded(path, elf.needed, _expand(elf.runpath, path)[:MOST_PLACES], above)
    places = tuple(dict.fromkeys((*_expand(elf.rpath, path), *above)))[:MOST_PLACES]
    return _Loaded(path, elf.needed, places, places)


def _find_needed(binary: str, start: Elf, loader: str) -> set[str]:
    """Breadth first, as ld.so: a name that is loaded once serves all later ones."""
    allowed = (*_system_places(), *_environment(), *_tree(binary))
    names = {Path(loader).name: loader}
    queue = [_load(binary, start)]
    tries = 0
    for loaded in queue:
        for name in loaded.needed:
            for path, of_system in _candidates(name, loaded) if name not in names else ():
                if (tries := tries + 1) > MOST_TRIES:
                    return {each.path for each in queue[1:]}
                elf = _read(path) if of_system or _lies_in(path, allowed) else None
                if elf is not None and elf.kind == start.kind:
                    names[name] = path
                    if elf.soname:
                        names.setdefault(elf.soname, path)
                    queue.append(_load(path, elf, loaded.handed_on))
                    break
    return {each.path for each in queue[1:]}


def _candidates(name: str, asker: _Loaded) -> Iterator[tuple[str, bool]]:
    """The paths at which a needed library may be, in ld.so's order; whether the system says so, or a file."""
    if "/" in name:
        if os.path.isabs(name):  # noqa: PTH117 - else it means the current folder
            yield name, False
        return
    yield from ((f"{place}/{name}", False) for place in asker.places)
    yield from ((path, True) for path in _cached().get(name, ()))
    yield from ((f"{place}/{name}", True) for place in _default_places())


def _expand(places: tuple[str, ...], path: str) -> tuple[str, ...]:
    """RPATH or RUNPATH of a file as folders; `$ORIGIN` is the file's own, under its name and in truth."""
    origins = dict.fromkeys(os.path.dirname(each) for each in (path, os.path.realpath(path)))  # noqa: PTH120
    full = (
        place.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)
        for place in places
        for origin in origins
    )
    known = (os.path.normpath(each) for each in full if each.startswith("/") and "$" not in each)
    return tuple(dict.fromkeys(known))


def _lies_in(path: str, places: tuple[str, ...]) -> bool:
    real = os.path.realpath(path)
    return any(real.startswith(f"{place}/") for place in places)


def _is_systems(loader: str, kind: bytes) -> bool:
    elf = _read(loader) if os.path.isabs(loader) else None  # noqa: PTH117
    return elf is not None and elf.kind == kind and _lies_in(loader, _system_places())


@functools.cache
def _system_places() -> tuple[str, ...]:
    """The system's folders of libraries, with all links followed."""
    cached = {str(Path(path).parent) for paths in _cached().values() for path in paths}
    return _real((*_default_places(), *_DEFAULT, *_STORES, *cached))


@functools.cache
def _environment() -> tuple[str, ...]:
    return _real((sys.prefix, sys.base_prefix))


def _tree(binary: str) -> tuple[str, ...]:
    """The binary's own folder, and the folders of libraries next to it."""
    here = Path(os.path.realpath(binary)).parent
    beside = (here.parent / name for name in ("lib", "lib64"))
    return _real(tuple(str(place) for place in (here, *beside)))


def _real(places: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({os.path.realpath(place) for place in places} - {"/"}))


@functools.cache
def _default_places() -> tuple[str, ...]:
    own = _read(sys.executable)
    if own is None or "ld-musl-" not in (own.loader or ""):
        return _DEFAULT
    named = Path("/etc", Path(own.loader or "").name).with_suffix("").with_suffix(".path")
    try:
        text = read_inside(named).decode("utf-8", "replace")
    except (OSError, UsageError):
        return _MUSL
    return tuple(place for place in text.replace("\n", ":").split(":") if place) or _MUSL


@functools.cache
def _cached() -> dict[str, tuple[str, ...]]:
    """The system's own list of libraries, as `ldconfig` wrote it; empty if there is no list."""
    try:
        data = read_inside(_CACHE)
        return _parse_cache(data[data.index(_CACHE_MARK) :])  # older systems have another list before it
    except (OSError, UsageError, ValueError, struct.error):
        return {}


def _parse_cache(data: bytes) -> dict[str, tuple[str, ...]]:
    (count,) = struct.unpack_from("<I" if sys.byteorder == "little" else ">I", data, len(_CACHE_MARK))
    entry = struct.Struct("=iIIIQ")
    found: dict[str, list[str]] = {}
    for _, name, path, _, only_on in entry.iter_unpack(data[48 : 48 + count * entry.size]):
        if only_on == 0:  # else for newer processors alone; the plain one works on all
            found.setdefault(_word(data, name), []).append(_word(data, path))
    return {name: tuple(paths) for name, paths in found.items()}


def _word(data: bytes, at: int) -> str:
    return os.fsdecode(data[at : data.index(b"\0", at)])


_read = functools.lru_cache(maxsize=4096)(read_elf)

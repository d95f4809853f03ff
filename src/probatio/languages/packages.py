"""The installed Python packages that a language's scripts import, gathered in one folder to show in the jail.

The folder of all installed packages holds Probatio too, and the gold solutions of its suites with it; so a
script sees what it imports and what that requires, as links in a folder of their own. Links and not copies,
since packages can be large; a folder since under Landlock Python can't list one of which only parts may be
read.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.metadata
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import MOST_SETTINGS, read_named
from probatio.jail import libraries
from probatio.languages.imports import Imports
from probatio.languages.python.home import keep_folder

OURS = "probatio"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_MODULES = 200  # loadable modules of packages whose libraries are looked for; more of them are no small tool


class Packages(msgspec.Struct, frozen=True):
    """What scripts import that is not in the standard library."""

    folder: str | None = None
    """On Python's path in the jail; None where there is nothing to import."""
    reads: tuple[str, ...] = ()
    """Where its links lead, and the libraries of what is there."""
    versions: tuple[str, ...] = ()


def packages(imports: Iterable[Imports], modules: Iterable[str], beside: frozenset[str]) -> Packages:
    """The packages that scripts import, and those named as `modules`, with all they require.

    `beside` are modules of the language itself. Raises UsageError if a needed one is not installed.
    """
    wanted = dict.fromkeys(modules, True)
    for name, needed in itertools.chain.from_iterable(each.modules for each in imports):
        wanted[name] = wanted.get(name, False) or needed
    places: dict[str, str] = {}
    versions: set[str] = set()
    for name, needed in sorted(wanted.items()):
        if name in sys.stdlib_module_names or name in beside:
            continue
        if name == OURS:
            raise UsageError(
                f"A script of the language imports {OURS}, which programs in the jail must not see."
            )
        found = _place(name)
        if found is None:
            if needed:
                raise UsageError(
                    f"The language needs the Python package `{name}`, which is not installed here."
                )
            continue
        places[Path(found).name] = found
        for distribution in sorted(_distributions()[1].get(name, ())):
            for part in _find_required(distribution):
                versions.add(f"{part.metadata['Name']} {part.version}")
                places.update(_entries(part))
    if not places:
        return Packages()
    return Packages(_folder(tuple(sorted(places.items()))), _reads(places.values()), tuple(sorted(versions)))


def _place(name: str) -> str | None:
    """Where an installed package or module is. Nothing is loaded, and the current folder is not looked into:
    `import Documents` would find a folder of that name, and show all that is in it."""
    spec = importlib.machinery.PathFinder.find_spec(name, list(_installed()))
    if spec is None:
        return None
    if spec.submodule_search_locations:
        place = next(iter(spec.submodule_search_locations))
        return place if spec.origin or Path(place).parent in map(Path, _site_folders()) else None
    return spec.origin if spec.origin and Path(spec.origin).exists() else None


@functools.cache
def _site_folders() -> tuple[str, ...]:
    """Where this interpreter's packages are installed."""
    return tuple(each for each in sys.path if Path(each).name in ("site-packages", "dist-packages"))


@functools.cache
def _installed() -> tuple[str, ...]:
    """The same, with the folders that installed packages add in `.pth` files: editable ones do."""
    lines = (
        line.strip()
        for folder in _site_folders()
        for file in sorted(Path(folder).glob("*.pth"))
        for line in read_named(file, MOST_SETTINGS).decode("utf-8", "replace").splitlines()
    )
    added = [line for line in lines if line and not line.startswith(("#", "import ", "import\t"))]
    return tuple(dict.fromkeys((*_site_folders(), *(each for each in added if Path(each).is_dir()))))


@functools.cache
def _distributions() -> tuple[dict[str, importlib.metadata.Distribution], dict[str, set[str]]]:
    """What is installed: by its name, and the names of those that bring a module."""
    named: dict[str, importlib.metadata.Distribution] = {}
    brought: dict[str, set[str]] = {}
    for one in importlib.metadata.distributions(path=list(_installed())):
        key = _key(one.metadata["Name"] or "")
        named.setdefault(key, one)
        told = (one.read_text("top_level.txt") or "").split()
        for file in () if told else one.files or ():
            told.append(file.parts[0] if len(file.parts) > 1 else file.name.partition(".")[0])
        for module in told:
            brought.setdefault(module, set()).add(key)
    return named, brought


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _find_required(name: str) -> list[importlib.metadata.Distribution]:
    """A distribution and all that it requires and that is installed; what only an extra asks for is left
    out."""
    found: dict[str, importlib.metadata.Distribution] = {}
    names = [name]
    for one in names:
        key = _key(one)
        if key in found or key == OURS or key not in _distributions()[0]:
            continue
        found[key] = _distributions()[0][key]
        for line in found[key].requires or ():
            requirement, _, marker = line.partition(";")
            match = _NAME.match(requirement.strip())
            if match and "extra" not in marker:
                names.append(match[0])
    return list(found.values())


def _entries(distribution: importlib.metadata.Distribution) -> Iterator[tuple[str, str]]:
    """What a distribution has put into the folder of packages, by name."""
    for name in sorted({file.parts[0] for file in distribution.files or ()}):
        place = Path(str(distribution.locate_file(name)))
        if name not in ("..", "__pycache__") and not name.endswith(".pth") and place.exists():
            yield name, str(place)


def _reads(places: Iterable[str]) -> tuple[str, ...]:
    shown = sorted(set(places))
    inside = [
        path for place in shown for path in ([place] if Path(place).is_file() else Path(place).rglob("*.so*"))
    ]
    needed = {one for path in inside[:_MODULES] if ".so" in Path(path).name for one in libraries(str(path))}
    return (*shown, *sorted(needed))


@functools.cache
def _folder(places: tuple[tuple[str, str], ...]) -> str:
    """The folder of links, made on first use."""

    def link(folder: Path) -> None:
        for entry, place in places:
            (folder / entry).symlink_to(place)

    return str(keep_folder(f"packages-{hashlib.sha256(repr(places).encode()).hexdigest()[:16]}", link))

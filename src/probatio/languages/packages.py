"""The installed Python packages that a language's scripts import, gathered in one folder to show in the jail.

The folder of all installed packages holds Probatio too, and the gold solutions of its suites with it; so a
script sees what it imports and what that requires, as links in a folder of their own. Links and not copies,
since packages can be large; a folder since under Landlock Python can't list one of which only parts may be
read.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.jail import libraries
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


def packages(scripts: Iterable[Path], modules: Iterable[str], beside: frozenset[str]) -> Packages:
    """The packages that `scripts` import, and those named as `modules`, with all they require.

    `beside` are modules of the language itself. Raises UsageError if a needed one is not installed.
    """
    wanted = dict.fromkeys(modules, True)
    for script in scripts:
        for name, needed in _imports(script):
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
        for distribution in importlib.metadata.packages_distributions().get(name, ()):
            for part in _find_required(distribution):
                versions.add(f"{part.metadata['Name']} {part.version}")
                places.update(_entries(part))
    if not places:
        return Packages()
    return Packages(_folder(tuple(sorted(places.items()))), _reads(places.values()), tuple(sorted(versions)))


def _imports(script: Path) -> Iterator[tuple[str, bool]]:
    """The modules a script imports by their first names, and whether it can't run without them."""
    try:
        tree = ast.parse(script.read_bytes())
    except (SyntaxError, ValueError, OSError):  # it will say so itself when it is run
        return
    certain = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0], id(node) in certain
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0], id(node) in certain


_OF_SITE = {"exit", "quit", "help", "copyright", "credits", "license", "site"}
"""The names that Python's module `site` adds."""


def uses_site(path: Path) -> bool:
    """Whether a script, or one in a folder, may need the module `site`: to be sure, where it can't be read as
    Python too."""
    texts = path.rglob("*.py") if path.is_dir() else (path,)
    try:
        trees = [ast.parse(text.read_bytes()) for text in texts]
    except (SyntaxError, ValueError, OSError):
        return True
    nodes = (node for tree in trees for node in ast.walk(tree))
    return any(
        (isinstance(node, ast.Name) and node.id in _OF_SITE)
        or (isinstance(node, ast.alias) and node.name in _OF_SITE)
        for node in nodes
    )


def _place(name: str) -> str | None:
    """Where a package or module is; it is not loaded."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return next(iter(spec.submodule_search_locations))
    return spec.origin if spec.origin and Path(spec.origin).exists() else None


def _find_required(name: str) -> list[importlib.metadata.Distribution]:
    """A distribution and all that it requires and that is installed; what only an extra asks for is left
    out."""
    found: dict[str, importlib.metadata.Distribution] = {}
    names = [name]
    for one in names:
        key = re.sub(r"[-_.]+", "-", one).lower()
        if key in found or key == OURS:
            continue
        try:
            found[key] = importlib.metadata.distribution(one)
        except importlib.metadata.PackageNotFoundError:
            continue
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

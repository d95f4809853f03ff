"""Which package of the Faber compiler may know which, and that none of them is built by inheritance."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import faber

FABER = Path(faber.__file__).parent
PREFIX = "faber."
KNOWS = {"parse": set(), "check": set(), "emit": set(), "print": {"parse"}}
"""A package → the other packages it may import. Printing asks the parser what it would take a word for."""
SHARED = ("tree", "types", "vocabulary", "dialects", "diagnostics", "library")


def imported(path: Path) -> Iterator[str]:
    """The packages of the compiler that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                package = name.removeprefix(PREFIX).partition(".")[0]
                if name.startswith(PREFIX) and package in KNOWS:
                    yield package


@pytest.mark.parametrize("package", KNOWS)
def test_a_package_imports_only_what_it_may_know(package: str) -> None:
    for path in (FABER / package).glob("*.py"):
        assert set(imported(path)) <= KNOWS[package] | {package}, path.name


@pytest.mark.parametrize("module", SHARED)
def test_what_the_packages_share_knows_none_of_them(module: str) -> None:
    assert not set(imported(FABER / f"{module}.py"))


@pytest.mark.parametrize("package", KNOWS)
def test_no_class_of_a_package_is_built_on_another_of_ours(package: str) -> None:
    files = list((FABER / package).glob("*.py"))
    classes = [
        node
        for path in files
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    names = {node.name for node in classes}
    assert not [
        node.name
        for node in classes
        for base in node.bases
        if isinstance(base, ast.Name) and base.id in names
    ]


def test_nothing_of_probatio_is_imported() -> None:
    """By any form of import, also inside a function; the import contract says the same."""
    files = list(FABER.rglob("*.py"))
    assert len(files) > 30
    for path in files:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        names += [node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)]
        assert not [name for name in names if name.partition(".")[0] in ("probatio", "")], path.name


def test_the_whole_package_works_where_there_is_no_probatio() -> None:
    blocked = (
        "import sys; sys.modules['probatio'] = None; import faber, faber.cli, faber.spelling, faber.needs"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{blocked}; print(faber.compile('scribe 1'))"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "console.log(1);\n\n", done.stderr

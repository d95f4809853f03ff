"""Which package of the Faber compiler may know which, and that none of them is built by inheritance."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

FABER = Path(__file__).parents[3] / "src" / "probatio" / "languages" / "faber"
PREFIX = "probatio.languages.faber."
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
    assert not [node.name for node in classes for base in node.bases if isinstance(base, ast.Name) and base.id in names]

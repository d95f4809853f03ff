"""What a script imports is read off its words: as Python's parser would say, and in time by length alone."""

from __future__ import annotations

import ast
import os
import time
from pathlib import Path

import pytest

import probatio
from probatio.core.errors import UsageError
from probatio.languages import packages as found_packages
from probatio.languages.imports import _scan, list_scripts, read_imports

OURS = sorted(Path(probatio.__file__).parent.rglob("*.py"))


def by_parser(text: bytes) -> dict[str, bool]:
    tree = ast.parse(text)
    names: dict[str, bool] = {}
    for node in ast.walk(tree):
        told: list[str] = []
        if isinstance(node, ast.Import):
            told = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            told = [node.module]
        for name in told:
            first = name.partition(".")[0]
            names[first] = names.get(first, False) or node in tree.body
    return names


def test_our_own_modules_are_read_as_the_parser_reads_them() -> None:
    for path in OURS[::7]:
        text = path.read_bytes()
        assert dict(_scan(text).modules) == by_parser(text), path


@pytest.mark.parametrize(
    "text",
    [
        "import a, b.c as d; import e", "from a.b import (c,\n d)\n", "try:\n import a\nexcept E: import b",
        "if x: import a; import b\nimport c", "'''\nimport a\n'''\nimport b", "x = 'import a'\n# import b\n",
        "from . import a\nfrom .b import c\nfrom d import e", "import a\\\n  , b", "x = r'\\d\\\\'; import a",
        "def f():\n  import a\n", "class A: import a", "f'{x!r:>{y}}'; import a", "\ufeffimport a",
        'x = """\\"""" + "a"; import b', "lambda x: x\nimport a\r\nimport b", "async def f():\n\timport a",
        "x: int = 1; import a", "d = {1: 2,\n3: 4}\nimport a",
    ],
)  # fmt: skip
def test_every_way_to_write_an_import_is_seen(text: str) -> None:
    assert dict(_scan(text.encode()).modules) == by_parser(text.encode())


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("exit(1)", True), ("import site", True), ("x.exit()", False), ("f(help='x')", False),
        ("help()", True),
        ("def exit(): pass", False), ("quit", True), ("x = 'exit'", False), ("if help == 1: pass", True),
    ],
)  # fmt: skip
def test_a_name_of_site_is_seen(text: str, uses: bool) -> None:
    assert _scan(text.encode()).uses_site is uses


HOSTILE = {
    "dots": b"import " + b"a." * 130_000, "formats": b"f'" + b"{a}" * 300_000 + b"'", "minus": b"-" * 300_000,
    "brackets": b"(" * 300_000, "quotes": b"'" * 300_000, "long quotes": b"'''" * 300_000,
    "backslashes": b"'" + b"\\" * 300_000, "long backslashes": b"'''" + b"\\'''" * 200_000,
    "lines": b"\n " * 450_000, "imports": b"import a\n" * 100_000, "bytes": bytes(range(256)) * 3_000,
    "commas": b"import a" + b",a" * 130_000, "zero": bytes(300_000), "elif": b"if 1:pass\n" * 90_000,
    "indents": b"".join(b" " * depth + b"if 1:\n" for depth in range(1_000)),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_script_takes_time_by_its_length(kind: str) -> None:
    began = time.process_time()
    _scan(HOSTILE[kind])
    assert time.process_time() - began < 5


def test_scripts_are_files_and_not_endless(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    for name in ("pipe.py", "zero.py"):
        with pytest.raises(UsageError):
            read_imports([tmp_path / name], tmp_path)
    (tmp_path / "many").mkdir()
    for number in range(5):
        (tmp_path / "many" / f"{number}.py").write_bytes(b"#" * 1_000_000)
    with pytest.raises(UsageError, match="more than 4 MB of Python"):
        read_imports(list_scripts(tmp_path / "many", tmp_path), tmp_path)


def test_an_import_finds_no_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`import Documents`, with the current folder on Python's path."""
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "letter.txt").write_text("secret")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text(f"open({str(tmp_path / 'started')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("Documents", "own"):
        assert found_packages._place(name) is None
    assert found_packages._place("numpy") is not None
    assert not (tmp_path / "started").exists()

"""The import contract of pyproject.toml holds, and catches what it forbids: violations are planted in a
copy."""

from __future__ import annotations

import ast
import pkgutil
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import faber
import probatio
from probatio.watch import verdict

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

PACKAGE = Path(probatio.__file__).parent
FABER = Path(faber.__file__).parent
CONTRACT = PACKAGE.parents[1] / "pyproject.toml"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The modules of both packages and the contract, in a folder of their own."""
    shutil.copy(CONTRACT, tmp_path)
    for package in (PACKAGE, FABER):
        target = tmp_path / package.name
        shutil.copytree(package, target, ignore=lambda folder, names: _no_modules(Path(folder), names))
    return tmp_path / PACKAGE.name


def _no_modules(folder: Path, names: list[str]) -> list[str]:
    return [name for name in names if not (folder / name).is_dir() and not name.endswith(".py")]


def _broken(copy: Path) -> list[str]:
    """The contracts the copy breaks, by name."""
    checked = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as run; run()",
            "--no-cache",
            "--no-logo",
        ],
        cwd=copy.parent,
        env={"COLUMNS": "400", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    broken = [
        line.removesuffix(" BROKEN") for line in checked.stdout.splitlines() if line.endswith(" BROKEN")
    ]
    assert ("Contracts:" in checked.stdout, checked.returncode) == (True, 1 if broken else 0), (
        checked.stdout + checked.stderr
    )
    return broken


def _plant(copy: Path, module: str, line: str) -> None:
    file = copy / module
    first, mark, rest = file.read_text(encoding="utf-8").partition("from __future__ import annotations\n")
    assert mark
    file.write_text(f"{first}{mark}{line}\n{rest}", encoding="utf-8")


def test_the_package_as_it_is_keeps_every_contract(copy: Path) -> None:
    assert _broken(copy) == []


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("watch/verdict/rule/rule.py", "import os", "The verdict is pure"),
        ("watch/verdict/fold.py", "import os.path", "The verdict is pure"),
        ("watch/verdict/days.py", "from pathlib import Path", "The verdict is pure"),
        ("watch/verdict/reason.py", "from time import time", "The verdict is pure"),
        (
            "watch/verdict/cause/attribution.py",
            "import uuid",
            "The verdict is pure",
        ),  # which nothing else of ours imports
        (
            "watch/verdict/evidence/streams.py",
            "from probatio.core.text.names import slugs",
            "The verdict is pure",
        ),
        ("core/records/day.py", "import pathlib", "The verdict is pure"),  # by way of the records
        ("learn/rates.py", "from probatio.watch.verdict.rule.rule import step", "The data flows one way"),
        ("learn/trials.py", "import probatio.watch.ledger.ledger", "The data flows one way"),
        ("runs/engine.py", "from probatio.watch.day.job import DayJob", "The data flows one way"),
        ("ask/retry.py", "from probatio.languages import contract", "The data flows one way"),  # next to it
        (
            "../faber/tree.py",
            "from probatio.core.errors import UsageError",
            "Faber imports nothing of Probatio",
        ),
        ("watch/verify/verification.py", "import probatio.watch.judged", "What verify and the ledger say"),
        ("watch/ledger/later.py", "import probatio.watch.judged", "What verify and the ledger say"),
        ("suites/prompt.py", "from faber.dialects import NAMES", "Only the adapter of Faber"),
        ("languages/command.py", "import faber", "Only the adapter of Faber"),
    ],
)
def test_a_planted_violation_is_caught(copy: Path, module: str, line: str, contract: str) -> None:
    _plant(copy, module, line)
    assert any(broken.startswith(contract) for broken in _broken(copy))


def test_the_verdict_is_forbidden_every_module_of_core_but_records_and_errors() -> None:
    contracts = tomllib.loads(CONTRACT.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (pure,) = (each for each in contracts if each["id"] == "pure-verdict")
    core = {f"probatio.core.{each.name}" for each in pkgutil.iter_modules([str(PACKAGE / "core")])}
    forbidden = {name for name in pure["forbidden_modules"] if name.startswith("probatio.core.")}
    assert forbidden == core - {"probatio.core.records", "probatio.core.errors"}


def test_a_package_without_a_place_in_the_contract_is_caught(copy: Path) -> None:
    (copy / "newcomer.py").write_text('"""No one has said what this may import."""\n')
    assert any(broken.startswith("The data flows one way") for broken in _broken(copy))


CLOCKS_AND_FILES = {
    "open",
    "input",
    "print",
    "now",
    "today",
    "utcnow",
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
}
"""What needs no import that a contract could forbid: built-in functions, and the clock of `datetime`."""


def _calls(source: str) -> set[str]:
    functions = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {each.id if isinstance(each, ast.Name) else getattr(each, "attr", "") for each in functions}


def test_the_verdict_calls_no_clock_and_opens_no_file() -> None:
    files = sorted(Path(verdict.__file__).parent.rglob("*.py"))
    assert len(files) > 10
    assert (
        not {name for file in files for name in _calls(file.read_text(encoding="utf-8"))} & CLOCKS_AND_FILES
    )


def test_a_planted_call_of_the_clock_is_caught() -> None:
    assert _calls("from datetime import date\nage = date.today() - born") & CLOCKS_AND_FILES == {"today"}

"""The wheel and the sdist: built, installed into an environment of their own, and used from there; versions
that agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from probatio import __version__

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

REPOSITORY = Path(__file__).parent.parent
CITED = re.compile(r"\b((?:docs/[a-z-]+\.md)|compose\.yml)")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist."""
    target = tmp_path_factory.mktemp("dist")
    script = (
        "import sys, hatchling.build as b; print(b.build_wheel(sys.argv[1])); "
        "print(b.build_sdist(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(target)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    wheel, sdist = done.stdout.split()[-2:]
    return target / wheel, target / sdist


@pytest.fixture(scope="module")
def installed(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment with the wheel alone; libraries come from the environment of the tests."""
    venv = tmp_path_factory.mktemp("clean") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    python = venv / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-compile",
        str(built[0])],
        check=True, capture_output=True,
    )  # fmt: skip
    own = next((venv / "lib").glob("python*/site-packages"))
    (own / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (venv / "bin" / "deno").symlink_to(Path(sys.executable).parent / "deno")  # its wheel puts it there
    return venv / "bin"


def _run(bin_folder: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [str(bin_folder / words[0]), *words[1:]],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_installed_package_is_the_wheels(installed: Path, tmp_path: Path) -> None:
    done = _run(installed, "python", "-c", "import probatio; print(probatio.__file__)", cwd=tmp_path)
    assert Path(done.stdout.strip()).is_relative_to(installed.parent)


def test_versions_agree(installed: Path, built: tuple[Path, Path], tmp_path: Path) -> None:
    assert _run(installed, "probatio", "--version", cwd=tmp_path).stdout.split()[-1] == __version__
    told = _run(
        installed,
        "python",
        "-c",
        "import importlib.metadata as m; print(m.version('probatio'))",
        cwd=tmp_path,
    )
    assert told.stdout.strip() == __version__
    assert all(f"probatio-{__version__}" in file.name for file in built)
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__ and citation["cff-version"] == "1.2.0"
    assert (
        citation["license"]
        == tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["license"]
    )


def test_every_file_that_help_and_errors_name_comes_along(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[0]) as wheel:
        names = set(wheel.namelist())
        texts = [
            wheel.read(name).decode()
            for name in names
            if name.startswith(("probatio/", "faber/")) and name.endswith((".py", ".html"))
        ]
    cited = {match for text in texts for match in CITED.findall(text)}
    assert {"docs/models.md", "docs/deploy.md"} <= cited | {"docs/models.md"}
    assert "probatio/site/bench.yml" in names
    assert [name for name in sorted(cited) if f"probatio/share/{name}" not in names] == []
    pages = {f"probatio/share/docs/{file.name}" for file in (REPOSITORY / "docs").glob("*.md")}
    assert pages <= names
    assert not [name for name in names if name.startswith(("probatio/share/results", "tests/"))]


def test_the_wheel_of_the_sdist_is_the_same(built: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.unpack_archive(built[1], tmp_path)
    (source,) = tmp_path.iterdir()
    script = "import sys, hatchling.build as b; b.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=source, check=True, capture_output=True)
    (again,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built[0]) as first, zipfile.ZipFile(again) as second:
        assert {info.filename: info.CRC for info in first.infolist()} == {
            info.filename: info.CRC for info in second.infolist()
        }


def test_the_installed_command_works_away_from_the_repository(installed: Path, tmp_path: Path) -> None:
    listed = _run(installed, "probatio", "help", "--all", cwd=tmp_path).stdout.split("\n")
    assert any(line.startswith("  your-language ") for line in listed)
    assert (
        "17 6 * * *" in _run(installed, "probatio", "daily", "schedule", "--as", "cron", cwd=tmp_path).stdout
    )
    assert _run(installed, "probatio", "help", "docs/alerts.md", cwd=tmp_path).stdout.startswith("# ")
    suites = _run(installed, "probatio", "suite", "list", cwd=tmp_path)
    assert all(name in suites.stdout for name in ("faber", "kcl", "strues")), suites.stderr
    (tmp_path / "salve.fab").write_text('scribe "salve"\n', encoding="utf-8")
    compiled = _run(installed, "faber", "compile", "salve.fab", cwd=tmp_path)
    assert compiled.stdout == 'console.log("salve");\n', compiled.stderr
    planned = _run(installed, "probatio", "trial", "--dry-run", "--limit", "3", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr
    slip = _run(installed, "probatio", "help", "your-langage", cwd=tmp_path)
    assert slip.returncode == 2 and "Near matches: your-language" in slip.stderr

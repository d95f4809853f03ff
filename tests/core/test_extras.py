"""Extras: the core runs alone, and what needs an extra says which one, in a sentence and with exit code 2."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from double import Double
from probatio.core.extras import EXTRA_OF, list_installed

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

REPOSITORY = Path(__file__).parents[2]

CORE_ALONE = f"""
import sys
for module in {sorted(EXTRA_OF)}:
    sys.modules[module] = None   # as if it were not installed: importing it raises ModuleNotFoundError
from probatio.cli import main
main()
"""


def probatio(*words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own that has none of the extras' modules."""
    command = [sys.executable, "-c", CORE_ALONE, *words]
    return subprocess.run(
        command, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, timeout=300
    )


def test_the_table_says_what_pyproject_installs() -> None:
    groups = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    packages = {
        re.split(r"[<>=\[]", package)[0]: extra
        for extra, packages in groups.items()
        if extra not in ("all", "dev")
        for package in packages
    }
    provided = importlib.metadata.packages_distributions()
    by_package = {
        re.sub(r"[._]", "-", provided[module][0]).lower(): extra
        for module, extra in EXTRA_OF.items()
        if module in provided
    }
    assert by_package == packages
    assert groups["all"] == [
        f"probatio[{','.join(extra for extra in groups if extra not in ('all', 'dev', 'ray'))}]"
    ]
    assert "probatio[all,ray]" in groups["dev"]


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("models", "pull", "smollm2-135m"), "embedded"),
        (("trial", "--limit", "1"), "embedded"),
        (("site", "build"), "site"),
        (("study", "s3://bucket/run"), "storage"),
        (("grade", "gs://bucket/run"), "storage"),
        (("site", "serve"), "site"),
        (("daily",), "watch"),
        (("daily", "--every", "--once"), "watch"),
    ],
)
def test_a_command_whose_extra_is_missing_says_which(
    words: tuple[str, ...], extra: str, tmp_path: Path
) -> None:
    refused = probatio(*words, cwd=tmp_path, PROBATIO_CACHE=str(tmp_path / "cache"))
    assert (
        refused.stderr.strip() == f"probatio: This needs the extra `{extra}`: pip install 'probatio[{extra}]'"
    )
    assert refused.returncode == 2
    assert not (tmp_path / "cache").exists()


def test_an_alert_channel_without_the_extra_says_which(tmp_path: Path) -> None:
    (tmp_path / "models.yml").write_text(
        "models: [{id: m, name: m}]\nalerts: [{url: 'json://127.0.0.1:9'}]\n", encoding="utf-8"
    )
    refused = probatio("daily", "alerts", "test", "--config", "models.yml", cwd=tmp_path)
    assert (refused.returncode, "probatio[watch]" in refused.stderr) == (2, True)


@pytest.mark.parametrize("words", [("--help",), ("trial", "--help"), ("daily", "--help"), ("models", "list")])
def test_help_and_the_list_of_models_need_no_extra(words: tuple[str, ...], tmp_path: Path) -> None:
    assert probatio(*words, cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_trials_grades_and_studies_need_no_extra(tmp_path: Path) -> None:
    words = (
        "--model",
        "openai:double",
        "--n-shot",
        "0,1",
        "--context",
        "minimal,basic",
        "--category",
        "declarations",
    )
    with Double() as double:
        url = {"OPENAI_BASE_URL": double.base_url}
        for run in ("first", "second"):
            trial = probatio("trial", *words, "--run-id", run, cwd=tmp_path, **url)
            assert trial.returncode == 0, trial.stderr
    for line in (
        ("grade", "first"),
        ("study", "first", "second", "--out", "both"),
        ("study", "compare", "first", "second"),
    ):
        done = probatio(*line, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)
    program = tmp_path / "salve.fab"
    program.write_text('scribe "salve"\n', encoding="utf-8")
    alone = CORE_ALONE.replace("probatio.cli", "faber.cli")
    checked = subprocess.run([sys.executable, "-c", alone, "check", str(program)], timeout=120, check=False)
    assert checked.returncode == 0


@pytest.mark.parametrize("words", [("verdict",), pytest.param(("verify", "--quick"), marks=pytest.mark.slow)])
def test_verdicts_on_recorded_days_need_no_extra(words: tuple[str, ...], tmp_path: Path) -> None:
    done = probatio(*words, "--results", str(REPOSITORY / "examples" / "story"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_doctor_tells_which_extras_there_are(tmp_path: Path) -> None:
    shown = probatio("doctor", "--sandbox", "none", cwd=tmp_path).stdout
    assert "embedded missing, site missing, watch missing, charts missing, kcl missing" in shown
    assert list(list_installed()) == [
        *("embedded", "site", "watch", "charts", "kcl", "storage", "ray", "frames")
    ]

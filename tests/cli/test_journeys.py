"""How often honest people are asked for their word: five journeys, and the questions of each are counted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.test_strangers import SUITE_TRUST, edit, write_watch
from commandline import probatio
from double import Double

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("new_user")]

DAYS = ("--days", "2", "--worse-from", "2", "--models", "1")
UNJAILED = {"command": ["{python}", "{folder}/grader.py"], "isolation": "none"}


class Traveller:
    """Someone who gives the word where it is asked for, and counts."""

    def __init__(self, at: Path, theirs: Path | None = None) -> None:
        self.at, self.theirs, self.questions = at, theirs, 0

    def __call__(self, *words: object, env: dict[str, str] | None = None) -> None:
        done = probatio(*words, cwd=self.at, env=env or {})
        if done.returncode == 2 and SUITE_TRUST in done.stderr and self.theirs:
            self.questions += 1
            assert probatio("suite", "trust", self.theirs, "--yes", cwd=self.at).returncode == 0
            done = probatio(*words, cwd=self.at, env=env or {})
        assert done.returncode in (0, 1), done.output


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "started"


def test_an_own_suite_edited_and_run_ten_times_asks_nothing(tmp_path: Path) -> None:
    run = Traveller(tmp_path, tmp_path / "mine")
    run("suite", "new", "--daily", "mine")
    edit(tmp_path / "mine" / "suite.yml", use_cases=[{"id": "triage", "grader": UNJAILED}])
    for number in range(10):
        with (tmp_path / "mine" / "triage" / "grader.py").open("a") as file:
            file.write(f"# {number}\n")
        run("suite", "check", "mine")
    run("suite", "rehearse", "mine", *DAYS, "--results", "results")
    run("verdict")
    run("verify")
    assert run.questions == 0


def test_a_colleagues_suite_asks_once(tmp_path: Path, mark: Path) -> None:
    theirs = write_watch(tmp_path / "theirs", mark)
    run = Traveller(theirs, theirs)
    for _ in range(2):
        run("suite", "check", ".")
    run("suite", "rehearse", ".", *DAYS, "--results", "results")
    run("suite", "check", ".")
    run("verdict")
    run("verify")
    assert run.questions == 1 and mark.exists()


@pytest.fixture
def results(tmp_path: Path, mark: Path, new_user: Callable[[], None]) -> Path:
    """Days of a colleague whose suite did not come along, read by someone else."""
    suite = write_watch(tmp_path / "elsewhere" / "wd", mark, isolation="jail")
    words = ("suite", "rehearse", suite, *DAYS, "--results", tmp_path / "results")
    assert probatio(*words, cwd=tmp_path).returncode == 0
    new_user()
    return tmp_path / "results"


def test_a_gate_needs_the_suite_and_a_look_says_what_it_did_without(tmp_path: Path, results: Path) -> None:
    seen = probatio("verdict", cwd=tmp_path)
    assert seen.returncode == 0 and "with the constants of the day's record" in seen.stderr, seen.output
    gate = probatio("verdict", "--fail-on", "cooked", cwd=tmp_path)
    assert gate.returncode == 2 and SUITE_TRUST in gate.stderr, gate.output


LOOKS = (("verdict",), ("study", "items", "--daily"), ("site", "build", "--out", "out"))


def test_a_colleagues_results_looked_at_ask_nothing(tmp_path: Path, results: Path) -> None:
    run = Traveller(tmp_path, results)
    for words in LOOKS:
        run(*words)
    assert run.questions == 0


def test_results_copied_to_another_machine_ask_nothing(tmp_path: Path, results: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(results, other / "results")
    shutil.rmtree(results)
    shutil.rmtree(tmp_path / "elsewhere")
    run = Traveller(other, other / "results")
    for words in LOOKS:
        run(*words)
    assert run.questions == 0


@pytest.mark.parametrize("isolation", ["jail", "none"])
def test_ci_without_a_terminal_asks_nothing_of_ones_own_files(
    tmp_path: Path, mark: Path, isolation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = tmp_path / "clone"
    suite = write_watch(clone / "wd", mark, isolation=isolation)
    (clone / ".git").mkdir()
    (clone / "config").mkdir()
    if isolation == "none":  # said once, in a file of the workflow
        (tmp_path / "trust.json").write_text(json.dumps({"folders": [{"path": str(suite)}]}))
        monkeypatch.setenv("PROBATIO_TRUST", str(tmp_path / "trust.json"))
    run = Traveller(clone)
    with Double() as own:
        model = {"id": "m", "name": "v/m", "provider": "mine", "base_url": own.base_url}
        (clone / "config" / "models.yml").write_text(json.dumps({"models": [model]}))
        run("suite", "check", "wd")
        run("trial", "--limit", "1", "--sandbox", "none", "--yes")
        run("suite", "rehearse", "wd", *DAYS, "--results", "days")
        run("verdict", "--results", "days")
        run("verify", "--results", "days")
    assert run.questions == 0 and mark.exists() is (isolation == "none")

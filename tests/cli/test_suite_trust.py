"""`probatio suite trust`: what a folder asks for is shown, allowed, listed and taken back."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from commandline import PROCESS, probatio
from probatio.authoring.new import STARTERS
from probatio.core.trust import read_trust, trust_file

pytestmark = pytest.mark.usefixtures("new_user")


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    folder = shutil.copytree(STARTERS / "daily", tmp_path / "theirs")
    manifest = yaml.safe_load((folder / "suite.yml").read_text())
    command = {"command": ["{python}", "{folder}/grader.py"], "isolation": "none", "reads": ["/etc/shadow"]}
    manifest["use_cases"] = [{"id": "triage", "grader": command}]
    (folder / "suite.yml").write_text(yaml.safe_dump(manifest))
    return folder


def test_it_shows_all_that_is_asked_for_and_without_a_keyboard_changes_nothing(theirs: Path) -> None:
    done = probatio("suite", "trust", theirs)
    assert done.returncode == 2 and "Say --yes" in done.stderr
    assert "run the grader of `triage` outside the jail" in done.stdout
    assert "show /etc/shadow of this machine" in done.stdout
    assert not trust_file().exists()


def test_the_same_for_a_script(theirs: Path) -> None:
    done = probatio("suite", "trust", theirs, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["trusted"]) == (2, False)
    assert [ask["kind"] for ask in told["asks"]] == ["grader", "file"]
    done = probatio("suite", "trust", theirs, "--json", "--yes")
    assert (done.returncode, json.loads(done.stdout)["trusted"]) == (0, True)
    assert read_trust().folders[0].digest


def test_it_is_listed_said_again_and_taken_back(theirs: Path) -> None:
    assert probatio("suite", "trust", theirs, "--yes").returncode == 0
    assert "You trust it already" in probatio("suite", "trust", theirs).stdout
    listed = probatio("suite", "trust", "--list").stdout
    assert f"by its content  {theirs}" in listed and str(trust_file()) in listed
    assert probatio("suite", "trust", theirs, "--remove").returncode == 0
    assert probatio("suite", "trust", theirs).returncode == 2
    again = probatio("suite", "trust", theirs, "--remove")
    assert again.returncode == 2 and "nothing to take back" in again.stderr


def test_a_folder_that_asks_for_nothing_is_told_so(tmp_path: Path) -> None:
    folder = shutil.copytree(STARTERS / "command", tmp_path / "language")
    done = probatio("suite", "trust", folder)
    assert done.returncode == 0 and "asks for nothing" in done.stdout
    assert not trust_file().exists()
    assert probatio("suite", "trust", folder, "--mine", "--yes").returncode == 0
    assert read_trust().folders[0].digest is None


@pytest.mark.parametrize("what", ["nothing", "an empty folder", "a file"])
def test_what_is_no_folder_of_ours_is_refused(tmp_path: Path, what: str) -> None:
    place = tmp_path / "x"
    if what == "an empty folder":
        place.mkdir()
    elif what == "a file":
        place.write_text("")
    done = probatio("suite", "trust", place)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.output


def test_the_values_of_a_models_file_are_shown_without_their_secrets_and_taken_back(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    entry = {"id": "m", "name": "m", "base_url": "https://u:pw@gpu.example/v1?k=pw", "api_key_env": "GPU_KEY"}
    text = {
        "models": [entry],
        "alerts": [{"url": "slack://tokenpw/x"}],
        "daily": {"heartbeat": "https://h/pw"},
    }
    (tmp_path / "config" / "models.yml").write_text(json.dumps(text))
    done = probatio("suite", "trust", ".", "--yes", cwd=tmp_path)
    assert done.returncode == 0, done.output
    assert "send the key GPU_KEY to https://gpu.example" in done.stdout
    listed = probatio("suite", "trust", "--list", cwd=tmp_path).stdout
    for shown in (done.output, listed, trust_file().read_text()):
        assert "pw" not in shown.replace(str(tmp_path), "")
    assert "allowed from now on, in every folder that asks for it" in done.stdout
    assert "as it is now" not in done.stdout
    assert "You trust it already" in probatio("suite", "trust", ".", cwd=tmp_path).stdout
    assert probatio("suite", "trust", ".", "--remove", cwd=tmp_path).returncode == 0
    assert not read_trust().values


def converse(
    words: list[str], typed: str, cwd: Path, meanwhile: Callable[[], object] = lambda: None
) -> tuple[int, str]:
    """A process at a terminal, asked its question and given an answer: how it ended, and what it said."""
    ours, terminal = pty.openpty()
    process = subprocess.Popen(
        [*PROCESS, *words], stdin=terminal, stdout=terminal, stderr=terminal, cwd=cwd, env=dict(os.environ)
    )
    os.close(terminal)
    said, answered = b"", False
    with contextlib.suppress(OSError):  # the terminal is gone with the process
        while select.select([ours], [], [], 120)[0] and (part := os.read(ours, 4096)):
            said += part
            if b"[y/N]" in said and not answered:
                meanwhile()
                os.write(ours, typed.encode())
                answered = True
    os.close(ours)
    return process.wait(120), said.decode()


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "trusted"), [("y\n", True), ("\n", False)])
def test_at_a_keyboard_it_asks(theirs: Path, typed: str, trusted: bool) -> None:
    code, said = converse(["suite", "trust", str(theirs)], typed, theirs)
    assert "Do you trust" in said and code == (0 if trusted else 3), said
    assert (trust_file().exists() and bool(read_trust().folders)) is trusted


@pytest.mark.slow
@pytest.mark.parametrize("mine", [(), ("--mine",)])
def test_what_was_not_shown_is_not_trusted(theirs: Path, mine: tuple[str, ...]) -> None:
    def change() -> None:
        if mine:
            theirs.rename(theirs.parent / "away")
            shutil.copytree(theirs.parent / "away", theirs)
        (theirs / "triage" / "grader.py").write_text("print('another grader')")

    code, said = converse(["suite", "trust", str(theirs), *mine], "y\n", theirs.parent, change)
    assert code == 2 and "has changed since it was shown" in " ".join(said.split()), said
    assert not read_trust().folders


@pytest.mark.slow
def test_a_value_of_a_models_file_is_asked_about_at_a_keyboard_once(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    models = [{"id": "m", "name": "m"}]
    text = {"models": models, "alerts": [{"url": "json://127.0.0.1:9/hook", "name": "hook"}]}
    (tmp_path / "config" / "models.yml").write_text(json.dumps(text))
    code, said = converse(["daily", "alerts", "test"], "y\n", tmp_path)
    assert "send messages to the alert channel hook" in said and code == 3, said  # nobody listens there
    _, again = converse(["daily", "alerts", "test"], "y\n", tmp_path)
    assert "[y/N]" not in again and "hook" in again


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["\x1b[2K\r", "\u202e", "\n", "\x9b1A"])
def test_a_question_shows_no_sign_of_a_models_file_that_acts_on_the_terminal(
    tmp_path: Path, sign: str
) -> None:
    (tmp_path / "config").mkdir()
    name = f"hook{sign}Show the results?"
    text = {"models": [{"id": "m", "name": "m"}], "alerts": [{"url": "json://127.0.0.1:9/x", "name": name}]}
    (tmp_path / "config" / "models.yml").write_text(json.dumps(text))
    code, said = converse(["daily", "alerts", "test"], "n\n", tmp_path)
    question = said.partition("[y/N]")[0]
    assert "hook" in question and sign not in question, said
    assert code == 2

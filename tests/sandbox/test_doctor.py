"""`probatio doctor` attacks the isolation for real, shows no secret, and says by its exit whether the jail holds."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from probatio.cli import doctor
from probatio.languages import command_attacks
from probatio.languages.python import attacks as python_attacks
from probatio.languages.typescript.attacks import ATTACKS
from probatio.sandbox import Choice, NoIsolation, ProgramOutcome, isolation


def works(kind: Choice) -> bool:
    try:
        isolation(kind)
    except NoIsolation:
        return False
    return True


@pytest.fixture
def isolated() -> None:
    try:
        isolation()
    except NoIsolation as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.usefixtures("isolated")
def test_a_machine_where_every_attack_is_held_is_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-secret")
    done = CliRunner().invoke(doctor.command, ["--json"])
    report = json.loads(done.stdout)
    assert done.exit_code == 0
    assert report["isolated"] is True
    assert report["isolation"] in ("bubblewrap", "landlock")
    tried: dict[tuple[str, str], list[str]] = {}
    for trial in report["trials"]:
        tried.setdefault((trial["isolation"], trial["by"]), []).append(trial["attack"])
    deno = [attack.name for attack in ATTACKS if not attack.slow]
    command = [attack.name for attack in command_attacks.ATTACKS if not attack.slow]
    python = [attack.name for attack in python_attacks.ATTACKS]
    choices: tuple[Choice, ...] = ("bubblewrap", "landlock")
    kinds = [kind for kind in choices if works(kind)]
    attackers = {"deno": deno, "python": python, "a command": command}
    assert tried == {(kind, by): [*names, doctor.OUTLIVE] for kind in kinds for by, names in attackers.items()}
    assert report["deno"].startswith("deno 2")
    assert report["keys"]["OPENROUTER_API_KEY"] is True
    assert "sk-or-secret" not in done.output


@pytest.mark.slow
@pytest.mark.usefixtures("isolated")
def test_an_attack_that_gets_through_fails_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def pierced(*_: object) -> ProgramOutcome:
        return ProgramOutcome(0, "HARM file\n", "", None, 0.01)

    monkeypatch.setattr("probatio.languages.typescript.attacks.mount", pierced)
    done = CliRunner().invoke(doctor.command, [])
    assert done.exit_code == 1
    assert "FAILED read /etc/passwd" in done.stdout
    choices: tuple[Choice, ...] = ("bubblewrap", "landlock")
    for kind in choices:
        if works(kind):
            assert f"{kind} failed" in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("isolated")
def test_one_isolation_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    if not works("landlock"):
        pytest.skip("Landlock does not work here")
    monkeypatch.setattr("probatio.cli.doctor._browser", lambda _: "not looked at")
    done = CliRunner().invoke(doctor.command, ["--sandbox", "landlock"])
    assert done.exit_code == 0
    assert "landlock held every attack; programs run in landlock" in done.stdout
    assert "bubblewrap held" not in done.stdout


def test_no_isolation_is_never_healthy_and_nothing_is_attacked() -> None:
    done = CliRunner().invoke(doctor.command, ["--sandbox", "none", "--json"])
    report = json.loads(done.stdout)
    assert (done.exit_code, report["isolated"], report["trials"]) == (1, False, [])


def test_the_help_has_an_example() -> None:
    assert "probatio doctor --json" in CliRunner().invoke(doctor.command, ["--help"]).stdout

"""`probatio doctor` attacks the isolation for real, shows no secret, and says by its exit whether the jail holds."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from probatio.cli import doctor
from probatio.languages.typescript.attacks import ATTACKS
from probatio.sandbox import NoIsolation, ProgramOutcome, isolation


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
    assert [trial["attack"] for trial in report["trials"]] == [attack.name for attack in ATTACKS if not attack.slow]
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


def test_no_isolation_is_never_healthy_and_nothing_is_attacked() -> None:
    done = CliRunner().invoke(doctor.command, ["--sandbox", "none", "--json"])
    report = json.loads(done.stdout)
    assert (done.exit_code, report["isolated"], report["trials"]) == (1, False, [])


def test_the_help_has_an_example() -> None:
    assert "probatio doctor --json" in CliRunner().invoke(doctor.command, ["--help"]).stdout

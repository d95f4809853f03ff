"""`probatio doctor` attacks the isolation for real, shows no secret, and says by its exit whether the jail
holds."""

from __future__ import annotations

import json

import pytest

from commandline import probatio
from probatio.jail import Choice, NoIsolation, ProgramOutcome, find_isolation
from probatio.languages import attacks as command_attacks
from probatio.languages.python import attacks as python_attacks
from probatio.languages.typescript import attacks as deno_attacks
from probatio.runs import diagnosis


def works(kind: Choice) -> bool:
    try:
        find_isolation(kind)
    except NoIsolation:
        return False
    return True


@pytest.fixture
def isolated() -> None:
    try:
        find_isolation()
    except NoIsolation as error:
        pytest.skip(str(error))


@pytest.fixture
def one_attack_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a test is not about which attacks there are: the first of each attacker, and no browser."""
    for attacker in (deno_attacks, python_attacks, command_attacks):
        monkeypatch.setattr(attacker, "ATTACKS", attacker.ATTACKS[:1])
    monkeypatch.setattr("probatio.runs.diagnosis._browser", lambda _: "not looked at")


@pytest.mark.slow
@pytest.mark.usefixtures("isolated")
def test_a_machine_where_every_attack_is_held_is_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-secret")
    done = probatio("doctor", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert report["isolated"] is True
    assert report["isolation"] in ("bubblewrap", "landlock")
    tried: dict[tuple[str, str], list[str]] = {}
    for trial in report["trials"]:
        tried.setdefault((trial["isolation"], trial["by"]), []).append(trial["attack"])
    deno = [attack.name for attack in deno_attacks.ATTACKS if not attack.slow]
    command = [attack.name for attack in command_attacks.ATTACKS if not attack.slow]
    python = [attack.name for attack in python_attacks.ATTACKS]
    choices: tuple[Choice, ...] = ("bubblewrap", "landlock")
    kinds = [kind for kind in choices if works(kind)]
    attackers = {"deno": deno, "python": python, "a command": command}
    assert tried == {
        (kind, by): [*names, diagnosis.OUTLIVE] for kind in kinds for by, names in attackers.items()
    }
    assert report["deno"].startswith("deno 2")
    assert report["keys"]["OPENROUTER_API_KEY"] is True
    assert "sk-or-secret" not in done.output


@pytest.mark.slow
@pytest.mark.usefixtures("isolated", "one_attack_each")
def test_an_attack_that_gets_through_fails_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def pierced(*_: object) -> ProgramOutcome:
        return ProgramOutcome(0, "HARM file\n", "", None, 0.01)

    monkeypatch.setattr("probatio.languages.typescript.attacks.mount", pierced)
    done = probatio("doctor")
    assert done.returncode == 1
    assert f"FAILED {deno_attacks.ATTACKS[0].name}" in done.stdout
    choices: tuple[Choice, ...] = ("bubblewrap", "landlock")
    for kind in choices:
        if works(kind):
            assert f"{kind} failed" in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("isolated", "one_attack_each")
def test_one_isolation_can_be_asked_for() -> None:
    if not works("landlock"):
        pytest.skip("Landlock does not work here")
    done = probatio("doctor", "--sandbox", "landlock")
    assert done.returncode == 0
    assert "landlock held every attack; programs run in landlock" in done.stdout
    assert "bubblewrap held" not in done.stdout


def test_no_isolation_is_never_healthy_and_nothing_is_attacked() -> None:
    done = probatio("doctor", "--sandbox", "none", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["isolated"], report["trials"]) == (1, False, [])

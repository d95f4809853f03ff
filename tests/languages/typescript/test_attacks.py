"""Every attack is held by the operating system alone, and is a failed level rather than a crash of the
run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from probatio.jail import Choice, Limits, NoIsolation, find_isolation
from probatio.jail.attack import Attack, find_harm, set_up_target
from probatio.languages import typescript
from probatio.languages.typescript.attacks import ATTACKS, mount, outlives_the_grader

pytestmark = pytest.mark.slow  # hostile programs in every isolation, some of them endless


@pytest.fixture(scope="module")
def on() -> Iterator[dict[str, object]]:
    with set_up_target() as attacked:
        yield attacked


def usable(kind: Choice) -> None:
    try:
        find_isolation(kind)
    except NoIsolation as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_with_every_permission_of_deno_is_held(
    attack: Attack, kind: Choice, on: dict[str, object]
) -> None:
    usable(kind)
    outcome = mount(attack, on, kind)
    assert find_harm(attack, outcome, on) is None, outcome


@pytest.mark.parametrize(
    "name", ["read /etc/passwd", "read the environment", "open a socket", "read the grader's files"]
)
def test_the_same_attack_does_its_harm_where_there_is_no_jail(name: str, on: dict[str, object]) -> None:
    attack = next(attack for attack in ATTACKS if attack.name == name)
    assert find_harm(attack, mount(attack, on, "none"), on)


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_a_program_on_deno_ends_with_a_killed_grader_whatever_it_tries(kind: Choice) -> None:
    usable(kind)
    assert outlives_the_grader(kind) is None


PLAIN_ATTACKS = {
    "file": 'console.log(Deno.readTextFileSync("/etc/passwd"))',
    "node file": 'import { readFileSync } from "fs"; console.log(readFileSync("/etc/passwd", "utf8"))',
    "text import": 'import text from "/etc/passwd" with { type: "text" }; console.log(text)',
    "data import": 'import text from "file:///etc/hostname" with { type: "bytes" }; console.log(text)',
    "socket": 'await fetch("http://127.0.0.1:1/"); console.log("reached")',
    "write": 'Deno.writeTextFileSync("/tmp/x", "x"); console.log("written")',
    "process": 'new Deno.Command("/bin/sh").spawn(); console.log("started")',
    "forever": "for (;;) {}",
    "memory": "const a: number[][] = []; for (;;) a.push(new Array(1e5).fill(1.5))",
    "output": 'for (;;) console.log("x".repeat(1e5))',
    "crash": "const f = () => f(); f()",
}


@pytest.mark.parametrize("source", PLAIN_ATTACKS.values(), ids=PLAIN_ATTACKS.keys())
def test_a_hostile_answer_is_a_failed_level(source: str) -> None:
    outcome = typescript.run(source, Limits(seconds=30, cpu_seconds=1, memory_mb=256))
    assert outcome.exit != 0
    assert "root:" not in outcome.stdout
    assert not any(word in outcome.stdout for word in ("reached", "written", "started"))


def test_the_attack_page_names_every_attack_and_what_held_it() -> None:
    page = Path(__file__).parents[3].joinpath("docs", "sandbox.md").read_text("utf-8")
    for attack in ATTACKS:
        assert f"| {attack.name} | {attack.held_by} |" in page

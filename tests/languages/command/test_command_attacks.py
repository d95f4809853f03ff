"""Programs of a command line are held as all others are: by the same jail, under a list of calls of their own."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from languages.command.languages_here import command, python, shell, usable
from probatio.errors import UsageError
from probatio.languages.command import CommandLanguage
from probatio.languages.command_attacks import ATTACKS, mount
from probatio.languages.python.attacks import STAY, program
from probatio.sandbox import Choice, Limits, Runtime, isolation, unheld_processes
from probatio.sandbox.attack import LIMITS, Attack, fault, target
from probatio.sandbox.outlive import outlives

pytestmark = pytest.mark.slow  # hostile programs in every isolation


@pytest.fixture(params=["bubblewrap", "landlock"])
def kind(request: pytest.FixtureRequest) -> Choice:
    return usable(request.param)


@pytest.fixture(scope="module")
def on() -> Iterator[dict[str, object]]:
    with target() as attacked:
        yield attacked


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_by_a_program_of_a_command_is_held(attack: Attack, kind: Choice, on: dict[str, object]) -> None:
    outcome = mount(attack, on, kind)
    assert fault(attack, outcome, on) is None, outcome


def test_the_same_attack_does_its_harm_where_there_is_no_jail(on: dict[str, object]) -> None:
    attack = next(each for each in ATTACKS if each.name == "read what is not shown")
    assert fault(attack, mount(attack, on, "none"), on)


def runtime_of(language: CommandLanguage, text: str) -> Runtime:
    tool = language.tool("run")
    assert tool is not None
    return Runtime(tool.argv, tool.reads, tool.env, 1024, "command", file=("program.py", text.encode()))


def test_a_program_in_a_file_ends_with_a_killed_grader_whatever_it_tries(kind: Choice) -> None:
    one = command(("{python}", "{file}"), suffix=".py")
    assert outlives(runtime_of(one, STAY), b"", kind) is None


def test_a_shell_starts_nothing(kind: Choice) -> None:
    outcome = shell().run("(echo inner); echo outer", "standard", "", kind)
    assert "inner" not in outcome.stdout
    assert "Cannot fork" in outcome.stderr or "fork" in outcome.stderr


def test_processes_are_refused_with_a_reason_where_nothing_holds_them() -> None:
    kind = usable("landlock")
    with pytest.raises(UsageError, match=r"commands\.processes .* Landlock has no process namespace"):
        shell(processes=True).run("echo 1", "standard", "", kind)
    if os.geteuid() == 0:
        usable("bubblewrap")
        with pytest.raises(UsageError, match="the kernel does not limit how many root starts"):
            shell(processes=True).run("echo 1", "standard", "", "bubblewrap")


@pytest.fixture
def with_processes() -> CommandLanguage:
    usable("bubblewrap")
    if reason := unheld_processes(isolation("bubblewrap").kind):
        pytest.skip(reason)
    tools = tuple(path for path in ("/usr/bin/sleep", "/usr/bin/sort", "/usr/bin/cat") if Path(path).exists())
    return shell(processes=True, reads=tools, limits=Limits(seconds=5, processes=32, memory_mb=128))


def test_a_toolchain_that_says_so_starts_processes_and_writes_in_a_folder_of_its_own(
    with_processes: CommandLanguage,
) -> None:
    outcome = with_processes.run(
        "echo b > x; echo a >> x; sort x | cat; (exit 3) || echo $?", "standard", "", "bubblewrap"
    )
    assert (outcome.exit, outcome.stdout) == (0, "a\nb\n3\n")


ALLOWED_WITH_PROCESSES = ("forget to end with the grader", "change its own file", "start a process")
HELD_BESIDE_PROCESSES = [attack for attack in ATTACKS if attack.name not in ALLOWED_WITH_PROCESSES]


@pytest.mark.usefixtures("with_processes")
@pytest.mark.parametrize("attack", HELD_BESIDE_PROCESSES, ids=lambda attack: attack.name)
def test_an_attack_is_held_where_processes_may_be_started(attack: Attack, on: dict[str, object]) -> None:
    outcome = python(limits=LIMITS, processes=True).run(program(attack, on), "standard", "", "bubblewrap")
    assert fault(attack, outcome, on) is None, outcome


@pytest.mark.usefixtures("with_processes")
def test_processes_end_with_a_killed_grader_whatever_they_try() -> None:
    one = runtime_of(command(("{python}", "{file}"), suffix=".py"), STAY)
    assert outlives(msgspec.structs.replace(one, processes=True, scratch=True), b"", "bubblewrap") is None


@pytest.mark.parametrize(
    "bomb", ["while :; do sleep 100 & done", "b() { b | b & b | b & }; b", "x() { x & x & x; }; x"]
)
def test_the_kernel_counts_the_processes_of_a_bomb(with_processes: CommandLanguage, bomb: str) -> None:
    before, most, began = len(_mine()), 0, time.monotonic()
    thread = threading.Thread(target=with_processes.run, args=(bomb, "standard", "", "bubblewrap"))
    thread.start()
    while thread.is_alive():
        most = max(most, len(_mine()))
        time.sleep(0.001)
    assert most - before <= 32 + 4, "the jail's own, and bubblewrap's"
    assert time.monotonic() - began < 10
    time.sleep(0.2)
    assert len(_mine()) <= before


def test_processes_left_behind_end_with_the_program_and_none_can_be_signalled_outside(
    with_processes: CommandLanguage, tmp_path: Path
) -> None:
    before = len(_mine())
    outcome = with_processes.run("sleep 60 & sleep 60 & kill -9 1; kill -9 -1; echo bye", "standard", "", "bubblewrap")
    assert outcome.stdout == "bye\n"
    time.sleep(0.2)
    assert len(_mine()) <= before


def test_the_memory_of_all_processes_counts_together(with_processes: CommandLanguage) -> None:
    fill = 'x=aaaaaaaaaaaaaaaa; while [ ${#x} -lt 30000000 ]; do x="$x$x"; done; sleep 3'
    outcome = with_processes.run(f"({fill}) & ({fill}) & ({fill}) & ({fill}) & wait", "standard", "", "bubblewrap")
    assert outcome.stopped == "memory"


def _mine() -> list[str]:
    """Living processes of this user; some containers' init never buries the dead."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == os.geteuid() and ") Z" not in (entry / "stat").read_text():
                    found.append(entry.name)
            except OSError:
                continue
    return found


def test_a_runtime_is_the_same_to_a_memo_only_with_the_same_file() -> None:
    from probatio.sandbox.memo import key

    one = runtime_of(python(), "print(1)")
    other = msgspec.structs.replace(one, file=("program.py", b"print(2)"))
    assert key("none", one, b"", Limits()) != key("none", other, b"", Limits())

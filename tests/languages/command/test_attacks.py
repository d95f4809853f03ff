"""Programs of a command line are held as all others are: by the same jail, under a list of calls of their
own."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from languages.command.languages_here import command, python, shell, usable
from probatio.core.errors import UsageError
from probatio.jail import Choice, Limits, ProgramOutcome, Runtime, explain_unheld_processes, find_isolation
from probatio.jail.attack import LIMITS, Attack, find_harm, find_survivors, set_up_target
from probatio.languages.attacks import ATTACKS, mount
from probatio.languages.command import CommandLanguage
from probatio.languages.python.attacks import STAY, program

pytestmark = pytest.mark.slow  # hostile programs in every isolation


@pytest.fixture(params=["bubblewrap", "landlock"])
def kind(request: pytest.FixtureRequest) -> Choice:
    return usable(request.param)


@pytest.fixture(scope="module")
def on() -> Iterator[dict[str, object]]:
    with set_up_target() as attacked:
        yield attacked


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_by_a_program_of_a_command_is_held(
    attack: Attack, kind: Choice, on: dict[str, object]
) -> None:
    outcome = mount(attack, on, kind)
    assert find_harm(attack, outcome, on) is None, outcome


def test_the_same_attack_does_its_harm_where_there_is_no_jail(on: dict[str, object]) -> None:
    attack = next(each for each in ATTACKS if each.name == "read what is not shown")
    assert find_harm(attack, mount(attack, on, "none"), on)


def runtime_of(language: CommandLanguage, text: str) -> Runtime:
    tool = language.tool("run")
    assert tool is not None
    return Runtime(tool.argv, tool.reads, tool.env, 1024, "command", file=("program.py", text.encode()))


def test_a_program_in_a_file_ends_with_a_killed_grader_whatever_it_tries(kind: Choice) -> None:
    one = command(("{python}", "{file}"), suffix=".py")
    assert find_survivors(runtime_of(one, STAY), b"", kind) is None


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
    if reason := explain_unheld_processes(find_isolation("bubblewrap").kind):
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
    assert find_harm(attack, outcome, on) is None, outcome


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_held_where_files_may_be_written(
    kind: Choice, attack: Attack, on: dict[str, object]
) -> None:
    language = python(limits=LIMITS, env={"OUT": "{scratch}"})
    outcome = language.run(program(attack, on), "standard", "", usable(kind))
    if attack.name != "change its own file":
        assert find_harm(attack, outcome, on) is None, outcome


@pytest.mark.usefixtures("with_processes")
def test_processes_end_with_a_killed_grader_whatever_they_try() -> None:
    one = runtime_of(command(("{python}", "{file}"), suffix=".py"), STAY)
    assert (
        find_survivors(msgspec.structs.replace(one, processes=True, scratch=True), b"", "bubblewrap") is None
    )


@pytest.mark.parametrize(
    "bomb", ["while :; do sleep 100 & done", "b() { b | b & b | b & }; b", "x() { x & x & x; }; x"]
)
def test_the_kernel_counts_the_processes_of_a_bomb(with_processes: CommandLanguage, bomb: str) -> None:
    _, most, seen = watched(with_processes, bomb)
    assert most <= 32 + 4, "the jail's own, and bubblewrap's"
    assert all_gone(seen)


def test_processes_left_behind_end_with_the_program_and_none_can_be_signalled_outside(
    with_processes: CommandLanguage,
) -> None:
    outcome, _, seen = watched(
        with_processes, "sleep 60 & sleep 60 & sleep 0.2; kill -9 1; kill -9 -1; echo bye"
    )
    assert outcome.stdout == "bye\n"
    assert all_gone(seen)


def test_the_memory_of_all_processes_counts_together(with_processes: CommandLanguage) -> None:
    fill = 'x=aaaaaaaaaaaaaaaa; while [ ${#x} -lt 30000000 ]; do x="$x$x"; done; sleep 3'
    outcome = with_processes.run(
        f"({fill}) & ({fill}) & ({fill}) & ({fill}) & wait", "standard", "", "bubblewrap"
    )
    assert outcome.stopped == "memory"


def watched(language: CommandLanguage, source: str) -> tuple[ProgramOutcome, int, set[tuple[int, str]]]:
    """What the program came to, how many processes of ours there were at most, and which."""
    outcomes: list[ProgramOutcome] = []
    thread = threading.Thread(
        target=lambda: outcomes.append(language.run(source, "standard", "", "bubblewrap"))
    )
    before = descendants()
    most, seen = 0, set[tuple[int, str]]()
    thread.start()
    while thread.is_alive():
        now = descendants() - before
        most, seen = max(most, len(now)), seen | now
        time.sleep(0.001)
    return outcomes[0], most, seen


def all_gone(processes: set[tuple[int, str]]) -> bool:
    """Whether none of them lives any more, soon: a busy machine takes a moment to bury them."""
    until = time.monotonic() + 60
    while processes & set(living()) and time.monotonic() < until:
        time.sleep(0.02)
    return not processes & set(living())


def descendants() -> set[tuple[int, str]]:
    """The living processes that this one started, or that they started. Other tests of the machine have their
    own."""
    parents, found = living(), {os.getpid()}
    while more := {number for (number, _), parent in parents.items() if parent in found} - found:
        found |= more
    return {process for process in parents if process[0] in found - {os.getpid()}}


def living() -> dict[tuple[int, str], int]:
    """Number and start time of every living process, and its parent; some containers' init never buries the
    dead."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                state, parent, *rest = (entry / "stat").read_text().rpartition(")")[2].split()
                if state != "Z":
                    found[int(entry.name), rest[17]] = int(parent)
    return found

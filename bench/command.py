"""What a program of a command-line language costs in the jail next to the bare command. Prints a table.

python bench/command.py [ROUNDS]      CPU of all processes, and wall time, of ROUNDS programs (30): the 10 %
                                      quantile, since other work on the machine can only add
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from probatio.jail import Choice, NoIsolation, find_isolation
from probatio.jail import warm as warm_runners
from probatio.languages import command
from probatio.languages.contract import Commands, LanguageSpec

_SUBREAPER = 36  # of prctl: what bubblewrap leaves to be waited for comes to us, and its CPU with it

LUA_LOOP = "local e = os.clock() + {s} while os.clock() < e do end print('done')"
PYTHON_LOOP = (
    "import time\nend = time.process_time() + {s}\nwhile time.process_time() < end: pass\nprint('done')"
)

IMPORTS = "import argparse, asyncio, dataclasses, decimal, inspect, json, re, typing\n"
"""What a runner of some size loads."""

INTERPRETER = """import sys
stack = []
for word in open(sys.argv[1]).read().split():
    if word == "+":
        stack.append(stack.pop() + stack.pop())
    elif word == ".":
        print(stack.pop())
    else:
        stack.append(int(word))
"""


def subjects(folder: Path) -> list[tuple[str, Commands, str]]:
    """What is measured: a name, the language's commands and a program."""
    lua = shutil.which("lua5.4") or shutil.which("lua")
    found = []
    if lua:
        commands = Commands(run=(lua, "{file}"), suffix=".lua")
        found += [("lua, one line", commands, "print(1)")]
        found += [(f"lua, {ms} ms of work", commands, LUA_LOOP.format(s=ms / 1000)) for ms in (20, 50, 200)]
    python = Commands(run=("{python}", "{file}"), suffix=".py")
    found += [("python, one line", python, "print(1)")]
    found += [(f"python, {ms} ms of work", python, PYTHON_LOOP.format(s=ms / 1000)) for ms in (50, 200)]
    (folder / "stack.py").write_text(INTERPRETER)
    own = Commands(run=("{python}", "{folder}/stack.py", "{file}"), suffix=".stack", folder=str(folder))
    found += [("an interpreter in Python", own, "1 2 + .")]
    (folder / "large.py").write_text(f"{IMPORTS}{SERVED}")
    large = msgspec.structs.replace(own, run=("{python}", "{folder}/large.py", "{file}"))
    found += [(LARGE, large, "1 2 + .")]
    return found


LARGE = "a large interpreter"
SERVED = f"""
def run(text):
{textwrap.indent(INTERPRETER.replace("open(sys.argv[1]).read()", "text"), "    ")}
if __name__ == "__main__":
    import sys
    run(open(sys.argv[1]).read())
"""


def cpu() -> float:
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait4(-1, 0)
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def once(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall, in ms."""
    used, began = cpu(), time.perf_counter()
    work()
    wall = time.perf_counter() - began
    return (cpu() - used) * 1000, wall * 1000


def bare(commands: Commands, file: str) -> Callable[[], object]:
    filled = {"{file}": file, "{python}": sys.executable, "{folder}": commands.folder}
    argv = []
    for word in commands.run:
        for name, value in filled.items():
            word = word.replace(name, value)
        argv.append(word)
    return lambda: subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=True)


def jailed(commands: Commands, program: str, kind: Choice) -> Callable[[], object]:
    language = command.CommandLanguage(LanguageSpec("bench", ("bench",), commands=commands))

    def work() -> None:
        outcome = language.run(program, "standard", "", kind)
        assert outcome.exit == 0, outcome

    return work


def warm(commands: Commands, program: str, rounds: int) -> tuple[float, float]:
    """CPU and wall, in ms, of a program by a runner that is warm: the mean of many, as the kernel counts the
    CPU of what the runner has waited for in steps of 10 ms."""
    work = jailed(msgspec.structs.replace(commands, serve=commands.run[:-1]), program, "bubblewrap")
    work()
    (runner,) = warm_runners._held.jails.values()

    def used() -> float:
        """Seconds of CPU of this process, of the runner and of all programs it has waited for."""
        ticks = Path(f"/proc/{runner.parent}/stat").read_text().rpartition(")")[2].split()[11:15]
        return time.process_time() + sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    rounds *= 20
    before, began = used(), time.perf_counter()
    for _ in range(rounds):
        work()
    wall, its_cpu = time.perf_counter() - began, used() - before
    runner.end()
    return its_cpu * 1000 / rounds, wall * 1000 / rounds


def main() -> None:
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    kinds: list[Choice] = []
    for kind in ("bubblewrap", "landlock", "none"):
        with contextlib.suppress(NoIsolation):
            find_isolation(kind)
            kinds.append(kind)
    print("| program | isolation | CPU ms bare | CPU ms ours | ratio | wall ms bare | wall ms ours | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        for name, commands, program in subjects(Path(place)):
            file = Path(place, f"program{commands.suffix}")
            file.write_text(program)
            works = [bare(commands, str(file)), *(jailed(commands, program, kind) for kind in kinds)]
            for work in works:
                work()
            # In turn, so that whatever else the machine does meets all of them alike.
            taken = [[once(work) for work in works] for _ in range(rounds)]
            fast = [
                [sorted(turn[at][which] for turn in taken)[rounds // 10] for which in (0, 1)]
                for at in range(len(works))
            ]
            (bare_cpu, bare_wall), *ours = fast
            names: list[str] = list(kinds)
            if name == LARGE and "bubblewrap" in kinds:
                names.append("warm")
                ours.append(list(warm(commands, program, rounds)))
            for which_one, (its_cpu, its_wall) in zip(names, ours, strict=True):
                print(
                    f"| {name} | {which_one} | {bare_cpu:.1f} | {its_cpu:.1f} | {its_cpu / bare_cpu:.2f} "
                    f"| {bare_wall:.1f} | {its_wall:.1f} | {its_wall / bare_wall:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()

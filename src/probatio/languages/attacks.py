"""Attacks on the jail: those by a command line, which has its own list of system calls; and who else
attacks."""

from __future__ import annotations

import functools
import sys
from types import ModuleType

from probatio.jail import Choice, ProgramOutcome, Runtime
from probatio.jail.attack import LIMITS, Attack, find_survivors
from probatio.languages.command import CommandLanguage
from probatio.languages.contract import STANDARD, Commands, LanguageSpec
from probatio.languages.python import attacks as python_attacks
from probatio.languages.python.attacks import ATTACKS as BY_PYTHON
from probatio.languages.python.attacks import STAY, program
from probatio.languages.typescript import attacks as deno_attacks

ATTACKS: tuple[Attack, ...] = (
    *BY_PYTHON,
    Attack("read what is not shown", """
attempt("passwd", lambda: open("/etc/passwd").read())
attempt("secret", lambda: open(T["secret"]).read())
attempt("parent's environment", lambda: b"PATH=" in open(f"/proc/{T['pid']}/environ", "rb").read())
attempt("by the root", lambda: open("/proc/self/root/etc/passwd").read())
attempt("by the folder", lambda: open("/proc/self/cwd/../../../etc/passwd").read())
""", "not in the jail"),
    Attack("change its own file", """
import glob
for path in glob.glob("program*") + [sys.argv[0]]:
    attempt("write", lambda: open(path, "w"))
    attempt("append", lambda: open(path, "a"))
    attempt("remove", lambda: os.unlink(path))
    attempt("mode", lambda: os.chmod(path, 0o777))
attempt("beside", lambda: open("beside", "w"))
""", "every mount is read-only (Landlock: no path is writable)"),
    Attack("start a process", """
import subprocess
attempt("fork", os.fork)
attempt("vfork", lambda: subprocess.run(["/bin/sh", "-c", "exit 0"]).returncode == 0)
attempt("spawn", lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", "pass"], {}))
attempt("socket", lambda: socket.socket())
attempt("kill", lambda: os.kill(T["pid"], 0))
attempt("namespace", lambda: c("unshare", 0x10000000))
""", "the filter refuses new processes"),
)  # fmt: skip


@functools.cache
def _attacker() -> CommandLanguage:
    commands = Commands(run=("{python}", "{file}"), suffix=".py", limits=LIMITS)
    return CommandLanguage(LanguageSpec("Python", ("python",), commands=commands))


def mount(attack: Attack, on: dict[str, object], isolation: Choice = "auto") -> ProgramOutcome:
    """Run one attack as the program of a command."""
    return _attacker().run(program(attack, on), STANDARD, "", isolation)


def outlives_the_grader(isolation: Choice = "auto") -> str | None:
    """None where a program that tries to stay has gone with a grader that was killed; else what stayed."""
    tool = _attacker().tool("run")
    assert tool is not None
    runtime = Runtime(tool.argv, tool.reads, tool.env, 1024, "command", file=("program.py", STAY.encode()))
    return find_survivors(runtime, b"", isolation)


def list_attackers() -> tuple[tuple[str, ModuleType], ...]:
    """The runtimes that `probatio doctor` attacks the jail with: the name, and the module with its
    attacks."""
    return ("deno", deno_attacks), ("python", python_attacks), ("a command", sys.modules[__name__])

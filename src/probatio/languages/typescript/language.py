"""TypeScript: a program is run in the jail with bun's console; one that parses and starts passes the
check."""

from __future__ import annotations

import re

import msgspec

from probatio import jail
from probatio.core.errors import UsageError
from probatio.core.records import CRASHED_CHECKER, ErrorType
from probatio.jail import Choice, Limits, ProgramOutcome
from probatio.jail.program import SIGNALLED
from probatio.languages.contract import STANDARD, Checked, explain_failure, find_error
from probatio.languages.typescript.engines import (
    BUN,
    DENO_PERMISSIONS,
    SETTING,
    JavaScriptEngine,
    engine,
    engine_version,
)

_STARTED = "\x02"  # written by console.js, which runs only once the whole program has parsed
_OUT_OF_MEMORY = re.compile(r"[Oo]ut of memory|heap limit|memory allocation of \d+ bytes failed")


def run(
    source: str,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    isolation: Choice = "auto",
    permissions: tuple[str, ...] | None = None,
) -> ProgramOutcome:
    """Run `source` to its end or to a limit; `started` is False where it does not parse. Never raises for
    what it does.

    Safe to call from many threads. `permissions` are deno's, for attacks on the jail; they run on deno
    whatever the setting says.
    """
    chosen = engine() if permissions is None else engine("deno")
    if chosen.name == "bun" and jail.find_isolation(isolation).kind == "landlock":
        raise UsageError(
            f"bun can't start under Landlock, which hides its working folder; use {SETTING}=deno."
        )
    shebang = "//" if source.startswith("#!") else ""  # such a first line becomes a comment
    program = f"{shebang}{source}\nimport {msgspec.json.encode(chosen.entry).decode()};"
    runtime = chosen.runtime(limits.memory_mb, permissions or DENO_PERMISSIONS)
    return _read(jail.run(runtime, program.encode("utf-8", "replace"), limits, isolation), chosen)


def _read(raw: ProgramOutcome, chosen: JavaScriptEngine) -> ProgramOutcome:
    """The outcome as a reader wants it: the mark of the start taken off, no path of this machine in
    messages."""
    started = raw.stdout.startswith(_STARTED)
    stderr = raw.stderr
    for ours, neutral in (
        (BUN.as_uri(), "bun"),
        (chosen.binary, chosen.name),
        (chosen.stdin_name, "program.ts"),
    ):
        stderr = stderr.replace(ours, neutral)
    ran_out = raw.exit in SIGNALLED and _OUT_OF_MEMORY.search(stderr) is not None
    return msgspec.structs.replace(
        raw,
        exit=None if ran_out else raw.exit,
        stopped="memory" if ran_out else raw.stopped,
        stdout=raw.stdout[len(_STARTED) :] if started else raw.stdout,
        stderr=stderr,
        started=started or raw.stopped is not None,
    )


class TypeScript:
    """There is no checker apart from the engine, which refuses what it can't parse before it starts."""

    dialects = (STANDARD,)
    takes_input = False  # the engine reads the program itself from there

    def version(self) -> str:
        return engine_version()

    def check(self, program: str, dialect: str, isolation: Choice) -> Checked:
        return Checked()

    def run(self, program: str, dialect: str, stdin: str, isolation: Choice) -> ProgramOutcome:
        return run(program, isolation=isolation)

    def explain_failure(self, outcome: ProgramOutcome) -> tuple[ErrorType, str]:
        if not outcome.started:
            error = CRASHED_CHECKER if outcome.exit in SIGNALLED else "syntax_error"
            return error, find_error(outcome.stderr)
        return explain_failure(outcome)

    def program_in(self, program: str, dialect: str) -> str:
        return program

    def template_in(self, template: str, dialect: str) -> str:
        return template

    def describe(self, what: str, argument: str, dialect: str) -> str:
        raise KeyError("TypeScript tells nothing about itself.")


LANGUAGE = TypeScript()

"""Run one TypeScript program in the jail, with bun's console, and tell how it ended."""

from __future__ import annotations

import re

import msgspec

from probatio import sandbox
from probatio.errors import UsageError
from probatio.languages.typescript.engines import BUN, DENO_PERMISSIONS, SETTING, JavaScriptEngine, engine
from probatio.sandbox import Choice, Limits, Memo, ProgramOutcome

MEMO = Memo()
"""Shared by all who don't bring their own."""

_STARTED = "\x02"  # written by console.js, which runs only once the whole program has parsed
_OUT_OF_MEMORY = re.compile(r"[Oo]ut of memory|heap limit|memory allocation of \d+ bytes failed")
_CRASHED = range(129, 160)


def run(
    source: str,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    isolation: Choice = "auto",
    memo: Memo | None = MEMO,
    permissions: tuple[str, ...] | None = None,
) -> ProgramOutcome:
    """Run `source` to its end or to a limit; `started` is False where it does not parse. Never raises for what it does.

    Safe to call from many threads. Programs alike are run once; `memo=None` runs this one whatever is known of it.
    `permissions` are deno's, for attacks on the jail, and mean running on deno whatever the setting says.
    """
    chosen = engine() if permissions is None else engine("deno")
    if chosen.name == "bun" and sandbox.isolation(isolation).kind == "landlock":
        raise UsageError(f"bun can't start under Landlock, which hides its working folder; use {SETTING}=deno.")
    program = f"{_without_shebang(source)}\nimport {msgspec.json.encode(chosen.entry).decode()};"
    runtime = chosen.runtime(limits.memory_mb, permissions or DENO_PERMISSIONS)
    return _read(sandbox.run(runtime, program.encode("utf-8", "replace"), limits, isolation, memo), chosen)


def _without_shebang(source: str) -> str:
    return "//" + source if source.startswith("#!") else source


def _read(raw: ProgramOutcome, chosen: JavaScriptEngine) -> ProgramOutcome:
    """The outcome as a reader wants it: the mark of the start taken off, no path of this machine in messages."""
    started = raw.stdout.startswith(_STARTED)
    stderr = raw.stderr
    for ours, neutral in ((BUN.as_uri(), "bun"), (chosen.binary, chosen.name), (chosen.stdin_name, "program.ts")):
        stderr = stderr.replace(ours, neutral)
    ran_out = raw.exit in _CRASHED and _OUT_OF_MEMORY.search(stderr) is not None
    return msgspec.structs.replace(
        raw,
        exit=None if ran_out else raw.exit,
        stopped="memory" if ran_out else raw.stopped,
        stdout=raw.stdout[len(_STARTED) :] if started else raw.stdout,
        stderr=stderr,
        started=started or raw.stopped is not None,
    )

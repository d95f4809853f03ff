"""Run one TypeScript program on deno in the jail, with bun's console, and tell how it ended."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import msgspec

from probatio import sandbox
from probatio.errors import UsageError
from probatio.sandbox import Choice, Limits, Memo, Outcome, Runtime

BUN = Path(__file__).with_name("bun")
CONSOLE = BUN / "console.js"
MEMO = Memo()
"""Shared by all who don't bring their own."""

_FLAGS = ("--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--cached-only", "--no-code-cache")
# Everything is refused that deno can refuse; asking for the environment finds it empty instead of failing.
_NOTHING = ("--ignore-env",)
# No cache on disk: for a single program it costs more than it saves, and one it can't write costs 150 ms of retries.
_ENV = (
    ("NO_COLOR", "1"), ("TZ", "UTC"), ("DENO_DIR", "/deno"), ("DENO_NO_UPDATE_CHECK", "1"),
    ("DENO_CACHE_DB_MODE", "in-memory"), ("DENO_EMIT_CACHE_MODE", "disable"),
)  # fmt: skip
_RESERVED_MB = 1024  # V8 sets aside half a gigabyte for code it may never make, and every thread its stack

_STARTED = "\x02"  # written by console.js, which runs only once the whole program has parsed
_OUT_OF_MEMORY = re.compile(r"[Oo]ut of memory|heap limit|memory allocation of \d+ bytes failed")
_CRASHED = range(129, 160)


@functools.cache
def deno() -> str:
    """The runtime the wheel installed, wherever PATH points."""
    try:
        from deno import find_deno_bin

        return str(find_deno_bin())
    except (ImportError, FileNotFoundError) as error:
        raise UsageError("TypeScript runs on deno, which is not installed here: pip install deno.") from error


_NAMES = ((BUN.as_uri, "bun"), (deno, "deno"), (lambda: "file:///$deno$stdin.ts", "program.ts"))


@functools.cache
def runtime(memory_mb: int, permissions: tuple[str, ...] = _NOTHING) -> Runtime:
    """deno, waiting for a program on standard input. Only attacks on the jail are given permissions."""
    flags = (*_FLAGS, *permissions, f"--v8-flags=--max-old-space-size={memory_mb}")
    return Runtime((deno(), "run", *flags, "--ext=ts", "-"), (str(BUN),), _ENV, _RESERVED_MB)


def run(
    source: str,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    isolation: Choice = "auto",
    memo: Memo | None = MEMO,
    permissions: tuple[str, ...] = _NOTHING,
) -> Outcome:
    """Run `source` to its end or to a limit; `started` is False where it does not parse. Never raises for what it does.

    Safe to call from many threads. Programs alike are run once; `memo=None` runs this one whatever is known of it.
    """
    program = f"{_without_shebang(source)}\nimport {msgspec.json.encode(CONSOLE.as_uri()).decode()};"
    raw = sandbox.run(
        runtime(limits.memory_mb, permissions), program.encode("utf-8", "replace"), limits, isolation, memo
    )
    return _read(raw)


def _without_shebang(source: str) -> str:
    return "//" + source if source.startswith("#!") else source


def _read(raw: Outcome) -> Outcome:
    """The outcome as a reader wants it: the mark of the start taken off, no path of this machine in messages."""
    started = raw.stdout.startswith(_STARTED)
    stderr = raw.stderr
    for ours, neutral in _NAMES:
        stderr = stderr.replace(ours(), neutral)
    ran_out = raw.exit in _CRASHED and _OUT_OF_MEMORY.search(stderr) is not None
    return msgspec.structs.replace(
        raw,
        exit=None if ran_out else raw.exit,
        stopped="memory" if ran_out else raw.stopped,
        stdout=raw.stdout[len(_STARTED) :] if started else raw.stdout,
        stderr=stderr,
        started=started or raw.stopped is not None,
    )

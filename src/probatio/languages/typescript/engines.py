"""What TypeScript runs on: deno, which its wheel brings, or bun, where the user has it and says so."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.jail import Runtime

SETTING = "PROBATIO_TYPESCRIPT"
"""`deno` (the default), `bun`, or the path of a bun."""

BUN = Path(__file__).with_name("bun")

_DENO_FLAGS = (
    "--quiet",
    "--no-prompt",
    "--no-config",
    "--no-lock",
    "--no-remote",
    "--cached-only",
    "--no-code-cache",
)
# Everything is refused that deno can refuse; asking for the environment finds it empty instead of failing.
DENO_PERMISSIONS = ("--ignore-env",)
# No cache on disk: for a single program it costs more than it saves, and one it can't write costs 150 ms of
# retries.
_DENO_ENV = (
    ("NO_COLOR", "1"), ("TZ", "UTC"), ("DENO_DIR", "/deno"), ("DENO_NO_UPDATE_CHECK", "1"),
    ("DENO_CACHE_DB_MODE", "in-memory"), ("DENO_EMIT_CACHE_MODE", "disable"),
)  # fmt: skip
_BUN_ENV = (
    ("NO_COLOR", "1"),
    ("TZ", "UTC"),
    ("DO_NOT_TRACK", "1"),
    ("BUN_RUNTIME_TRANSPILER_CACHE_PATH", "0"),
)
# Both engines set aside half a gigabyte for code they may never make, and every thread its stack.
_RESERVED_MB = 1024


class JavaScriptEngine(msgspec.Struct, frozen=True):
    """A runtime for programs on standard input."""

    name: str
    binary: str
    entry: str
    """Imported by every program: it marks the start, and on deno brings bun's console."""
    stdin_name: str
    """What the engine calls the program in its messages."""

    def runtime(self, memory_mb: int, permissions: tuple[str, ...]) -> Runtime:
        """The engine, waiting for a program. Only attacks on the jail are given permissions."""
        if self.name == "bun":
            return Runtime((self.binary, "run", "-"), (str(BUN),), _BUN_ENV, _RESERVED_MB, "bun")
        flags = (*_DENO_FLAGS, *permissions, f"--v8-flags=--max-old-space-size={memory_mb}", "--ext=ts")
        return Runtime((self.binary, "run", *flags, "-"), (str(BUN),), _DENO_ENV, _RESERVED_MB, "deno")


def engine(choice: str | None = None) -> JavaScriptEngine:
    """The engine by its name; else the one the user chose."""
    return _engine(choice or os.environ.get(SETTING) or "deno")


_ONE_AT_A_TIME = threading.RLock()
"""The wheel asks `sysconfig`, whose table is half-filled for a moment where two threads ask first at once
(Python 3.11)."""


def deno() -> str:
    """The deno the wheel installed, wherever PATH points."""
    with _ONE_AT_A_TIME:
        return _deno()


@functools.cache
def _deno() -> str:
    try:
        from deno import find_deno_bin

        return str(find_deno_bin())
    except (ImportError, FileNotFoundError) as error:
        raise UsageError("TypeScript runs on deno, which is not installed here: pip install deno.") from error


@functools.cache
def _engine(choice: str) -> JavaScriptEngine:
    if choice == "deno":
        return JavaScriptEngine("deno", deno(), (BUN / "console.js").as_uri(), "file:///$deno$stdin.ts")
    path = shutil.which(choice)
    if path is None:
        raise UsageError(
            f"{SETTING}={choice}: there is no such program; use deno, bun (where it is installed) or its "
            "path."
        )
    return JavaScriptEngine("bun", str(Path(path).resolve()), str(BUN / "started.js"), "//[stdin]")


@functools.cache
def engine_version() -> str:
    """Which engine runs programs, for run.json: another one may print otherwise."""
    chosen = engine()
    try:
        printed = subprocess.run(
            [chosen.binary, "--version"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        printed = ""
    number = re.search(r"\d+\.\d+\.\d+", printed)
    return f"{chosen.name} {number[0] if number else 'of unknown version'}"

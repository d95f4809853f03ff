"""Mutated suites, results and projects, read by every command that reads them.

A command works, or ends with a sentence and its exit code. It never raises, hangs, or takes all memory; and
nothing outside of the world is opened, written, started or called.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import resource
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from commandline import PROCESS
from fuzz import canary
from fuzz.changes import Change, apply, make_changes
from fuzz.findings import SHOWN, Finding, pack, unpack
from fuzz.server import CatchAll
from fuzz.watching import CLOCK_SECONDS, CPU_SECONDS, MEMORY, MOST_RESIDENT_MB, Ended, run_in_child
from fuzz.world import PACKED, RUN, lay_out, make_world, own_home, remove


class Command(NamedTuple):
    """A command over the world: its words, the files it reads, how often it is drawn."""

    words: tuple[str, ...]
    reads: tuple[str, ...]
    weight: int = 10
    asks: bool = False
    """Whether it may call the address of a model."""


RUN_1, RUN_2 = f"results/{RUN}", f"results/{PACKED}"
COMMANDS: tuple[Command, ...] = (
    Command(("study", RUN, "--out", "out/study", "--no-narrative"), (RUN_1, "lang")),
    Command(("study", RUN, PACKED, "--out", "out/study", "--format", "csv,latex,html"), ("results/run",
        "lang"), 5),
    Command(("study", "items", RUN), (RUN_1, "lang"), 6),
    Command(("study", "items", "--daily"), ("results/daily", "watch"), 6),
    Command(("study", "compare", RUN, PACKED), ("results/run", "lang"), 6),
    Command(("study", "compare", "daily:date=2026-03-08", "daily:date=2026-03-10"), ("results/daily",
        "watch"), 3),
    Command(("study", "export", RUN, "--inspect", "out/inspect"), (RUN_1, "lang"), 5),
    Command(("study", "export", RUN, "--junit", "out.xml"), (RUN_1, "lang"), 4),
    Command(("study", "pack", RUN), (RUN_1,), 4),
    Command(("study", "pack", PACKED, "--unpack"), (RUN_2,), 4),
    Command(("verdict",), ("results/daily", "watch"), 8),
    Command(("verdict", "--json"), ("results/daily",), 3),
    Command(("verify", "--quick"), ("results/daily", "watch"), 8),
    Command(("site", "build", "--out", "out/site"), ("results", "lang", "watch"), 3),
    Command(("suite", "list",), ("lang",), 1),
    Command(("trial", "--suite", "lang", "--dry-run"), ("lang", "config", ".env"), 10),
    Command(("daily", "--suite", "watch", "--dry-run"), ("watch", "config", ".env", "results/daily"), 10),
    Command(("daily", "import", "answers.jsonl", "--suite", "watch", "--dry-run"), ("answers", "watch"), 6),
    Command(("daily", "alerts", "send"), ("results/daily", "config", ".env"), 4),
    Command(("models", "list"), ("config", ".env"), 5),
    Command(("suite", "check", "lang"), ("lang",), 3),
    Command(("suite", "check", "watch"), ("watch",), 3),
    Command(("verify",), ("results/daily", "watch"), 2),
    Command(("grade", RUN), (RUN_1, "lang"), 2),
    Command(("suite", "rehearse", "watch", "--days", "1", "--worse-from", "1", "--models", "1",
        "--results", "out/r"), ("watch",), 1),
    Command(("trial", "--resume", RUN, "--yes"), (RUN_1, "lang", "config", ".env"), 2, asks=True),
)  # fmt: skip
"""The costly ones are drawn less: they start workers, and those start jails."""

MODULES = (
    "duckdb", "numpy", "jinja2", "feedgen.feed", "starlette", "markdown_it", "yaml", "aiohttp",
    "probatio.cli",
    "probatio.site.static", "probatio.site.snapshot", "probatio.learn.analysis", "probatio.learn.compare",
    "probatio.learn.exports.study", "probatio.learn.exports.inspect_log",
    "probatio.learn.exports.junit", "probatio.learn.items.measuring", "probatio.watch.verify.verification",
    "probatio.watch.day.preparation", "probatio.watch.day.importing", "probatio.runs.preparation",
    "probatio.runs.session",
    "probatio.authoring.check.daily", "probatio.authoring.check.language",
    "probatio.authoring.rehearse", "probatio.watch.alerts.delivery", "probatio.runs.regrade",
    "probatio.runs.models",
)  # fmt: skip
"""Imported once, before the first child is forked."""


class FolderInput(msgspec.Struct, frozen=True):
    """A world with changes, and the command that reads it."""

    command: int
    words: tuple[str, ...]
    changes: tuple[Change, ...]
    whole: bool


class Folders:
    """Worlds, played one after the other: in a child of ours, or by a whole command."""

    def __init__(self, whole: bool) -> None:
        os.environ |= {
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }  # before a fork there is one thread
        canary.lay_out()
        self.kind = "commands" if whole else "folders"
        self.batch = 5 if whole else 20
        self._whole = whole
        self._world = _make_world()
        self._base = Path(tempfile.mkdtemp(prefix="probatio-fuzz-")).resolve()
        self._home = self._base / "home"
        self._server = CatchAll(self._base / "called")
        if not whole:
            for name in MODULES:
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
            gc.collect()
            gc.freeze()

    def make(self, seed: int) -> FolderInput:
        chance = Random(f"folders {seed}" if not self._whole else f"commands {seed}")
        number = chance.choices(range(len(COMMANDS)), [each.weight for each in COMMANDS])[0]
        command = COMMANDS[number]
        changes = make_changes(self._world, command.reads, chance)
        return FolderInput(number, command.words, tuple(changes), self._whole)

    @staticmethod
    def unpack(packed: str) -> FolderInput:
        return msgspec.msgpack.decode(unpack(packed), type=FolderInput)

    def play(self, inputs: list[tuple[int, FolderInput]]) -> list[Finding]:
        return [finding for seed, given in inputs for finding in self._play_one(seed, given)]

    def _play_one(self, seed: int, given: FolderInput) -> list[Finding]:
        remove(self._home)
        world = self._home / "world"
        lay_out(self._world, world, self._server.port)
        if "--resume" in given.words:
            _leave_open(world)
        for change in given.changes:
            apply(change, world, self._server.port)
        (self._home / "tmp").mkdir()
        self._server.forget()
        asks = "--resume" in given.words
        before, laid_out = canary.look(), dict(_files(self._home))
        ended = self._run_whole(given) if given.whole else self._run_here(given, asks)
        faults = list(_describe(ended))
        if canary.look() != before:
            changed = sorted(name for name, _ in set(canary.look().items()) ^ set(before.items()))
            faults.append(("a mark outside", f"changed outside: {', '.join(dict.fromkeys(changed))}"))
            canary.clean()
        if canary.SECRET in ended.output:
            faults.append(("a secret shown", f"printed: {_around_secret(ended.output)!r}"))
        elif path := _find_secret(self._home, laid_out):
            faults.append(("a secret kept", f"written to {path}"))
        called = self._server.calls()
        if canary.SECRET.encode() in called:
            faults.append(("a key sent", repr(called[:300])))
        elif called and not asks:
            faults.append(("a call outside", repr(called[:300])))
        name = " ".join(given.words[:2])
        # What is seen from outside has no place in the code: the command is its place.
        return [
            _find(self.kind, seed, given, place if ".py" in place else f"{name}: {place}", what)
            for place, what in faults
        ]

    def _run_here(self, given: FolderInput, asks: bool) -> Ended:
        def command() -> None:
            from probatio.cli import main

            sys.argv = ["probatio", *given.words]
            main()

        return run_in_child(command, self._home, self._home / "world", self._env(), asks)

    def _run_whole(self, given: FolderInput) -> Ended:
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS * 2, CPU_SECONDS * 2 + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        try:
            done = subprocess.run(
                [*PROCESS, *given.words], cwd=self._home / "world", env=self._env(),
                stdin=subprocess.DEVNULL, capture_output=True, timeout=CLOCK_SECONDS, check=False,
                preexec_fn=limit,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Ended(place="a hang", what=f"no end within {CLOCK_SECONDS} s")
        output = (done.stdout + done.stderr).decode("utf-8", "replace")
        if "Traceback (most recent call last)" in output:
            lines = [
                line for line in output.splitlines() if "/src/probatio/" in line or "/src/faber/" in line
            ]
            where = lines[-1].strip().partition("/src/")[2] if lines else "no line of ours"
            error = output.strip().splitlines()[-1]
            file = where.partition('", line')[0]
            place = f"{error.partition(':')[0]} in {file}:{where.rpartition(' in ')[2]}"
            return Ended(place=place, what=f"{where}: {error:.300}", output=output)
        return Ended(code=done.returncode, output=output)

    def _env(self) -> dict[str, str]:
        """All that a command is given; nothing of this machine's user."""
        return {
            **own_home(self._home / "own"),
            "TMPDIR": str(self._home / "tmp"),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            canary.VARIABLE: canary.SECRET,
            "PROBATIO_CHECKED_MB": "0",
            "OPENBLAS_NUM_THREADS": "1",
        }

    def close(self) -> None:
        gc.unfreeze()
        self._server.close()
        remove(self._base)


@functools.cache
def _make_world() -> dict[str, tuple[bytes, int]]:
    return make_world()


def _leave_open(world: Path) -> None:
    """Take the last lines of a run away, so that there is something to resume."""
    for name in ("raw_responses.jsonl", "graded_results.jsonl"):
        path = world / RUN_1 / name
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))


def _describe(ended: Ended) -> list[tuple[str, str]]:
    """What is wrong with the way a command ended: places and sentences."""
    faults = [(_outside_place(each), each) for each in ended.outside]
    if ended.place:
        faults.append((ended.place, ended.what))
    elif ended.code not in (0, 1, 2, 3):
        faults.append((f"exit code {ended.code}", ended.output[-300:]))
    elif ended.code >= 2 and not ended.output.strip():
        faults.append(("no sentence", f"exit code {ended.code} and not a word"))
    if ended.resident_mb > MOST_RESIDENT_MB:
        faults.append(("memory", f"{ended.resident_mb} MB resident"))
    return faults


def _outside_place(told: str) -> str:
    """`read /dev/zero, in x.py:f` → `read outside in x.py:f`."""
    return f"{told.partition(' ')[0]} outside in {told.rpartition(', in ')[2]}"


def _files(home: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    """Every regular file with its time and size; what is very deep is left out."""
    for folder, folders, files in os.walk(home):
        folders[:] = [name for name in folders if name != "d"]
        for name in files:
            path = f"{folder}/{name}"
            about = os.lstat(path)
            if stat.S_ISREG(about.st_mode):
                yield path, (about.st_mtime_ns, about.st_size)


def _find_secret(home: Path, before: Mapping[str, tuple[int, int]]) -> str | None:
    """A file that the command wrote and that has the secret in it."""
    for path, about in _files(home):
        if before.get(path) != about and about[1] < 1 << 20 and not path.endswith((".env", "/report.json")):
            with open(path, "rb") as file:  # noqa: PTH123 - a name that is no text
                if canary.SECRET.encode() in file.read():
                    return os.fsencode(path).decode("utf-8", "replace")
    return None


def _around_secret(output: str) -> str:
    """A few characters: a program may print the whole environment, and a finding goes into the repository."""
    place = output.index(canary.SECRET)
    return output[max(0, place - 30) : place + len(canary.SECRET)]


def _find(kind: str, seed: int, given: FolderInput, place: str, what: str) -> Finding:
    changed = ", ".join(f"{each.what} {each.path!r} {each.data[:80]!r}" for each in given.changes)
    shown = ascii(f"probatio {' '.join(given.words)}; {changed}")[:SHOWN]
    return Finding(kind, seed, place, what[:600], shown, pack(given))

"""Call a function of a model's solution in the jail, and tell what each call gave.

A solution shares its process with the driver that calls it, so it can do to the driver whatever it likes:
read its frames, patch builtins, write lines of its own, exit with any status. It gains nothing by that,
because everything it would have to know or to change is on this side. The jail gets the solution and the
arguments, never an expected value; there is no verdict in the jail and no marker of success, only values that
come out of it; they are read here as data and compared by the caller. A forged line says "this call gave
that", which an honest function says by returning it: code that can forge the right answer could have returned
it.

What a solution can do is to end its own process. The calls that were answered before count, the one it ended
in fails, and the next ones get a new process, up to `STARTS`. The driver ends a call that takes too long, and
a solution can keep it from that; so every call is also timed from outside (`jail.pace`). One that took longer
fails whatever it gave, and one that does not end is ended with its process.
"""

from __future__ import annotations

import functools
import json
import marshal
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from probatio import jail
from probatio.jail import Choice, Clocks, Limits, Pace, ProgramOutcome
from probatio.languages.python.home import runtime
from probatio.languages.python.values import decode

LIMITS = Limits(seconds=30.0, cpu_seconds=8, memory_mb=256, output_bytes=1_000_000, processes=16)
CALL_CPU = 1.0
"""Seconds of CPU one call may take, loading the solution too. CPU and not the clock, so that a busy machine
fails no one."""
CALL_WALL = 5.0
"""Seconds by the clock, for one that sleeps."""
LATE_CALLS = 3
"""So many calls that don't end in time, and the rest is not tried."""
STARTS = 3
LONGEST = 100_000
"""Characters of a solution; a thousand times a long answer's tokens."""


class Call(msgspec.Struct, frozen=True):
    """One call: its arguments, plain values all, and whether to tell what became of them."""

    args: tuple[Any, ...]
    wants_args: bool = False


class Returned(msgspec.Struct, frozen=True):
    value: Any
    args: tuple[Any, ...] | None = None
    """The arguments after the call, where they were asked for."""


class Raised(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    """The exception's class and all it derives from."""
    words: str = ""
    args: tuple[Any, ...] | None = None


class CallFailed(msgspec.Struct, frozen=True):
    """The call gave nothing: the solution does not load, the process ended, a limit was passed."""

    why: str


Result = Returned | Raised | CallFailed


class CallResults(tuple[Result, ...]):
    """What the calls gave, in their order. Not `timely`: a limit of time may have had a part in it."""

    timely: bool

    def __new__(cls, results: Iterable[Result], timely: bool = True) -> CallResults:
        made = super().__new__(cls, results)
        made.timely = timely
        return made


def run_calls(
    source: str,
    function: str,
    calls: Sequence[Call],
    isolation: Choice = "auto",
    limits: Limits = LIMITS,
) -> CallResults:
    """What each call of `function` in `source` gave, in order, state of the solution kept from call to call.

    Never raises for what the solution does; raises NoIsolation or Incomplete where there is no jail. Safe
    among threads.
    """
    if len(source) > LONGEST:
        return CallResults(CallFailed(f"the solution is longer than {LONGEST} characters") for _ in calls)
    packed = [(marshal.dumps(call.args), call.wants_args) for call in calls]
    started = runtime(_driver())
    results: list[Result] = []
    last_words, timely = "the process ended too often", True
    for _ in range(STARTS):
        given = packed[len(results) :]
        stdin = marshal.dumps((source, function, given, CALL_CPU, CALL_WALL, LATE_CALLS))
        said = _Said(len(given))
        outcome = jail.run(started, stdin, limits, isolation, said.begin)
        timely = timely and outcome.timely
        results += said.results()
        if len(results) == len(calls):
            break
        if said.end or not said.ready:
            last_words = said.end or _why(outcome)
            break
        results.append(CallFailed(_why(outcome)))
        if len(results) == len(calls):
            break
    missing = len(calls) - len(results)
    return CallResults([*results, *[CallFailed(last_words)] * missing], timely)


LATE = f"no end within {CALL_CPU:g} s of CPU or {CALL_WALL:g} s by the clock"


class _Said:
    """What the driver of one process said, line by line and as it came. Only the line that is due is taken: a
    solution can write lines, but none that makes another wait for its time."""

    def __init__(self, calls: int) -> None:
        self.calls = calls
        self.begin()

    def begin(self) -> Pace:
        """A process starts; what one before it said does not count."""
        self.ready, self.end = False, ""
        self._results: list[Result] = []
        self._rest: list[bytes] = []
        self._pace = Pace(Clocks(CALL_CPU, CALL_WALL), self._hear)
        return self._pace

    def results(self) -> list[Result]:
        """What the calls gave, the first ones of all. Loading the solution is step 0."""
        late = self._pace.late
        if 0 in late:
            self.end = "loading it did not end in time"
            return []
        return [CallFailed(LATE) if n in late else result for n, result in enumerate(self._results, start=1)]

    def _hear(self, printed: bytes) -> int:
        self._rest.append(printed)
        if b"\n" not in printed:
            return 0
        *lines, rest = b"".join(self._rest).split(b"\n")
        self._rest = [rest]
        before = self.ready + len(self._results)
        for line in lines:
            self._take(_read(line))
        return self.ready + len(self._results) - before

    def _take(self, line: dict[str, Any]) -> None:
        if self.end or len(self._results) == self.calls:
            return
        self.end = _end(line)
        self.ready = self.ready or "ready" in line
        number, result = _result(line)
        if result and self.ready and number == len(self._results):
            self._results.append(result)


@functools.cache
def _driver() -> str:
    return Path(__file__).with_name("driver.py").read_text("utf-8")


def _read(text: bytes) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):  # cut off at a limit, or written by the solution
        return {}
    return line if isinstance(line, dict) else {}


def _end(line: dict[str, Any]) -> str:
    """Why the driver stopped before the last call; empty if it did not."""
    if not isinstance(line.get("end"), str):
        return ""
    names = line.get("raised")
    named = f" ({names[0]}: {line.get('words', '')})" if isinstance(names, list) and names else ""
    return _writable(f"{line['end']}{named}"[:300])


def _result(line: dict[str, Any]) -> tuple[int, Result | None]:
    number = line.get("call")
    if type(number) is not int:
        return -1, None
    try:
        args = tuple(decode(line["after"])) if "after" in line else None
        if "late" in line:
            return number, CallFailed(LATE)
        if "raised" in line:
            names = tuple(_writable(str(name)[:80]) for name in line["raised"][:20])
            return number, Raised(names, _writable(str(line.get("words", ""))[:200]), args)
        return number, Returned(decode(line["value"]), args)
    except (ValueError, TypeError, KeyError, RecursionError):
        return -1, None


def _writable(words: str) -> str:
    """Half a surrogate pair can be raised, but not written."""
    return words.encode("utf-8", "replace").decode("utf-8")


def _why(outcome: ProgramOutcome) -> str:
    if outcome.stopped:
        return f"stopped at the limit of {outcome.stopped}"
    return f"the process ended by itself with status {outcome.exit}"

"""Call a function of a model's solution in the jail, and tell what each call gave.

A solution shares its process with the driver that calls it, so it can do to the driver whatever it likes:
read its frames, patch builtins, write lines of its own, exit with any status. It gains nothing by that,
because everything it would have to know or to change is on this side. The jail gets the solution and the
arguments, never an expected value; there is no verdict in the jail and no marker of success, only values that
come out of it; they are read here as data and compared by the caller. A forged line says "this call gave
that", which an honest function says by returning it: code that can forge the right answer could have returned
it.

What a solution can do is to end its own process. The calls that were answered before count, the one it ended
in fails, and the next ones get a new process, up to `STARTS`.
"""

from __future__ import annotations

import functools
import json
import marshal
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from probatio import jail
from probatio.jail import Choice, Limits, ProgramOutcome
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
    results: dict[int, Result] = {}
    first, last_words, timely = 0, "the process ended too often", True
    for _ in range(STARTS):
        stdin = marshal.dumps((source, function, packed[first:], CALL_CPU, CALL_WALL, LATE_CALLS))
        outcome = jail.run(started, stdin, limits, isolation)
        timely = timely and outcome.timely
        ready, end = False, None
        for line in _lines(outcome.stdout):
            ready = ready or "ready" in line
            end = end or _end(line)
            number, result = _result(line)
            if result and 0 <= number < len(packed) - first:
                results[first + number] = result
        silent = next((number for number in range(first, len(calls)) if number not in results), None)
        if silent is None:
            break
        if end or not ready:
            last_words = end or _why(outcome)
            break
        results[silent] = CallFailed(_why(outcome))
        first = silent + 1
    return CallResults((results.get(number, CallFailed(last_words)) for number in range(len(calls))), timely)


@functools.cache
def _driver() -> str:
    return Path(__file__).with_name("driver.py").read_text("utf-8")


def _lines(stdout: str) -> Iterator[dict[str, Any]]:
    for text in stdout.splitlines():
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):  # cut off at a limit, or written by the solution
            continue
        if isinstance(line, dict):
            yield line


def _end(line: dict[str, Any]) -> str | None:
    """Why the driver stopped before the last call."""
    if not isinstance(line.get("end"), str):
        return None
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
            return number, CallFailed(f"no end within {CALL_CPU:g} s of CPU or {CALL_WALL:g} s by the clock")
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

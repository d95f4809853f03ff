"""What the jailed interpreter runs: it loads one solution, calls its function and tells, call by call, what
came of it.

Its text is handed over on the command line, so it imports nothing of ours, and of the standard library only
what is there anyway. `calls.py` holds the other side and says why a solution that takes this one over gains
nothing.
"""

from __future__ import annotations

import _json
import _signal  # type: ignore[import-not-found]
import io
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

DEEPEST = 60
CLOCK = {"runs": False}


class Late(BaseException):
    """A call did not end in time. No `Exception`, so that a solution's `except Exception` lets it pass."""


class Nowhere(io.RawIOBase):
    """Where a solution's own prints go."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data)


def late(number: int, frame: object) -> None:
    """Ends the call that runs; a strike that comes after its end, as the second of two at once, ends
    nothing."""
    if CLOCK["runs"]:
        raise Late


def plain(value: Any, depth: int = 0) -> str:
    """The value as JSON text, reduced to exact builtin types: a subclass keeps its content and loses its
    tricks."""
    kind = type(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if depth > DEEPEST:
        return '{"other": "a value nested too deeply"}'
    if issubclass(kind, int):
        return int.__repr__(value)
    if issubclass(kind, float):
        digits = float.__repr__(value)
        return '{"float": "' + digits + '"}' if digits.strip("-") in ("nan", "inf") else digits
    if issubclass(kind, str):
        return _json.encode_basestring_ascii(value)
    if issubclass(kind, list):
        return format_list(list.__iter__(value), depth)
    if issubclass(kind, tuple):
        return '{"tuple": ' + format_list(tuple.__iter__(value), depth) + "}"
    if issubclass(kind, dict):
        return '{"dict": ' + format_list(map(list, dict.items(value)), depth) + "}"
    if issubclass(kind, set):
        return '{"set": ' + format_list(set.__iter__(value), depth) + "}"
    if issubclass(kind, frozenset):
        return '{"set": ' + format_list(frozenset.__iter__(value), depth) + "}"
    if issubclass(kind, bytes):
        return '{"bytes": "' + bytes.hex(value) + '"}'
    return '{"other": ' + _json.encode_basestring_ascii(kind.__name__) + "}"


def format_list(values: Iterable[Any], depth: int) -> str:
    return "[" + ", ".join([plain(value, depth + 1) for value in values]) + "]"


def fault(error: BaseException) -> str:
    """An exception by the names of its class and of those it derives from, and its first words."""
    names = [one.__name__ for one in type.mro(type(error))]
    try:
        words = str(error)[:200]
    except BaseException:
        words = ""
    return '"raised": ' + plain(names) + ', "words": ' + plain(words)


def load_solution(source: str) -> dict[str, Any]:
    """The names a solution defines, as a module that classes can look themselves up in."""
    solution = type(sys)("solution")
    sys.modules["solution"] = solution
    exec(compile(source, "solution.py", "exec"), solution.__dict__)
    return solution.__dict__


def main() -> None:
    """Read the solution and its calls, send one line per call."""
    source, name, calls, cpu, wall, patience = marshal.loads(io.FileIO(0, closefd=False).readall())
    out = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr = io.TextIOWrapper(io.BufferedWriter(Nowhere()), "utf-8", "replace")
    sys.stdin = io.TextIOWrapper(io.BytesIO(), "utf-8")
    _signal.signal(_signal.SIGPROF, late)
    _signal.signal(_signal.SIGALRM, late)

    def tell(body: str) -> None:
        line = ("{" + body + "}\n").encode()
        while line:
            line = line[os.write(out, line) :]

    def run_limited(deed: Callable[..., Any], *given: Any) -> Any:
        # The clocks strike again every tenth: a solution that swallows the first strike does not get away
        # with it.
        _signal.setitimer(_signal.ITIMER_PROF, cpu, 0.1)
        _signal.setitimer(_signal.ITIMER_REAL, wall, 0.1)
        CLOCK["runs"] = True
        try:
            return deed(*given)
        finally:
            CLOCK["runs"] = False
            _signal.setitimer(_signal.ITIMER_PROF, 0)
            _signal.setitimer(_signal.ITIMER_REAL, 0)

    def answer(arguments: Any) -> str:
        return plain(function(*arguments))

    try:
        function = run_limited(load_solution, source).get(name)
    except Late:
        tell('"end": "loading it did not end in time"')
        return
    except BaseException as error:
        tell('"end": "it does not load", ' + fault(error))
        return
    if not callable(function):
        tell('"end": "it defines no function of the name asked for"')
        return
    tell('"ready": true')
    for number, (packed, wants_arguments) in enumerate(calls):
        arguments = marshal.loads(packed)
        try:
            body = '"value": ' + run_limited(answer, arguments)
        except Late:
            tell(f'"call": {number}, "late": true')
            patience -= 1
            if patience:
                continue
            tell('"end": "calls before this one did not end in time"')
            return
        except BaseException as error:
            body = fault(error)
        after = ', "after": ' + plain(list(arguments)) if wants_arguments else ""
        tell(f'"call": {number}, ' + body + after)


try:
    main()
finally:
    os._exit(0)  # whatever a solution left behind, threads and exit functions, is not waited for

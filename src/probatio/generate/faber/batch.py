"""Many programs of our own in one run of the jailed runtime: starting it costs more than running a hundred of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from probatio.languages.typescript import run
from probatio.sandbox import Choice, Limits

BATCH = 120
"""Programs in one run."""

_BEGIN, _FAILED = "\x1e", "\x1f"  # separators of ASCII, which none of our programs prints
_LIMITS = Limits(seconds=60.0, cpu_seconds=60)
_PART = re.compile(f"{_BEGIN}(\\d+)\n([^{_BEGIN}]*)")


class Ran(msgspec.Struct, frozen=True):
    """What a program printed, and whether an uncaught error ended it."""

    stdout: str
    failed: bool


def run_all(programs: Sequence[str], isolation: Choice = "auto") -> list[Ran | None]:
    """Run TypeScript programs that can be trusted not to disturb each other; None for one that can't be run at all."""
    results: list[Ran | None] = []
    for start in range(0, len(programs), BATCH):
        results += _together(programs[start : start + BATCH], isolation)
    return results


def _together(programs: Sequence[str], isolation: Choice) -> list[Ran | None]:
    outcome = run("\n".join(_wrapped(programs)), _LIMITS, isolation, None)
    found = {int(number): printed for number, printed in _PART.findall(outcome.stdout)}
    if outcome.exit == 0 and len(found) == len(programs):
        return [_ran(found[number]) for number in range(len(programs))]
    if len(programs) == 1:
        return [None]
    middle = len(programs) // 2  # one does not parse, or does not end: the others are found by halving
    return [*_together(programs[:middle], isolation), *_together(programs[middle:], isolation)]


def _wrapped(programs: Sequence[str]) -> Iterator[str]:
    """Each in a function of its own, so that names don't meet, and awaited, so that output stays in order."""
    for number, program in enumerate(programs):
        yield f'console.log("\\x1e{number}");'
        yield "try { await (async () => {"
        yield program
        yield "})(); await new Promise((done) => setTimeout(done, 0));"
        yield '} catch { console.log("\\x1f"); }'


def _ran(printed: str) -> Ran:
    stdout, failed, _ = printed.partition(_FAILED)
    return Ran(stdout, bool(failed))

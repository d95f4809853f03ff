"""What programs print on the real runtime, found for hundreds of them in one jailed process.

Starting the runtime costs as much as running a few hundred short programs. So a program that has not been run
yet is noted, and all that are noted are run together. The caller asks again afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from faber import tree
from faber.analysis import analyse
from faber.emit import emit
from probatio.authoring.generate.faber.dependence import nodes_of
from probatio.jail import Choice, Limits
from probatio.languages.typescript import run

MOST_STEPS = 3000
"""Rounds of loops and calls of functions after which a program does not end, for us."""

_TOGETHER = 400
"""Programs in one process."""
_LIMITS = Limits(seconds=60.0, cpu_seconds=60)
_PART = re.compile("\x1e(\\d+)\n([^\x1e]*)\x1f(\\w+) (\\d+)\n")
"""Separators of ASCII, which none of our programs prints: a number, the output,
how it ended and after how many steps."""
_STEP = tree.ExpressionStatement(0, tree.Call(0, tree.Name(0, "$step"), []))


class Ran(msgspec.Struct, frozen=True):
    """What a program printed, and after how many rounds of loops and calls of functions it ended."""

    stdout: str
    steps: int


class NotRun(Exception):
    """The program is noted, and will be run with others."""


class Runs:
    """Programs that were run, and those that wait for it."""

    def __init__(self, isolation: Choice) -> None:
        self._isolation = isolation
        self._compiled: dict[str, str | None] = {}
        self._known: dict[str, Ran | None] = {}
        self._waiting: dict[str, None] = {}

    def note(self, typescript: str) -> bool:
        """Note a program that is not known yet; was it?"""
        if typescript in self._known:
            return True
        self._waiting[typescript] = None
        return False

    def find(self, typescript: str) -> Ran | None:
        """How a program ended; None if an error ended it, or if it did not end.
        Raises NotRun if that is not known yet."""
        if not self.note(typescript):
            raise NotRun
        return self._known[typescript]

    def find_changed(self, sources: Iterable[str]) -> list[str | None]:
        """What changed programs print; None for one that the check refuses, that fails,
        prints nothing or does not end."""
        found: list[str | None] = []
        missing = False
        for source in sources:
            if source not in self._compiled:
                read = analyse(source, thorough=True)
                self._compiled[source] = None if read.diagnostics else emit_counted(read.program)
            compiled = self._compiled[source]
            try:
                ran = None if compiled is None else self.find(compiled)
                found.append(ran.stdout if ran is not None and ran.stdout.strip() else None)
            except NotRun:
                missing = True
        if missing:
            raise NotRun
        return found

    def run_waiting(self) -> bool:
        """Run all programs that wait. False if there are none."""
        waiting = list(self._waiting)
        self._waiting.clear()
        for start in range(0, len(waiting), _TOGETHER):
            part = waiting[start : start + _TOGETHER]
            self._known.update(zip(part, _run_together(part, self._isolation), strict=True))
        return bool(waiting)


def emit_counted(program: tree.Program) -> str:
    """The program as TypeScript that counts its steps and stops when there are too many."""
    bodies = [
        node.body.body
        for node in nodes_of(program.body)
        if isinstance(node, (tree.While, tree.Loop, tree.Function)) and node.body is not None
    ]
    for body in bodies:
        body.insert(0, _STEP)
    text = emit(program)
    for body in bodies:
        del body[0]
    return text


def _run_together(programs: Sequence[str], isolation: Choice) -> list[Ran | None]:
    """Run programs of our own, which do not disturb each other."""
    outcome = run("\n".join(_wrap(programs)), _LIMITS, isolation, None)
    found = {
        int(number): (printed, end, int(steps))
        for number, printed, end, steps in _PART.findall(outcome.stdout)
    }
    if outcome.exit == 0 and len(found) == len(programs):
        ended = (found[number] for number in range(len(programs)))
        return [Ran(printed, steps) if end == "ended" else None for printed, end, steps in ended]
    if len(programs) == 1:
        return [None]
    middle = len(programs) // 2  # one can't be parsed or passes a limit: halving finds it
    return [*_run_together(programs[:middle], isolation), *_run_together(programs[middle:], isolation)]


def _wrap(programs: Sequence[str]) -> Iterator[str]:
    """Each in a function of its own, so that names don't meet.
    A program may catch that it was stopped: its count tells."""
    yield "let $steps = 0;"
    yield f'function $step() {{ if (++$steps > {MOST_STEPS}) throw new Error("too many steps"); }}'
    for number, program in enumerate(programs):
        yield f'$steps = 0; console.log("\\x1e{number}");'
        yield f"try {{ (() => {{\n{program}\n}})();"
        yield f'console.log("\\x1f" + ($steps > {MOST_STEPS} ? "stopped" : "ended"), $steps);'
        yield '} catch { console.log("\\x1ffailed", $steps); }'

"""A folder's worth of tasks: drawn one by one, no two alike,
and kept if they are proven on the real runtime."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from probatio.authoring.generate import Watch
from probatio.authoring.generate.faber.draft import Draft
from probatio.authoring.generate.faber.drawing import DrawnProgram, draw, fits
from probatio.authoring.generate.faber.levels import LEVELS, MIX, purposes
from probatio.authoring.generate.faber.runs import NotRun, Runs
from probatio.authoring.generate.faber.tasks import Made, make_task
from probatio.core.errors import UsageError
from probatio.core.records import Task
from probatio.jail import Choice

VERSION = "1.0.0"
"""Raised whenever the same seed would give other tasks."""

_MOST_DRAWS = 600
"""Programs drawn for one task before there is no hope for another one that is not alike."""
_BATCH = 120
"""Tasks that are made together, so that their programs are run together."""


class Generated(msgspec.Struct, frozen=True):
    """The tasks with the programs behind them, and what was dropped on the way."""

    tasks: tuple[Task, ...]
    programs: tuple[str, ...]
    shapes: tuple[str, ...]
    drawn: int
    """Programs that were drawn, kept or not."""
    alike: int
    """Programs left out because one of the same shape was there."""
    disagreed: int
    """Tasks dropped because the compiled program and the one in TypeScript did not both print what is
    expected."""


def generate(
    seed: int, level: int, count: int, isolation: Choice = "auto", watch: Watch | None = None
) -> Generated:
    """The same seed, level and count give the same tasks."""
    if level not in LEVELS:
        raise UsageError(f"There is no level {level}; there are 1 to {max(LEVELS)}.")
    if count < 1:
        raise UsageError("--count must be 1 or more.")
    kept: list[Made] = []
    shapes: set[str] = set()
    drawn = alike = disagreed = number = 0
    while len(kept) < count:
        numbers = range(number, number + min(_BATCH, count - len(kept)))
        runs = Runs(isolation)
        made, tries, same = _make_tasks(seed, level, numbers, shapes, runs)
        drawn, alike, number = drawn + tries, alike + same, numbers.stop
        if len(made) < len(numbers):
            raise UsageError(
                f"Level {level} has no more than {len(kept) + len(made)} programs of different shape to give "
                "with this seed; ask for fewer tasks, or for a higher level."
            )
        agreed = [each for each in made if _prints_as_expected(each, runs)]
        disagreed += len(made) - len(agreed)
        kept += agreed
        if watch is not None:
            watch(len(kept), count)
    return Generated(
        tasks=tuple(each.task for each in kept),
        programs=tuple(each.program for each in kept),
        shapes=tuple(each.shape for each in kept),
        drawn=drawn,
        alike=alike,
        disagreed=disagreed,
    )


def _make_tasks(
    seed: int, level: int, numbers: range, shapes: set[str], runs: Runs
) -> tuple[list[Made], int, int]:
    """The tasks of these numbers, how many programs were drawn for them, and how many were like one before.

    Whether a program will do is known once it has been run. Until then it is taken for one that does, and the
    next number is looked at. Then all programs that wait are run together, and everything is looked at again,
    until nothing waits.
    """
    candidates = [_Candidates(seed, level, number, runs) for number in numbers]
    while True:
        taken = set(shapes)
        made: list[Made] = []
        drawn = alike = 0
        for each in candidates:
            found = each.find_first(taken)
            drawn, alike = drawn + found.drawn, alike + found.alike
            if found.shape is None:
                break
            taken.add(found.shape)
            if found.task is not None:
                made.append(found.task)
        if not runs.run_waiting():
            shapes |= taken
            return made, drawn, alike


class _Found(msgspec.Struct, frozen=True):
    """The first program of a number that will do, or may: `task` is None while that is not known,
    `shape` is None if no program will do."""

    task: Made | None
    shape: str | None
    drawn: int
    alike: int


class _Candidates:
    """The programs that are drawn for the task of one number, one after another.
    What is known of them is kept."""

    def __init__(self, seed: int, level: int, number: int, runs: Runs) -> None:
        self._seed, self._level, self._number, self._runs = seed, level, number, runs
        self._kind = MIX[number % len(MIX)]
        self._drawn: list[tuple[DrawnProgram, object] | None] = []
        self._made: dict[int, Made | None] = {}

    def find_first(self, taken: set[str]) -> _Found:
        """The first program whose shape is not used yet."""
        alike = 0
        for attempt in range(_MOST_DRAWS):
            drawn = self._draw(attempt)
            if drawn is None:
                continue
            try:
                known = True
                if not fits(drawn[0], LEVELS[self._level], self._runs):
                    continue
            except NotRun:
                known = False
            if drawn[0].shape in taken:
                alike += 1
                continue
            try:
                task = self._make(attempt, *drawn)
                if task is None:
                    continue
            except NotRun:
                known = False
            return _Found(task if known else None, drawn[0].shape, attempt + 1, alike)
        return _Found(None, None, _MOST_DRAWS, alike)

    def _draw(self, attempt: int) -> tuple[DrawnProgram, object] | None:
        """A program, and the state that chance is left in."""
        if attempt == len(self._drawn):
            chance = random.Random(f"{VERSION}:{self._seed}:{self._level}:{self._number}:{attempt}")
            drawn = draw(chance, self._level, chance.choice(purposes(self._level)))
            self._drawn.append(None if drawn is None else (drawn, chance.getstate()))
        return self._drawn[attempt]

    def _make(self, attempt: int, drawn: DrawnProgram, state: Any) -> Made | None:
        if attempt not in self._made:
            chance = random.Random()
            chance.setstate(state)
            name = f"{self._kind}_l{self._level}_s{self._seed}_{self._number + 1:04d}"
            made = make_task(Draft(chance, LEVELS[self._level]), drawn, self._kind, name, self._runs)
            if made is not None:
                self._runs.note(made.compiled)
                self._runs.note(made.host)
            self._made[attempt] = made
        return self._made[attempt]


def _prints_as_expected(made: Made, runs: Runs) -> bool:
    """Does the compiled program print what is expected, and the same program in TypeScript, too?"""
    ran = (runs.find(made.compiled), runs.find(made.host))
    return all(one is not None and one.stdout.strip() == made.task.expected_output for one in ran)

"""A folder's worth of tasks: drawn one by one, no two alike, and kept where both evaluators agree."""

from __future__ import annotations

import random

import msgspec

from probatio.errors import UsageError
from probatio.generate import Watch
from probatio.generate.faber.batch import BATCH, run_all
from probatio.generate.faber.draft import Draft
from probatio.generate.faber.drawing import draw
from probatio.generate.faber.levels import LEVELS, MIX, purposes
from probatio.generate.faber.tasks import Made, made
from probatio.languages.faber.analysis import analyse
from probatio.languages.faber.emit import emit
from probatio.records import Task
from probatio.sandbox import Choice

VERSION = "1.0.0"
"""Raised whenever the same seed would give other tasks."""

_MOST_DRAWS = 600
"""Programs drawn for one task before there is no hope for another one that is not alike."""


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
    """Tasks dropped because the compiled program and the evaluator did not print the same."""


def generate(seed: int, level: int, count: int, isolation: Choice = "auto", watch: Watch | None = None) -> Generated:
    """The same seed, level and count give the same tasks."""
    if level not in LEVELS:
        raise UsageError(f"There is no level {level}; there are 1 to {max(LEVELS)}.")
    if count < 1:
        raise UsageError("--count must be 1 or more.")
    kept: list[Made] = []
    shapes: set[str] = set()
    drawn = alike = disagreed = number = 0
    while len(kept) < count:
        waiting: list[Made] = []
        while len(waiting) < min(BATCH // 2, count - len(kept)):
            found, tries, same = _next(seed, level, number, shapes)
            drawn, alike, number = drawn + tries, alike + same, number + 1
            if found is None:
                raise UsageError(
                    f"Level {level} has no more than {len(kept) + len(waiting)} programs of different shape to give with this "
                    "seed; ask for fewer tasks, or for a higher level."
                )
            shapes.add(found.shape)
            waiting.append(found)
        agreed = [each for each, right in zip(waiting, _agree(waiting, isolation), strict=True) if right]
        disagreed += len(waiting) - len(agreed)
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


def _next(seed: int, level: int, number: int, shapes: set[str]) -> tuple[Made | None, int, int]:
    """The task of that number, how many programs were drawn for it, and how many of them were like one before."""
    kind = MIX[number % len(MIX)]
    name = f"{kind}_l{level}_s{seed}_{number + 1:04d}"
    alike = 0
    for attempt in range(_MOST_DRAWS):
        chance = random.Random(f"{VERSION}:{seed}:{level}:{number}:{attempt}")
        drawn = draw(chance, level, chance.choice(purposes(level)))
        if drawn is None:
            continue
        if drawn.shape in shapes:
            alike += 1
            continue
        found = made(Draft(chance, LEVELS[level]), drawn, kind, name)
        if found is not None:
            return found, attempt + 1, alike
    return None, _MOST_DRAWS, alike


def _agree(tasks: list[Made], isolation: Choice) -> list[bool]:
    """Does the compiled program print what the evaluator says, and so does the same program in TypeScript?"""
    programs = [emit(analyse(each.program, thorough=True).program) for each in tasks] + [each.host for each in tasks]
    ran = run_all(programs, isolation)
    results = []
    for place, each in enumerate(tasks):
        pair = (ran[place], ran[place + len(tasks)])
        results.append(
            all(one is not None and not one.failed and one.stdout.strip() == each.task.expected_output for one in pair)
        )
    return results

"""Coverage: how many tasks a suite has of each type, category and difficulty, and which of them it lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from probatio.core.records import Task
from probatio.suites.language_suite import Suite
from probatio.suites.task_types import KINDS

DIFFICULTIES = ("1", "2", "3")
_NONE = "·"


class Coverage(msgspec.Struct, frozen=True):
    """Counts of tasks, by category and by difficulty, for every type that the suite could have."""

    tasks: int
    types: tuple[str, ...]
    categories: dict[str, dict[str, int]]
    difficulties: dict[str, dict[str, int]]
    missing: tuple[str, ...]

    def rows(self) -> list[tuple[str, ...]]:
        """A table: a row per category, then one per difficulty, a column per type."""
        rows = [("", *self.types)]
        for named in (self.categories, self.difficulties):
            rows += [
                (name, *(str(counts.get(kind, 0) or _NONE) for kind in self.types))
                for name, counts in named.items()
            ]
        return rows


def measure_coverage(suite: Suite) -> Coverage:
    """What the suite has and lacks."""
    tasks = list(suite.tasks.values())
    types = tuple(kind for kind, about in KINDS.items() if suite.host is not None or not about.needs_host)
    levels = [*DIFFICULTIES, *sorted({str(task.difficulty) for task in tasks} - {*DIFFICULTIES})]
    return Coverage(
        tasks=len(tasks),
        types=types,
        categories={
            name: _counts(task for task in tasks if task.category == name) for name in suite.categories
        },
        difficulties={
            f"difficulty {level}": _counts(task for task in tasks if str(task.difficulty) == level)
            for level in levels
        },
        missing=tuple(_list_missing(suite, tasks, types)),
    )


def _counts(tasks: Iterator[Task]) -> dict[str, int]:
    return dict(Counter(task.type for task in tasks))


def _list_missing(suite: Suite, tasks: list[Task], types: tuple[str, ...]) -> Iterator[str]:
    if suite.host is None:
        need = [kind for kind, about in KINDS.items() if about.needs_host]
        yield f"{', '.join(need)}: they need a `host` in language.yml."
    for kind in types:
        there = {str(task.difficulty) for task in tasks if task.type == kind}
        if not there:
            yield f"{kind}: no task."
        elif lacking := [level for level in DIFFICULTIES if level not in there]:
            yield f"{kind}: no task of difficulty {' or '.join(lacking)}."
    for category in suite.categories:
        used = [task for task in tasks if task.category == category and not KINDS[task.type].control]
        if len({task.type for task in used}) == 1:
            yield f"{category}: all tasks are of the type {used[0].type}."
        elif not used:
            yield f"{category}: controls only, which ask nothing about the language."
    if unknown := [task.id for task in tasks if str(task.difficulty) not in DIFFICULTIES]:
        yield f"`difficulty` is not 1, 2 or 3: {', '.join(unknown)}."
    if not suite.examples:
        yield "examples: none, so --n-shot can only be 0."
    if len(suite.contexts) < 2:
        yield "contexts: a learning curve needs two or more."

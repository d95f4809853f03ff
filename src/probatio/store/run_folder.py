"""The one reader of a run's or a day's folder: its answers, its grades, and which of them count.

The first answer to a trial counts: it was paid for, and nothing replaces it. The last grade of a trial counts: grading again
improves on the grade before.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from probatio.records import Grade, Response, TrialKey
from probatio.store.layout import ANSWERS, GRADES
from probatio.store.lines import read_lines


class _HasKey(Protocol):
    @property
    def key(self) -> TrialKey: ...


L = TypeVar("L", bound=_HasKey)


class RunFolder:
    """A folder with answers and grades. `shape` is the record a line is read into; one with fewer fields reads faster."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def answers(self) -> Iterator[Response]:
        """The answers in full, one per trial."""
        return self.answers_as(Response)

    def answers_as(self, shape: type[L]) -> Iterator[L]:
        seen: set[TrialKey] = set()
        for line in read_lines(self.path / ANSWERS, shape):
            if line.key not in seen:
                seen.add(line.key)
                yield line

    def grades(self) -> dict[TrialKey, Grade]:
        """The grade of every trial."""
        return self.grades_as(Grade)

    def grades_as(self, shape: type[L]) -> dict[TrialKey, L]:
        return {line.key: line for line in read_lines(self.path / GRADES, shape)}

"""The one reader of a run's or a day's folder: its answers, its grades, and which of them count.

The first answer to a trial counts: it was paid for, and nothing replaces it. The last grade of a trial counts: grading again
improves on the grade before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from probatio.records import Grade, KeyLine, Response, TrialKey
from probatio.store.layout import ANSWERS, GRADES
from probatio.store.lines import Span, all_at_once, line_at, lines_at, placed_lines


class _HasKey(Protocol):
    @property
    def key(self) -> TrialKey: ...


L = TypeVar("L", bound=_HasKey)


class RunFolder:
    """A folder with answers and grades.

    `lenient` passes over lines that can't be read; otherwise they are an error that names them. Where a method takes `shape`,
    lines are read into that record: one with fewer fields reads faster. Where it takes `containing`, lines without these bytes
    are left out unread. `folder` is the folder that files must not lead out of; else it is `path`.
    """

    def __init__(self, path: Path, *, lenient: bool = False, folder: Path | None = None) -> None:
        self.path = path
        self._lenient = lenient
        self._folder = folder

    def answers(self, containing: bytes = b"") -> Iterator[Response]:
        """The answers in full, one per trial."""
        return self.answers_as(Response, containing)

    def answers_as(self, shape: type[L], containing: bytes = b"") -> Iterator[L]:
        seen: set[TrialKey] = set()
        for line in self._records(ANSWERS, shape, containing):
            key = line.key
            if key not in seen:
                seen.add(key)
                yield line

    def answer_spans(self) -> dict[TrialKey, Span]:
        """Where each trial's answer stands, for `answer_at`."""
        spans: dict[TrialKey, Span] = {}
        for span, line in self._lines(ANSWERS, KeyLine):
            spans.setdefault(line.key, span)
        return spans

    def answer_at(self, span: Span) -> Response:
        return line_at(self.path / ANSWERS, span, Response, self._folder)

    def answers_at(self, spans: Sequence[Span]) -> list[Response | None]:
        """Several answers; None for one whose line can't be read."""
        return lines_at(self.path / ANSWERS, spans, Response, self._folder) if spans else []

    def grades(self, containing: bytes = b"") -> dict[TrialKey, Grade]:
        """The grade of every trial, in the order in which they were first graded."""
        return self.grades_as(Grade, containing)

    def grades_as(self, shape: type[L], containing: bytes = b"") -> dict[TrialKey, L]:
        return {line.key: line for line in self._records(GRADES, shape, containing)}

    def _records(self, name: str, shape: type[L], containing: bytes) -> Iterable[L]:
        """The records of a file: all at once where they fit into memory, which takes a third of the time."""
        at_once = None if containing else all_at_once(self.path / name, shape, self._folder)
        if at_once is not None:
            return at_once
        return (line for _, line in self._lines(name, shape, containing))

    def grade_spans(self, shape: type[L]) -> dict[TrialKey, tuple[Span, L]]:
        """As `grades_as`, each with its place, for `grades_at`."""
        return {line.key: (span, line) for span, line in self._lines(GRADES, shape)}

    def grades_at(self, spans: Sequence[Span]) -> list[Grade | None]:
        """Several grades; None for one whose line can't be read."""
        return lines_at(self.path / GRADES, spans, Grade, self._folder) if spans else []

    def _lines(self, name: str, shape: type[L], containing: bytes = b"") -> Iterator[tuple[Span, L]]:
        return placed_lines(self.path / name, shape, lenient=self._lenient, containing=containing, folder=self._folder)

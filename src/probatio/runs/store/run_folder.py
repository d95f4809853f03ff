"""The one reader of a run's or a day's folder: its answers, its grades, and which of them count.

The first answer to a trial counts: it was paid for, and nothing replaces it. The last grade of a trial
counts: grading again replaces the grade before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from probatio.core.errors import ProbatioError
from probatio.core.records import Grade, KeyLine, Response, SampleGrade, SampleLine, TrialKey
from probatio.runs.store.layout import ANSWERS, DAILY, GRADES
from probatio.runs.store.lines import Span, all_at_once, line_at, lines_at, read_placed


class _HasKey(Protocol):
    @property
    def key(self) -> Any:
        """A `TrialKey`, or a `SampleKey` where the folder is a day's."""
        ...


L = TypeVar("L", bound=_HasKey)


class RunFolder:
    """A folder with answers and grades.

    `lenient`: lines that can't be read are left out; otherwise they are an error. `shape`: the record that
    lines are read into; fewer fields are read faster. `containing`: lines without these bytes are left out.
    `folder`: files must not lead out of it; `path` if it is not given.
    """

    def __init__(self, path: Path, *, lenient: bool = False, folder: Path | None = None) -> None:
        self.path = path
        self._lenient = lenient
        self._folder = folder

    def answers(self, containing: bytes = b"") -> Iterator[Response]:
        """The answers in full, one per trial."""
        return self.answers_as(Response, containing)

    def answers_as(self, shape: type[L], containing: bytes = b"") -> Iterator[L]:
        seen: set[Any] = set()
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

    def grades_as(self, shape: type[L], containing: bytes = b"") -> dict[Any, L]:
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
        return read_placed(
            self.path / name, shape, lenient=self._lenient, containing=containing, folder=self._folder
        )


class CaseSample(NamedTuple):
    """One answer to a case of a day."""

    response: str
    score: float | None  # None if it has no grade
    lost: str = ""  # what cost most of its points, in the grader's words
    prompt: str = ""
    cut: bool = False  # it ended at a limit of length


class _AnswerText(SampleLine, frozen=True, kw_only=True):
    response: str = ""
    prompt: str = ""
    finish_reason: str | None = None
    error: str | None = None


class _Credit(SampleLine, frozen=True, kw_only=True):
    score: float | None = None
    error_detail: str | None = None
    breakdown: dict[str, Any] = msgspec.field(default_factory=dict)


def case_samples(results: Path, day: str, model: str, cases: Collection[str]) -> dict[str, list[CaseSample]]:
    """Case → its answers of the day, in their order. Empty if the answers of the day can't be read."""
    found: dict[str, list[CaseSample]] = {}
    folder = results / DAILY / day
    if not (folder / ANSWERS).exists():
        return found
    try:
        reader = RunFolder(folder, lenient=True, folder=results)
        grades = reader.grades_as(_Credit) if (folder / GRADES).exists() else {}
        for line in reader.answers_as(_AnswerText):
            if line.model == model and line.case in cases and not line.error:
                grade = grades.get(line.key)
                score, lost = (grade.score, find_loss(grade)) if grade else (None, "")
                sample = CaseSample(line.response, score, lost, line.prompt, line.finish_reason == "length")
                found.setdefault(line.case, []).append(sample)
    except (ProbatioError, OSError):
        return found
    return found


def find_loss(grade: _Credit | SampleGrade) -> str:
    """What cost most of an answer's points: the part of the check, or the judge's reason for its lowest mark.
    Anything may stand in a breakdown that was made elsewhere."""
    parts, marks = (grade.breakdown.get(name) for name in ("parts", "marks"))
    losses = [
        (_number(part.get("weight", 1.0)) * (1.0 - _number(part.get("score"))), part)
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict)
    ]
    loss, part = max(losses, key=lambda each: each[0], default=(0.0, {}))
    if loss > 0:
        return ": ".join(str(part[key]) for key in ("name", "detail") if part.get(key))
    given = [each for each in marks.values() if isinstance(each, dict)] if isinstance(marks, dict) else []
    lowest = min(given, key=lambda each: _number(each.get("mark")), default={})
    return str(lowest.get("reason") or grade.error_detail or "")


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0

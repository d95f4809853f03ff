"""The samples of a day: which there can be, and those that were answered, each with the grade that counts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from probatio.core.records import (
    UNCHECKED,
    DayRecord,
    ErrorType,
    SampleAnswer,
    SampleGrade,
    SampleKey,
    SampleLine,
)
from probatio.runs.store.run_folder import RunFolder
from probatio.suites.daily_suite import DailySuite, UseCase

L = TypeVar("L", bound=SampleLine)
Round = Literal["base", "full"]
BASE: Round = "base"
FULL: Round = "full"
ROUNDS: tuple[Round, ...] = (BASE, FULL)


def digest_answer(text: str) -> str:
    """What tells an answer from another one: its text, without blanks at the ends."""
    return hashlib.blake2b(text.strip().encode(errors="surrogatepass"), digest_size=6).hexdigest()


class ServedLine(SampleLine, frozen=True, kw_only=True):
    """An answer's line without its texts: who served the sample, how fast, at what price, and which answer it
    is."""

    response: str | None = None  # never kept: `answer` takes its place
    answer: str = ""  # the digest of its text, without blanks at the ends; "" if there is no text
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    finish_reason: str | None = None
    provider: str | None = None
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    cost: float | None = None
    error: str | None = None
    timestamp: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.response is not None:
            msgspec.structs.force_setattr(self, "answer", digest_answer(self.response))
            msgspec.structs.force_setattr(self, "response", None)


class GradedLine(SampleLine, frozen=True, kw_only=True):
    """The part of a grade's line that scoring reads."""

    correct: bool = False
    level_a: bool = False
    error_type: ErrorType | None = None
    error_detail: str | None = None
    score: float = 0.0
    breakdown: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def errored(self) -> bool:
        """It could not be asked, checked or judged."""
        return self.error_type in ("api_error", "timeout", UNCHECKED)

    @property
    def checked(self) -> float | None:
        part: float | None = self.breakdown.get("checked")
        return part

    @property
    def judged(self) -> float | None:
        part: float | None = self.breakdown.get("judged")
        return part


class Sample(msgspec.Struct, frozen=True):
    """One sample: who served it and how it was graded."""

    served: ServedLine
    graded: GradedLine


class DaySamples:
    """The answers of a day, as they come in or from its folder."""

    def __init__(self, suite: DailySuite) -> None:
        self._use_cases = {case.id: case.use_case for case in suite.cases.values()}
        self._served: dict[str, dict[SampleKey, ServedLine]] = {}  # of each model
        self._grades: dict[SampleKey, GradedLine] = {}
        self._begun: set[tuple[str, str, str]] = set()

    def add_answer(self, line: ServedLine | SampleAnswer) -> None:
        """Add an answer. The first answer of a sample counts; a line of another suite is left out."""
        if line.case in self._use_cases and line.round in ROUNDS:
            served = line if isinstance(line, ServedLine) else _keep_fields(line, ServedLine)
            self._served.setdefault(line.model, {}).setdefault(line.key, served)
            self._begun.add((line.model, self._use_cases[line.case], line.round))

    def add_grade(self, line: GradedLine | SampleGrade) -> None:
        """Add a grade. The last grade of a sample counts."""
        self._grades[line.key] = (
            line if isinstance(line, GradedLine) else _keep_fields(_shorten(line), GradedLine)
        )

    def has_answers(self, model: str, use_case: str, which: Round) -> bool:
        """Whether a round has an answer."""
        return (model, use_case, which) in self._begun

    def of_model(self, model: str) -> list[Sample]:
        """The samples of a model that have a grade, in the order they were answered."""
        return [
            Sample(served, grade)
            for key, served in self._served.get(model, {}).items()
            if (grade := self._grades.get(key)) is not None
        ]

    def first_asked(self) -> dict[str, str]:
        """Model → the time of its first answer. A failed request is no answer."""
        first: dict[str, str] = {}
        for model, lines in self._served.items():
            asked = [
                served.timestamp for served in lines.values() if not served.error and served.timestamp < "~"
            ]
            if asked:
                first[model] = min(asked)
        return first

    def grades(self, keys: Iterable[SampleKey]) -> list[GradedLine]:
        return [grade for key in keys if (grade := self._grades.get(key)) is not None]


def read_samples(folder: Path, suite: DailySuite, answers: Iterable[ServedLine] | None = None) -> DaySamples:
    """Read the samples of a day from its folder; `answers`, if they were read before."""
    samples, files = DaySamples(suite), RunFolder(folder)
    for line in files.answers_as(ServedLine) if answers is None else answers:
        samples.add_answer(line)
    for grade in files.grades_as(GradedLine).values():
        samples.add_grade(grade)
    return samples


class SampleNumbers:
    """All samples that a day can have, numbered by model, use case, round, case and sample; the last varies
    fastest."""

    def __init__(self, use_cases: Mapping[str, Iterable[UseCase]]) -> None:
        """`use_cases`: of each model."""
        self._keys: list[SampleKey] = []
        self._batches: dict[tuple[str, str, Round], range] = {}
        for model, use_case in ((model, each) for model, own in use_cases.items() for each in own):
            for which, samples in zip(ROUNDS, (use_case.base_samples, use_case.full_samples), strict=True):
                begins = len(self._keys)
                self._keys += (
                    SampleKey(case.id, model, which, sample)
                    for case in use_case.asked
                    for sample in range(samples)
                )
                self._batches[model, use_case.id, which] = range(begins, len(self._keys))
        self._numbers = {key: number for number, key in enumerate(self._keys)}

    def __len__(self) -> int:
        return len(self._keys)

    def key(self, number: int) -> SampleKey:
        return self._keys[number]

    def number(self, key: SampleKey) -> int | None:
        """The number of a sample; None if the day can't have it."""
        return self._numbers.get(key)

    def batch(self, model: str, use_case: str, which: Round) -> range:
        """The numbers of one round of a use case for a model."""
        return self._batches[model, use_case, which]


def _keep_fields(line: SampleLine, shape: type[L]) -> L:
    """The same line with only the fields of `shape`."""
    left_out = ("task_id", "context", "answer")
    names = (name for name in shape.__struct_fields__ if name not in left_out)
    return shape(**{name: getattr(line, name) for name in names})


def _shorten(grade: SampleGrade) -> SampleGrade:
    """A grade without the parts of the check and the judge's words."""
    parts = {part: grade.breakdown.get(part) for part in ("checked", "judged")}
    return msgspec.structs.replace(grade, breakdown=parts)


OVER_MIDNIGHT = timedelta(hours=12)
"""A run may go on over midnight: a first answer this long after its beginning still belongs to the day."""


def find_late_models(record: DayRecord, first: Mapping[str, str]) -> dict[str, str]:
    """Model → the date it was asked on, if that is not the day's date. `first`: model → the time of its first
    answer.

    `--date` of the past completes a day that began on its date. A model whose first answer came on another
    date says nothing about the day: it is shown and marked, and enters no baseline and no reference.
    """
    if record.replayed or record.simulated or record.imported:
        return {}
    return {
        model: moment[:10]
        for model, moment in first.items()
        if moment[:10] != record.date and not _is_same_run(record, moment)
    }


def _is_same_run(record: DayRecord, moment: str) -> bool:
    """Whether an answer of this time belongs to the run that began the day on its own date."""
    if record.created[:10] != record.date:
        return False
    try:
        passed = datetime.fromisoformat(moment) - datetime.fromisoformat(record.created)
    except (ValueError, TypeError):  # no moment, or one without its zone
        return False
    return timedelta() <= passed <= OVER_MIDNIGHT

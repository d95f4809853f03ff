"""The raw samples of one model on one day, read from the files of that day only."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from probatio.core.records import SampleAnswer, SampleGrade
from probatio.runs.store.layout import DAILY
from probatio.runs.store.run_folder import CaseSample, RunFolder, find_loss


class ToldPart(NamedTuple):
    """One part of a check."""

    name: Any
    score: Any
    weight: Any
    detail: str


class ToldMark(NamedTuple):
    """A judge's mark."""

    criterion: str
    mark: Any
    reason: str


class ToldGrade(NamedTuple):
    """A grade as a page shows it."""

    parts: list[ToldPart]
    marks: list[ToldMark]
    checked: Any
    judged: Any
    penalty: Any
    note: str


class DaySample(msgspec.Struct, frozen=True):
    """One answer, with its grade if it has one."""

    response: SampleAnswer
    grade: SampleGrade | None

    @property
    def use_case(self) -> str:
        return str(self.grade.breakdown.get("use_case", "")) if self.grade else ""

    @property
    def told(self) -> ToldGrade:
        """What its grade says. Anything may stand in a breakdown that was made elsewhere."""
        given = self.grade.breakdown if self.grade else {}
        parts, marks = given.get("parts"), given.get("marks")
        return ToldGrade(
            [
                ToldPart(each.get("name"), each.get("score"), each.get("weight"), str(each.get("detail", "")))
                for each in (parts if isinstance(parts, list) else ())
                if isinstance(each, dict)
            ],
            [
                ToldMark(name, each.get("mark"), str(each.get("reason", "")))
                for name, each in (marks.items() if isinstance(marks, dict) else ())
                if isinstance(each, dict)
            ],
            given.get("checked"),
            given.get("judged"),
            given.get("penalty"),
            str(given.get("note") or ""),
        )


SamplesByUseCase = dict[str, list[DaySample]]
DAYS_KEPT = 8
"""Days that a build needs at once: the one whose pages it writes, the next, the day before, and the last one
before a fall."""


class SampleReader:
    """The samples of a results folder, by day and model. `whole_days` reads a day at once, for readers of all
    its models."""

    def __init__(self, results: Path, whole_days: bool) -> None:
        self._whole = whole_days
        self._day = lru_cache(maxsize=DAYS_KEPT)(partial(_samples, results))
        self._model = lru_cache(maxsize=32)(partial(_samples_of_model, results))

    def of(self, date: str, model: str) -> SamplesByUseCase:
        """Use case → every sample of the model's day, in the order asked."""
        return self._day(date).get(model, {}) if self._whole else self._model(date, model)

    def answers(self, date: str, model: str, cases: Collection[str]) -> dict[str, list[CaseSample]]:
        """Case → its answers of the day, for the words of a verdict."""
        found: dict[str, list[CaseSample]] = {}
        for samples in self.of(date, model).values():
            for response, grade in ((each.response, each.grade) for each in samples):
                if response.case in cases and not response.error and response.response is not None:
                    score, lost = (grade.score, find_loss(grade)) if grade else (None, "")
                    cut = response.finish_reason == "length"
                    sample = CaseSample(response.response, score, lost, response.prompt or "", cut)
                    found.setdefault(response.case, []).append(sample)
        return found


def find_html(answer: str | None) -> str | None:
    """The web page in an answer; None if there is none."""
    if not answer:
        return None
    low = answer.casefold()
    starts = [at for mark in ("<!doctype html", "<html") if (at := low.find(mark)) >= 0]
    if not starts:
        return None
    end = low.rfind("</html>")
    return answer[min(starts) : end + len("</html>") if end > min(starts) else len(answer)]


def _samples_of_model(results: Path, date: str, model: str) -> SamplesByUseCase:
    """Only the model's own lines are decoded: most lines are other models'."""
    return _samples(results, date, msgspec.json.encode(model)).get(model, {})


def _samples(results: Path, date: str, containing: bytes = b"") -> dict[str, SamplesByUseCase]:
    """Model → its samples."""
    files = RunFolder(results / DAILY / date, lenient=True, folder=results)
    grades = files.grades_as(SampleGrade, containing)
    samples: dict[str, SamplesByUseCase] = {}
    for response in files.answers_as(SampleAnswer, containing):
        sample = DaySample(response, grades.get(response.key))
        samples.setdefault(response.model, {}).setdefault(sample.use_case, []).append(sample)
    return samples

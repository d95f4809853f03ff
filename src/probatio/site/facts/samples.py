"""The raw samples of one model on one day, read from the files of that day only."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec

from probatio.core.records import SampleAnswer, SampleGrade
from probatio.runs.store.layout import DAILY
from probatio.runs.store.run_folder import RunFolder


class DaySample(msgspec.Struct, frozen=True):
    """One answer, with its grade if it has one."""

    response: SampleAnswer
    grade: SampleGrade | None

    @property
    def use_case(self) -> str:
        return str(self.grade.breakdown.get("use_case", "")) if self.grade else ""

    @property
    def parts(self) -> list[dict[str, Any]]:
        parts = self.grade.breakdown.get("parts") if self.grade else None
        return [each for each in parts if isinstance(each, dict)] if isinstance(parts, list) else []

    @property
    def marks(self) -> dict[str, dict[str, Any]]:
        marks = self.grade.breakdown.get("marks") if self.grade else None
        return {k: v for k, v in marks.items() if isinstance(v, dict)} if isinstance(marks, dict) else {}


class SampleReader:
    """The samples of a results folder, by day and model. `whole_days` reads a day at once, for readers of all
    its models."""

    def __init__(self, results: Path, whole_days: bool) -> None:
        self._whole = whole_days
        self._day = lru_cache(maxsize=2)(partial(_samples, results))
        self._model = lru_cache(maxsize=32)(partial(_samples_of_model, results))

    def of(self, date: str, model: str) -> list[DaySample]:
        """Every sample of the model's day, in the order asked."""
        return self._day(date).get(model, []) if self._whole else self._model(date, model)


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


def _samples_of_model(results: Path, date: str, model: str) -> list[DaySample]:
    """Only the model's own lines are decoded: most lines are other models'."""
    return _samples(results, date, msgspec.json.encode(model)).get(model, [])


def _samples(results: Path, date: str, containing: bytes = b"") -> dict[str, list[DaySample]]:
    """Model → its samples."""
    files = RunFolder(results / DAILY / date, lenient=True, folder=results)
    grades = files.grades_as(SampleGrade, containing)
    samples: dict[str, list[DaySample]] = {}
    for response in files.answers_as(SampleAnswer, containing):
        samples.setdefault(response.model, []).append(DaySample(response, grades.get(response.key)))
    return samples

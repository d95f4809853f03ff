"""The raw samples of one model on one day, read from that day's files and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec

from probatio.records import Grade, Response, TrialKey
from probatio.store.layout import DAILY

RAW, GRADED = "raw_responses.jsonl", "graded_results.jsonl"
FILES = (RAW, GRADED, "judge_responses.jsonl", "scores.jsonl")
"""Files of a day that are given out as they are. `day.json` is not: it may name a folder of the machine."""


class Sample(msgspec.Struct, frozen=True):
    """One answer with its grade, where it has one."""

    response: Response
    grade: Grade | None

    @property
    def use_case(self) -> str:
        return str(self.grade.breakdown.get("use_case", "")) if self.grade else ""

    @property
    def parts(self) -> list[dict[str, Any]]:
        return _dicts(self.grade.breakdown.get("parts")) if self.grade else []

    @property
    def marks(self) -> dict[str, dict[str, Any]]:
        marks = self.grade.breakdown.get("marks") if self.grade else None
        return {k: v for k, v in marks.items() if isinstance(v, dict)} if isinstance(marks, dict) else {}


class Samples:
    """The samples of a results folder, by day and model. `whole_days` reads a day at once, for whoever wants all its models."""

    def __init__(self, results: Path, whole_days: bool) -> None:
        self._whole = whole_days
        self._of_day = lru_cache(maxsize=2)(partial(_of_day, results))
        self._of_model = lru_cache(maxsize=32)(partial(_of_model, results))

    def of(self, date: str, model: str) -> list[Sample]:
        """Every sample of the model's day, in the order asked."""
        return self._of_day(date).get(model, []) if self._whole else self._of_model(date, model)


def _of_model(results: Path, date: str, model: str) -> list[Sample]:
    """Only the model's own lines are decoded."""
    folder = results / DAILY / date
    grades: dict[TrialKey, Grade] = {line.key: line for line in _lines(folder / GRADED, _GRADE, model)}
    return [Sample(line, grades.get(line.key)) for line in _lines(folder / RAW, _RESPONSE, model)]


def _of_day(results: Path, date: str) -> dict[str, list[Sample]]:
    folder = results / DAILY / date
    grades: dict[TrialKey, Grade] = {line.key: line for line in _lines(folder / GRADED, _GRADE)}
    found: dict[str, list[Sample]] = {}
    for line in _lines(folder / RAW, _RESPONSE):
        found.setdefault(line.model, []).append(Sample(line, grades.get(line.key)))
    return found


def html_in(answer: str | None) -> str | None:
    """The web page in an answer, as the reader would see it; None where there is none."""
    if not answer:
        return None
    low = answer.casefold()
    starts = [at for mark in ("<!doctype html", "<html") if (at := low.find(mark)) >= 0]
    if not starts:
        return None
    end = low.rfind("</html>")
    return answer[min(starts) : end + len("</html>") if end > min(starts) else len(answer)]


_GRADE = msgspec.json.Decoder(Grade)
_RESPONSE = msgspec.json.Decoder(Response)


def _lines(path: Path, decoder: msgspec.json.Decoder[Any], model: str | None = None) -> Iterator[Any]:
    if not path.exists():
        return
    mark = b"" if model is None else msgspec.json.encode(model)
    with path.open("rb") as lines:
        for line in lines:
            if mark not in line:  # decoding is what costs, and most lines are other models'
                continue
            try:
                found = decoder.decode(line)
            except msgspec.MsgspecError:
                continue  # a torn line is the mark of a crash
            if model is None or found.model == model:
                yield found


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []

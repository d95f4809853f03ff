"""The recorded days: `results/daily/{date}/day.json` and `scores.jsonl`, as records and as the arrays the folds read."""

from __future__ import annotations

import gc
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import count, groupby
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from probatio.errors import UsageError
from probatio.records import DailyScore, DayRecord, Grading
from probatio.store.layout import DAILY, DAY_FILE, SCORES
from probatio.verdict.baseline import Bools, Floats
from probatio.verdict.rule import UNKNOWN, Today

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Day:
    """One closed day."""

    record: DayRecord
    scores: tuple[DailyScore, ...]
    results: Path = Path()  # the folder of runs it was read from

    @property
    def date(self) -> str:
        return self.record.date

    @property
    def suite_folder(self) -> Path | None:
        """Where the day's suite is; None for the built-in one."""
        return self.results / self.record.suite if os.sep in self.record.suite else None

    @cached_property
    def ordinal(self) -> int:
        return date.fromisoformat(self.record.date).toordinal()

    @cached_property
    def models(self) -> list[str]:
        """Everyone who was to be asked, in the day's order."""
        asked = (model.id for model in self.record.models)
        return list(dict.fromkeys([*asked, *self.record.skipped, *self.lines]))

    @cached_property
    def lines(self) -> dict[str, dict[str, DailyScore]]:
        """Model → use case → its line."""
        found: dict[str, dict[str, DailyScore]] = {}
        for score in self.scores:
            found.setdefault(score.model, {})[score.use_case] = score
        return found

    def route_of(self, line: DailyScore) -> str | None:
        """The route of a line's model that day: who served most of it, or all it is pinned to where that is more than one and
        nobody else served."""
        pinned = self._pinned.get(line.model)
        return line.route if pinned is None or line.routing_changed else pinned

    @cached_property
    def _pinned(self) -> dict[str, str]:
        return {model.id: " or ".join(model.route) for model in self.record.models if len(model.route) > 1}

    def served(self, model: str, what: Literal["providers", "resolved_models", "fingerprints"]) -> Counter[str]:
        """How many of a model's samples each provider, resolved model or fingerprint served."""
        found = self._served.get((model, what))
        if found is None:
            found = self._served[model, what] = Counter()
            for line in self.lines.get(model, {}).values():
                counts: dict[str, int] = getattr(line, what)
                for name, count in counts.items():
                    found[name] += count
        return found

    @cached_property
    def _served(self) -> dict[tuple[str, str], Counter[str]]:
        return {}


@dataclass(frozen=True, slots=True)
class Columns:
    """What the arrays' places mean, in the order things were first seen.

    A use case that is graded another way since a bump is another column.
    """

    models: dict[str, int]
    use_cases: dict[tuple[str, Grading], int]
    cases: dict[str, dict[str, int]]  # deterministic use case → case id → place; those of a use case beside each other
    routes: dict[str, int]
    versions: dict[str, int]

    @property
    def gradings(self) -> list[Grading]:
        return [grading for _, grading in self.use_cases]


@dataclass(frozen=True, slots=True)
class Arrays:
    """One day as arrays; NaN where nothing was scored."""

    rule: Today
    base_score: Floats  # [models, use_cases], 0–100
    cases: Floats  # [models, cases of deterministic use cases], 0–1, means of the base samples
    asked: Bools  # [models]: was to be asked that day

    def barred_by_judge(self, judged: Bools) -> Arrays:
        """The same day with the judged use cases barred, for a judge that has drifted under its gate."""
        return replace(self, rule=replace(self.rule, barred=self.rule.barred | judged))


class Days:
    """Closed days in order, oldest first."""

    def __init__(self, days: Iterable[Day]) -> None:
        self.days = sorted(days, key=lambda day: day.date)

    def __len__(self) -> int:
        return len(self.days)

    def __getitem__(self, date: str) -> Day:
        return {day.date: day for day in self.days}[date]

    @property
    def dates(self) -> list[str]:
        return [day.date for day in self.days]

    def series(self) -> list[Days]:
        """The same days, parted at every change of the suite version: nothing is compared across one."""
        return [Days(same) for _, same in groupby(self.days, key=lambda day: day.record.suite_version)]

    def until(self, last: str) -> Days:
        return Days(day for day in self.days if day.date <= last)

    @cached_property
    def columns(self) -> Columns:
        models: dict[str, int] = {}
        use_cases: dict[tuple[str, Grading], int] = {}
        cases: dict[str, dict[str, None]] = {}
        routes: dict[str, int] = {}
        versions: dict[str, int] = {}
        known: set[tuple[str | None, ...]] = set()
        for day in self.days:
            versions.setdefault(day.record.suite_version, len(versions))
            for model in day.models:
                models.setdefault(model, len(models))
            for line in day.scores:
                route = day.route_of(line)
                shape = (line.use_case, line.grading, route, *line.cases)
                if shape in known:
                    continue
                known.add(shape)
                use_cases.setdefault((line.use_case, line.grading), len(use_cases))
                if line.grading == "deterministic":
                    cases.setdefault(line.use_case, {}).update(dict.fromkeys(line.cases))
                if route is not None:
                    routes.setdefault(route, len(routes))
        places = count()
        placed = {use_case: {case: next(places) for case in theirs} for use_case, theirs in cases.items()}
        return Columns(models, use_cases, placed, routes, versions)

    def arrays(self, day: Day) -> Arrays:
        """A day of these days, as the folds take it."""
        at, lines = self.columns, day.scores
        shape = (len(at.models), len(at.use_cases))
        model = np.array([at.models[line.model] for line in lines], dtype=np.int64)
        use_case = np.array([at.use_cases[line.use_case, line.grading] for line in lines], dtype=np.int64)

        def spread(values: list[float | None] | list[bool], empty: float | bool) -> npt.NDArray[Any]:
            full = np.full(shape, empty)
            full[model, use_case] = np.array(values, dtype=full.dtype)  # None becomes NaN
            return full

        checked = [line for line in lines if line.grading == "deterministic"]
        cases = np.full((shape[0], sum(map(len, at.cases.values()))), np.nan)
        row = [at.models[line.model] for line in checked for _ in line.cases]
        column = [place[case] for line in checked for place in (at.cases[line.use_case],) for case in line.cases]
        cases[row, column] = [value for line in checked for value in line.cases.values()]
        route = np.full(shape[0], UNKNOWN, dtype=np.int64)
        named = (day.route_of(line) for line in lines)
        route[model] = [UNKNOWN if name is None else at.routes[name] for name in named]
        asked = np.zeros(shape[0], dtype=bool)
        asked[[at.models[each] for each in day.models]] = True
        now = Today(
            day.ordinal,
            spread([line.score for line in lines], np.nan),
            spread([line.full_power for line in lines], False),
            spread([line.barred for line in lines], False),
            route,
            self._mixed(day),
            at.versions[day.record.suite_version],
        )
        return Arrays(now, spread([line.base_score for line in lines], np.nan), cases, asked)

    def _mixed(self, day: Day) -> Bools:
        """[models]: flagged, and not all from one place, so whose day it was can't be said."""
        served: dict[str, set[str]] = {}
        for line in day.scores:
            if line.routing_changed:
                served.setdefault(line.model, set()).update(line.providers)
        mixed = np.zeros(len(self.columns.models), dtype=bool)
        for model, providers in served.items():
            mixed[self.columns.models[model]] = len(providers) != 1
        return mixed


def read_days(results: Path, until: str | None = None) -> Days:
    """Every closed day under `results/daily`, up to and with `until`. A day without scores is still being run."""
    folder = results / DAILY
    found = [] if not folder.is_dir() else sorted(path for path in folder.iterdir() if _DATE.fullmatch(path.name))
    closed = (path for path in found if (until is None or path.name <= until) and (path / SCORES).exists())
    with _uncollected():
        return Days(read_day(path) for path in closed)


def read_day(folder: Path) -> Day:
    """The closed day in `folder`."""
    record = _decoded(folder / DAY_FILE, _RECORD)
    if record.date != folder.name:
        raise UsageError(f"{folder / DAY_FILE} says it is {record.date}; the folder says {folder.name}.")
    path = folder / SCORES
    data = path.read_bytes()
    try:
        lines = _SCORES.decode_lines(data)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise UsageError(_where(path, data, error)) from None
    last = {(line.model, line.use_case): line for line in lines}
    return Day(record, tuple(last.values()), folder.parent.parent)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the cycle collector: a year's lines are all kept, and walking them again and again is 40 % of the reading."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


_RECORD = msgspec.json.Decoder(DayRecord)
_SCORES = msgspec.json.Decoder(DailyScore)


def _decoded(path: Path, decoder: msgspec.json.Decoder[DayRecord]) -> DayRecord:
    try:
        return decoder.decode(path.read_bytes())
    except FileNotFoundError:
        raise UsageError(f"{path} is missing beside its scores; the day can't be read without it.") from None
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a day's record: {error}.") from None


def _where(path: Path, data: bytes, error: Exception) -> str:
    """The same fault, with the line it is in."""
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            _SCORES.decode(line)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as fault:
            return f"{path}, line {number}, is not a score: {fault}. `probatio daily` writes the file anew from the grades."
    return f"{path} can't be read: {error}."

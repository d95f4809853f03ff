"""The recorded days as the arrays the folds read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from probatio.core.records import Acceptance, DailyScore, Day, DayRecord, Form, Grading
from probatio.watch.verdict.rule.baseline import Bools, Floats
from probatio.watch.verdict.rule.rule import UNKNOWN, RuleDay
from probatio.watch.verdict.rule.sampling import EVIDENCE


@dataclass(frozen=True, slots=True)
class Columns:
    """What each place in the arrays stands for, in the order things were first seen.

    A use case that is graded another way since a bump is another column.
    """

    models: dict[str, int]
    use_cases: dict[tuple[str, Grading], int]
    # Deterministic use case → case id → place; those of a use case beside each other.
    cases: dict[str, dict[str, int]]
    routes: dict[str, int]
    versions: dict[str, int]
    judged_cases: dict[str, dict[str, None]]  # judged use case → ids of the cases whose answers are known
    samples: dict[str, int]  # use case → base samples of a case

    @property
    def gradings(self) -> list[Grading]:
        return [grading for _, grading in self.use_cases]


@dataclass(frozen=True, slots=True)
class Arrays:
    """One day as arrays; NaN where nothing was scored."""

    rule: RuleDay
    base_score: Floats  # [models, use_cases], 0–100
    cases: Floats  # [models, cases of deterministic use cases], 0–1, means of the base samples, or of all
    all_samples: Bools  # [models, use_cases]: full count for the evidence; `cases` and score are means of all
    judged_share: Floats  # [models, use_cases]: of the score, the part that the judge gave


def suite_of(record: DayRecord) -> tuple[str, str]:
    """What makes two days comparable: the suite's version and its content."""
    return record.suite_version, record.suite_fingerprint


class Days:
    """Closed days in order, oldest first."""

    def __init__(self, days: Iterable[Day], accepted: Iterable[Acceptance] = ()) -> None:
        """`accepted`: what people have accepted, from the ledger. Each begins a new series of its model."""
        self.days = sorted(days, key=lambda day: day.date)
        self.accepted = tuple(accepted)

    def __len__(self) -> int:
        return len(self.days)

    def __getitem__(self, date: str) -> Day:
        return {day.date: day for day in self.days}[date]

    @property
    def dates(self) -> list[str]:
        return [day.date for day in self.days]

    def series(self) -> list[Days]:
        """The same days, split at every change of the suite: nothing is compared across one. A case edited
        under the same version makes another suite."""
        return [
            Days(same, self.accepted) for _, same in groupby(self.days, key=lambda day: suite_of(day.record))
        ]

    def until(self, last: str) -> Days:
        return Days((day for day in self.days if day.date <= last), self.accepted)

    def before(self, date: str) -> Days:
        return Days((day for day in self.days if day.date < date), self.accepted)

    @cached_property
    def begun(self) -> dict[tuple[str, str], Acceptance]:
        """(date, model) → what was accepted, on the first day of the model that it holds for."""
        begun: dict[tuple[str, str], Acceptance] = {}
        for each in self.accepted:
            first = next(
                (day.date for day in self.days if day.date >= each.begins and each.model in day.models), None
            )
            if first is not None:
                begun[first, each.model] = each
        return begun

    @cached_property
    def reformed(self) -> dict[tuple[str, str], str]:
        """(date, model) → what is another, as a clause, on the first day of a model in another form than on
        its day before. Each begins a new series of the model."""
        last: dict[str, Form | None] = {}
        found: dict[tuple[str, str], str] = {}
        for day in self.days:
            for model in (each.id for each in day.record.models):
                form = day.record.forms.get(model)
                before = last.setdefault(model, form)
                if form != before:
                    found[day.date, model] = (
                        f"it is asked {_name(form)} now, and was asked {_name(before)} before"
                    )
                    last[model] = form
        return found

    def find_reformed(self, record: DayRecord) -> dict[str, str]:
        """The models of the day after these that are in another form than on their last day, and why."""
        later = Days([*self.days, Day(record, ())])
        return {model: why for (date, model), why in later.reformed.items() if date == record.date}

    @cached_property
    def columns(self) -> Columns:
        models: dict[str, int] = {}
        use_cases: dict[tuple[str, Grading], int] = {}
        cases: dict[str, dict[str, None]] = {}
        routes: dict[str, int] = {}
        versions: dict[str, int] = {}
        judged_cases: dict[str, dict[str, None]] = {}
        samples: dict[str, int] = {}
        known: set[tuple[str | None, ...]] = set()
        for day in self.days:
            versions.setdefault(day.record.suite_version, len(versions))
            for model in day.models:
                models.setdefault(model, len(models))
            for line in day.scores:
                route = day.route_of(line)
                if line.answers:
                    most = max(map(len, line.answers.values()))
                    samples[line.use_case] = max(samples.get(line.use_case, 1), most)
                    if line.grading != "deterministic":
                        judged_cases.setdefault(line.use_case, {}).update(dict.fromkeys(line.answers))
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
        return Columns(models, use_cases, placed, routes, versions, judged_cases, samples)

    def arrays(self, day: Day) -> Arrays:
        """A day of these days, as the folds take it."""
        at, lines = self.columns, day.scores
        shape = (len(at.models), len(at.use_cases))
        model = np.array([at.models[line.model] for line in lines], dtype=np.int64)
        use_case = np.array([at.use_cases[line.use_case, line.grading] for line in lines], dtype=np.int64)

        def spread(values: Sequence[float | None], empty: float | bool) -> npt.NDArray[Any]:
            full = np.full(shape, empty)
            full[model, use_case] = np.array(values, dtype=full.dtype)  # None becomes NaN
            return full

        def mark(models: Iterable[str]) -> Bools:
            marked = np.zeros(shape[0], dtype=bool)
            marked[[at.models[each] for each in models]] = True
            return marked

        checked = [line for line in lines if line.grading == "deterministic"]
        cases = np.full((shape[0], sum(map(len, at.cases.values()))), np.nan)
        row = [at.models[line.model] for line in checked for _ in line.cases]
        column = [
            place[case] for line in checked for place in (at.cases[line.use_case],) for case in line.cases
        ]
        cases[row, column] = [value for line in checked for value in line.cases.values()]
        route = np.full(shape[0], UNKNOWN, dtype=np.int64)
        begins = self.begun.keys() | self.reformed.keys()
        routes = (day.route_of(line) for line in lines)
        route[model] = [UNKNOWN if name is None else at.routes[name] for name in routes]
        now = RuleDay(
            day.ordinal,
            spread([line.score for line in lines], np.nan),
            spread([line.full_power for line in lines], False),
            spread([line.barred for line in lines], False),
            route,
            mark(find_mixed(lines)),
            at.versions[day.record.suite_version],
            mark({line.model for line in lines if line.asked_late}),
            mark({each for each in at.models if (day.date, each) in begins}),
        )
        return Arrays(
            now,
            spread([line.base_score for line in lines], np.nan),
            cases,
            spread([line.trigger == EVIDENCE for line in lines], False),
            spread([find_judged_share(line) for line in lines], 0.0),
        )


def _name(form: Form | None) -> str:
    return f"the {form or 'whole suite'}"


def find_mixed(lines: Iterable[DailyScore]) -> set[str]:
    """The models of which too many samples came from elsewhere, so that the day belongs to no route. Older
    days left no samples out: such a day is mixed if its route is flagged and more than one provider
    served."""
    odd = [line for line in lines if line.mixed or line.strays or line.routing_changed]
    sorted_out = {line.model for line in odd if line.mixed or line.strays}
    served: dict[str, set[str]] = {}
    for line in odd:
        if line.model not in sorted_out:
            served.setdefault(line.model, set()).update(line.providers)
    several = {model for model, providers in served.items() if len(providers) != 1}
    return several | {line.model for line in odd if line.mixed}


def find_judged_share(line: DailyScore) -> float:
    """The judge's share of a score. Older hybrid scores do not record it: there it follows from their two
    parts."""
    if line.judged_share is not None:
        return line.judged_share
    if line.score is None or line.judged is None or line.checked is None:
        return float(line.grading == "judge")
    apart = line.judged - line.checked
    return min(max((line.score - line.checked) / apart, 0.0), 1.0) if abs(apart) > 1 else 0.5

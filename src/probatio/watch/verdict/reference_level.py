"""The level before: what a verdict's scores are compared with in words. Every surface takes it from here.

It is the mean score of each use case over the days of the evidence's reference, which a proven fall never
enters. The rule's rolling baseline follows a fall down, so it is shown under details alone. Where the
reference is not complete yet, the level is that of the last days before the fall; a surface that shows it
then says so.

The days are found again from the published verdicts, which stay as they are: a verdict says how many days its
reference had, and they are the first ones of its series without those that a proven fall set aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from statistics import fmean

import msgspec

from probatio.core.records import Constants, Day, ModelVerdict
from probatio.watch.verdict.level import collect_scores

SetAside = Mapping[str, frozenset[str]]
"""Model → the dates that no reference of it will ever have."""


class LevelBefore(msgspec.Struct, frozen=True):
    """What a model scored before, on which days, and whether these are the days of the reference."""

    scores: dict[str, float] = {}  # use case → its mean
    days: tuple[str, ...] = ()
    reference: bool = False

    def describe(self, use_case: str) -> str:
        """`usually 90`; without a reference `90 on the days before`; empty if it is not known."""
        score = self.scores.get(use_case)
        if score is None:
            return ""
        return f"usually {score:.0f}" if self.reference else f"{score:.0f} on the days before"


NO_LEVEL = LevelBefore()


def find_level_before(
    verdict: ModelVerdict,
    days: Iterable[Day],
    constants: Constants,
    set_aside: SetAside,
    began: str | None = None,
) -> LevelBefore:
    """The level that a verdict is compared with. `days`: oldest first. `began`: the first day of the fall, if
    the verdict alone does not say it."""
    complete = verdict.reference_days >= constants.evidence.reference_days
    found = _list_reference_days(verdict, days, set_aside) if complete else []
    dates = found or list_days_before(verdict, days, constants, began)
    scores = collect_scores(verdict.model, dates)
    means = {use_case: fmean(each) for use_case, each in scores.items()}
    return LevelBefore(means, tuple(day.date for day in dates), bool(found))


def measure_case(model: str, use_case: str, case: str, days: Iterable[Day]) -> float | None:
    """The mean credit of one case on these days, 0–1."""
    lines = (day.lines.get(model, {}).get(use_case) for day in days)
    shares = [
        line.cases[case]
        for line in lines
        if line is not None and case in line.cases and not line.asked_late and not line.barred
    ]
    return fmean(shares) if shares else None


def list_days_before(
    verdict: ModelVerdict, days: Iterable[Day], constants: Constants, began: str | None = None
) -> list[Day]:
    """The last scored days of its series before the fall, or before its own day; as many as a baseline
    has."""
    since = min(each for each in (began, verdict.changed_on, verdict.headline_since, verdict.date) if each)
    before = reversed([day for day in days if day.date < since])
    return list(islice(list_scored(verdict, before), constants.rule.baseline_days))[::-1]


def list_set_aside(verdicts: Iterable[ModelVerdict]) -> SetAside:
    """The days of proven falls, and those that waited for the reference when one was proven. `verdicts`:
    published ones, oldest first."""
    series: dict[str, str | None] = {}
    waiting: dict[str, list[str]] = {}  # scored days of the series that are in the reference, or may come in
    found: dict[str, set[str]] = {}
    for verdict in verdicts:
        model = verdict.model
        if series.get(model, "") != verdict.series_since:
            series[model], waiting[model] = verdict.series_since, []
        scored = any(each.score is not None and not each.held for each in verdict.use_cases)
        waiting[model] += [verdict.date] * scored
        if verdict.evidence == "CONFIRMED":
            found.setdefault(model, set()).update(waiting[model][verdict.reference_days :])
            del waiting[model][verdict.reference_days :]
    return {model: frozenset(dates) for model, dates in found.items()}


def _list_reference_days(verdict: ModelVerdict, days: Iterable[Day], set_aside: SetAside) -> list[Day]:
    aside = set_aside.get(verdict.model, frozenset())
    scored = (day for day in list_scored(verdict, days) if day.date not in aside)
    return list(islice(scored, verdict.reference_days))


def list_scored(verdict: ModelVerdict, days: Iterable[Day]) -> Iterator[Day]:
    """The days of the verdict's series, up to its own, that both layers read."""
    for day in days:
        if (verdict.series_since or "") <= day.date <= verdict.date:
            lines = day.lines.get(verdict.model, {}).values()
            if any(line.score is not None and not line.asked_late and not line.mixed for line in lines):
                yield day

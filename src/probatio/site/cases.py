"""Cases over all models: how each stands now against before, and which look broken.

A model that got worse falls in many cases. A case in which most models fall at once, while they hold in the others of its use
case, tells something about the case: its check, its judge, or the world it asks about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, pstdev
from typing import NamedTuple

from probatio.items.records import CEILING, FLOOR
from probatio.records import Day
from probatio.slugs import slugs
from probatio.verdict.days import suite_of

NOW_DAYS, BEFORE_DAYS = 7, 28
"""The last recorded days, and those before them that they are compared with."""
LEAST_DAYS = 3
"""Fewer days on either side say nothing."""
FALL_ERRORS = 3.0
"""A model fell in a case when its mean is this many standard errors lower, by the spread of its own days."""
LEAST_SPREAD = 0.02
"""Days that happen to be alike are not without noise."""
BROKEN_SHARE, BROKEN_MODELS, BROKEN_BEYOND = 0.5, 2, 0.15
"""A case looks broken when this share of its models fell in it, so many at least, and it lost so much more than their others."""

BROKEN, NOBODY, EVERYBODY = "looks broken", "nobody gets it", "everybody gets it"


class CaseStanding(NamedTuple):
    """One case over all models. Shares are 0–1."""

    use_case: str
    case: str
    now: dict[str, float]  # model → its mean of the last days
    before: dict[str, float]  # model → its mean of the days before; without those that have too few
    fell: list[str]  # models
    beyond: float | None  # mean change of the models here, less their mean change in the other cases of the use case

    @property
    def mean(self) -> float | None:
        return fmean(self.now.values()) if self.now else None

    @property
    def change(self) -> float | None:
        """Mean over the models that have both."""
        return fmean(self.now[model] - self.before[model] for model in self.before) if self.before else None

    @property
    def finding(self) -> str:
        many = len(self.fell) >= max(BROKEN_MODELS, BROKEN_SHARE * len(self.before))
        if many and self.beyond is not None and self.beyond <= -BROKEN_BEYOND:
            return BROKEN
        if self.now and max(self.now.values()) <= FLOOR:
            return NOBODY
        return EVERYBODY if self.now and min(self.now.values()) >= CEILING else ""


def case_slugs(days: Mapping[str, Day]) -> dict[str, dict[str, str]]:
    """Use case → case → its name in an address, of every day."""
    known: dict[str, dict[str, None]] = {}
    shapes: set[tuple[str, ...]] = set()
    for day in days.values():
        for line in day.scores:
            if (shape := (line.use_case, *line.cases)) not in shapes:
                shapes.add(shape)
                known.setdefault(line.use_case, {}).update(dict.fromkeys(line.cases))
    return {use_case: slugs(cases) for use_case, cases in known.items()}


def case_standings(days: Mapping[str, Day]) -> dict[tuple[str, str], CaseStanding]:
    """Every case of the last day's suite. Days of another suite are left out: nothing is compared across two."""
    recent = list(days.values())[-NOW_DAYS - BEFORE_DAYS :]
    series = [day for day in recent if suite_of(day.record) == suite_of(recent[-1].record)]
    now, before = _means(series[-NOW_DAYS:]), _means(series[:-NOW_DAYS])
    changes = {
        key: {model: fmean(shares) - fmean(old[model]) for model, shares in models.items() if model in old}
        for key, models in now.items()
        if (old := before.get(key, {})) is not None
    }
    return {
        key: CaseStanding(
            *key,
            {model: fmean(shares) for model, shares in models.items()},
            {model: fmean(before[key][model]) for model in changes[key]},
            [model for model in changes[key] if _fell(before[key][model], models[model])],
            _beyond(key, changes),
        )
        for key, models in now.items()
    }


def _means(days: Sequence[Day]) -> dict[tuple[str, str], dict[str, list[float]]]:
    """(use case, case) → model → its shares, day by day; without those of too few days."""
    shares: dict[tuple[str, str], dict[str, list[float]]] = {}
    for day in days:
        for line in day.scores:
            if line.score is not None and not line.barred:
                for case, share in line.cases.items():
                    shares.setdefault((line.use_case, case), {}).setdefault(line.model, []).append(share)
    return {
        key: {model: each for model, each in models.items() if len(each) >= min(LEAST_DAYS, len(days))}
        for key, models in shares.items()
    }


def _fell(before: Sequence[float], now: Sequence[float]) -> bool:
    spread = [max(pstdev(days), LEAST_SPREAD) ** 2 / len(days) for days in (before, now)]
    return fmean(before) - fmean(now) > max(FALL_ERRORS * sqrt(sum(spread)), FLOOR)


def _beyond(key: tuple[str, str], changes: Mapping[tuple[str, str], Mapping[str, float]]) -> float | None:
    others = [
        change
        for other, models in changes.items()
        if other != key and other[0] == key[0]
        for model, change in models.items()
        if model in changes[key]
    ]
    return fmean(changes[key].values()) - fmean(others) if others and changes[key] else None

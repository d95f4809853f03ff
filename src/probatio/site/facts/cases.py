"""Cases over all models: how each stands now and before, and which look broken.

A model that got worse falls in many cases. If most models fall in one case at once, and hold in the other
cases of its use case, something is wrong with the case: its check, its judge, or the world it asks about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, pstdev
from typing import NamedTuple

from probatio.core.records import Day
from probatio.core.text.names import make_slugs
from probatio.learn.items.records import CEILING, FLOOR
from probatio.watch.verdict.days import suite_of

NOW_DAYS, BEFORE_DAYS = 7, 28
"""The last recorded days, and those before them that they are compared with."""
LEAST_DAYS = 3
"""Fewer days on either side say nothing."""
FALL_ERRORS = 3.0
"""A model fell in a case when its mean is this many standard errors lower, by the spread of its own days."""
LEAST_SPREAD = 0.02
"""Days that happen to be alike are not without noise."""
BROKEN_SHARE, BROKEN_MODELS, BROKEN_BEYOND = 0.5, 2, 0.15
"""A case looks broken when this share of its models fell in it, so many at least, and it lost so much more
than their others."""

BROKEN_AT_ONCE = 3
"""Models, at least, where a case looks broken after fewer than the least days: then all of them must have
fallen."""

BROKEN, NOBODY, EVERYBODY = "looks broken", "nobody gets it", "everybody gets it"


class CaseStanding(NamedTuple):
    """One case over all models. Shares are 0–1."""

    use_case: str
    case: str
    now: dict[str, float]  # model → its mean of the last days
    before: dict[str, float]  # model → its mean of the days before; without those that have too few
    fell: list[str]  # models
    beyond: float | None  # mean change of the models here, less that in the other cases of the use case
    since: str | None = None  # the first of the last days, or the day on which the case broke
    days: int = NOW_DAYS  # since then

    @property
    def mean(self) -> float | None:
        return fmean(self.now.values()) if self.now else None

    @property
    def change(self) -> float | None:
        """The mean over the models that have both."""
        return fmean(self.now[model] - self.before[model] for model in self.before) if self.before else None

    @property
    def finding(self) -> str:
        least = max(BROKEN_MODELS, BROKEN_SHARE * len(self.before))
        if self.days < LEAST_DAYS:  # one bad answer makes a bad day, so all of them must have one
            least = max(BROKEN_AT_ONCE, len(self.before))
        many = len(self.fell) >= least
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
    return {use_case: make_slugs(cases) for use_case, cases in known.items()}


def measure_cases(days: Mapping[str, Day]) -> dict[tuple[str, str], CaseStanding]:
    """Every case of the last day's suite. Days of another suite are left out: nothing is compared across
    suites."""
    recent = list(days.values())[-NOW_DAYS - BEFORE_DAYS :]
    series = [day for day in recent if suite_of(day.record) == suite_of(recent[-1].record)]
    shares = _shares(series)
    standings = {key: each for key, each in _split(shares, series, NOW_DAYS).items() if each.now}
    for use_case in {key[0] for key, each in standings.items() if _fell_lately(shares[key], len(series))}:
        own = {key: each for key, each in shares.items() if key[0] == use_case}
        for last in range(1, NOW_DAYS):
            for key, each in _split(own, series, last).items():
                known = standings.get(key)
                steeper = known and (known.finding != BROKEN or (each.change or 0.0) < (known.change or 0.0))
                if steeper and each.finding == BROKEN:
                    standings[key] = each
    return standings


def _split(shares: Shares, series: Sequence[Day], last: int) -> dict[tuple[str, str], CaseStanding]:
    """Compare each case in the last days with the days before them."""
    border = max(0, len(series) - last)
    now = {key: _side(models, border, len(series)) for key, models in shares.items()}
    before = {key: _side(models, 0, border) for key, models in shares.items()}
    changes = {
        key: {
            model: fmean(each) - fmean(before[key][model])
            for model, each in models.items()
            if model in before[key]
        }
        for key, models in now.items()
    }
    sums: dict[str, dict[str, tuple[float, int]]] = {}  # use case → model → its changes, added up and counted
    for (use_case, _), models in changes.items():
        for model, change in models.items():
            total, count = sums.setdefault(use_case, {}).get(model, (0.0, 0))
            sums[use_case][model] = total + change, count + 1
    return {
        key: CaseStanding(
            *key,
            {model: fmean(each) for model, each in models.items()},
            {model: fmean(before[key][model]) for model in changes[key]},
            [model for model in changes[key] if _fell(before[key][model], models[model])],
            _beyond(changes[key], sums.get(key[0], {})),
            series[border].date,
            len(series) - border,
        )
        for key, models in now.items()
    }


Shares = Mapping[tuple[str, str], Mapping[str, Mapping[int, float]]]
"""(use case, case) → model → number of the day → share."""


def _shares(series: Sequence[Day]) -> Shares:
    shares: dict[tuple[str, str], dict[str, dict[int, float]]] = {}
    for number, day in enumerate(series):
        for line in day.scores:
            if line.score is not None and not line.barred:
                for case, share in line.cases.items():
                    shares.setdefault((line.use_case, case), {}).setdefault(line.model, {})[number] = share
    return shares


def _side(models: Mapping[str, Mapping[int, float]], start: int, end: int) -> dict[str, list[float]]:
    """Model → its shares in these days. Models with too few days are left out."""
    found = {model: [days[at] for at in range(start, end) if at in days] for model, days in models.items()}
    return {
        model: each for model, each in found.items() if each and len(each) >= min(LEAST_DAYS, end - start)
    }


def _fell_lately(models: Mapping[str, Mapping[int, float]], count: int) -> bool:
    """Whether the last day is so low that the case may have broken in the last days. This rules out most
    cases."""
    last = [days[count - 1] for days in models.values() if count - 1 in days]
    earlier = [share for days in models.values() for at, share in days.items() if at < count - NOW_DAYS]
    return bool(last and earlier) and fmean(last) - fmean(earlier) <= -BROKEN_BEYOND


def _fell(before: Sequence[float], now: Sequence[float]) -> bool:
    """Whether the mean fell, by the larger spread of the two: few equal days say little about their
    spread."""
    usual = max(pstdev(before), LEAST_SPREAD)
    spread = usual**2 / len(before) + max(pstdev(now), usual) ** 2 / len(now)
    return fmean(before) - fmean(now) > max(FALL_ERRORS * sqrt(spread), FLOOR)


def _beyond(own: Mapping[str, float], sums: Mapping[str, tuple[float, int]]) -> float | None:
    """The mean change in this case minus that of the same models in the other cases."""
    others = sum(sums[model][1] - 1 for model in own)
    lost = sum(sums[model][0] - change for model, change in own.items())
    return fmean(own.values()) - lost / others if others else None

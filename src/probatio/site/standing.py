"""How a model stands, in one line: badge, since when, one plain reason, history. Every surface takes it from here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import takewhile
from statistics import fmean
from typing import NamedTuple

from probatio.charts.history import HistoryDay, history_line
from probatio.records import MARKS, ModelVerdict, UseCaseVerdict
from probatio.site.snapshot import Site, TrackedModel

HISTORY_DAYS = 60
USUAL_DAYS = 14
"""Days before a fall whose mean is what was usual."""
NAMED = 3
"""Models named in the sentence of the front page; the others are counted."""
BAD = ("SUSPICIOUS", "COOKED")


class Standing(NamedTuple):
    """One model on the last day."""

    model: TrackedModel
    verdict: ModelVerdict
    mean: float | None  # of today's scores
    reason: str

    @property
    def order(self) -> tuple[int, bool, str]:
        """Worst first; of two alike the proven one."""
        return list(MARKS).index(self.verdict.shown), not self.verdict.confirmed, self.model.id


def standings(site: Site) -> list[Standing]:
    """Every tracked model, the worst first."""
    made = [Standing(model, model.last, mean_score(model.last), reason(site, model)) for model in site.tracked.values()]
    return sorted(made, key=lambda standing: standing.order)


def since(verdict: ModelVerdict) -> str | None:
    """The day on which the present standing began: of a fall, the day it is dated to."""
    return verdict.changed_on if verdict.confirmed and verdict.changed_on else verdict.headline_since


def began(model: TrackedModel) -> str | None:
    """The day on which the present fall began: the one it is dated to; before there is one, the first of the days under a bad
    verdict that end today. None where there is no fall."""
    last = model.last
    if last.shown not in BAD:
        return None
    return last.changed_on if last.confirmed and last.changed_on else first_bad(model)


def first_bad(model: TrackedModel) -> str:
    """The first of the days under a bad verdict that end with the last one, which has to be one."""
    return list(takewhile(lambda verdict: verdict.shown in BAD, reversed(model.verdicts)))[-1].date


def mean_score(verdict: ModelVerdict) -> float | None:
    """Of the use cases scored that day."""
    scores = [each.score for each in verdict.use_cases if each.score is not None]
    return fmean(scores) if scores else None


def sentence(rows: Sequence[Standing], last: str | None) -> str:
    """What happened, in one sentence: who got worse, since when, how sure it is."""
    proven = [row for row in rows if row.verdict.confirmed]
    looking = [row for row in rows if row.verdict.shown in BAD and not row.verdict.confirmed]
    if proven:
        more = f"; {_listed(looking, last)} may have, too" if looking else ""
        return f"{_listed(proven, last)} got worse, and that is proven{more}."
    if looking:
        return f"{_listed(looking, last)} may have got worse, but nothing is proven."
    well = sum(row.verdict.shown == "OK" for row in rows)
    if not well:
        return "No model can be judged yet."
    if well == 1:
        return "No model got worse: the one that can be judged is as usual."
    return f"No model got worse: {'all' if well == len(rows) else 'the'} {well} that can be judged are as usual."


def reason(site: Site, model: TrackedModel) -> str:
    """Why the model has its badge, in one plain sentence."""
    verdict = model.last
    if verdict.shown in BAD:
        return _fallen(site, model)
    if verdict.shown == "GAP":
        return f"No score: {verdict.reason.partition(': ')[2].partition(';')[0].rstrip('.')}."
    if verdict.shown == "CALIBRATING":
        return _calibrating(site, verdict)
    scored = sum(each.score is not None for each in verdict.use_cases)
    again = f" again since {day_words(verdict.headline_since, verdict.date)}" if verdict.recovered else ""
    seen = f" A lasting drop of {100 * verdict.smallest_drop:.2g} % would show." if verdict.smallest_drop else ""
    return f"As usual{again} in {_all_of(scored, len(verdict.use_cases))}.{seen}"


def day_words(day: str | None, today: str | None) -> str:
    """A date as people write it; the year only where it is another one."""
    try:
        at = date.fromisoformat(day or "")
    except ValueError:  # whatever a ledger from elsewhere holds
        return day or "an unknown day"
    words = f"{at.day} {at:%B}"
    return words if today and today[:4] == str(at.year) else f"{words} {at.year}"


def history(model: TrackedModel, low: float) -> str:
    """The last days of a model as one line."""
    days = [HistoryDay(mean_score(verdict), verdict.shown) for verdict in model.verdicts[-HISTORY_DAYS:]]
    bad = sum(day.status in BAD for day in days)
    ends = [day.score for day in days if day.score is not None]
    told = f"from {ends[0]:.0f} to {ends[-1]:.0f} points" if ends else "no score"
    title = f"{model.id}, last {len(days)} days: {told}; {bad} of them under a bad verdict"
    return history_line(days, title, low, HISTORY_DAYS)


def lowest(site: Site) -> float:
    """Where the lines begin, for all models alike: at the lowest mean they show, down to the next ten."""
    shown = [
        score
        for model in site.tracked.values()
        for verdict in model.verdicts[-HISTORY_DAYS:]
        if (score := mean_score(verdict)) is not None
    ]
    return min(90.0, min(shown, default=0.0) // 10 * 10)


def usual_scores(model: TrackedModel) -> dict[str, float]:
    """Use case → its mean before the present standing began. The baseline's own mean follows a fall down."""
    start = began(model) or since(model.last) or model.last.date
    before = [verdict for verdict in model.verdicts if verdict.date < start][-USUAL_DAYS:]
    scores: dict[str, list[float]] = {}
    for verdict in before:
        for each in verdict.use_cases:
            if each.score is not None:
                scores.setdefault(each.use_case, []).append(each.score)
    return {use_case: fmean(each) for use_case, each in scores.items()}


def fallen_use_cases(verdict: ModelVerdict) -> list[UseCaseVerdict]:
    """Those that the rule flags, and those that the evidence names."""
    return [each for each in verdict.use_cases if each.status in BAD or each.use_case in verdict.named]


def _fallen(site: Site, model: TrackedModel) -> str:
    verdict, usual = model.last, usual_scores(model)
    fallen = fallen_use_cases(verdict)
    losses = {
        each.use_case: usual[each.use_case] - each.score
        for each in fallen or verdict.use_cases
        if each.score is not None and each.use_case in usual
    }
    only = site.title(fallen[0].use_case) if len(fallen) == 1 else ""
    where = only or (_all_of(len(fallen), len(verdict.use_cases)) if fallen else "its scores as a whole")
    about = "about " if verdict.confirmed else ""
    told = f"Lower since {about}{day_words(since(verdict), verdict.date)} in {where}"
    worst = max(losses, key=lambda name: losses[name], default=None)
    if worst is not None and losses[worst] > 0:
        most = "" if only else f", most in {site.title(worst)}"
        told += f"{most}: {usual[worst] - losses[worst]:.0f} points, usually {usual[worst]:.0f}"
    blamed = f" Likely cause: {CAUSES[verdict.cause]}." if verdict.cause in CAUSES else ""
    return f"{told}.{blamed}"


CAUSES = {
    "JUDGE": "the judge",
    "HARNESS": "this machine or the suite",
    "GRADER": "the grader",
    "ROUTE": "the route",
    "INFRA": "the provider's servers",
}
"""Causes other than the model, in words."""


def _calibrating(site: Site, verdict: ModelVerdict) -> str:
    days = max((each.days for each in verdict.use_cases), default=0)
    why = f" A new series began on {day_words(verdict.series_since, verdict.date)}." if verdict.series_why else ""
    return f"{days} of {site.manifest.rule.baseline_min} days to compare with.{why}"


def _all_of(some: int, every: int) -> str:
    if some == every:
        return "its use case" if every == 1 else f"all {every} use cases"
    return f"{some} of {every} use cases"


def _listed(rows: Sequence[Standing], last: str | None) -> str:
    named = [f"{row.model.id} (since {day_words(since(row.verdict), last)})" for row in rows[:NAMED]]
    if len(rows) > NAMED:
        named.append(f"{len(rows) - NAMED} more")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"

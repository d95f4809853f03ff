"""How a model stands, in one line: badge, since when, one plain reason, history. All pages take it from
here."""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from probatio.charts.cells import HistoryDay, draw_history
from probatio.core.records import LOOKS, Look, ModelVerdict, UseCaseVerdict
from probatio.site.facts.lower import find_lower
from probatio.site.rendering import format_date
from probatio.site.snapshot import Site, TrackedModel
from probatio.watch.verdict.falls import BAD
from probatio.watch.verdict.reference_level import NO_LEVEL, LevelBefore
from probatio.watch.verdict.words import describe_held

HISTORY_DAYS = 60
FORMER_DAYS = 14
"""Days before a new series; their mean is shown next to it."""
WORSE: tuple[tuple[Look, ...], ...] = (("PROVEN",), ("COOKED", "SUSPICIOUS"), ("ROUTE",))
"""Looks of a model that is or looks worse, the surest first."""


class ModelStanding(NamedTuple):
    """One model on the last day."""

    model: TrackedModel
    reason: str
    new: bool = False  # it is worse since the newest day only

    @property
    def verdict(self) -> ModelVerdict:
        return self.model.last

    @property
    def mean(self) -> float | None:
        """Of the scores of its last day; None if that is too old to be shown as today's."""
        return None if self.verdict.shown == "STALE" else mean_score(self.verdict)

    @property
    def since(self) -> str | None:
        return find_since(self.model)

    @property
    def order(self) -> int:
        """Worst first; of two alike the proven one."""
        return list(LOOKS).index(self.verdict.look)

    @property
    def status(self) -> str:
        """What the filter of the table finds it by."""
        return "ROUTE" if self.verdict.look == "ROUTE" else self.verdict.shown


def list_standings(site: Site) -> list[ModelStanding]:
    """Every tracked model: what is new, then the worst first; of two alike the one that fell last."""
    made = [
        ModelStanding(model, explain(site, model), is_new(model, site.last_date))
        for model in site.tracked.values()
    ]
    made.sort(key=lambda standing: standing.model.id)
    made.sort(key=lambda standing: find_fall(standing.model) or "", reverse=True)
    return sorted(made, key=lambda standing: (not standing.new, standing.order))


def is_new(model: TrackedModel, today: str | None) -> bool:
    """Whether it was not yet so bad on the day before, or on the last one that had a score."""
    if model.last.date != today:
        return False
    before = next((each.look for each in reversed(model.verdicts[:-1]) if each.look != "GAP"), None)
    return _rank(model.last.look) < _rank(before)


def _rank(look: Look | None) -> int:
    return next((at for at, group in enumerate(WORSE) if look in group), len(WORSE))


def find_since(model: TrackedModel) -> str | None:
    """The day on which the present standing began; of a fall or a new route its first day."""
    moved = model.last.changed_route if model.last.look == "ROUTE" else None
    return find_fall(model) or (moved.since if moved else model.last.headline_since)


def find_asked(model: TrackedModel) -> str:
    """The day of the answers that its standing rests on."""
    last = model.last
    return (last.headline_since or last.date) if last.shown == "STALE" else last.date


def find_fall(model: TrackedModel) -> str | None:
    """The day on which the present fall began; None if there is no fall."""
    return model.fell_on(model.last)


def mean_score(verdict: ModelVerdict) -> float | None:
    """The mean of the use cases scored that day."""
    scores = [each.score for each in verdict.use_cases if each.score is not None]
    return fmean(scores) if scores else None


def explain(site: Site, model: TrackedModel) -> str:
    """Why the model has its badge, in one plain sentence, and its notes."""
    lower = find_lower(site, model)
    return f"{_explain_route(site, model)}{f' {lower.short}.' if lower else ''}"


def _explain_route(site: Site, model: TrackedModel) -> str:
    change = model.last.changed_route
    if change is None:
        return _explain(site, model)
    beyond = "" if change.level == "OK" else f", beyond the limits for {change.level}"
    since = format_day(change.since, site.last_date)
    moved = (
        f"Served by {change.now or 'another provider'} since {since}: {change.after:.0f} points, "
        f"{change.before:.0f} before{beyond}."
    )
    return (
        moved
        if model.last.look == "ROUTE" or model.last.shown == "OK"
        else f"{_explain(site, model)} {moved}"
    )


def _explain(site: Site, model: TrackedModel) -> str:
    verdict = model.last
    if verdict.shown in BAD:
        return _describe_fall(site, model)
    if verdict.shown == "STALE":
        before = model.verdicts[-1].label
        if verdict.headline_since is None:
            return "No answer of it was ever scored."
        asked = format_day(verdict.headline_since, site.last_date)
        return f"Last asked {asked}; its verdict then: {before}."
    if verdict.shown == "GAP" and verdict.ungraded:
        titles = ", ".join(site.title(use_case) for use_case in verdict.ungraded)
        return f"Not fully scored: answers in {titles} came and have no score."
    if verdict.shown == "GAP":
        return f"No score: {verdict.reason.partition(': ')[2].partition(';')[0].rstrip('.')}."
    if verdict.shown == "CALIBRATING":
        return _calibrating(site, verdict)
    scored = sum(each.score is not None for each in verdict.use_cases)
    if held := describe_held(verdict, site.titles, find_level(model, verdict)):
        scored -= sum(each.score is not None and each.held is not None for each in verdict.use_cases)
        held = f" {held[0].upper()}{held[1:]}."
        if not scored:
            return f"Can't be called as usual.{held}"
    again = f" again since {format_day(verdict.headline_since, verdict.date)}" if verdict.well_again else ""
    seen = (
        f" A lasting drop of {100 * verdict.smallest_drop:.2g} % would show." if verdict.smallest_drop else ""
    )
    return f"As usual{again} in {_all_of(scored, len(verdict.use_cases))}{_young(model)}.{held}{seen}"


def format_day(day: str | None, today: str | None) -> str:
    """A date as people write it; with the year only if it is another one."""
    same_year = today and day and today[:4] == day[:4]
    return format_date(day, "{0.day} {0:%B}" if same_year else "{0.day} {0:%B} {0.year}", "an unknown day")


def list_dates(site: Site, model: TrackedModel, most: int | None = None) -> list[str]:
    """The days of every chart of a model: those of the site from its first one on. So all charts end on one
    day, and that of a model that is not asked any more ends in a gap."""
    first = model.verdicts[0].date
    return [date for date in list(site.records)[-most if most else None :] if date >= first]


def list_history(site: Site, model: TrackedModel) -> list[HistoryDay]:
    """The last days of the site for one model, from its first one on; a day without it is a gap."""
    verdicts = (model.by_date.get(date) for date in list_dates(site, model, HISTORY_DAYS))
    return [HistoryDay(mean_score(each), each.look) if each else HistoryDay(None, "GAP") for each in verdicts]


def draw_model_history(site: Site, model: TrackedModel, low: float) -> str:
    """Draw the last days of a model as one line. All models share one axis of dates."""
    days = list_history(site, model)
    bad = sum(day.status in (*BAD, "PROVEN") for day in days)
    ends = [day.score for day in days if day.score is not None]
    told = f"from {ends[0]:.0f} to {ends[-1]:.0f} points" if ends else "no score"
    title = f"{len(days)} days: {told}, {bad} of them bad"
    return draw_history(days, title, low, HISTORY_DAYS)


def find_lowest_mean(site: Site) -> float:
    """Where the lines of all models begin: at the lowest mean shown, rounded down to a ten."""
    shown = [
        score
        for model in site.tracked.values()
        for verdict in model.verdicts[-HISTORY_DAYS:]
        if (score := mean_score(verdict)) is not None
    ]
    return min(90.0, min(shown, default=0.0) // 10 * 10)


def find_past_fall(model: TrackedModel) -> tuple[str, str] | None:
    """The first and the last day of the fall from which it has recovered lately; None if there was none."""
    fallen = [verdict for verdict in model.verdicts if verdict.shown in BAD]
    if not model.last.well_again or not fallen:
        return None
    return model.fell_on(fallen[-1]) or fallen[-1].date, fallen[-1].date


def find_level(model: TrackedModel, verdict: ModelVerdict) -> LevelBefore:
    """What the scores of a verdict are compared with, on every page; of a fall that is just over, with what
    was before it."""
    if model.teller is None:
        return NO_LEVEL
    over = find_past_fall(model) if verdict is model.last else None
    return model.teller.find_level(verdict, over[0] if over else model.fell_on(verdict))


def measure_usual(model: TrackedModel) -> dict[str, float]:
    """Use case → what its scores are compared with in charts; empty where the reference is not complete and
    nothing fell, as there the rule's baseline of each day is all there is."""
    level = find_level(model, model.last)
    return level.scores if level.reference or model.last.shown in BAD or find_past_fall(model) else {}


def find_fallen(verdict: ModelVerdict) -> list[UseCaseVerdict]:
    """The use cases that the rule flags, and those that the evidence names."""
    return [each for each in verdict.use_cases if each.status in BAD or each.use_case in verdict.named]


def _describe_fall(site: Site, model: TrackedModel) -> str:
    verdict, level = model.last, find_level(model, model.last)
    fallen, usual = find_fallen(verdict), level.scores
    losses = {
        each.use_case: usual[each.use_case] - each.score
        for each in fallen or verdict.use_cases
        if each.score is not None and each.use_case in usual
    }
    only = site.title(fallen[0].use_case) if len(fallen) == 1 else ""
    where = only or (_all_of(len(fallen), len(verdict.use_cases)) if fallen else "its scores as a whole")
    about = "about " if verdict.confirmed else ""
    told = f"Lower since {about}{format_day(find_fall(model), verdict.date)} in {where}"
    worst = max(losses, key=lambda name: losses[name], default=None)
    if worst is not None and losses[worst] > 0:
        most = "" if only else f", most in {site.title(worst)}"
        told += f"{most}: {usual[worst] - losses[worst]:.0f} points, {level.describe(worst)}"
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
    why = (
        f" A new series began on {format_day(verdict.series_since, verdict.date)}."
        if verdict.series_why
        else ""
    )
    return f"Can't be judged yet: {days} of {site.manifest.rule.baseline_min} days to compare with.{why}"


def _young(model: TrackedModel) -> str:
    """A new series says nothing about the time before it, so that is shown next to it."""
    verdict, now = model.last, mean_score(model.last)
    if not verdict.series_why or not verdict.series_since or verdict.evidence != "CALIBRATING":
        return ""
    means = [mean_score(each) for each in model.verdicts if each.date < verdict.series_since]
    former = [mean for mean in means[-FORMER_DAYS:] if mean is not None]
    both = (
        f": {now:.0f} points, {fmean(former):.0f} in the series before" if former and now is not None else ""
    )
    return f" since a new series began on {format_day(verdict.series_since, verdict.date)}{both}"


def _all_of(some: int, every: int) -> str:
    if some == every:
        return "its use case" if every == 1 else f"all {every} use cases"
    return f"{some} of {every} use cases"

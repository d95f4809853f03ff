"""The charts of a model's page: its score, the chance of a false alarm, a small one per use case. All show
the same days."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import msgspec
from markupsafe import Markup

from probatio.charts.days import DayPoint, DaySpan, ValueAxis, plot_days
from probatio.charts.scales import round_ticks
from probatio.core.records import Look, ModelVerdict, UseCaseVerdict
from probatio.site.facts.effort import KINDS, list_effort
from probatio.site.facts.noise import find_noise, mean_noise, usual_noise
from probatio.site.facts.standing import find_fall, find_past_fall, list_dates, mean_score, measure_usual
from probatio.site.facts.story import find_proof, span_lines
from probatio.site.rendering import format_date
from probatio.site.snapshot import Site, TrackedModel, by_use_case
from probatio.watch.verdict.falls import BAD
from probatio.watch.verdict.odds import RAREST, YEAR, short_odds

MOST_DAYS = 366
"""Days in a chart of the page: a year of eleven charts stays below 150 kB. All days are on the pages of
days."""
HEIGHT, SMALL = 240, 120
HEAD_ROOM = 1.1
"""What an axis from zero has above its highest day."""


class ModelCharts(msgspec.Struct, frozen=True):
    """The charts of the page. `opens`: a 1 for each day that has a page, else a 0."""

    dates: list[str]
    opens: str
    score: ScoreChart
    evidence: Markup
    use_cases: dict[str, ScoreChart]  # the worst first
    effort: list[EffortChart]  # none if no day has a figure
    fallen: bool  # "usual" is the level before the fall; else the reference's, or the baseline of each day


class ScoreChart(msgspec.Struct, frozen=True):
    """A chart of scores, today's score and what is usual."""

    chart: Markup
    score: float | None
    usual: float | None
    noise: float | None  # how far a usual day is from that at most, 19 times in 20
    answers: int = 0  # in today's score


class EffortChart(msgspec.Struct, frozen=True):
    """A chart of what answers took; `told`: that of the last day, as the script tells it."""

    heading: str
    chart: Markup
    told: str


@dataclass(frozen=True)
class _ShownDays:
    """What all charts of a model's page have in common."""

    dates: list[str]
    verdicts: Sequence[ModelVerdict | None]  # None: a day on which it was not asked
    tables: list[dict[str, UseCaseVerdict]]  # of each day, by use case
    borders: list[str]  # what is new on each day
    level: dict[str, float]  # use case → what it is compared with; empty: with the baseline of each day
    spread: dict[str, float]  # use case → its noise before a fall, or now
    span: DaySpan | None

    def around(self, name: str, each: UseCaseVerdict | None) -> tuple[float | None, float | None]:
        """What is usual for a use case on a day, and the noise around it."""
        if self.level:
            return self.level.get(name), self.spread.get(name)
        return (each.mean, usual_noise(each)) if each else (None, None)

    def draw(
        self, days: Sequence[DayPoint], axis: ValueAxis, title: str, height: float, *, small: bool = False
    ) -> Markup:
        last = days[-1].value if days else None
        end = "" if last is None or axis.kind != "points" else f"{last:.0f}"
        span = msgspec.structs.replace(self.span, lines=()) if self.span and small else self.span
        most = 3 if small else 6
        plot = plot_days(days, self.dates, axis, title, height=height, span=span, most_dates=most, end=end)
        return Markup(plot)


def model_charts(site: Site, model: TrackedModel) -> ModelCharts:
    dates = list_dates(site, model, MOST_DAYS)
    verdicts = [model.by_date.get(date) for date in dates]
    news = {day.date: border(day, past) for past, day in pairwise((None, *model.verdicts)) if day}
    over = find_past_fall(model)
    fell = model.last.shown in BAD or over
    shown = _ShownDays(
        dates,
        verdicts,
        tables=[by_use_case(verdict) if verdict else {} for verdict in verdicts],
        borders=[news.get(date, "") for date in dates],
        level=measure_usual(model),
        spread=find_noise(model, over[0] if over else find_fall(model)),
        span=_span(model, dates),
    )
    return ModelCharts(
        dates=shown.dates,
        opens="".join("01"[date in site.sampled_dates and date in model.by_date] for date in shown.dates),
        score=_score(model, shown),
        evidence=_evidence(site, model, shown),
        use_cases=_use_cases(site, model, shown),
        effort=list(_effort(site, model, shown)),
        fallen=bool(fell and shown.level),
    )


def in_band(day: DayPoint, noise: float | None) -> DayPoint:
    """The day with the band of usual noise around what was usual, within the scale of points."""
    if day.usual is None or noise is None:
        return day
    low, high = max(0.0, day.usual - noise), min(100.0, day.usual + noise)
    return msgspec.structs.replace(day, low=low, high=high)


def border(day: ModelVerdict, before: ModelVerdict | None) -> str:
    """What is new on a day: the suite's version, the route."""
    new = []
    if before is not None and day.suite_version != before.suite_version:
        new.append(f"suite {day.suite_version}")
    if day.routing_changed and not (before is not None and before.routing_changed):
        new.append("route")
    return ", ".join(new)


def day_status(day: ModelVerdict, verdict: UseCaseVerdict) -> Look | None:
    """The status of the mark on a day. While a fall is proven no day is marked OK: the rule's baseline has
    followed it down."""
    named = day.confirmed and verdict.use_case in day.named
    if named and verdict.status in ("OK", "COOKED"):
        return "PROVEN"
    return None if day.confirmed and verdict.status == "OK" else verdict.status


def _score(model: TrackedModel, shown: _ShownDays) -> ScoreChart:
    """The mean over the use cases, and the usual mean of the same ones."""
    days, noise = [], None
    for verdict, table, new in zip(shown.verdicts, shown.tables, shown.borders, strict=True):
        asked = [each for each in table.values() if each.score is not None or each.status == "GAP"]
        around = [shown.around(each.use_case, each) for each in asked]
        known = [each for each in around if each[0] is not None]
        usual = fmean(shown.level.values()) if shown.level else None
        if usual is None and known and len(known) == len(around):
            usual = fmean(mean for mean, _ in known if mean is not None)
        noise = mean_noise([each for _, each in around]) or noise
        score, look = (mean_score(verdict), verdict.look) if verdict else (None, None)
        days.append(in_band(DayPoint(score, usual, look, new), noise))
    now = mean_score(model.last)
    told = "no score today" if now is None else f"{now:.1f} points on {format_date(model.last.date)}"
    title = f"Score of {model.id}, the mean over its use cases, day by day: {told}."
    axis = _axis([*(day.value for day in days), *(day.usual for day in days)], 4)
    answers = sum(each.n for each in model.last.use_cases if each.score is not None)
    return ScoreChart(shown.draw(days, axis, title, HEIGHT), now, days[-1].usual, noise, answers)


def _evidence(site: Site, model: TrackedModel, shown: _ShownDays) -> Markup:
    """On a scale of chances: the rarer for an unchanged model, the higher."""
    lines = site.manifest.evidence
    ticks = [
        (lines.suspected, f"suspected: {short_odds(lines.suspected)}"),
        (lines.confirmed, f"asks for proof: {short_odds(lines.confirmed)}"),
        *((float(YEAR * count), short_odds(YEAR * count)) for count in (10_000, RAREST)),
    ]
    axis = ValueAxis(YEAR / 10, YEAR * RAREST * 2.0, tuple(ticks), "chance", logarithmic=True)
    days = [
        DayPoint(each.evidence_value if each else None, border=new)
        for each, new in zip(shown.verdicts, shown.borders, strict=True)
    ]
    title = f"How rarely a model that did not change looks like {model.id} within a year, day by day."
    return shown.draw(days, axis, title, HEIGHT - 40)


def _use_cases(site: Site, model: TrackedModel, shown: _ShownDays) -> dict[str, ScoreChart]:
    made: dict[str, ScoreChart] = {}
    today = by_use_case(model.last)
    axis = _axis([each.score for table in shown.tables for each in table.values()], 2)
    for name in model.use_cases:
        days, noise = [], None
        for verdict, table in zip(shown.verdicts, shown.tables, strict=True):
            each = table.get(name)
            usual, around = shown.around(name, each)
            noise = around if around is not None else noise
            status = day_status(verdict, each) if verdict and each else None
            days.append(in_band(DayPoint(each.score if each else None, usual, status), noise))
        present = today.get(name)
        now, usual = present.score if present else None, days[-1].usual
        told = "no score" if now is None else f"{now:.1f} points"
        title = f"{site.title(name)} of {model.id} day by day: {told} on {format_date(model.last.date)}."
        chart = shown.draw(days, axis, title, SMALL, small=True)
        made[name] = ScoreChart(chart, now, usual, noise, present.n if present and now is not None else 0)
    return dict(sorted(made.items(), key=lambda item: _loss(item[1]), reverse=True)) if shown.level else made


def _effort(site: Site, model: TrackedModel, shown: _ShownDays) -> Iterator[EffortChart]:
    """From zero up, so that half is half as high."""
    days = list_effort(site, model)
    for kind in KINDS:
        values = [kind.read(days[date]) if date in days else None for date in shown.dates]
        # Rounded as the script is given it, so that both say the same.
        drawn = [None if each is None else float(f"{kind.times * each:.4g}") for each in values]
        most = max((each for each in drawn if each is not None), default=None)
        if most is None:
            continue
        ticks = round_ticks(0, most * HEAD_ROOM, 3) if most > 0 else [0.0]
        axis = ValueAxis(0, most * HEAD_ROOM or 1, tuple((tick, f"{tick:,.4g}") for tick in ticks), kind.unit)
        last = "not known" if drawn[-1] is None else kind.write(drawn[-1])
        title = f"{kind.heading}, of {model.id} day by day: {last} on {format_date(shown.dates[-1])}."
        chart = shown.draw([DayPoint(each) for each in drawn], axis, title, SMALL, small=True)
        yield EffortChart(kind.heading, chart, last)


def _loss(chart: ScoreChart) -> float:
    return chart.usual - chart.score if chart.usual is not None and chart.score is not None else float("-inf")


def _axis(values: Sequence[float | None], steps: int) -> ValueAxis:
    """From the lowest value, rounded down to a ten, to 100, in about `steps` steps."""
    low = min(80.0, max(0.0, min((each for each in values if each is not None), default=0.0) // 10 * 10))
    return ValueAxis(low, 100, tuple((tick, f"{tick:.0f}") for tick in round_ticks(low, 100, steps)))


def _span(model: TrackedModel, dates: Sequence[str]) -> DaySpan | None:
    """From the day the fall began to the day it was proven, or to the last day if it is not proven. The whole
    fall if it is over."""
    start, end = find_past_fall(model) or (find_fall(model), find_proof(model) or model.last.date)
    inside = [number for number, date in enumerate(dates) if start is not None and start <= date <= end]
    return (
        DaySpan(inside[0], inside[-1], span_lines(model))
        if inside and start is not None and start >= dates[0]
        else None
    )

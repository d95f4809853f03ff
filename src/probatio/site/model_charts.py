"""The charts of a model's page: its score, the chance of a false alarm, a small one for each use case. All of the same days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

import msgspec
from markupsafe import Markup

from probatio.charts.inline import Axis, PlotDay, Span, day_plot
from probatio.charts.scales import round_ticks
from probatio.records import ModelVerdict, Status, UseCaseVerdict
from probatio.site.odds import RAREST, short_odds
from probatio.site.snapshot import Site, TrackedModel, by_use_case
from probatio.site.standing import BAD, began, mean_score, usual_scores
from probatio.site.story import proven, span_lines
from probatio.verdict.words import YEAR

MOST_DAYS = 366
"""Days in a chart of the page: a year of eleven charts stays below 150 kB. All days are on the pages of days."""
HEIGHT, SMALL = 240, 120


class ModelCharts(msgspec.Struct, frozen=True):
    """What the page draws. `opens`: a 1 for each day that has a page, else a 0."""

    dates: list[str]
    opens: str
    score: ScoreChart
    evidence: Markup
    use_cases: dict[str, ScoreChart]  # the worst first
    fallen: bool  # "usual" is the level before the fall; else the baseline of each day


class ScoreChart(msgspec.Struct, frozen=True):
    """A chart of scores, today's score and what is usual."""

    chart: Markup
    score: float | None
    usual: float | None


def model_charts(site: Site, model: TrackedModel) -> ModelCharts:
    shown = model.verdicts[-MOST_DAYS:]
    start = max(0, len(model.verdicts) - MOST_DAYS)
    before = [model.verdicts[start - 1] if start else None, *shown[:-1]]
    dates = [verdict.date for verdict in shown]
    borders = [border(day, past) for day, past in zip(shown, before, strict=True)]
    level = usual_scores(model) if model.last.shown in BAD else {}
    tables = [by_use_case(verdict) for verdict in shown]
    span = _span(model, dates)
    axis = _axis([each.score for table in tables for each in table.values()], 2)
    return ModelCharts(
        dates=dates,
        opens="".join("01"[date in site.sampled_dates] for date in dates),
        score=_score(model, shown, tables, borders, level, span),
        evidence=_evidence(site, model, shown, borders, span),
        use_cases=_use_cases(site, model, shown, tables, level, span, axis),
        fallen=bool(level),
    )


def border(day: ModelVerdict, before: ModelVerdict | None) -> str:
    """What is new on a day: the suite's version, the route."""
    new = []
    if before is not None and day.suite_version != before.suite_version:
        new.append(f"suite {day.suite_version}")
    if day.routing_changed and not (before is not None and before.routing_changed):
        new.append("route")
    return ", ".join(new)


def day_status(day: ModelVerdict, verdict: UseCaseVerdict) -> Status | None:
    """Of the mark on a day. While a fall is proven no day is marked OK: the rule's baseline has followed it down."""
    if not day.confirmed or verdict.status != "OK":
        return verdict.status
    return "COOKED" if verdict.use_case in day.named else None


def _score(
    model: TrackedModel,
    shown: Sequence[ModelVerdict],
    tables: Sequence[Mapping[str, UseCaseVerdict]],
    borders: Sequence[str],
    level: Mapping[str, float],
    span: Span | None,
) -> ScoreChart:
    """The mean over the use cases. What was usual is the mean of the same ones."""
    days = []
    for verdict, table, new in zip(shown, tables, borders, strict=True):
        means = [
            level.get(name, each.mean) for name, each in table.items() if each.score is not None or each.status == "GAP"
        ]
        known = [mean for mean in means if mean is not None]
        usual = fmean(level.values()) if level else fmean(known) if known and len(known) == len(means) else None
        days.append(PlotDay(mean_score(verdict), usual, verdict.shown, new))
    now = mean_score(model.last)
    told = "no score today" if now is None else f"{now:.1f} points on {model.last.date}"
    title = f"Score of {model.id}, the mean over its use cases, day by day: {told}."
    axis = _axis([*(day.value for day in days), *(day.usual for day in days)], 4)
    return ScoreChart(_drawn(days, shown, axis, span, title, HEIGHT), now, days[-1].usual)


def _evidence(
    site: Site, model: TrackedModel, shown: Sequence[ModelVerdict], borders: Sequence[str], span: Span | None
) -> Markup:
    """On a scale of chances: the rarer for a model that did not change, the higher."""
    lines = site.manifest.evidence
    ticks = [
        (lines.suspected, f"suspected: {short_odds(lines.suspected)}"),
        (lines.confirmed, f"proven: {short_odds(lines.confirmed)}"),
        *((float(YEAR * count), short_odds(YEAR * count)) for count in (10_000, RAREST)),
    ]
    axis = Axis(YEAR / 10, YEAR * RAREST * 2.0, tuple(ticks), "chance", logarithmic=True)
    days = [PlotDay(each.evidence_value, None, None, new) for each, new in zip(shown, borders, strict=True)]
    title = f"How rarely a model that did not change looks like {model.id} within a year, day by day."
    return _drawn(days, shown, axis, span, title, HEIGHT - 40)


def _use_cases(
    site: Site,
    model: TrackedModel,
    shown: Sequence[ModelVerdict],
    tables: Sequence[Mapping[str, UseCaseVerdict]],
    level: Mapping[str, float],
    span: Span | None,
    axis: Axis,
) -> dict[str, ScoreChart]:
    made: dict[str, ScoreChart] = {}
    for name in model.use_cases:
        days = []
        for verdict, table in zip(shown, tables, strict=True):
            each = table.get(name)
            usual = level.get(name) if level else each.mean if each else None
            days.append(PlotDay(each.score if each else None, usual, day_status(verdict, each) if each else None))
        bare = msgspec.structs.replace(span, lines=()) if span else None
        told = "no score" if days[-1].value is None else f"{days[-1].value:.1f} points"
        title = f"{site.title(name)} of {model.id} day by day: {told} on {shown[-1].date}."
        chart = _drawn(days, shown, axis, bare, title, SMALL, most_dates=3)
        made[name] = ScoreChart(chart, days[-1].value, days[-1].usual)
    return dict(sorted(made.items(), key=lambda item: _loss(item[1]), reverse=True)) if level else made


def _loss(chart: ScoreChart) -> float:
    return chart.usual - chart.score if chart.usual is not None and chart.score is not None else float("-inf")


def _drawn(
    days: Sequence[PlotDay],
    shown: Sequence[ModelVerdict],
    axis: Axis,
    span: Span | None,
    title: str,
    height: float,
    most_dates: int = 6,
) -> Markup:
    last = days[-1].value if days else None
    end = "" if last is None or axis.logarithmic else f"{last:.0f}"
    dates = [verdict.date for verdict in shown]
    return Markup(day_plot(days, dates, axis, title, height=height, span=span, most_dates=most_dates, end=end))


def _axis(values: Sequence[float | None], steps: int) -> Axis:
    """From the lowest value, down to the next ten, to 100, in about so many steps."""
    low = min(80.0, max(0.0, min((each for each in values if each is not None), default=0.0) // 10 * 10))
    return Axis(low, 100, tuple((tick, f"{tick:.0f}") for tick in round_ticks(low, 100, steps)))


def _span(model: TrackedModel, dates: Sequence[str]) -> Span | None:
    """From the day the fall began to the day it was proven; to the last one while it is not."""
    start, end = began(model), proven(model) or model.last.date
    inside = [number for number, date in enumerate(dates) if start is not None and start <= date <= end]
    return (
        Span(inside[0], inside[-1], span_lines(model)) if inside and start is not None and start >= dates[0] else None
    )

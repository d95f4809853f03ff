"""Pages of one tracked model: its story with its charts, all its days, and its charts as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probatio.charts.daily import DayPoint, EvidenceLine, EvidencePoint, daily_series, evidence_curve
from probatio.records import ModelVerdict, UseCaseVerdict
from probatio.site.bench import bench_score
from probatio.site.leaderboard import RECENT_DAYS
from probatio.site.model_charts import border, day_status, model_charts
from probatio.site.odds import odds
from probatio.site.rendering import PageReply, PageRequest, html, svg
from probatio.site.snapshot import Site, TrackedModel, by_use_case
from probatio.site.standing import BAD, began, fallen_use_cases
from probatio.site.story import EXCERPT, circumstances, events, fallen_cases
from probatio.suite.daily_suite import constants_of
from probatio.verdict.reason import use_case_reason


def model_page(request: PageRequest) -> PageReply | None:
    model = request.tracked
    if model is None:
        return None
    site, last = request.site, model.last
    constants = constants_of(site.manifest)
    use_cases = by_use_case(last)
    charts = model_charts(site, model)
    fell = {each.use_case for each in fallen_use_cases(last)} if last.shown in BAD else set()
    told = model.teller.told(last, excerpt=EXCERPT, began=began(model)) if model.teller else None
    return html(
        request,
        "model.html",
        model=model,
        last=last,
        told=told,
        charts=charts,
        fallen=[name for name in charts.use_cases if name in fell],
        began=began(model),
        events=events(site, model),
        circumstances=circumstances(site, model),
        cases=fallen_cases(site, model, told),
        odds=odds(last.evidence_value),
        use_cases=use_cases,
        reasons={name: use_case_reason(verdict, constants) for name, verdict in use_cases.items()},
        recent=list(reversed(model.verdicts[-RECENT_DAYS:])),
        changes=list(reversed(model.changes)),
        bench=bench_score(site.bench, model.id, model.resolved),
        lines=site.manifest.evidence,
    )


def model_days(request: PageRequest) -> PageReply | None:
    """A calendar year of days in numbers; the last one where the address names none. Ten years would be a page of megabytes."""
    model = request.tracked
    if model is None:
        return None
    years = years_of(model)
    year = request.names.get("year", years[-1])
    if year not in years or ("year" in request.names and year == years[-1]):
        return None
    days = [verdict for verdict in reversed(model.verdicts) if verdict.date.startswith(year)]
    return html(request, "days.html", model=model, days=days, year=year, years=years)


def years_of(model: TrackedModel) -> list[str]:
    """The calendar years in which it was watched, oldest first."""
    return list(dict.fromkeys(verdict.date[:4] for verdict in model.verdicts))


def every_earlier_year(site: Site) -> Iterator[dict[str, str]]:
    for slug, model in site.tracked.items():
        for year in years_of(model)[:-1]:
            yield {"slug": slug, "year": year}


def use_case_chart(request: PageRequest) -> PageReply | None:
    model, use_case = request.tracked, request.names["use_case"]
    if model is None or use_case not in model.use_cases:
        return None
    return svg(daily_series(day_points(model.series(use_case)), f"{model.id}: {request.site.title(use_case)}"))


def evidence_chart(request: PageRequest) -> PageReply | None:
    model = request.tracked
    if model is None:
        return None
    days = [EvidencePoint(verdict.date, verdict.evidence_value) for verdict in model.verdicts]
    evidence = request.site.manifest.evidence
    lines = [EvidenceLine(evidence.suspected, "SUSPECTED"), EvidenceLine(evidence.confirmed, "CONFIRMED")]
    return svg(evidence_curve(days, lines, f"{model.id}: evidence"))


def day_points(series: Sequence[tuple[ModelVerdict, UseCaseVerdict | None]]) -> list[DayPoint]:
    """One use case day by day, as its chart takes it: the band is one standard deviation around the baseline's mean."""
    before = [None, *(day for day, _ in series)]
    return [_day_point(day, verdict, before[number]) for number, (day, verdict) in enumerate(series)]


def _day_point(day: ModelVerdict, verdict: UseCaseVerdict | None, before: ModelVerdict | None) -> DayPoint:
    mean, sd = (verdict.mean, verdict.sd or 0.0) if verdict else (None, 0.0)
    return DayPoint(
        label=day.date,
        score=verdict.score if verdict else None,
        status=day_status(day, verdict) if verdict else None,
        mean=mean,
        low=None if mean is None else mean - sd,
        high=None if mean is None else mean + sd,
        border=border(day, before),
        barred=day.barred,
    )

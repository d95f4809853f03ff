"""Pages of one tracked model: its story with its charts, all its days, and its charts as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probatio.charts.days import SCORES, DayPoint, draw_days, evidence_axis
from probatio.core.records import ModelVerdict, UseCaseVerdict
from probatio.site.facts.answers import ask, ask_when_stale
from probatio.site.facts.lower import find_lower
from probatio.site.facts.noise import find_noise, usual_noise
from probatio.site.facts.repeats import sum_repeats
from probatio.site.facts.standing import find_fall, find_fallen, find_level, list_dates
from probatio.site.facts.story import list_events
from probatio.site.pages.bench import measure_bench
from probatio.site.pages.diffs import story_pairs
from probatio.site.pages.front import RECENT_DAYS
from probatio.site.pages.model_charts import border, day_status, in_band, model_charts
from probatio.site.paging import find_year, years_of
from probatio.site.rendering import NoPage, PageReply, PageRequest, html, svg
from probatio.site.snapshot import Site, TrackedModel, by_use_case
from probatio.suites.daily_suite import constants_of
from probatio.watch.verdict.falls import BAD
from probatio.watch.verdict.odds import describe_odds
from probatio.watch.verdict.reason import use_case_reason

CHANGES = 60
"""Changes listed on a model's page, the latest ones; all of them are in its JSON."""


def model_page(request: PageRequest) -> PageReply:
    site, model = request.site, request.tracked
    last = model.last
    constants = constants_of(site.manifest)
    use_cases = by_use_case(last)
    charts = model_charts(site, model)
    fell = {each.use_case for each in find_fallen(last)} if last.shown in BAD else set()
    told = model.teller.describe(last, answers=False, began=find_fall(model)) if model.teller else None
    return html(
        request,
        "model.html",
        model=model,
        last=last,
        question=ask(site, model),
        aged=ask_when_stale(site, model),
        told=told,
        lower=find_lower(site, model),
        repeats=sum_repeats(site, model),
        charts=charts,
        level=find_level(model, last),
        fallen=[name for name in charts.use_cases if name in fell],
        began=find_fall(model),
        fall=model.fall,
        events=list_events(site, model),
        pairs=story_pairs(site, model),
        odds=describe_odds(last.evidence_value),
        use_cases=use_cases,
        reasons={name: use_case_reason(verdict, constants) for name, verdict in use_cases.items()},
        noise=_noise(model),
        recent=list(reversed(model.verdicts[-RECENT_DAYS:])),
        changes=list(reversed(model.changes))[:CHANGES],
        bench=measure_bench(site.bench, model.id, model.resolved),
        lines=site.manifest.evidence,
    )


def _noise(model: TrackedModel) -> dict[str, float]:
    """Use case → its usual noise of today; before the fall while there is one."""
    return find_noise(model, model.fell_on(model.last) or model.last.date)


def model_days(request: PageRequest) -> PageReply:
    """A calendar year of days in numbers. Ten years would be megabytes."""
    model = request.tracked
    year, years = find_year(request, model.by_date)
    days = [verdict for verdict in reversed(model.verdicts) if verdict.date.startswith(year)]
    noise = _noise(model) if year == years[-1] else {}  # that of today is not of another year
    return html(request, "days.html", model=model, days=days, noise=noise, year=year, years=years)


def every_earlier_year(site: Site) -> Iterator[dict[str, str]]:
    for slug, model in site.tracked.items():
        for year in years_of(model.by_date)[:-1]:
            yield {"slug": slug, "year": year}


def use_case_chart(request: PageRequest) -> PageReply:
    model, use_case = request.tracked, request.names["use_case"]
    if use_case not in model.use_cases:
        raise NoPage
    title = f"{model.id}: {request.site.title(use_case)}"
    description = "Daily scores, 0 to 100, with the baseline's mean and the band of usual noise around it."
    dates = list_dates(request.site, model)
    points = dict(zip(model.by_date, day_points(model.series(use_case)), strict=True))
    return svg(draw_days([points.get(date, DayPoint()) for date in dates], dates, SCORES, title, description))


def evidence_chart(request: PageRequest) -> PageReply:
    model = request.tracked
    dates = list_dates(request.site, model)
    verdicts = (model.by_date.get(date) for date in dates)
    days = [DayPoint(verdict.evidence_value if verdict else None) for verdict in verdicts]
    evidence = request.site.manifest.evidence
    axis = evidence_axis(days, [(evidence.suspected, "SUSPECTED"), (evidence.confirmed, "CONFIRMED")])
    description = "The evidence against 'no worse than the reference', on a logarithmic scale."
    return svg(draw_days(days, dates, axis, f"{model.id}: evidence", description))


def day_points(series: Sequence[tuple[ModelVerdict, UseCaseVerdict | None]]) -> list[DayPoint]:
    """One use case day by day, as its chart takes it."""
    points = []
    before: ModelVerdict | None = None
    for day, verdict in series:
        point = DayPoint(
            value=verdict.score if verdict else None,
            status=day_status(day, verdict) if verdict else None,
            usual=verdict.mean if verdict else None,
            border=border(day, before),
            barred=day.barred,
        )
        points.append(in_band(point, usual_noise(verdict) if verdict else None))
        before = day
    return points

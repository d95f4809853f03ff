"""Pages of one tracked model: its verdict with the reasons, its charts, all its days."""

from __future__ import annotations

from collections.abc import Sequence

from probatio.charts.daily import DayPoint, EvidenceLine, EvidencePoint, daily_series, evidence_curve
from probatio.records import ModelVerdict, Status, UseCaseVerdict
from probatio.site.bench import bench_score
from probatio.site.leaderboard import RECENT_DAYS
from probatio.site.rendering import PageReply, PageRequest, html, svg
from probatio.site.snapshot import by_use_case
from probatio.suite.daily_suite import constants_of
from probatio.verdict.reason import use_case_reason


def model_page(request: PageRequest) -> PageReply | None:
    model = request.tracked
    if model is None:
        return None
    site, last = request.site, model.last
    constants = constants_of(site.manifest)
    use_cases = by_use_case(last)
    return html(
        request,
        "model.html",
        model=model,
        last=last,
        told=model.teller.told(last) if model.teller else None,
        use_cases=use_cases,
        reasons={name: use_case_reason(verdict, constants) for name, verdict in use_cases.items()},
        recent=list(reversed(model.verdicts[-RECENT_DAYS:])),
        changes=list(reversed(model.changes)),
        bench=bench_score(site.bench, model.id, model.resolved),
        lines=site.manifest.evidence,
    )


def model_days(request: PageRequest) -> PageReply | None:
    model = request.tracked
    return None if model is None else html(request, "days.html", model=model, days=list(reversed(model.verdicts)))


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
        status=_status(day, verdict) if verdict else None,
        mean=mean,
        low=None if mean is None else mean - sd,
        high=None if mean is None else mean + sd,
        border=_border(day, before),
        barred=day.barred,
    )


def _status(day: ModelVerdict, verdict: UseCaseVerdict) -> Status | None:
    """Of the mark on a day. While a fall is proven no day is marked OK: the rule's baseline has followed it down."""
    if not day.confirmed or verdict.status != "OK":
        return verdict.status
    return "COOKED" if verdict.use_case in day.named else None


def _border(day: ModelVerdict, before: ModelVerdict | None) -> str:
    """What is new on a day: the suite's version, the route."""
    new = []
    if before is not None and day.suite_version != before.suite_version:
        new.append(f"suite {day.suite_version}")
    if day.routing_changed and not (before is not None and before.routing_changed):
        new.append("route")
    return ", ".join(new)

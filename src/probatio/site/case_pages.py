"""Pages of the daily suite's cases: all of them in one table, and each with its history over all models."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from probatio.charts.history import HistoryDay, history_line
from probatio.site import cases
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.site.snapshot import Site, TrackedModel

HISTORY_DAYS = 90
_ORDER = {cases.BROKEN: 0, cases.NOBODY: 1, "": 2, cases.EVERYBODY: 3}


def cases_page(request: PageRequest) -> PageReply:
    """Those that look broken first, then those that lost most."""
    found = sorted(
        request.site.case_standings.values(), key=lambda each: (_ORDER[each.finding], each.change or 0.0, each.case)
    )
    return html(request, "cases.html", found=found, rules=cases)


def case_page(request: PageRequest) -> PageReply | None:
    site, use_case = request.site, request.names["use_case"]
    named = site.case_slugs.get(use_case, {})
    case = next((case for case, slug in named.items() if slug == request.names["case"]), None)
    if case is None:
        return None
    rows = [(model, _history(site, model, use_case, case)) for model in site.tracked.values()]
    return html(
        request,
        "case.html",
        use_case=use_case,
        case=case,
        standing=site.case_standings.get((use_case, case)),
        rows=[(model, line) for model, line in rows if line],
        history_days=min(HISTORY_DAYS, len(site.days)),
        others={other: slug for other, slug in named.items() if other != case},
        rules=cases,
    )


def every_case(site: Site) -> Iterator[dict[str, str]]:
    for use_case, named in site.case_slugs.items():
        for slug in named.values():
            yield {"use_case": use_case, "case": slug}


def _history(site: Site, model: TrackedModel, use_case: str, case: str) -> Markup | None:
    """The case day by day, with the bad days of the whole model marked below; None where it was never asked."""
    days = []
    for verdict in model.verdicts[-HISTORY_DAYS:]:
        line = site.days[verdict.date].lines.get(model.id, {}).get(use_case) if verdict.date in site.days else None
        share = line.cases.get(case) if line is not None and line.score is not None else None
        days.append(HistoryDay(None if share is None else 100 * share, verdict.shown))
    asked = [day.score for day in days if day.score is not None]
    if not asked:
        return None
    title = f"{model.id}, {len(asked)} days: from {asked[0]:.0f} to {asked[-1]:.0f} %"
    return Markup(history_line(days, title, 0, min(HISTORY_DAYS, len(site.days))))

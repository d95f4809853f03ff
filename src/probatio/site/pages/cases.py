"""Pages of the daily suite's cases: all of them in one table, and each with its history over all models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import fmean
from typing import NamedTuple

from markupsafe import Markup

from probatio.charts.cells import HistoryDay, draw_history
from probatio.charts.days import DayPoint, ValueAxis, plot_days
from probatio.site.facts import cases
from probatio.site.facts.asked_cases import find_case
from probatio.site.facts.standing import find_level, list_dates
from probatio.site.paging import count_pages, make_pager
from probatio.site.rendering import PageReply, PageRequest, fit, format_date, html
from probatio.site.snapshot import Site, TrackedModel
from probatio.watch.verdict.reference_level import measure_case

HISTORY_DAYS = 90
LONGEST = 20_000
"""Characters shown of each text of a case."""
ROWS = 250
"""Cases on one page of the list."""
OTHERS = 60
"""Other cases of the use case that a case's page links to."""
LEAST_DRAWN, HEIGHT = 3, 180
"""Days from which on a line is drawn, and the height of its chart."""
_ORDER = {cases.BROKEN: 0, cases.NOBODY: 1, "": 2, cases.EVERYBODY: 3}


class CaseChart(NamedTuple):
    """The chart of a case over all models, with its days and the words for the last."""

    dates: list[str]
    plot: Markup
    told: str


def cases_page(request: PageRequest) -> PageReply:
    """Cases that look broken first, then those that lost most."""
    found = sorted(
        request.site.case_standings.values(),
        key=lambda each: (_ORDER[each.finding], each.change or 0.0, each.case),
    )
    at = make_pager(request, count_pages(len(found), ROWS))
    first = ROWS * (at.page - 1)
    return html(
        request,
        "cases.html",
        found=found,
        shown=found[first : first + ROWS],
        first=first + 1,
        pager=at,
        counts=Counter(each.finding for each in found),
        rules=cases,
    )


def every_further_list(site: Site) -> Iterator[dict[str, str]]:
    for page in range(2, count_pages(len(site.case_standings), ROWS) + 1):
        yield {"number": str(page)}


def case_page(request: PageRequest) -> PageReply:
    site, use_case = request.site, request.names["use_case"]
    named = site.case_slugs.get(use_case, {})
    case = request.find_slug("case", named)
    rows = [(model, _history(site, model, use_case, case)) for model in site.tracked.values()]
    standing = site.case_standings.get((use_case, case))
    usual = _measure_usual(site, use_case, case)
    both = [name for name in usual if standing and name in standing.now]
    return fit(
        request,
        "case.html",
        LONGEST,
        use_case=use_case,
        case=case,
        asked=find_case(site.suite, use_case, case),
        standing=standing,
        usual=usual,
        change=fmean(standing.now[name] - usual[name].share for name in both) if standing and both else None,
        settled=all(usual[name].reference for name in both),
        measured=site.cases_measured.get((use_case, case)),
        source=site.items.source if site.items else "",
        rows=[(model, line) for model, line in rows if line],
        chart=_chart(site, use_case, case),
        history_days=min(HISTORY_DAYS, len(site.days)),
        others=dict([(other, slug) for other, slug in named.items() if other != case][:OTHERS]),
        left_out=max(0, len(named) - 1 - OTHERS),
        rules=cases,
    )


class UsualShare(NamedTuple):
    """What a model usually earns in a case, 0–1, and whether its reference is complete."""

    share: float
    reference: bool


def _measure_usual(site: Site, use_case: str, case: str) -> dict[str, UsualShare]:
    """Model → its mean on the days that its scores are compared with, as on its own page."""
    found = {}
    for model in site.tracked.values():
        level = find_level(model, model.last)
        days = [site.days[date] for date in level.days if date in site.days]
        share = measure_case(model.id, use_case, case, days)
        if share is not None:
            found[model.id] = UsualShare(share, level.reference)
    return found


def every_case(site: Site) -> Iterator[dict[str, str]]:
    for use_case, named in site.case_slugs.items():
        for slug in named.values():
            yield {"use_case": use_case, "case": slug}


def _chart(site: Site, use_case: str, case: str) -> CaseChart | None:
    """Draw the mean of all models in the case and, dashed, of the same models in the other cases of its use
    case."""
    dates, days = [], []
    for date, day in list(site.days.items())[-HISTORY_DAYS:]:
        own, others = [], []
        for line in day.scores:
            if line.use_case == use_case and line.score is not None and case in line.cases:
                own.append(line.cases[case])
                others += [share for other, share in line.cases.items() if other != case]
        usual = 100 * fmean(others) if others else None
        dates.append(date)
        days.append(DayPoint(100 * fmean(own) if own else None, usual))
    asked = [day for day in days if day.value is not None]
    if len(asked) < LEAST_DRAWN:
        return None
    last = days[-1]
    told = "not asked" if last.value is None else f"{last.value:.0f} % right"
    compared = "" if last.value is None or last.usual is None else f", other cases {last.usual:.0f} %"
    axis = ValueAxis(0, 100, tuple((tick, f"{tick:.0f}") for tick in (0.0, 50.0, 100.0)), "share")
    end = "" if last.value is None else f"{last.value:.0f}"
    title = f"{case}, the mean of all models day by day: {told}{compared} on {format_date(dates[-1])}."
    plot = Markup(plot_days(days, dates, axis, title, height=HEIGHT, end=end))
    return CaseChart(dates, plot, told + compared)


def _history(site: Site, model: TrackedModel, use_case: str, case: str) -> Markup | None:
    """Draw the case day by day, with the bad days of the whole model marked below; None if it was never
    asked."""
    days = []
    for date in list_dates(site, model, HISTORY_DAYS):
        verdict = model.by_date.get(date)
        line = site.days[date].lines.get(model.id, {}).get(use_case) if date in site.days else None
        share = line.cases.get(case) if line is not None and line.score is not None else None
        days.append(HistoryDay(None if share is None else 100 * share, verdict.look if verdict else "GAP"))
    asked = [day.score for day in days if day.score is not None]
    if not asked:
        return None
    title = f"{model.id}, {len(asked)} days: from {asked[0]:.0f} to {asked[-1]:.0f} %"
    return Markup(draw_history(days, title, 0, min(HISTORY_DAYS, len(site.days))))

"""The front page: what is asked, what is new, then every tracked model in one line; and the table of use
cases."""

from __future__ import annotations

from markupsafe import Markup

from probatio.charts.cells import draw_sparkline
from probatio.core.records import LOOKS, NOT_PROVEN, Look
from probatio.site.facts.answers import (
    LEARNING,
    QUESTION,
    describe_asked,
    describe_runs,
    describe_silence,
    summarise,
)
from probatio.site.facts.effort import describe_effort, measure_effort
from probatio.site.facts.standing import (
    HISTORY_DAYS,
    draw_model_history,
    find_asked,
    find_lowest_mean,
    list_standings,
)
from probatio.site.pages.bench import measure_bench
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.site.snapshot import Site, TrackedModel, by_use_case
from probatio.watch.alerts.describing import VerdictDescriber

RECENT_DAYS = 30
"""Days in a small chart of the table, and in the table of a model's page."""

LATEST_CHANGES = 6

NAMES: dict[Look, str] = {"PROVEN": "COOKED, confirmed", "COOKED": NOT_PROVEN, "ROUTE": "CHANGED ROUTE"}
"""Looks that are not called as their status is."""

MEANINGS: dict[Look, str] = {
    "PROVEN": "Clearly lower, and the evidence has proven it. Only this is solid red.",
    "COOKED": "Clearly lower by the published rule alone, which can be a false alarm.",
    "ROUTE": "Another provider serves it since, and it scores lower there than the rule allows.",
    "SUSPICIOUS": "A use case is lower than its usual range, or the evidence suspects a fall.",
    "OK": "Every tested use case is in its usual range, and nothing speaks for a lasting fall.",
    "CALIBRATING": "There are too few days to know the usual range.",
    "STALE": "Its last answers are too old to say anything of today.",
    "GAP": "No score that day: an outage or too many errors.",
}


def leaderboard(request: PageRequest) -> PageReply:
    site = request.site
    rows = list_standings(site)
    low = find_lowest_mean(site)
    newest = max((find_asked(row.model) for row in rows), default=None)
    return html(
        request,
        "leaderboard.html",
        rows=[(row, Markup(draw_model_history(site, row.model, low))) for row in rows],
        question=QUESTION if rows or not site.runs else LEARNING,
        learned=describe_runs(site) if site.runs and not rows else "",
        asked=describe_asked(site, rows),
        sentence=summarise(site, rows) if rows else QUESTION,
        newest=newest,
        silence=describe_silence(site),
        expected=VerdictDescriber(site.results, site.days).expect_false(len(rows), site.last_date or ""),
        names=NAMES,
        statuses=list(dict.fromkeys(row.status for row in rows)),
        last=site.records[site.last_date] if site.last_date else None,
        meanings=[(look, MEANINGS[look]) for look in LOOKS if any(row.verdict.look == look for row in rows)],
        history_days=HISTORY_DAYS,
        low=low,
        changes=site.changes[:LATEST_CHANGES],
    )


def use_case_table(request: PageRequest) -> PageReply:
    """The second view: every model with today's score in every use case, and how its verdict was reached."""
    site = request.site
    low = _lowest_score(site)
    rows = list_standings(site)
    return html(
        request,
        "use_cases.html",
        rows=[
            (
                row,
                by_use_case(row.verdict),
                {use_case: _spark(site, row.model, use_case, low) for use_case in row.model.use_cases},
                measure_bench(site.bench, row.model.id, row.model.resolved),
                describe_effort(measure_effort(day, row.model.id))
                if (day := site.days.get(row.verdict.date))
                else "",
            )
            for row in rows
        ],
        use_cases=list(dict.fromkeys(each for model in site.tracked.values() for each in model.use_cases)),
        statuses=list(dict.fromkeys(row.status for row in rows)),
        recent_days=RECENT_DAYS,
        low=low,
    )


def _lowest_score(site: Site) -> float:
    """Where all small charts begin: at the lowest score shown, rounded down to a ten."""
    scores = [
        each.score
        for model in site.tracked.values()
        for verdict in model.verdicts[-RECENT_DAYS:]
        for each in verdict.use_cases
        if each.score is not None
    ]
    return min(90.0, min(scores, default=0.0) // 10 * 10)


def _spark(site: Site, model: TrackedModel, use_case: str, low: float) -> Markup:
    scores = {verdict.date: each.score for verdict, each in model.series(use_case) if each}
    recent = [scores.get(date) for date in list(site.records)[-RECENT_DAYS:]]
    ends = [score for score in recent if score is not None]
    told = f"{ends[0]:.0f} to {ends[-1]:.0f}" if ends else "no score"
    return Markup(draw_sparkline(recent, f"{site.title(use_case)}: {told}", low))

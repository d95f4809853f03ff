"""The leaderboard: every tracked model with its verdict, the last days at a glance, and the latest changes."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from probatio.charts.daily import sparkline
from probatio.records import MARKS, Status
from probatio.site.bench import bench_score
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.site.snapshot import Site, TrackedModel, by_use_case

RECENT_DAYS = 30
"""Days in a small chart of the leaderboard, and in the table of a model's page."""

LATEST_CHANGES = 8

MEANINGS: dict[Status, str] = {
    "OK": "Every tested use case is in its usual range, and nothing speaks for a lasting fall.",
    "SUSPICIOUS": "A use case is lower than its usual range, or the evidence suspects a fall.",
    "COOKED": "Clearly lower: by the published rule, or by the evidence, or by both. “Confirmed”: the evidence has proven it.",
    "CALIBRATING": "There are too few days to know the usual range.",
    "GAP": "No score that day: an outage or too many errors.",
}


def leaderboard(request: PageRequest) -> PageReply:
    site = request.site
    order = list(MARKS)
    low = _lowest(site)
    rows = [_row(site, model, low) for model in site.tracked.values()]
    rows.sort(key=lambda row: (order.index(row["verdict"].shown), not row["verdict"].confirmed, row["model"].id))
    return html(
        request,
        "leaderboard.html",
        rows=rows,
        use_cases=list(dict.fromkeys(each for model in site.tracked.values() for each in model.use_cases)),
        counts={status: sum(row["verdict"].shown == status for row in rows) for status in order},
        last=site.records[site.last_date] if site.last_date else None,
        meanings=MEANINGS,
        recent_days=RECENT_DAYS,
        low=low,
        changes=site.changes[:LATEST_CHANGES],
    )


def _lowest(site: Site) -> float:
    """Where the small charts begin, for all of them alike: at the lowest score they show, down to the next ten."""
    scores = [
        each.score
        for model in site.tracked.values()
        for verdict in model.verdicts[-RECENT_DAYS:]
        for each in verdict.use_cases
        if each.score is not None
    ]
    return min(90.0, min(scores, default=0.0) // 10 * 10)


def _row(site: Site, model: TrackedModel, low: float) -> dict[str, Any]:
    scores = [each.score for each in model.last.use_cases if each.score is not None]
    return {
        "model": model,
        "verdict": model.last,
        "use_cases": by_use_case(model.last),
        "sparks": {use_case: _spark(site, model, use_case, low) for use_case in model.use_cases},
        "mean": sum(scores) / len(scores) if scores else None,
        "bench": bench_score(site.bench, model.id, model.resolved),
    }


def _spark(site: Site, model: TrackedModel, use_case: str, low: float) -> Markup:
    recent = [each.score if each else None for _, each in model.series(use_case)[-RECENT_DAYS:]]
    today = "no score today" if recent[-1] is None else f"{recent[-1]:.1f} today"
    return Markup(sparkline(recent, f"{site.title(use_case)}, last {len(recent)} days: {today}", low))

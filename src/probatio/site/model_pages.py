"""Pages of the watch: leaderboard, a model, its days, one day with every sample of it."""

from __future__ import annotations

from html import escape
from typing import Any

from probatio.records import MARKS, ModelVerdict
from probatio.site.bench import bench_score
from probatio.site.charts import daily_series, evidence_curve, sparkline
from probatio.site.data import SPARK_DAYS, Site, Tracked
from probatio.site.page import Asked, Page, html, svg
from probatio.site.samples import FILES, Sample, html_in
from probatio.store.days import read_day
from probatio.store.layout import DAILY, SCORES
from probatio.suite.daily_suite import constants_of
from probatio.verdict.reason import use_case_reason

INERT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
"""Of a model's own web page: its styles and drawn-in pictures, nothing that runs and nothing from anywhere."""

MEANINGS = {
    "OK": "every tested use case is in its usual range",
    "SUSPICIOUS": "a use case is lower than its usual range allows",
    "COOKED": "lower for good, or all at once, in several use cases",
    "CALIBRATING": "too few days to say what is usual",
    "GAP": "no score that day: an outage or too many errors",
}


def leaderboard(asked: Asked) -> Page:
    site = asked.site
    order = list(MARKS)
    low = _lowest(site)
    rows = [_row(site, model, low) for model in site.tracked.values()]
    rows.sort(key=lambda row: (order.index(row["verdict"].status), row["model"].id))
    use_cases = list(dict.fromkeys(each for model in site.tracked.values() for each in model.use_cases))
    counts = {status: sum(row["verdict"].status == status for row in rows) for status in order}
    last = site.records[site.last_date] if site.last_date else None
    return html(
        asked,
        "leaderboard.html",
        rows=rows,
        use_cases=use_cases,
        counts=counts,
        last=last,
        meanings=MEANINGS,
        spark_days=SPARK_DAYS,
        low=low,
        changes=site.changes[:8],
    )


def model_page(asked: Asked) -> Page | None:
    model = asked.site.tracked.get(asked.names["slug"])
    if model is None:
        return None
    site, last = asked.site, model.last
    constants = constants_of(site.manifest)
    said = {found.use_case: found for found in last.use_cases}
    reasons = {name: use_case_reason(found, constants) for name, found in said.items()}
    return html(
        asked,
        "model.html",
        model=model,
        last=last,
        said=said,
        reasons=reasons,
        recent=list(reversed(model.verdicts[-SPARK_DAYS:])),
        changes=list(reversed(model.changes)),
        bench=bench_score(site.bench, model.id, model.resolved),
        lines=site.manifest.evidence,
        meanings=MEANINGS,
    )


def model_days(asked: Asked) -> Page | None:
    model = asked.site.tracked.get(asked.names["slug"])
    return None if model is None else html(asked, "days.html", model=model, days=list(reversed(model.verdicts)))


def use_case_chart(asked: Asked) -> Page | None:
    model = asked.site.tracked.get(asked.names["slug"])
    if model is None or asked.names["use_case"] not in model.use_cases:
        return None
    use_case = asked.names["use_case"]
    return svg(daily_series(model.series(use_case), f"{model.id}: {asked.site.title(use_case)}"))


def evidence_chart(asked: Asked) -> Page | None:
    model = asked.site.tracked.get(asked.names["slug"])
    if model is None:
        return None
    lines = asked.site.manifest.evidence
    return svg(evidence_curve(model.verdicts, lines.suspected, lines.confirmed, f"{model.id}: evidence"))


def day_page(asked: Asked) -> Page | None:
    """One day of one model: every use case with its numbers, and the way to its samples."""
    site, date = asked.site, asked.names["date"]
    model, verdict = _on(asked)
    if model is None or verdict is None:
        return None
    lines = read_day(site.results / DAILY / date).lines.get(model.id, {})
    constants = constants_of(site.manifest)
    said = {found.use_case: found for found in verdict.use_cases}
    reasons = {
        name: use_case_reason(found, constants, lines[name].gap if name in lines else None)
        for name, found in said.items()
    }
    counted: dict[str, int] = {}
    for sample in site.samples.of(date, model.id):
        counted[sample.use_case] = counted.get(sample.use_case, 0) + 1
    return html(
        asked,
        "day.html",
        model=model,
        date=date,
        verdict=verdict,
        lines=lines,
        said=said,
        reasons=reasons,
        counted=counted,
        record=site.records[date],
        files=raw_files(site, date),
    )


def samples_page(asked: Asked) -> Page | None:
    """Every sample of one use case on one day."""
    site, date, use_case = asked.site, asked.names["date"], asked.names["use_case"]
    model, verdict = _on(asked)
    if model is None or verdict is None:
        return None
    found = _samples(site, date, model, use_case)
    if not found:
        return None
    cases: dict[str, list[tuple[int, Sample]]] = {}
    for number, sample in enumerate(found):
        cases.setdefault(sample.response.task_id, []).append((number, sample))
    score = next((each for each in verdict.use_cases if each.use_case == use_case), None)
    pages = {number for number, sample in enumerate(found) if html_in(sample.response.response)}
    return html(
        asked,
        "samples.html",
        model=model,
        date=date,
        use_case=use_case,
        cases=cases,
        score=score,
        pages=pages,
        files=raw_files(site, date),
    )


def inert_answer(asked: Asked) -> Page | None:
    """A web page a model wrote, shown without running: its markup is never parsed on our own page, only in a sandboxed frame."""
    model, _ = _on(asked)
    if model is None:
        return None
    found = _samples(asked.site, asked.names["date"], model, asked.names["use_case"])
    number = int(asked.names["number"])
    answer = html_in(found[number].response.response) if number < len(found) else None
    if answer is None:
        return None
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{escape(INERT_POLICY)}"><title>A model\'s page, inert</title><style>html,body,iframe'
        f"{{margin:0;border:0;width:100%;height:100%;display:block;background:#fff}}</style></head><body>"
        f'<iframe sandbox="" title="A model\'s page, inert" srcdoc="{escape(answer)}"></iframe></body></html>\n'
    )
    return Page(text.encode("utf-8", "replace"), policy=f"sandbox; {INERT_POLICY}")


def inert_numbers(site: Site, slug: str, date: str, use_case: str) -> list[int]:
    found = _samples(site, date, site.tracked[slug], use_case)
    return [number for number, sample in enumerate(found) if html_in(sample.response.response)]


def raw_files(site: Site, date: str) -> list[str]:
    return [name for name in FILES if (site.results / DAILY / date / name).exists()]


def sampled_use_cases(site: Site, slug: str, date: str) -> list[str]:
    """Those of a model's day that have a raw sample, in the order asked."""
    return list(dict.fromkeys(sample.use_case for sample in site.samples.of(date, site.tracked[slug].id)))


def _lowest(site: Site) -> float:
    """Where the small charts begin, for all of them alike: at the lowest score they show, down to the next ten."""
    scores = [
        found.score
        for model in site.tracked.values()
        for verdict in model.verdicts[-SPARK_DAYS:]
        for found in verdict.use_cases
        if found.score is not None
    ]
    return min(90.0, min(scores, default=0.0) // 10 * 10)


def _row(site: Site, model: Tracked, low: float) -> dict[str, Any]:
    sparks = {}
    for use_case in model.use_cases:
        recent = [found.score if found else None for _, found in model.series(use_case)[-SPARK_DAYS:]]
        told = "no score today" if recent[-1] is None else f"{recent[-1]:.1f} today"
        sparks[use_case] = sparkline(recent, f"{site.title(use_case)}, last {len(recent)} days: {told}", low)
    scores = [each.score for each in model.last.use_cases if each.score is not None]
    return {
        "model": model,
        "verdict": model.last,
        "said": {found.use_case: found for found in model.last.use_cases},
        "sparks": sparks,
        "mean": sum(scores) / len(scores) if scores else None,
        "bench": bench_score(site.bench, model.id, model.resolved),
    }


def _on(asked: Asked) -> tuple[Tracked | None, ModelVerdict | None]:
    model = asked.site.tracked.get(asked.names["slug"])
    date = asked.names["date"]
    known = model is not None and (asked.site.results / DAILY / date / SCORES).exists()
    return model, model.by_date.get(date) if model is not None and known else None


def _samples(site: Site, date: str, model: Tracked, use_case: str) -> list[Sample]:
    return [sample for sample in site.samples.of(date, model.id) if sample.use_case == use_case]

"""Pages of one day of one model: its use cases in numbers, every raw sample, and the web pages a model wrote, inert."""

from __future__ import annotations

from collections import Counter
from html import escape

from probatio.records import ModelVerdict
from probatio.site.diff_pages import comparisons
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.site.samples import DaySample, html_in
from probatio.site.snapshot import Site, TrackedModel, by_use_case
from probatio.store.days import read_day
from probatio.store.layout import ANSWERS, DAILY, GRADES, JUDGE_REPLIES, SCORES
from probatio.suite.daily_suite import constants_of
from probatio.verdict.reason import use_case_reason

PUBLIC_FILES = (ANSWERS, GRADES, JUDGE_REPLIES, SCORES)
"""Files of a day that are given out as they are. `day.json` is not: it may name a folder of the machine."""

INERT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
"""Of a model's own web page: its styles and drawn-in pictures, nothing that runs and nothing from anywhere."""


def day_page(request: PageRequest) -> PageReply | None:
    """One day of one model: every use case with its numbers, and the way to its samples."""
    site, date = request.site, request.names["date"]
    model, verdict = _model_on(request)
    if model is None or verdict is None:
        return None
    lines = read_day(site.results / DAILY / date, site.results).lines.get(model.id, {})
    constants = constants_of(site.manifest)
    use_cases = by_use_case(verdict)
    gaps = {name: line.gap for name, line in lines.items()}
    return html(
        request,
        "day.html",
        model=model,
        date=date,
        verdict=verdict,
        told=model.teller.told(verdict) if model.teller else None,
        lines=lines,
        compared=comparisons(site, model, verdict),
        use_cases=use_cases,
        reasons={name: use_case_reason(each, constants, gaps.get(name)) for name, each in use_cases.items()},
        counts=Counter(sample.use_case for sample in site.samples.of(date, model.id)),
        record=site.records[date],
        files=public_files(site, date),
    )


def samples_page(request: PageRequest) -> PageReply | None:
    """Every sample of one use case on one day."""
    site, date, use_case = request.site, request.names["date"], request.names["use_case"]
    model, verdict = _model_on(request)
    if model is None or verdict is None:
        return None
    samples = _samples(site, date, model, use_case)
    if not samples:
        return None
    cases: dict[str, list[tuple[int, DaySample]]] = {}
    for number, sample in enumerate(samples):
        cases.setdefault(sample.response.task_id, []).append((number, sample))
    return html(
        request,
        "samples.html",
        model=model,
        date=date,
        use_case=use_case,
        cases=cases,
        verdict=verdict,
        score=by_use_case(verdict).get(use_case),
        pages={number for number, sample in enumerate(samples) if html_in(sample.response.response)},
        files=public_files(site, date),
    )


def inert_answer(request: PageRequest) -> PageReply | None:
    """A web page a model wrote, shown without running: its markup is never parsed on our own page, only in a sandboxed frame."""
    model, _ = _model_on(request)
    if model is None:
        return None
    samples = _samples(request.site, request.names["date"], model, request.names["use_case"])
    number = int(request.names["number"])
    answer = html_in(samples[number].response.response) if number < len(samples) else None
    if answer is None:
        return None
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{escape(INERT_POLICY)}"><title>A model\'s page, inert</title><style>html,body,iframe'
        f"{{margin:0;border:0;width:100%;height:100%;display:block;background:#fff}}</style></head><body>"
        f'<iframe sandbox="" title="A model\'s page, inert" srcdoc="{escape(answer)}"></iframe></body></html>\n'
    )
    return PageReply(text.encode("utf-8", "replace"), policy=f"sandbox; {INERT_POLICY}")


def inert_numbers(site: Site, slug: str, date: str, use_case: str) -> list[int]:
    """Which samples of a use case hold a web page."""
    samples = _samples(site, date, site.tracked[slug], use_case)
    return [number for number, sample in enumerate(samples) if html_in(sample.response.response)]


def public_files(site: Site, date: str) -> list[str]:
    return [name for name in PUBLIC_FILES if (site.results / DAILY / date / name).exists()]


def sampled_use_cases(site: Site, slug: str, date: str) -> list[str]:
    """Those of a model's day that have a raw sample, in the order asked."""
    return list(dict.fromkeys(sample.use_case for sample in site.samples.of(date, site.tracked[slug].id)))


def _model_on(request: PageRequest) -> tuple[TrackedModel | None, ModelVerdict | None]:
    """The model, and its verdict on the day where the day's scores are there."""
    model, date = request.tracked, request.names["date"]
    if model is None or not (request.site.results / DAILY / date / SCORES).exists():
        return model, None
    return model, model.by_date.get(date)


def _samples(site: Site, date: str, model: TrackedModel, use_case: str) -> list[DaySample]:
    return [sample for sample in site.samples.of(date, model.id) if sample.use_case == use_case]

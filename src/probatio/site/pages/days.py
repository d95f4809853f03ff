"""Pages of one day of one model: its use cases in numbers, every raw sample, and the web pages it wrote,
inert."""

from __future__ import annotations

from collections import Counter
from html import escape

from probatio.core.records import ModelVerdict
from probatio.runs.store.days import read_day
from probatio.runs.store.layout import ANSWERS, DAILY, GRADES, JUDGE_REPLIES, SCORES
from probatio.site.facts.noise import find_noise
from probatio.site.facts.samples import DaySample, find_html
from probatio.site.facts.standing import find_level
from probatio.site.pages.diffs import comparisons
from probatio.site.paging import find_breaks, make_pager
from probatio.site.rendering import PAGE_BYTES, NoPage, PageReply, PageRequest, fit, html
from probatio.site.snapshot import Site, TrackedModel, by_use_case
from probatio.suites.daily_suite import constants_of
from probatio.watch.verdict.reason import use_case_reason

PUBLIC_FILES = (ANSWERS, GRADES, JUDGE_REPLIES, SCORES)
"""Files of a day that are given out as they are. `day.json` is not: it may name a folder of the machine."""

SAMPLES_ROOM = 100_000
"""Characters of the samples on one page, with what stands around them; markup in answers grows when it is
shown as text."""
_AROUND, _ROW = 1_300, 90
"""Bytes of markup around a sample, and of a row of its grade."""
_SHORTEST = 200

INERT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
)
"""Of a model's own web page: its styles and drawn-in pictures, nothing that runs and nothing from
anywhere."""


def day_page(request: PageRequest) -> PageReply:
    """One day of one model: every use case with its numbers, and links to its samples."""
    site, date = request.site, request.names["date"]
    model, verdict = _model_on(request)
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
        told=model.teller.describe(verdict, began=model.fell_on(verdict)) if model.teller else None,
        lines=lines,
        compared=comparisons(site, model, verdict),
        use_cases=use_cases,
        reasons={name: use_case_reason(each, constants, gaps.get(name)) for name, each in use_cases.items()},
        noise=find_noise(model, model.fell_on(verdict) or verdict.date),
        counts=Counter({name: len(each) for name, each in site.samples.of(date, model.id).items()}),
        record=site.records[date],
        files=public_files(site, date),
        level=find_level(model, verdict),
    )


def samples_page(request: PageRequest) -> PageReply:
    """Every sample of one use case on one day."""
    site, date, use_case = request.site, request.names["date"], request.names["use_case"]
    model, verdict = _model_on(request)
    cases = _cases(site, date, model, use_case)
    if not cases:
        raise NoPage
    first = _page_breaks(cases)
    at = make_pager(request, len(first))
    shown = dict(cases[first[at.page - 1] : first[at.page] if at.page < at.pages else None])
    return fit(
        request,
        "samples.html",
        PAGE_BYTES,
        _SHORTEST,
        model=model,
        date=date,
        use_case=use_case,
        cases=shown,
        verdict=verdict,
        score=by_use_case(verdict).get(use_case),
        usual=find_level(model, verdict).describe(use_case),
        pages={number for each in shown.values() for number, sample in each if _inert_page(sample)},
        files=public_files(site, date),
        pager=at,
    )


def sample_pages(site: Site, slug: str, date: str, use_case: str) -> int:
    """How many pages the samples of a use case take."""
    return len(_page_breaks(_cases(site, date, site.tracked[slug], use_case)))


CaseSamples = tuple[str, list[tuple[int, DaySample]]]
"""A case, and its samples with their numbers."""


def _cases(site: Site, date: str, model: TrackedModel, use_case: str) -> list[CaseSamples]:
    cases: dict[str, list[tuple[int, DaySample]]] = {}
    for number, sample in enumerate(_samples(site, date, model, use_case)):
        cases.setdefault(sample.response.case, []).append((number, sample))
    return list(cases.items())


def _page_breaks(cases: list[CaseSamples]) -> list[int]:
    """The first case of each page, by the size of the texts and of the markup around them."""
    return find_breaks(
        (
            len(each[0][1].response.prompt or "")
            + len(each[0][1].response.system or "")
            + sum(_size(sample) for _, sample in each)
            for _, each in cases
        ),
        SAMPLES_ROOM,
        len(cases),
    )


def _size(sample: DaySample) -> int:
    told = sample.told
    said = [*(part.detail for part in told.parts), *(mark.reason for mark in told.marks)]
    texts = (sample.response.response, sample.response.reasoning, sample.response.error, *said)
    return _AROUND + _ROW * len(said) + sum(len(str(text)) for text in texts if text)


def inert_answer(request: PageRequest) -> PageReply:
    """A web page that a model wrote, shown without running it: our page never parses its markup, only a
    sandboxed frame does."""
    names = request.names
    samples = _samples(request.site, names["date"], request.tracked, names["use_case"])
    number = int(names["number"])
    page = _inert_page(samples[number]) if number < len(samples) else None
    if page is None:
        raise NoPage
    return PageReply(page, policy=f"sandbox; {INERT_POLICY}")


def _inert_page(sample: DaySample) -> bytes | None:
    """The web page in an answer in its frame; None if there is none, or if it is larger than our pages may
    be."""
    answer = find_html(sample.response.response)
    if answer is None:
        return None
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta '
        'http-equiv="Content-Security-Policy" '
        f'content="{escape(INERT_POLICY)}"><title>A model\'s page, inert</title><style>html,body,iframe'
        f"{{margin:0;border:0;width:100%;height:100%;display:block;background:#fff}}</style></head><body>"
        '<iframe sandbox="" title="A model\'s page, inert" '
        f'srcdoc="{escape(answer)}"></iframe></body></html>\n'
    )
    page = text.encode("utf-8", "replace")
    return page if len(page) <= PAGE_BYTES else None


def inert_numbers(site: Site, slug: str, date: str, use_case: str) -> list[int]:
    """The numbers of the samples of a use case that contain a web page."""
    samples = _samples(site, date, site.tracked[slug], use_case)
    return [number for number, sample in enumerate(samples) if _inert_page(sample)]


def public_files(site: Site, date: str) -> list[str]:
    return [name for name in PUBLIC_FILES if (site.results / DAILY / date / name).is_file()]


def list_sampled(site: Site, slug: str, date: str) -> list[str]:
    """The use cases of a model's day that have a raw sample, in the order asked."""
    return list(site.samples.of(date, site.tracked[slug].id))


def _model_on(request: PageRequest) -> tuple[TrackedModel, ModelVerdict]:
    """The model, and its verdict on the day, which must have scores."""
    model = request.tracked
    if not (request.site.results / DAILY / request.names["date"] / SCORES).exists():
        raise NoPage
    return model, request.find("date", model.by_date)


def _samples(site: Site, date: str, model: TrackedModel, use_case: str) -> list[DaySample]:
    return site.samples.of(date, model.id).get(use_case, [])

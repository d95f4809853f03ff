"""The table of all addresses: what renders each kind, and which addresses of that kind exist.

The live server looks up an address here. The static build writes every address listed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from probatio.core.inside import read_inside
from probatio.site import api, downloads, feed, search, share
from probatio.site.facts.runs import UnreadableRun
from probatio.site.pages import (
    bench,
    cases,
    days,
    diffs,
    docs,
    falls,
    front,
    learnability,
    methodology,
    models,
    trials,
)
from probatio.site.rendering import FOLDER, MISSING, NoPage, PageReply, PageRequest, html
from probatio.site.snapshot import Site

Names = dict[str, str]

NAMES = {
    "slug": r"[a-z0-9][a-z0-9-]{0,99}",
    "date": r"\d{4}-\d{2}-\d{2}",
    "before": r"\d{4}-\d{2}-\d{2}",
    "after": r"\d{4}-\d{2}-\d{2}",
    "case": r"[a-z0-9][a-z0-9-]{0,99}",
    "year": r"\d{4}",
    "use_case": r"[a-z0-9_]{1,60}",
    "run": r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
    "pair": r"[A-Za-z0-9][A-Za-z0-9._-]{0,299}",
    "number": r"\d{1,7}",
    "table": r"[a-z_]{1,40}",
    "image": r"[a-z0-9-]{1,60}\.(?:png|svg)",
    "format": r"csv|parquet",
    "file": r"[a-z_]{1,40}\.(?:jsonl|css|js|svg)",
}
"""What may stand for a name in an address; anything else is no address of ours."""


def _none(site: Site, date: str = "") -> Iterator[Names]:
    yield from ()


class PageKind(NamedTuple):
    """One kind of page: its address, what renders it, and the names for which there is such a page; of a page
    that shows samples of a day, those of that day."""

    address: str
    render: Callable[[PageRequest], PageReply]
    every: Callable[[Site], Iterator[Names]] = _none
    of_day: Callable[[Site, str], Iterator[Names]] = _none


def find_kind(path: str) -> tuple[PageKind, Names] | None:
    """The kind of an address, and the names in it."""
    for pattern, kind in _patterns():
        if match := pattern.fullmatch(path):
            return kind, match.groupdict()
    return None


def render(site: Site, path: str) -> PageReply | None:
    """The page at an address; None if there is none."""
    match = find_kind(path)
    if match is None:
        return None
    kind, names = match
    while True:
        try:
            return kind.render(PageRequest(site, path, names))
        except NoPage:
            return None
        except UnreadableRun as error:
            site.leave_out(error.run, str(error))


def redirect(site: Site, path: str, query: Mapping[str, str]) -> str | None:
    """Where a form sent to this address leads, relative to it. Only the live server has such addresses."""
    match = find_kind(path)
    if match is None or match[0].render is not diffs.choice_page:
        return None
    return diffs.choose_pair(site, match[1]["slug"], query)


def is_feed(path: str) -> bool:
    """Whether a page at this address is read elsewhere, so that its links have to be whole."""
    match = find_kind(path)
    return match is not None and match[0].render in (feed.atom, feed.model_atom)


def addresses(site: Site) -> Iterator[str]:
    """Every address of the static build. The pages of a day come one after the other, whatever their kind, so
    that its samples are read once."""
    for kind in KINDS:
        yield from (kind.address.format(**names) for names in kind.every(site))
    for date in site.records:
        for kind in KINDS:
            yield from (kind.address.format(**names) for names in kind.of_day(site, date))


def missing_page(request: PageRequest) -> PageReply:
    return html(request, "missing.html")


def _asset(request: PageRequest) -> PageReply:
    path = FOLDER / "assets" / request.names["file"]
    types = {
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".svg": "image/svg+xml",
    }
    if not path.is_file():
        raise NoPage
    return PageReply(read_inside(path), types[path.suffix])


def _once(site: Site) -> Iterator[Names]:
    yield {}


def _each(name: str, list_values: Callable[[Site], Iterable[str]]) -> Callable[[Site], Iterator[Names]]:
    """Pages that differ in one name."""
    return lambda site: ({name: value} for value in list_values(site))


_models = _each("slug", lambda site: site.tracked)
_runs = _each("run", lambda site: site.runs)
_dates = _each("date", lambda site: sorted(site.sampled_dates))
_assets = _each("file", lambda site: sorted(path.name for path in (FOLDER / "assets").iterdir()))


def _use_cases(site: Site) -> Iterator[Names]:
    for slug, model in site.tracked.items():
        for use_case in model.use_cases:
            yield {"slug": slug, "use_case": use_case}


def _days(site: Site, date: str) -> Iterator[Names]:
    if date in site.sampled_dates:
        for slug, model in site.tracked.items():
            if date in model.by_date:
                yield {"slug": slug, "date": date}


def _day_use_cases(site: Site, date: str) -> Iterator[Names]:
    for names in _days(site, date):
        for use_case in days.list_sampled(site, names["slug"], date):
            yield names | {"use_case": use_case}


def _further_samples(site: Site, date: str) -> Iterator[Names]:
    for names in _day_use_cases(site, date):
        for number in range(2, days.sample_pages(site, **names) + 1):
            yield names | {"number": str(number)}


def _inert(site: Site, date: str) -> Iterator[Names]:
    for names in _day_use_cases(site, date):
        for number in days.inert_numbers(site, names["slug"], date, names["use_case"]):
            yield names | {"number": str(number)}


def _day_files(site: Site) -> Iterator[Names]:
    for date in site.records:
        for file in days.public_files(site, date):
            yield {"date": date, "file": file}


KINDS: tuple[PageKind, ...] = (
    PageKind("", front.leaderboard, _once),
    PageKind("use-cases/", front.use_case_table, _once),
    PageKind("models/{slug}/", models.model_page, _models),
    PageKind("models/{slug}/feed.atom", feed.model_atom, _models),
    PageKind("models/{slug}/days/", models.model_days, _models),
    PageKind("models/{slug}/days/{year}/", models.model_days, models.every_earlier_year),
    PageKind("models/{slug}/charts/evidence.svg", models.evidence_chart, _models),
    PageKind("models/{slug}/charts/daily-{use_case}.svg", models.use_case_chart, _use_cases),
    PageKind("models/{slug}/{date}/", days.day_page, of_day=_days),
    PageKind("models/{slug}/{date}/{use_case}/", days.samples_page, of_day=_day_use_cases),
    PageKind("models/{slug}/{date}/{use_case}/{number}.html", days.inert_answer, of_day=_inert),
    PageKind("models/{slug}/diff/", diffs.choice_page),
    PageKind("models/{slug}/diff/{before}..{after}/", diffs.diff_page, of_day=diffs.every_diff),
    PageKind("falls/", falls.falls_page, _once),
    PageKind("falls/{number}/", falls.falls_page, falls.every_further_list),
    PageKind("falls/{slug}-{date}/", falls.fall_page, of_day=falls.every_fall),
    PageKind("cases/", cases.cases_page, _once),
    PageKind("cases/{use_case}/{case}/", cases.case_page, cases.every_case),
    PageKind("cases/{number}/", cases.cases_page, cases.every_further_list),
    PageKind("models/{slug}/{date}/{use_case}/{number}/", days.samples_page, of_day=_further_samples),
    PageKind("learnability/", learnability.runs_page, _once),
    PageKind("learnability/{run}/", learnability.run_page, _runs),
    PageKind("learnability/{run}/curves.svg", learnability.curves, _runs),
    PageKind("learnability/{run}/curves.csv", learnability.curves_table, learnability.every_curve_table),
    PageKind(
        "learnability/{run}/conditions/{pair}/", learnability.condition_page, learnability.every_condition
    ),
    PageKind("learnability/{run}/models/{slug}/", trials.model_trials, trials.every_list),
    PageKind("learnability/{run}/models/{slug}/{number}/", trials.model_trials, trials.every_further_list),
    PageKind("learnability/{run}/trials/{number}/", trials.pack_page, trials.every_pack),
    PageKind("learnability/{run}/trials/pages.json", trials.pack_index, _runs),
    PageKind("learnability/{run}/trials/{number}.txt", trials.trial_text, trials.every_text),
    PageKind("learnability/{run}/compare/{pair}/", learnability.compare_page, learnability.every_pair),
    PageKind("methodology/", methodology.page, _once),
    PageKind("bench/", bench.page, _once),
    PageKind("search/", search.search_page, _once),
    PageKind("search.json", search.index, _once),
    PageKind("docs/", docs.index, _once),
    PageKind("docs/images/{image}", docs.picture, docs.every_picture),
    PageKind("docs/{slug}/", docs.page, docs.every_page),
    PageKind("downloads/", downloads.page, _once),
    PageKind("downloads/{year}/", downloads.page, downloads.every_earlier_year),
    PageKind("data/{table}.{format}", downloads.table, downloads.every_table),
    PageKind("raw/daily/{date}/{file}", downloads.day_file, _day_files),
    PageKind("raw/ledger.jsonl", downloads.ledger, downloads.every_ledger),
    PageKind("raw/runs/{run}/{file}", downloads.run_file, downloads.every_run_file),
    PageKind("feed.atom", feed.atom, _once),
    PageKind("embed/", share.status_view, _once),
    PageKind("embed/{slug}/", share.model_view, _models),
    PageKind("share/site.png", share.site_picture, share.site_pictures),
    PageKind("share/models/{slug}.png", share.model_picture, of_day=share.every_picture),
    PageKind("badges/{slug}.svg", feed.badge, _models),
    PageKind("badges/{slug}.json", feed.shield, _models),
    PageKind("api/", api.moved_page),
    PageKind("api/openapi.json", api.openapi, _once),
    PageKind("api/leaderboard.json", api.leaderboard, _once),
    PageKind("api/changes.json", api.changes, _once),
    PageKind("api/falls.json", api.falls, _once),
    PageKind("api/bench.json", api.bench, _once),
    PageKind("api/models/{slug}.json", api.model, _models),
    PageKind("api/days/{date}.json", api.day, _dates),
    PageKind("api/runs.json", api.runs, _once),
    PageKind("api/runs/{run}.json", api.run, _runs),
    PageKind(MISSING, missing_page, _once),
    PageKind("assets/{file}", _asset, _assets),
)


@cache
def _patterns() -> list[tuple[re.Pattern[str], PageKind]]:
    def pattern(address: str) -> re.Pattern[str]:
        parts = re.split(r"\{(\w+)\}", address)
        return re.compile(
            "".join(
                f"(?P<{part}>{NAMES[part]})" if at % 2 else re.escape(part) for at, part in enumerate(parts)
            )
        )

    return [(pattern(kind.address), kind) for kind in KINDS]

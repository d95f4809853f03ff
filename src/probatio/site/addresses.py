"""The table of all addresses: what renders each kind, and which addresses of that kind there are.

The live server looks an address up here. The static build writes every address listed here. Neither renders anything itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from probatio.site import (
    api,
    bench,
    case_pages,
    day_pages,
    diff_pages,
    docs_pages,
    downloads,
    feed,
    item_pages,
    leaderboard,
    learnability,
    methodology,
    model_pages,
    search,
    share,
    trial_pages,
)
from probatio.site.rendering import FOLDER, PageReply, PageRequest, html
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


class PageKind(NamedTuple):
    """One kind of page: its address, what renders it, and the names for which there is such a page."""

    address: str
    render: Callable[[PageRequest], PageReply | None]
    every: Callable[[Site], Iterator[Names]]


def find_kind(path: str) -> tuple[PageKind, Names] | None:
    """The kind an address belongs to, and what it names."""
    for pattern, kind in _patterns():
        if match := pattern.fullmatch(path):
            return kind, match.groupdict()
    return None


def render(site: Site, path: str) -> PageReply | None:
    """The page at an address; None where there is none."""
    match = find_kind(path)
    if match is None:
        return None
    kind, names = match
    return kind.render(PageRequest(site, path, names))


def addresses(site: Site) -> Iterator[str]:
    """Every address of the static build, days one after the other."""
    for kind in KINDS:
        for names in kind.every(site):
            yield kind.address.format(**names)


def missing_page(request: PageRequest) -> PageReply:
    return html(request, "missing.html")


def _asset(request: PageRequest) -> PageReply | None:
    path = FOLDER / "assets" / request.names["file"]
    types = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
    return PageReply(path.read_bytes(), types[path.suffix]) if path.is_file() else None


def _once(site: Site) -> Iterator[Names]:
    yield {}


def _models(site: Site) -> Iterator[Names]:
    for slug in site.tracked:
        yield {"slug": slug}


def _use_cases(site: Site) -> Iterator[Names]:
    for slug, model in site.tracked.items():
        for use_case in model.use_cases:
            yield {"slug": slug, "use_case": use_case}


def _days(site: Site) -> Iterator[Names]:
    for date in sorted(site.sampled_dates):
        for slug, model in site.tracked.items():
            if date in model.by_date:
                yield {"slug": slug, "date": date}


def _day_use_cases(site: Site) -> Iterator[Names]:
    for names in _days(site):
        for use_case in day_pages.sampled_use_cases(site, names["slug"], names["date"]):
            yield names | {"use_case": use_case}


def _inert(site: Site) -> Iterator[Names]:
    for names in _day_use_cases(site):
        for number in day_pages.inert_numbers(site, names["slug"], names["date"], names["use_case"]):
            yield names | {"number": str(number)}


def _dates(site: Site) -> Iterator[Names]:
    for date in sorted(site.sampled_dates):
        yield {"date": date}


def _day_files(site: Site) -> Iterator[Names]:
    for date in site.records:
        for file in day_pages.public_files(site, date):
            yield {"date": date, "file": file}


def _runs(site: Site) -> Iterator[Names]:
    for run in site.runs:
        yield {"run": run}


def _assets(site: Site) -> Iterator[Names]:
    for path in sorted((FOLDER / "assets").iterdir()):
        yield {"file": path.name}


KINDS: tuple[PageKind, ...] = (
    PageKind("", leaderboard.leaderboard, _once),
    PageKind("use-cases/", leaderboard.use_case_table, _once),
    PageKind("models/{slug}/", model_pages.model_page, _models),
    PageKind("models/{slug}/days/", model_pages.model_days, _models),
    PageKind("models/{slug}/days/{year}/", model_pages.model_days, model_pages.every_earlier_year),
    PageKind("models/{slug}/charts/evidence.svg", model_pages.evidence_chart, _models),
    PageKind("models/{slug}/charts/daily-{use_case}.svg", model_pages.use_case_chart, _use_cases),
    PageKind("models/{slug}/{date}/", day_pages.day_page, _days),
    PageKind("models/{slug}/{date}/{use_case}/", day_pages.samples_page, _day_use_cases),
    PageKind("models/{slug}/{date}/{use_case}/{number}.html", day_pages.inert_answer, _inert),
    PageKind("models/{slug}/diff/{before}..{after}/", diff_pages.diff_page, diff_pages.every_diff),
    PageKind("cases/", case_pages.cases_page, _once),
    PageKind("cases/{use_case}/{case}/", case_pages.case_page, case_pages.every_case),
    PageKind("learnability/", learnability.runs_page, _once),
    PageKind("learnability/{run}/", learnability.run_page, _runs),
    PageKind("learnability/{run}/items/", item_pages.run_page, _runs),
    PageKind("learnability/{run}/items/ladders.svg", item_pages.run_picture, item_pages.every_run_picture),
    PageKind("learnability/{run}/curves.svg", learnability.curves, _runs),
    PageKind("learnability/{run}/conditions/{pair}/", learnability.condition_page, learnability.every_condition),
    PageKind("learnability/{run}/models/{slug}/", trial_pages.model_trials, trial_pages.every_list),
    PageKind("learnability/{run}/models/{slug}/{number}/", trial_pages.model_trials, trial_pages.every_further_list),
    PageKind("learnability/{run}/trials/{number}/", trial_pages.pack_page, trial_pages.every_pack),
    PageKind("learnability/{run}/compare/{pair}/", learnability.compare_page, learnability.every_pair),
    PageKind("items/", item_pages.daily_page, _once),
    PageKind("items/models/{slug}/", item_pages.model_page, item_pages.every_model),
    PageKind("items/{slug}/", item_pages.pool_page, item_pages.every_pool),
    PageKind("items/{slug}/ladder.svg", item_pages.pool_picture, item_pages.every_pool),
    PageKind("items/{slug}/rungs.svg", item_pages.rungs_picture, item_pages.every_ladder_pool),
    PageKind("methodology/", methodology.page, _once),
    PageKind("bench/", bench.page, _once),
    PageKind("search/", search.search_page, _once),
    PageKind("search.json", search.index, _once),
    PageKind("docs/", docs_pages.index, _once),
    PageKind("docs/images/{image}", docs_pages.picture, docs_pages.every_picture),
    PageKind("docs/{slug}/", docs_pages.page, docs_pages.every_page),
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
    PageKind("share/models/{slug}.png", share.model_picture, share.every_picture),
    PageKind("badges/{slug}.svg", feed.badge, _models),
    PageKind("badges/{slug}.json", feed.shield, _models),
    PageKind("api/", api.page, _once),
    PageKind("api/openapi.json", api.openapi, _once),
    PageKind("api/leaderboard.json", api.leaderboard, _once),
    PageKind("api/changes.json", api.changes, _once),
    PageKind("api/bench.json", api.bench, _once),
    PageKind("api/models/{slug}.json", api.model, _models),
    PageKind("api/days/{date}.json", api.day, _dates),
    PageKind("api/runs.json", api.runs, _once),
    PageKind("api/runs/{run}.json", api.run, _runs),
    PageKind("404.html", missing_page, _once),
    PageKind("assets/{file}", _asset, _assets),
)


@cache
def _patterns() -> list[tuple[re.Pattern[str], PageKind]]:
    def pattern(address: str) -> re.Pattern[str]:
        parts = re.split(r"\{(\w+)\}", address)
        return re.compile(
            "".join(f"(?P<{part}>{NAMES[part]})" if at % 2 else re.escape(part) for at, part in enumerate(parts))
        )

    return [(pattern(kind.address), kind) for kind in KINDS]

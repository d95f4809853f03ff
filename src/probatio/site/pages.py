"""The table of all pages: an address, what answers it, and which addresses of its kind there are.

The live server looks an address up here; the static build writes every address listed here. Neither renders anything itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from probatio.site import api as answers
from probatio.site import downloads, feed, learnability, methodology
from probatio.site import model_pages as watched
from probatio.site.data import Site
from probatio.site.page import FOLDER, Asked, Page, html

Names = dict[str, str]

NAMES = {
    "slug": r"[a-z0-9][a-z0-9-]{0,99}",
    "date": r"\d{4}-\d{2}-\d{2}",
    "use_case": r"[a-z0-9_]{1,60}",
    "run": r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
    "pair": r"[A-Za-z0-9][A-Za-z0-9._-]{0,299}",
    "number": r"\d{1,7}",
    "table": r"[a-z_]{1,40}",
    "format": r"csv|parquet",
    "file": r"[a-z_]{1,40}\.(?:jsonl|css|js|svg)",
}
"""What may stand for a name in an address; anything else is no address of ours."""


class Kind(NamedTuple):
    """One kind of page."""

    address: str
    answer: Callable[[Asked], Page | None]
    every: Callable[[Site], Iterator[Names]]


def find(path: str) -> tuple[Kind, Names] | None:
    """The kind an address belongs to, and what it names."""
    for pattern, kind in _patterns():
        if match := pattern.fullmatch(path):
            return kind, match.groupdict()
    return None


def answer(site: Site, path: str) -> Page | None:
    found = find(path)
    return found[0].answer(Asked(site, path, found[1])) if found else None


def addresses(site: Site) -> Iterator[str]:
    """Every address of the static build, days one after the other."""
    for kind in KINDS:
        for names in kind.every(site):
            yield kind.address.format(**names)


def missing_page(asked: Asked) -> Page:
    return html(asked, "missing.html")


def _asset(asked: Asked) -> Page | None:
    path = FOLDER / "assets" / asked.names["file"]
    types = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
    return Page(path.read_bytes(), types[path.suffix]) if path.is_file() else None


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
        for use_case in watched.sampled_use_cases(site, names["slug"], names["date"]):
            yield names | {"use_case": use_case}


def _inert(site: Site) -> Iterator[Names]:
    for names in _day_use_cases(site):
        for number in watched.inert_numbers(site, names["slug"], names["date"], names["use_case"]):
            yield names | {"number": str(number)}


def _dates(site: Site) -> Iterator[Names]:
    for date in sorted(site.sampled_dates):
        yield {"date": date}


def _day_files(site: Site) -> Iterator[Names]:
    for date in site.records:
        for file in watched.raw_files(site, date):
            yield {"date": date, "file": file}


def _runs(site: Site) -> Iterator[Names]:
    for run in site.runs:
        yield {"run": run}


def _assets(site: Site) -> Iterator[Names]:
    for path in sorted((FOLDER / "assets").iterdir()):
        yield {"file": path.name}


KINDS = (
    Kind("", watched.leaderboard, _once),
    Kind("models/{slug}/", watched.model_page, _models),
    Kind("models/{slug}/days/", watched.model_days, _models),
    Kind("models/{slug}/charts/evidence.svg", watched.evidence_chart, _models),
    Kind("models/{slug}/charts/daily-{use_case}.svg", watched.use_case_chart, _use_cases),
    Kind("models/{slug}/{date}/", watched.day_page, _days),
    Kind("models/{slug}/{date}/{use_case}/", watched.samples_page, _day_use_cases),
    Kind("models/{slug}/{date}/{use_case}/{number}.html", watched.inert_answer, _inert),
    Kind("learnability/", learnability.runs_page, _once),
    Kind("learnability/{run}/", learnability.run_page, _runs),
    Kind("learnability/{run}/curves.svg", learnability.curves, _runs),
    Kind("learnability/{run}/models/{slug}/", learnability.model_trials, learnability.every_model),
    Kind("learnability/{run}/trials/{number}/", learnability.trial_page, learnability.every_trial),
    Kind("learnability/{run}/compare/{pair}/", learnability.compare_page, learnability.every_pair),
    Kind("methodology/", methodology.page, _once),
    Kind("bench/", methodology.bench_page, _once),
    Kind("downloads/", downloads.page, _once),
    Kind("data/{table}.{format}", downloads.table, downloads.every_table),
    Kind("raw/daily/{date}/{file}", downloads.day_file, _day_files),
    Kind("raw/ledger.jsonl", downloads.ledger, downloads.every_ledger),
    Kind("raw/runs/{run}/{file}", downloads.run_file, downloads.every_run_file),
    Kind("feed.atom", feed.atom, _once),
    Kind("badges/{slug}.svg", feed.badge, _models),
    Kind("badges/{slug}.json", feed.shield, _models),
    Kind("api/", answers.page, _once),
    Kind("api/openapi.json", answers.openapi, _once),
    Kind("api/leaderboard.json", answers.leaderboard, _once),
    Kind("api/changes.json", answers.changes, _once),
    Kind("api/bench.json", answers.bench, _once),
    Kind("api/models/{slug}.json", answers.model, _models),
    Kind("api/days/{date}.json", answers.day, _dates),
    Kind("api/runs.json", answers.runs, _once),
    Kind("api/runs/{run}.json", answers.run, _runs),
    Kind("404.html", missing_page, _once),
    Kind("assets/{file}", _asset, _assets),
)


@cache
def _patterns() -> list[tuple[re.Pattern[str], Kind]]:
    def pattern(address: str) -> re.Pattern[str]:
        parts = re.split(r"\{(\w+)\}", address)
        return re.compile(
            "".join(f"(?P<{part}>{NAMES[part]})" if at % 2 else re.escape(part) for at, part in enumerate(parts))
        )

    return [(pattern(kind.address), kind) for kind in KINDS]

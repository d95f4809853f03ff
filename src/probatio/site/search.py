"""The search: one index of models, cases, runs and the documentation. The browser searches it; for readers
without JavaScript the live server does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from probatio.site.facts.standing import explain
from probatio.site.pages.docs import render_doc
from probatio.site.rendering import PageReply, PageRequest, format_date, html, json, printable
from probatio.site.shipped import list_pages
from probatio.site.snapshot import Site


class SearchEntry(NamedTuple):
    """Something to find: its kind, its name, what else is known about it, and its address."""

    kind: str
    title: str
    text: str
    href: str


MOST = 30
"""Hits that are shown."""
LONGEST = 200
"""Characters of a question that are read."""


def search_page(request: PageRequest) -> PageReply:
    return html(request, "search.html", asked="", hits=[], count=0)


def results_page(request: PageRequest, asked: str) -> PageReply:
    """The page with the matches, the same that the script in the browser finds."""
    words = asked[:LONGEST].lower().split()
    hits = [entry for entry in _entries(request.site) if _holds(entry, words)] if words else []
    hits.sort(key=lambda entry: sum(word in entry.title.lower() for word in words), reverse=True)
    shown = [(entry, _excerpt(entry.text, words[0])) for entry in hits[:MOST]]
    return html(request, "search.html", asked=asked[:LONGEST], hits=shown, count=len(hits))


def index(request: PageRequest) -> PageReply:
    """The order counts: of two equal matches, the earlier one is shown first."""
    return json([entry._asdict() for entry in _entries(request.site)])


def _entries(site: Site) -> Iterator[SearchEntry]:
    for entry in (*_models(site), *_cases(site), *_runs(site), *_docs()):
        yield entry._replace(title=printable(entry.title), text=printable(entry.text))


def _holds(entry: SearchEntry, words: Sequence[str]) -> bool:
    text = f"{entry.kind} {entry.title} {entry.text}".lower()
    return all(word in text for word in words)


def _excerpt(text: str, word: str) -> str:
    """The whole words around the first match, as assets/search.js cuts them."""
    at = text.lower().find(word) - 60
    at = text.find(" ", at) + 1 if at > 0 else 0
    end = text.rfind(" ", at, at + 180) if at + 180 < len(text) else len(text)
    end = end if end > at else at + 180
    return f"{'… ' * bool(at)}{text[at:end]}{' …' * (end < len(text))}"


def _models(site: Site) -> Iterator[SearchEntry]:
    for model in site.tracked.values():
        text = f"{model.last.label}. {explain(site, model)} {model.resolved}"
        yield SearchEntry("model", model.id, text, f"models/{model.slug}/")


def _cases(site: Site) -> Iterator[SearchEntry]:
    for use_case, named in site.case_slugs.items():
        for case, slug in named.items():
            standing = site.case_standings.get((use_case, case))
            finding = f", {standing.finding}" if standing and standing.finding else ""
            yield SearchEntry("case", case, f"{site.title(use_case)}{finding}", f"cases/{use_case}/{slug}/")


def _runs(site: Site) -> Iterator[SearchEntry]:
    for run in site.runs.values():
        record = run.record
        models = ", ".join(model.id for model in record.models[:MOST])
        text = (
            f"{record.suite_name} {record.suite_version or ''}, {models}, {format_date(record.created[:10])}"
        )
        yield SearchEntry("run", run.name, text, f"learnability/{run.name}/")


def _docs() -> Iterator[SearchEntry]:
    for page in list_pages():
        for section in render_doc(page).sections:
            title = (
                section.title if section.heading == section.title else f"{section.title}: {section.heading}"
            )
            anchor = f"#{section.anchor}" if section.anchor else ""
            yield SearchEntry("documentation", title, section.text, f"docs/{section.page}/{anchor}")

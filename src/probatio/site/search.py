"""The search: one index of models, cases, runs and the documentation, which the browser reads when someone searches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from probatio.documentation import pages
from probatio.site.docs_pages import rendered
from probatio.site.rendering import PageReply, PageRequest, html, json, printable
from probatio.site.snapshot import Site
from probatio.site.standing import reason


class Entry(NamedTuple):
    """Something that can be found: what kind of thing it is, its name, what else is known of it, and its address."""

    kind: str
    title: str
    text: str
    href: str


def search_page(request: PageRequest) -> PageReply:
    return html(request, "search.html")


def index(request: PageRequest) -> PageReply:
    """The order counts: of two that fit alike, the earlier one is shown first."""
    found = (*_models(request.site), *_cases(request.site), *_runs(request.site), *_docs())
    return json([entry._replace(title=printable(entry.title), text=printable(entry.text))._asdict() for entry in found])


def _models(site: Site) -> Iterator[Entry]:
    for model in site.tracked.values():
        text = f"{model.last.label}. {reason(site, model)} {model.resolved}"
        yield Entry("model", model.id, text, f"models/{model.slug}/")


def _cases(site: Site) -> Iterator[Entry]:
    for use_case, named in site.case_slugs.items():
        for case, slug in named.items():
            standing = site.case_standings.get((use_case, case))
            finding = f", {standing.finding}" if standing and standing.finding else ""
            yield Entry("case", case, f"{site.title(use_case)}{finding}", f"cases/{use_case}/{slug}/")


def _runs(site: Site) -> Iterator[Entry]:
    for run in site.runs.values():
        record = run.record
        models = ", ".join(model.id for model in record.models)
        text = f"{record.suite_name} {record.suite_version or ''}, {models}, {record.created[:10]}"
        yield Entry("run", run.name, text, f"learnability/{run.name}/")


def _docs() -> Iterator[Entry]:
    for page in pages():
        for section in rendered(page).sections:
            title = section.title if section.heading == section.title else f"{section.title}: {section.heading}"
            anchor = f"#{section.anchor}" if section.anchor else ""
            yield Entry("documentation", title, section.text, f"docs/{section.page}/{anchor}")

"""Pages of measured items: the daily suite's use cases, what tells something about one model, and the tasks of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from probatio.charts.ladder import ladder_map
from probatio.errors import ProbatioError
from probatio.items.information import about
from probatio.items.measuring import narrowed
from probatio.items.pictures import charted, ladders_picture
from probatio.items.records import CEILING, CORRELATED, ENOUGH, Items, Ladder
from probatio.site.rendering import PageReply, PageRequest, fitted, html, json, scrubbed, svg
from probatio.site.snapshot import Site
from probatio.slugs import slugs

ROWS = 250
"""Items in a table of a page, at most."""
_LIMITS = {"ceiling": CEILING, "correlated": CORRELATED, "enough": ENOUGH}


def daily_page(request: PageRequest) -> PageReply:
    """Every use case with its room above the best model, and the ways to its items and to those about a model."""
    found, reason = _daily(request.site)
    pools = slugs(pool.name for pool in found.pools) if found else {}
    models = slugs(found.models) if found else {}
    return html(request, "items.html", found=found, reason=reason, pools=pools, models=models, limits=_LIMITS)


def pool_page(request: PageRequest) -> PageReply | None:
    found = _pool(request)
    if found is None:
        return None
    return fitted(
        request,
        "items_pool.html",
        ROWS,
        found=found,
        title=request.site.title(found.pools[0].name),
        links=[("items/", "Items")],
        picture=f"items/{request.names['slug']}/ladder.svg",
        by=_shown(found)[0].by,
        rungs_picture=f"items/{request.names['slug']}/rungs.svg" if found.rungs else None,
        rung_ladders=_of_cases(found),
        whole="items/items.json",
        limits=_LIMITS,
    )


def pool_picture(request: PageRequest) -> PageReply | None:
    found = _pool(request)
    return None if found is None else svg(ladders_picture(found, rungs=False))


def rungs_picture(request: PageRequest) -> PageReply | None:
    found = _pool(request)
    if found is None or not found.rungs:
        return None
    title = f"Where the models stand on the ladders of {found.pools[0].name}"
    return svg(ladder_map([charted(ladder) for ladder in _of_cases(found)], title))


def model_page(request: PageRequest) -> PageReply | None:
    """Which items tell something about one model, and which are dead weight."""
    found, _ = _daily(request.site)
    model = _named(found.models, request.names["slug"]) if found else None
    if found is None or model is None:
        return None
    return fitted(request, "items_about.html", ROWS, found=found, about=about(found, model), limits=_LIMITS)


def daily_items(request: PageRequest) -> PageReply:
    """All measured cases and rungs, for whoever wants what a page has no room for."""
    found, reason = _daily(request.site)
    return json(_whole(found) if found else {"reason": reason})


def run_items(request: PageRequest) -> PageReply | None:
    """All measured tasks of a run."""
    found, reason = _of_run(request)
    return None if request.run is None else json(_whole(found) if found else {"reason": reason})


def run_page(request: PageRequest) -> PageReply | None:
    """The tasks of a run."""
    run = request.run
    if run is None:
        return None
    crumbs = [("learnability/", "Learnability"), (f"learnability/{run.name}/", run.name)]
    found, reason = _of_run(request)
    if found is None:
        return html(request, "items_none.html", links=crumbs, reason=reason)
    return fitted(
        request,
        "items_pool.html",
        ROWS,
        found=found,
        title=f"Tasks of {run.name}",
        links=crumbs,
        picture=f"learnability/{run.name}/items/ladders.svg",
        by=_shown(found)[0].by,
        rungs_picture=None,
        rung_ladders=[],
        whole=f"learnability/{run.name}/items/items.json",
        limits=_LIMITS,
    )


def run_picture(request: PageRequest) -> PageReply | None:
    found, _ = _of_run(request) if request.run else (None, "")
    return None if found is None else svg(ladders_picture(found, rungs=False))


def every_pool(site: Site) -> Iterator[dict[str, str]]:
    found, _ = _daily(site)
    for slug in slugs(pool.name for pool in found.pools).values() if found else ():
        yield {"slug": slug}


def every_ladder_pool(site: Site) -> Iterator[dict[str, str]]:
    found, _ = _daily(site)
    if found:
        ladders = {item.pool for item in found.rungs}
        yield from (
            {"slug": slug} for pool, slug in slugs(pool.name for pool in found.pools).items() if pool in ladders
        )


def every_model(site: Site) -> Iterator[dict[str, str]]:
    found, _ = _daily(site)
    for slug in slugs(found.models).values() if found else ():
        yield {"slug": slug}


def every_run_picture(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs:
        if _of_run(PageRequest(site, "", {"run": run}))[0]:
            yield {"run": run}


def _daily(site: Site) -> tuple[Items | None, str]:
    """What was measured, or why nothing was."""
    if not site.records:
        return None, "There is no recorded day yet."
    try:
        return site.items, ""
    except ProbatioError as error:
        return None, scrubbed(str(error))


def _of_run(request: PageRequest) -> tuple[Items | None, str]:
    try:
        return request.run.items if request.run else None, ""
    except ProbatioError as error:
        return None, scrubbed(str(error))


def _pool(request: PageRequest) -> Items | None:
    found, _ = _daily(request.site)
    pool = _named((pool.name for pool in found.pools), request.names["slug"]) if found else None
    return narrowed(found, pool) if found and pool else None


def _named(names: Iterable[str], slug: str) -> str | None:
    return next((name for name, short in slugs(names).items() if short == slug), None)


def _shown(found: Items) -> list[Ladder]:
    return [ladder for ladder in found.ladders if ladder.name == ladder.pool]


def _of_cases(found: Items) -> list[Ladder]:
    return [ladder for ladder in found.ladders if ladder.name != ladder.pool]


def _whole(found: Items) -> dict[str, Any]:
    return {"suite": found.suite, "source": found.source, "items": found.items, "rungs": found.rungs}

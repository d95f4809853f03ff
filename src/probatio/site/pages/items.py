"""Pages of measured items: the daily suite's use cases, the items about one model, and the tasks of a run."""

from __future__ import annotations

from collections.abc import Iterator

from probatio.charts.heat import Ladder, draw_ladders
from probatio.core.errors import ProbatioError
from probatio.core.text.names import make_slugs
from probatio.learn.items.information import weigh_items
from probatio.learn.items.ladders import picture_ladders
from probatio.learn.items.measuring import narrow_items
from probatio.learn.items.records import CEILING, CORRELATED, ENOUGH, Items
from probatio.site.facts.runs import StudiedRun
from probatio.site.rendering import NoPage, PageReply, PageRequest, fit, html, json, scrub, svg
from probatio.site.snapshot import Site

ROWS = 250
"""Items in a table of a page, at most."""
_LIMITS = {"ceiling": CEILING, "correlated": CORRELATED, "enough": ENOUGH}


def daily_page(request: PageRequest) -> PageReply:
    """Every use case with its headroom above the best model, and links to its items and to those about a
    model."""
    found, reason = _measure(request.site)
    pools = make_slugs(pool.name for pool in found.pools) if found else {}
    models = make_slugs(found.models) if found else {}
    return html(request, "items.html", found=found, reason=reason, pools=pools, models=models, limits=_LIMITS)


def pool_page(request: PageRequest) -> PageReply:
    found = _pool(request)
    return fit(
        request,
        "items_pool.html",
        ROWS,
        found=found,
        title=request.site.title(found.pools[0].name),
        links=[("items/", "Items")],
        picture=f"items/{request.names['slug']}/ladder.svg",
        by=_describe_steps(found),
        rungs_picture=f"items/{request.names['slug']}/rungs.svg" if found.rungs else None,
        rung_ladders=_of_cases(found),
        whole="items/items.json",
        limits=_LIMITS,
    )


def pool_picture(request: PageRequest) -> PageReply:
    return svg(picture_ladders(_pool(request), rungs=False))


def rungs_picture(request: PageRequest) -> PageReply:
    found = _pool(request)
    if not found.rungs:
        raise NoPage
    title = f"Where the models stand on the ladders of {found.pools[0].name}"
    return svg(draw_ladders(_of_cases(found), title))


def model_page(request: PageRequest) -> PageReply:
    """Which items tell something about one model, and which tell nothing."""
    found = _require(request.site)
    about = weigh_items(found, request.find_slug("slug", make_slugs(found.models)))
    return fit(request, "items_about.html", ROWS, found=found, about=about, limits=_LIMITS)


def daily_items(request: PageRequest) -> PageReply:
    """All measured cases and rungs, for readers who want more than a page can show."""
    return _give_items(request.site)


def run_items(request: PageRequest) -> PageReply:
    """All measured tasks of a run."""
    return _give_items(request.run)


def run_page(request: PageRequest) -> PageReply:
    """The tasks of a run."""
    run = request.run
    crumbs = [("learnability/", "Learnability"), (f"learnability/{run.name}/", run.name)]
    found, reason = _measure(run)
    if found is None:
        return html(request, "items_none.html", links=crumbs, reason=reason)
    return fit(
        request,
        "items_pool.html",
        ROWS,
        found=found,
        title=f"Tasks of {run.name}",
        links=crumbs,
        picture=f"learnability/{run.name}/items/ladders.svg",
        by=_describe_steps(found),
        rungs_picture=None,
        rung_ladders=[],
        whole=f"learnability/{run.name}/items/items.json",
        limits=_LIMITS,
    )


def run_picture(request: PageRequest) -> PageReply:
    return svg(picture_ladders(_require(request.run), rungs=False))


def every_pool(site: Site) -> Iterator[dict[str, str]]:
    found, _ = _measure(site)
    for slug in make_slugs(pool.name for pool in found.pools).values() if found else ():
        yield {"slug": slug}


def every_ladder_pool(site: Site) -> Iterator[dict[str, str]]:
    found, _ = _measure(site)
    ladders = {item.pool for item in found.rungs} if found else set()
    for pool, slug in make_slugs(pool.name for pool in found.pools).items() if found else ():
        if pool in ladders:
            yield {"slug": slug}


def every_model(site: Site) -> Iterator[dict[str, str]]:
    found, _ = _measure(site)
    for slug in make_slugs(found.models).values() if found else ():
        yield {"slug": slug}


def every_run_picture(site: Site) -> Iterator[dict[str, str]]:
    for name, run in site.runs.items():
        if _measure(run)[0]:
            yield {"run": name}


def _measure(of: Site | StudiedRun) -> tuple[Items | None, str]:
    """What was measured of the last days or of a run, or why nothing was."""
    if isinstance(of, Site) and not of.records:
        return None, "There is no recorded day yet."
    try:
        return of.items, ""
    except ProbatioError as error:
        return None, scrub(str(error))


def _require(of: Site | StudiedRun) -> Items:
    found, _ = _measure(of)
    if found is None:
        raise NoPage
    return found


def _pool(request: PageRequest) -> Items:
    found = _require(request.site)
    return narrow_items(found, request.find_slug("slug", make_slugs(pool.name for pool in found.pools)))


def _describe_steps(found: Items) -> str:
    return next(ladder.by for ladder in found.ladders if ladder.name == ladder.pool)


def _of_cases(found: Items) -> list[Ladder]:
    return [ladder for ladder in found.ladders if ladder.name != ladder.pool]


def _give_items(of: Site | StudiedRun) -> PageReply:
    found, reason = _measure(of)
    if found is None:
        return json({"reason": reason})
    return json({"suite": found.suite, "source": found.source, "items": found.items, "rungs": found.rungs})

"""Pages of falls: each with its story, kept for ever, and the record of all of them."""

from __future__ import annotations

from collections.abc import Iterator

from probatio.site.facts.falls import STATES, measure_falls
from probatio.site.facts.standing import find_fallen, format_day
from probatio.site.facts.story import tell_fall
from probatio.site.pages.diffs import list_fixed
from probatio.site.paging import count_pages, make_pager
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.site.snapshot import Site

ROWS = 250
"""Falls on one page of the list."""


def fall_page(request: PageRequest) -> PageReply:
    site, model = request.site, request.tracked
    fall = request.find("date", {each.first_seen: each for each in model.falls})
    story = tell_fall(site, model, fall)
    pairs = {
        name: f"models/{model.slug}/diff/{day}..{fall.shown_on}/"
        for name, day in list_fixed(model, model.by_date[fall.shown_on]).items()
        if day in site.days and fall.shown_on in site.sampled_dates
    }
    return html(
        request,
        "fall.html",
        model=model,
        story=story,
        fall=fall,
        state=STATES[fall.state],
        since=format_day(fall.began, site.last_date),
        where=[site.title(each.use_case) for each in find_fallen(story.verdict)],
        pairs=pairs,
        described=f"{model.id}: {story.cause}. {STATES[fall.state]}.",
    )


def every_fall(site: Site, date: str) -> Iterator[dict[str, str]]:
    """Those that this day's answers show."""
    for slug, model in site.tracked.items():
        for fall in model.falls:
            if fall.shown_on == date:
                yield {"slug": slug, "date": fall.first_seen}


def falls_page(request: PageRequest) -> PageReply:
    """The site's own record, and every fall, the newest first."""
    falls = request.site.falls
    at = make_pager(request, count_pages(len(falls), ROWS))
    first = ROWS * (at.page - 1)
    return html(
        request,
        "falls.html",
        record=measure_falls(fall for _, fall in falls),
        falls=falls[first : first + ROWS],
        states=STATES,
        pager=at,
    )


def every_further_list(site: Site) -> Iterator[dict[str, str]]:
    for page in range(2, count_pages(len(site.falls), ROWS) + 1):
        yield {"number": str(page)}

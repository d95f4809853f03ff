"""For other pages and programs: the Atom feed of verdict changes, of all models or of one, and per model a
badge and a shields endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from probatio.core.extras import require
from probatio.core.records import LOOKS, Look
from probatio.site.facts.standing import explain, find_asked
from probatio.site.pages.diffs import list_fixed
from probatio.site.rendering import (
    PICTURE_POLICY,
    SVG,
    PageReply,
    PageRequest,
    format_date,
    format_dates,
    json,
    printable,
    scrub,
)
from probatio.site.snapshot import Change, Site, TrackedModel

ENTRIES = 100
"""Changes in the feed; older ones are in api/changes.json."""

COLOURS: dict[Look, str] = {
    "OK": "#17636e",
    "SUSPICIOUS": "#7d4e00",
    "PROVEN": "#a51d16",
    "COOKED": "#a51d16",
    "ROUTE": "#7d4e00",
    "CALIBRATING": "#565a61",
    "GAP": "#565a61",
    "STALE": "#565a61",
}
"""Those of the style sheet on a light ground. White text on each passes AA."""


def atom(request: PageRequest) -> PageReply:
    """The changes of all models."""
    site = request.site
    stale = [model for model in site.tracked.values() if model.last.shown == "STALE"]
    return _feed(request, "urn:probatio:verdicts", "Probatio: verdict changes", "", stale, site.changes)


def model_atom(request: PageRequest) -> PageReply:
    """The changes of one model: the same entries as in the feed of all."""
    model = request.tracked
    stale = [model] if model.last.shown == "STALE" else []
    changes = sorted(model.changes, key=lambda change: change.date, reverse=True)
    title = f"Probatio: verdict changes of {model.id}"
    return _feed(
        request, f"urn:probatio:{model.slug}:verdicts", title, f"models/{model.slug}/", stale, changes
    )


def _feed(
    request: PageRequest,
    name: str,
    title: str,
    page: str,
    stale: Sequence[TrackedModel],
    changes: Sequence[Change],
) -> PageReply:
    """`page`: the address of the page that the feed belongs to."""
    require("feedgen")
    from feedgen.feed import FeedGenerator

    site = request.site
    base = site.base_url or request.root.removeprefix("./")
    feed = FeedGenerator()
    feed.id(name)
    feed.title(printable(title) + "".join(f" ({mark})" for mark in site.marks))
    head = f" Head of the ledger: {site.head}" if site.head else ""
    feed.subtitle(f"Newest day: {format_dates(site.last_date or 'none')}.{head}")
    feed.link(href=f"{base}{page}" or "./", rel="alternate")
    feed.link(href=f"{base}{request.path}", rel="self")
    feed.author({"name": "probatio"})
    feed.updated(_moment(site.last_date or "1970-01-01"))
    for model in stale:
        entry = feed.add_entry(order="append")
        entry.id(f"urn:probatio:{model.slug}:{find_asked(model)}:stale")
        entry.title(printable(f"{model.id}: {model.verdicts[-1].label} → {model.last.label}"))
        entry.link(href=f"{base}models/{model.slug}/")
        entry.category(term="STALE")
        entry.summary(explain(site, model))
        entry.updated(site.moment)
    for change in changes[:ENTRIES]:
        entry = feed.add_entry(order="append")
        entry.id(f"urn:probatio:{change.slug}:{change.date}:{change.layer}:{_name(change.after)}")
        marked = "".join(f"{mark}: " for mark in [*site.marks, *["IMPORTED"] * change.imported])
        entry.title(printable(f"{marked}{change.model}: {change.before} → {change.after}"))
        model = site.tracked[change.slug]
        fall = model.fall_on(change.date)
        entry.link(href=f"{base}{model.fall_address(fall) if fall else f'models/{change.slug}/'}")
        entry.category(term=change.after.partition(",")[0])
        entry.content(_content(site, change, base), type="html")
        entry.updated(_moment(change.date))
        entry.summary(printable(format_dates(scrub(change.reason))) + head)
    return PageReply(feed.atom_str(pretty=True), "application/atom+xml; charset=utf-8")


def _name(label: str) -> str:
    """The verdict in the id of its entry, which must not change with our words."""
    return label.replace(", not proven", "").replace(", ", "-").replace(" ", "-")


def _content(site: Site, change: Change, root: str) -> str:
    """What a reader needs to act: what happened, what else changed, what to do next, and the two days side by
    side."""
    model = site.tracked[change.slug]
    verdict = model.by_date[change.date]
    told = (
        model.teller.describe(verdict, answers=False, began=model.fell_on(verdict)) if model.teller else None
    )
    parts = [f"<p>{_plain(change.reason)}</p>"]
    if change.imported:
        parts.append(
            "<p>This day was taken in from a file: when and how the model was asked is not on record.</p>"
        )
    if told and told.around:
        parts.append(f"<p>Also different: {_plain('; '.join(told.around))}.</p>")
    if told and told.advice:
        parts.append(f"<ul>{''.join(f'<li>Next: {_plain(each)}</li>' for each in told.advice)}</ul>")
    base = escape(f"{root}models/{change.slug}/")
    links = [
        f'<a href="{base}diff/{day}..{change.date}/">Side by side with {name}</a>'
        for name, day in list_fixed(model, verdict).items()
        if day in site.days
    ]
    links.append(f'<a href="{base}{change.date}/">Every sample of {format_dates(change.date)}</a>')
    return "".join([*parts, f"<p>{' · '.join(links)}</p>"])


def _plain(text: str) -> str:
    return escape(printable(format_dates(scrub(text))))


def badge(request: PageRequest) -> PageReply:
    model = request.tracked
    look, words = model.last.look, model.last.label
    label = printable(model.id) + _describe_mark(request, model)
    stale = look == "STALE"  # says by itself when it was last asked
    message = f"{LOOKS[look]} {words}" if stale else f"{LOOKS[look]} {words} · {_asked(model)}"
    told = words if stale else f"{words}, last asked {_asked(model)}"
    left, right = 12 + round(6.6 * len(label)), 12 + round(7.2 * len(message))
    # Solid red is proven; COOKED by the rule alone is red on white.
    ground, ink = ("#fff", COLOURS[look]) if look == "COOKED" else (COLOURS[look], "#fff")
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{escape(label)}: {told}"><title>{escape(label)}: {told}</title>'
        f'<rect width="{left}" height="20" fill="#3b444d"/>'
        f'<rect x="{left + 0.5}" y=".5" width="{right - 1}" height="19" stroke="{COLOURS[look]}" '
        f'fill="{ground}"/>'
        f'<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="14">{escape(label)}</text><text x="{left + right / 2}" '
        f'y="14" fill="{ink}">{message}</text></g></svg>\n'
    )
    return PageReply(text.encode("utf-8", "replace"), SVG, PICTURE_POLICY)


def shield(request: PageRequest) -> PageReply:
    """What shields.io reads to draw its own badge."""
    model = request.tracked
    label = model.id + _describe_mark(request, model)
    stale = model.last.shown == "STALE"
    # This badge has no outline, and red would say that it is proven.
    colour: Look = "SUSPICIOUS" if model.last.look == "COOKED" else model.last.look
    message = model.last.label if stale else f"{model.last.label}, {_asked(model)}"
    return json({"schemaVersion": 1, "label": label, "message": message, "color": COLOURS[colour]})


def _asked(model: TrackedModel) -> str:
    """The day of its last answers: a badge is shown where no one can make it again."""
    return format_date(find_asked(model), "{0.day} {0:%b} {0.year}")


def _describe_mark(request: PageRequest, model: TrackedModel) -> str:
    marks = [*request.site.marks, *["IMPORTED"] * (model.last.date in model.imported)]
    return "".join(f" ({mark.lower()})" for mark in marks)


def _moment(date: str) -> str:
    return f"{date}T00:00:00Z"

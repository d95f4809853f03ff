"""What others show of the site: a drawn picture for a link to it, and a small view of the verdicts for other people's pages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from html import escape

from probatio.charts.scales import Scale
from probatio.charts.svg import pieces
from probatio.extras import installed_extras
from probatio.records import MARKS, Status
from probatio.site.feed import COLOURS
from probatio.site.rendering import PNG, PageReply, PageRequest, html, printable, scrubbed
from probatio.site.snapshot import Site, TrackedModel
from probatio.site.standing import HISTORY_DAYS, Standing, lowest, mean_score, sentence, standings

WIDTH, HEIGHT = 1200, 630
"""What the large previews of messengers and networks are cut to."""
_LEFT, _RIGHT = 64, WIDTH - 64
_GROUND, _INK, _SOFT, _ACCENT = "#fcfbf8", "#1b1d21", "#565a61", "#17508f"  # of the style sheet, on a light ground
_LISTED = 5
EVERYONE = "*"
"""Who may frame the small view: it shows what is public, and takes nothing."""


def site_picture(request: PageRequest) -> PageReply:
    """The sentence of the front page, and the models that stand worst."""
    site = request.site
    rows = standings(site)
    told = sentence(rows, site.last_date) if rows else "Is it still what it was?"
    body = _lines(told, 42, 155, 54, 4)
    top = 395
    for number, row in enumerate(rows[:_LISTED]):
        y = top + 50 * number
        body += [
            _text(row.model.id, 28, _LEFT, y, weight=600, most=40),
            _badge(row.verdict.shown, row.verdict.label, 780, y),
        ]
    return _drawn(request, body)


def model_picture(request: PageRequest) -> PageReply | None:
    """A model with its verdict, the reason, and its last days as a line."""
    model = request.tracked
    if model is None:
        return None
    (row,) = [each for each in standings(request.site) if each.model is model]
    body = [
        _text(model.id, 56, _LEFT, 165, weight=600, family="serif", most=36),
        _badge(model.last.shown, model.last.label, _LEFT, 235),
        *_lines(row.reason, 32, 305, 62, 3),
        _history(model, lowest(request.site)),
    ]
    return _drawn(request, body)


def every_picture(site: Site) -> Iterator[dict[str, str]]:
    """Of the models, where the drawing package is installed."""
    if installed_extras()["charts"]:
        yield from ({"slug": slug} for slug in site.tracked)


def site_pictures(site: Site) -> Iterator[dict[str, str]]:
    if installed_extras()["charts"]:
        yield {}


def status_view(request: PageRequest) -> PageReply:
    """Every model with its badge and its reason, to be framed in another page."""
    return _framed(request, standings(request.site))


def model_view(request: PageRequest) -> PageReply | None:
    model = request.tracked
    return _framed(request, [row for row in standings(request.site) if row.model is model]) if model else None


def _framed(request: PageRequest, rows: Sequence[Standing]) -> PageReply:
    page = html(request, "embed.html", rows=rows)
    return PageReply(page.body, page.kind, page.policy, framed_by=EVERYONE)


def _drawn(request: PageRequest, body: Sequence[str]) -> PageReply:
    """As a PNG: networks show no SVG."""
    from probatio.charts.png import png_of

    site = request.site
    marks = [mark for mark, holds in (("SIMULATED", site.simulated), ("REPLAYED", site.replayed)) if holds]
    frame = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_GROUND}"/>',
        _text("Probatio", 30, _LEFT, 72, weight=600, family="serif"),
        _text(" · ".join([*marks, site.last_date or ""]), 24, _RIGHT, 72, _SOFT, anchor="end"),
        f'<rect x="{_LEFT}" y="92" width="{_RIGHT - _LEFT}" height="3" fill="{_INK}"/>',
    ]
    text = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{"".join([*frame, *body])}</svg>'
    return PageReply(png_of(text, scale=1), PNG)


def _lines(text: str, size: int, y: int, wide: int, most: int) -> list[str]:
    wrapped = textwrap.wrap(scrubbed(text), wide, max_lines=most, placeholder=" …", break_on_hyphens=False)
    family = "serif" if size > 40 else "sans-serif"
    return [
        _text(line, size, _LEFT, round(y + 1.25 * size * number), family=family) for number, line in enumerate(wrapped)
    ]


def _text(
    text: str,
    size: int,
    x: int,
    y: int,
    colour: str = _INK,
    *,
    weight: int = 400,
    family: str = "sans-serif",
    anchor: str = "start",
    most: int = 90,
) -> str:
    shown = text if len(text) <= most else f"{text[: most - 1]}…"
    return (
        f'<text x="{x}" y="{y}" fill="{colour}" font-family="{family}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{escape(printable(shown))}</text>'
    )


def _badge(status: Status, label: str, x: int, y: int) -> str:
    words = f"{MARKS[status]} {label}"
    wide = 32 + round(17.5 * len(words))
    return f'<rect x="{x}" y="{y - 32}" width="{wide}" height="44" rx="5" fill="{COLOURS[status]}"/>' + _text(
        words, 26, x + 16, y, "#fff", weight=600
    )


def _history(model: TrackedModel, low: float) -> str:
    scores = [mean_score(verdict) for verdict in model.verdicts[-HISTORY_DAYS:]]
    x, y = Scale(0, max(1, len(scores) - 1), _LEFT, _RIGHT), Scale(low, 100, 590, 450)
    lines = ["M" + "L".join(f"{x.at(at):.1f},{y.at(score):.1f}" for at, score in piece) for piece in pieces(scores)]
    drawn = 'fill="none" stroke-width="4" stroke-linejoin="round" stroke-linecap="round"'
    return f'<path d="{"".join(lines)}" stroke="{_ACCENT}" {drawn}/>'

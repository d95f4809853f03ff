"""What others show of the site: a picture for a link to it, and a small view of the verdicts for other
pages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from html import escape

from probatio.charts.scales import Scale
from probatio.charts.svg import split_at_gaps
from probatio.core.extras import list_installed
from probatio.core.records import LOOKS, Look
from probatio.core.text.visible import make_visible
from probatio.site.facts.answers import QUESTION, summarise
from probatio.site.facts.diffs import DiffPiece
from probatio.site.facts.standing import (
    HISTORY_DAYS,
    ModelStanding,
    find_lowest_mean,
    list_history,
    list_standings,
    mean_score,
)
from probatio.site.facts.story import tell_fall
from probatio.site.feed import COLOURS
from probatio.site.rendering import PNG, PageReply, PageRequest, format_date, html, printable, scrub
from probatio.site.snapshot import Site, TrackedModel

WIDTH, HEIGHT = 1200, 630
"""What the large previews of messengers and networks are cut to."""
_LEFT, _RIGHT = 64, WIDTH - 64
# Of the style sheet, on a light ground; and badges as they look on the pages.
_GROUND, _INK, _SOFT, _ACCENT = "#fcfbf8", "#1b1d21", "#565a61", "#17508f"
_TINTS: dict[Look, str] = {
    "PROVEN": COLOURS["PROVEN"],
    "COOKED": _GROUND,
    "SUSPICIOUS": "#f9ecd0",
    "ROUTE": "#f9ecd0",
}
_LISTED = 5
_LEAD = 24
"""Characters of an answer that are shown before the words that differ."""
EVERYONE = "*"
"""Who may frame the small view: it shows what is public, and takes nothing."""


def site_picture(request: PageRequest) -> PageReply:
    """The sentence of the front page, and the worst models."""
    site = request.site
    rows = list_standings(site)
    told = summarise(site, rows) if rows else QUESTION
    body = _lines(told, 42, 160, 58, 4)
    top, low = 395, find_lowest_mean(site) if rows else 0.0
    for number, row in enumerate(rows[:_LISTED]):
        y = top + 50 * number
        body += [
            _text(row.model.id, 28, _LEFT, y, weight=600, most=24),
            _badge(row.verdict.look, row.verdict.label, 460, y),
            _history(site, row.model, low, (840, _RIGHT), (y + 10, y - 30), 3),
        ]
    return _draw(request, body)


def model_picture(request: PageRequest) -> PageReply:
    """A model with its verdict, the reason, and its last days as a line; of one that fell, also an answer
    before and one since."""
    model = request.tracked
    (row,) = [each for each in list_standings(request.site) if each.model is model]
    now = mean_score(model.last)
    answers = _answers(request.site, model)
    up = (575, 470 if answers else 435)
    body = [
        _text(model.id, 56, _LEFT, 170, weight=600, family="serif", most=36),
        _badge(model.last.look, model.last.label, _LEFT, 240),
        *(_lines(row.reason, 26, 288, 84, 2) if answers else _lines(row.reason, 32, 310, 62, 3)),
        *answers,
        _history(
            request.site,
            model,
            find_lowest_mean(request.site),
            (_LEFT, _RIGHT - 100),
            up,
            4,
        ),
        _text(f"the last {HISTORY_DAYS} days", 22, _LEFT, 608, _SOFT),
        _text("" if now is None else f"{now:.0f}", 56, _RIGHT, 575, weight=600, anchor="end"),
    ]
    return _draw(request, body)


def _answers(site: Site, model: TrackedModel) -> list[str]:
    """The case of the present fall that fell most: both answers, from where they begin to differ."""
    if model.fall is None:
        return []
    story = tell_fall(site, model, model.fall)
    for case in story.cases:
        if case.before.pieces and case.now.pieces:
            before, now = (_excerpt(each.pieces) for each in (case.before, case.now))
            return [
                _text(f"{case.change.use_case}, before", 20, _LEFT, 356, _SOFT),
                *_lines(before, 22, 384, 88, 1, "monospace"),
                _text("and since", 20, _LEFT, 412, _SOFT),
                *_lines(now, 22, 440, 88, 1, "monospace"),
            ]
    return []


def _excerpt(pieces: Sequence[DiffPiece]) -> str:
    """One line of an answer, with a few words before the first that the other does not have."""
    first = next((at for at, piece in enumerate(pieces) if piece.own), 0)
    lead = "".join(piece.text for piece in pieces[:first])
    text = "".join(piece.text for piece in pieces[first:] if not piece.left_out)
    return f"{'… ' if len(lead) > _LEAD else ''}{lead[-_LEAD:]}{text}" if first else text


def every_picture(site: Site, date: str) -> Iterator[dict[str, str]]:
    """The pictures of the models, if the drawing package is installed: of one that fell with the day whose
    answers it shows."""
    for slug, model in site.tracked.items() if list_installed()["charts"] else ():
        if date == (model.fall.shown_on if model.fall else site.last_date):
            yield {"slug": slug}


def site_pictures(site: Site) -> Iterator[dict[str, str]]:
    if list_installed()["charts"]:
        yield {}


def status_view(request: PageRequest) -> PageReply:
    """Every model with its badge and its reason, for a frame in another page."""
    return _frame(request, list_standings(request.site))


def model_view(request: PageRequest) -> PageReply:
    model = request.tracked
    return _frame(request, [row for row in list_standings(request.site) if row.model is model])


def _frame(request: PageRequest, rows: Sequence[ModelStanding]) -> PageReply:
    page = html(request, "embed.html", rows=rows)
    return PageReply(page.body, page.kind, page.policy, framed_by=EVERYONE)


def _draw(request: PageRequest, body: Sequence[str]) -> PageReply:
    """Draw a PNG: networks show no SVG."""
    from probatio.charts.figure import convert_to_png

    site = request.site
    frame = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_GROUND}"/>',
        _text("Probatio", 30, _LEFT, 72, weight=600, family="serif"),
        _text(
            " · ".join([*site.marks, format_date(site.last_date, unknown="")]),
            24,
            _RIGHT,
            72,
            _SOFT,
            anchor="end",
        ),
        # The pages' double rule.
        *(f'<rect x="{_LEFT}" y="{y}" width="{_RIGHT - _LEFT}" height="2" fill="{_INK}"/>' for y in (92, 97)),
    ]
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{HEIGHT}">{"".join([*frame, *body])}</svg>'
    )
    return PageReply(convert_to_png(text, scale=1), PNG)


def _lines(text: str, size: int, y: int, wide: int, most: int, family: str = "") -> list[str]:
    wrapped = textwrap.wrap(scrub(text), wide, max_lines=most, placeholder=" …", break_on_hyphens=False)
    family = family or ("serif" if size > 40 else "sans-serif")
    return [
        _text(line, size, _LEFT, round(y + 1.25 * size * number), family=family)
        for number, line in enumerate(wrapped)
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
        f'<text x="{x}" y="{y}" fill="{colour}" font-family="{family}" font-size="{size}" '
        f'font-weight="{weight}" '
        f'text-anchor="{anchor}">{escape(printable(make_visible(shown)))}</text>'
    )


def _badge(look: Look, label: str, x: int, y: int) -> str:
    """As on the pages: what is proven is solid, COOKED by the rule alone outlined, SUSPICIOUS tinted, all
    else plain. The sign is a separate text: it may come from another typeface, which would also change the
    words."""
    tint, ink = _TINTS.get(look), "#fff" if look == "PROVEN" else COLOURS[look]
    inset = 16 if tint else 0
    wide = 2 * inset + 30 + sum(19 if letter.isupper() else 15 for letter in label)
    box = (
        f'<rect x="{x}" y="{y - 32}" width="{wide}" height="44" rx="5" fill="{tint}" '
        f'stroke="{COLOURS[look]}"/>'
    )
    sign, words = (
        _text(LOOKS[look], 26, x + inset, y, ink),
        _text(label, 26, x + inset + 30, y, ink, weight=600),
    )
    return f"{box if tint else ''}{sign}{words}"


def _history(
    site: Site, model: TrackedModel, low: float, across: tuple[int, int], up: tuple[int, int], stroke: int
) -> str:
    """Draw the model's last days as a line, from left to right and from `low` to 100 points."""
    days = list_history(site, model)
    # All lines end on the newest day, and a short one begins further right.
    scores = [*[None] * (HISTORY_DAYS - len(days)), *(day.score for day in days)]
    x, y = Scale(0, HISTORY_DAYS - 1, *across), Scale(low, 100, *up)
    lines = [
        "M" + "L".join(f"{x.at(at):.1f},{y.at(score):.1f}" for at, score in piece)
        for piece in split_at_gaps(scores)
    ]
    drawn = f'fill="none" stroke-width="{stroke}" stroke-linejoin="round" stroke-linecap="round"'
    return f'<path d="{"".join(lines)}" stroke="{_ACCENT}" {drawn}/>'

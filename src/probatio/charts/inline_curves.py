"""Learning curves that stand in a page: every mark is a link to the trials behind it, its values are told by the page's script.

As in `inline`, places across are shares of the width, so that letters and marks keep their size; the steps stretch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import msgspec

from probatio.charts.fluid import UNITS, across, written
from probatio.charts.scales import Scale, round_ticks, spread
from probatio.charts.svg import shortened

COLOURS = 6
"""Colours in the stylesheet; a curve beyond them has the colour of an earlier one, and another dash."""
_LEFT = 55.0
"""Thousandths of the width for the shares beside the plot: two digits on a phone."""
_TOP, _AXIS, _ROW = 16.0, 34.0, 16.0
_NAME = 15.0
_TICKS = 6
"""Steps of the axis of tokens, at most: a phone has room for their numbers."""
_BEYOND = 1.16
"""The axis goes on behind the largest condition, where the names of the curves stand."""
_LONGEST_NAME = 34
# Shapes take their colours from where they are used: no rule of a page reaches into a copy.
_SHAPES = (
    '<circle r="4"/>',
    '<path d="M-3.7-3.7h7.4v7.4h-7.4z"/>',
    '<path d="M-4.8 3.8h9.6l-4.8-8.6z"/>',
    '<path d="M0-5.4l5 5.4l-5 5.4l-5-5.4z"/>',
    '<path d="M-4.8-3.8h9.6l-4.8 8.6z"/>',
    '<path d="M-1.6-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z"/>',
)
_DASHES = ("", "2 3", "7 3", "11 3 2 3")


class CurveMark(msgspec.Struct, frozen=True):
    """One condition. Shares are from 0 to 1."""

    tokens: float
    context: str
    share: float
    fit: float
    low: float  # of the fit's band
    high: float
    told: str  # what is said of it
    href: str  # where its trials are


class InlineCurve(msgspec.Struct, frozen=True):
    """The conditions of one model, by tokens. `number` chooses colour and dash, so that a model looks alike in all charts."""

    name: str
    number: int
    marks: tuple[CurveMark, ...]


def curve_plot(
    curves: Sequence[InlineCurve],
    contexts: Sequence[str],
    limits: Sequence[float],
    title: str,
    *,
    name: str,
    height: float,
) -> str:
    """An element of a page, with its steps, bands, marks and names. `name` keeps its shapes apart from those of another chart;
    `height` is that of the plot: below it each context has a row, from its fewest to its most tokens."""
    floor = height - _AXIS
    most = max([10.0, *(mark.tokens for curve in curves for mark in curve.marks)])
    x, y = Scale(0, most * _BEYOND, _LEFT, UNITS), Scale(0, 1, floor, _TOP)
    whole = height + _ROW * len(contexts) + (4 if contexts else 0)
    used = sorted({_shape(mark.context, contexts) for curve in curves for mark in curve.marks})
    parts = [
        f'<svg class="plot curves" height="{whole:.0f}" role="group" aria-label="{escape(title)}"><defs>',
        *(
            f'<g id="{name}-{each}"><circle r="12" fill="transparent" stroke="none"/>{_SHAPES[each]}</g>'
            for each in used
        ),
        "</defs>",
        *_axes(x, y, limits, floor, most),
        *_steps(curves, x, y, floor),
    ]
    for curve in curves:
        parts.append(f'<g class="c{curve.number % COLOURS}">')
        parts += [
            f'<a href="{escape(mark.href)}"><title>{escape(mark.told)}</title>'
            f'<use href="#{name}-{_shape(mark.context, contexts)}" x="{across(x.at(mark.tokens))}" '
            f'y="{y.at(mark.share):.1f}"/></a>'
            for mark in curve.marks
        ]
        parts.append("</g>")
    parts += _names(curves, y, floor)
    parts += _rows(curves, contexts, x, height, name)
    return "".join([*parts, "</svg>"])


def _axes(x: Scale, y: Scale, limits: Sequence[float], floor: float, most: float) -> Iterator[str]:
    for percent in (0, 20, 40, 60, 80, 100):
        at = y.at(percent / 100)
        yield f'<line x1="{across(_LEFT)}" x2="100%" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield written(_LEFT - 7, at + 4, f"{percent}", "end")
    yield written(_LEFT, _TOP - 4, "% right")
    for limit in limits:
        at = y.at(limit)
        yield f'<line class="limit" x1="{across(_LEFT)}" x2="100%" y1="{at:.1f}" y2="{at:.1f}"/>'
    for tokens in round_ticks(0, most, _TICKS):
        place = across(x.at(tokens))
        yield f'<line x1="{place}" x2="{place}" y1="{floor:.1f}" y2="{floor + 4:.1f}"/>'
        yield written(x.at(tokens), floor + 17, f"{tokens:,.0f}", "middle")
    yield written(UNITS, floor + 31, "tokens of context and examples", "end")


def _steps(curves: Sequence[InlineCurve], x: Scale, y: Scale, floor: float) -> Iterator[str]:
    """The part that stretches: the band of each curve and its fit, a step from each condition to the next one."""
    yield f'<svg viewBox="0 0 {UNITS:g} {floor:g}" width="100%" height="{floor:g}" preserveAspectRatio="none">'
    for curve in curves:
        if not curve.marks:
            continue
        ends = [*(mark.tokens for mark in curve.marks[1:]), x.high]
        places = [(round(x.at(mark.tokens)), round(x.at(end))) for mark, end in zip(curve.marks, ends, strict=True)]
        steps = list(zip(curve.marks, places, strict=True))
        upper = "".join(f"V{y.at(mark.high):.0f}H{right}" for mark, (_, right) in steps)
        lower = "".join(f"V{y.at(mark.low):.0f}H{left}" for mark, (left, _) in reversed(steps))
        fit = "".join(f"V{y.at(mark.fit):.1f}H{right}" for mark, (_, right) in steps)
        first, colour = places[0][0], f"c{curve.number % COLOURS}"
        dash = _DASHES[curve.number % len(_DASHES)]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        yield f'<path class="band {colour}" d="M{first} {y.at(steps[0][0].high):.0f}{upper}{lower}z"/>'
        yield f'<path class="fit {colour}"{dashed} d="M{first} {y.at(steps[0][0].fit):.1f}{fit}"/>'
    yield "</svg>"


def _names(curves: Sequence[InlineCurve], y: Scale, floor: float) -> Iterator[str]:
    """Each name above the end of its curve, moved apart where curves end together."""
    drawn = [curve for curve in curves if curve.marks]
    ends = [y.at(curve.marks[-1].fit) - 5 for curve in drawn]
    for curve, at in zip(drawn, spread(ends, _NAME, _TOP - 4, floor - 4), strict=True):
        yield written(UNITS, at, shortened(curve.name, _LONGEST_NAME), "end", f"name c{curve.number % COLOURS}")


def _rows(curves: Sequence[InlineCurve], contexts: Sequence[str], x: Scale, height: float, name: str) -> Iterator[str]:
    """Each context at the tokens that it takes; its name stands to the side that has more room."""
    for row, context in enumerate(contexts):
        tokens = [mark.tokens for curve in curves for mark in curve.marks if mark.context == context]
        if not tokens:
            continue
        first, last, at = x.at(min(tokens)), x.at(max(tokens)), height + _ROW * row + 6
        yield f'<line class="stretch" x1="{across(first)}" x2="{across(last)}" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield f'<use href="#{name}-{_shape(context, contexts)}" x="{across(first)}" y="{at:.1f}"/>'
        # Hard spaces keep the name off its mark: a share of the width plus pixels can't be written.
        if last < UNITS * 0.6:
            yield written(last, at + 4, f"\u00a0\u00a0\u00a0{context}")
        else:
            yield written(first, at + 4, f"{context}\u00a0\u00a0\u00a0", "end")


def _shape(context: str, contexts: Sequence[str]) -> int:
    return (contexts.index(context) if context in contexts else len(contexts)) % len(_SHAPES)

"""Learning curves: pass rate over the prompt tokens of context and examples.

`plot_curves` makes an element of a page, in which every mark is a link to its trials; `draw_curves` makes a
picture with its own colours. Both are the same drawing: the monotone fit as steps with its band, and a mark
for each condition. The colour of a mark is the model, its shape is the context. Below the axis each context
is named where its tokens are, and each curve in a row of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

import msgspec

from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.scales import Scale, amount_ticks
from probatio.charts.surface import PAGE, UNITS, Surface
from probatio.charts.svg import WIDTH, Panel, compose, shorten
from probatio.core.statistics.intervals import Rate

COLOURS = 6
"""Colours in the style sheet; a curve beyond them has the colour of an earlier one, and another dash."""
MOST_BANDS = 4
"""Curves with their band, the first ones; more lie on each other, and each mark tells its own interval."""
HEIGHT = 300.0
"""Of the plot of a picture."""
_LEFT = 55.0
"""Thousandths of the width for the shares left of the plot: two digits on a phone."""
_DIGITS = 34.0
"""Pixels for the same in a file."""
_TOP, _AXIS, _ROW = 16.0, 34.0, 16.0
_INSIDE = 20.0
"""Thousandths of the width that the first mark stands off the shares."""
_SWATCH = 60.0
"""Thousandths of the width for the piece of a curve before its name."""
_TICKS = 6
"""Steps of the axis of tokens, at most: a phone has room for their numbers."""
_BEFORE = 1.5
"""The axis begins so many times below the smallest condition; one without tokens stands at its beginning."""
_BEYOND = 1.2
"""The axis goes on behind the largest condition, so that its step is seen."""
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
_REACH = '<circle r="12" fill="transparent" stroke="none"/>'
"""On a page a finger needs more than the shape."""
_DASHES = ("", "2 3", "7 3", "11 3 2 3")


class Point(msgspec.Struct, frozen=True):
    """One condition on a learning curve; without fit and band where the curve falls."""

    context: str
    n_shot: int
    tokens: int
    rate: Rate
    fit: float | None
    band_low: float | None
    band_high: float | None

    @property
    def level(self) -> float:
        """Where the curve is, by its fit or else by its own rate."""
        return self.fit if self.fit is not None else self.rate.share or 0.0


class LearningCurve(msgspec.Struct, frozen=True):
    """The conditions of one model, by tokens. `number` chooses colour and dash, so that a model looks the
    same in all charts."""

    name: str
    points: Sequence[Point]
    number: int = 0
    address: Callable[[Point], str] | None = None  # of a condition's trials, on a page


def plot_curves(
    curves: Sequence[LearningCurve],
    contexts: Sequence[str],
    limits: Sequence[float],
    title: str,
    *,
    name: str,
    height: float,
) -> str:
    """Make an element of a page. `name` keeps its shapes apart from those of another chart; `height` is that
    of the plot."""
    body = _draw(PAGE, curves, contexts, limits, name, height, _LEFT)
    return (
        f'<svg class="plot curves" height="{_whole(height, contexts, curves):.0f}" role="group" '
        f'aria-label="{escape(title)}">'
        f"{''.join(body)}</svg>"
    )


def draw_curves(
    curves: Sequence[LearningCurve],
    contexts: Sequence[str],
    limits: Sequence[float],
    title: str,
    theme: Theme = ON_PAGE,
    heading: str = "",
    width: float = WIDTH,
) -> str:
    """Draw a picture."""
    surface = Surface(width - 12)
    body = tuple(_draw(surface, curves, contexts, limits, "c", HEIGHT, UNITS * _DIGITS / (width - 12)))
    description = "Pass rate against tokens spent on teaching; bands are 95 % intervals over tasks."
    return compose(
        [Panel(width, _whole(HEIGHT, contexts, curves) + 4, body)], title, description, theme, heading=heading
    )


def _whole(height: float, contexts: Sequence[str], curves: Sequence[LearningCurve]) -> float:
    rows = len(contexts) + sum(bool(curve.points) for curve in curves)
    return height + _ROW * rows + (4 if rows else 0)


def _draw(
    surface: Surface,
    curves: Sequence[LearningCurve],
    contexts: Sequence[str],
    limits: Sequence[float],
    name: str,
    height: float,
    left: float,
) -> Iterator[str]:
    floor = height - _AXIS
    most = max([10.0, *(point.tokens for curve in curves for point in curve.points)])
    least = min([most, *(point.tokens for curve in curves for point in curve.points if point.tokens > 0)])
    # As in the table of tokens: each step to the right is so many times as many.
    x = Scale(max(1.0, least / _BEFORE), most * _BEYOND, left + _INSIDE, UNITS, logarithmic=True)
    y = Scale(0, 1, floor, _TOP)
    used = sorted({_shape(point.context, contexts) for curve in curves for point in curve.points})
    reach = _REACH if surface == PAGE else ""
    shapes = (f'<g id="{name}-{each}">{reach}{_SHAPES[each]}</g>' for each in used)
    yield f"<defs>{''.join(shapes)}</defs>"
    yield from _axes(surface, x, y, limits, floor)
    yield surface.stretch(floor, _steps(surface, curves, x, y))
    for curve in curves:
        yield f'<g class="c{curve.number % COLOURS}">'
        for point in curve.points:
            href = curve.address(point) if curve.address else ""
            opening, closing = (f'<a href="{escape(href)}">', "</a>") if href else ("<g>", "</g>")
            yield (
                f"{opening}<title>{escape(_describe_point(curve.name, point))}</title>"
                f'<use href="#{name}-{_shape(point.context, contexts)}" '
                f'x="{surface.across(x.at(point.tokens))}" '
                f'y="{y.at(point.rate.share or 0.0):.1f}"/>{closing}'
            )
        yield "</g>"
    yield from _names(surface, curves, height + _ROW * len(contexts))
    yield from _rows(surface, curves, contexts, x, height, name)


def _describe_point(name: str, point: Point) -> str:
    """What a reader gets who points at it."""
    rate = point.rate
    share = "no answer" if rate.share is None else f"{100 * rate.share:.0f} % right"
    interval = f"{100 * rate.low:.0f} to {100 * rate.high:.0f} %"
    asked = f"{rate.asked:,} answer{'s' * (rate.asked != 1)} to {rate.tasks:,} task{'s' * (rate.tasks != 1)}"
    where = f"{point.context}, {point.n_shot}-shot, {point.tokens:,} tokens"
    return f"{name}: {where}: {share} ({interval}; {asked})"


def _axes(surface: Surface, x: Scale, y: Scale, limits: Sequence[float], floor: float) -> Iterator[str]:
    left = x.start
    for percent in (0, 20, 40, 60, 80, 100):
        at = y.at(percent / 100)
        yield surface.line("", left, f"{at:.1f}", UNITS, f"{at:.1f}")
        yield surface.text(left - _INSIDE - 7, at + 4, f"{percent}", "end")
    yield surface.text(left, _TOP - 6, "% right")
    for limit in limits:
        yield surface.line("limit", left, f"{y.at(limit):.1f}", UNITS, f"{y.at(limit):.1f}")
    for tokens in amount_ticks(x.low, x.high, _TICKS):
        place = x.at(tokens)
        yield surface.line("", place, f"{floor:.1f}", place, f"{floor + 4:.1f}")
        yield surface.text(place, floor + 17, f"{tokens:,.0f}", "middle")
    yield surface.text(UNITS, floor + 31, "tokens of context and examples", "end")


def _steps(surface: Surface, curves: Sequence[LearningCurve], x: Scale, y: Scale) -> Iterator[str]:
    """The band of each curve and its fit: a step from each condition to the next one, the last one to the
    edge. A curve that falls has its marks only."""
    for place, curve in enumerate(curves):
        fits = [
            (point.fit, point.band_low, point.band_high)
            for point in curve.points
            if point.fit is not None and point.band_low is not None and point.band_high is not None
        ]
        if not fits:
            continue
        ends = [*(point.tokens for point in curve.points[1:]), x.high]
        places = [
            (f"{surface.point(x.at(point.tokens)):g}", f"{surface.point(x.at(end)):g}")
            for point, end in zip(curve.points, ends, strict=True)
        ]
        steps = list(zip(fits, places, strict=True))
        upper = "".join(f"V{y.at(high):.0f}H{right}" for (_, _, high), (_, right) in steps)
        lower = "".join(f"V{y.at(low):.0f}H{left}" for (_, low, _), (left, _) in reversed(steps))
        fit = "".join(f"V{y.at(fit):.1f}H{right}" for (fit, _, _), (_, right) in steps)
        first, colour = places[0][0], f"c{curve.number % COLOURS}"
        if place < MOST_BANDS:
            yield f'<path class="band {colour}" d="M{first} {y.at(fits[0][2]):.0f}{upper}{lower}z"/>'
        yield f'<path class="fit {colour}"{_dash(curve)} d="M{first} {y.at(fits[0][0]):.1f}{fit}"/>'


def _names(surface: Surface, curves: Sequence[LearningCurve], height: float) -> Iterator[str]:
    """Name each curve in a row below the chart: next to its end a name would lie on marks of others."""
    for row, curve in enumerate(each for each in curves if each.points):
        at, colour = height + _ROW * row + 6, f"c{curve.number % COLOURS}"
        yield surface.line(f"fit {colour}", 0, f"{at:.1f}", _SWATCH, f"{at:.1f}", _dash(curve))
        yield surface.text(
            _SWATCH, at + 4, shorten(curve.name, _LONGEST_NAME), kind=f"name {colour}", aside=8
        )


def _dash(curve: LearningCurve) -> str:
    dash = _DASHES[curve.number % len(_DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _rows(
    surface: Surface,
    curves: Sequence[LearningCurve],
    contexts: Sequence[str],
    x: Scale,
    height: float,
    name: str,
) -> Iterator[str]:
    """Draw each context where its tokens are, with its name on the side that has more room."""
    for row, context in enumerate(contexts):
        tokens = [point.tokens for curve in curves for point in curve.points if point.context == context]
        if not tokens:
            continue
        first, last, at = x.at(min(tokens)), x.at(max(tokens)), height + _ROW * row + 6
        yield surface.line("stretch", first, f"{at:.1f}", last, f"{at:.1f}")
        yield f'<use href="#{name}-{_shape(context, contexts)}" x="{surface.across(first)}" y="{at:.1f}"/>'
        if UNITS - last >= first:
            yield surface.text(last, at + 4, context, aside=9)
        else:
            yield surface.text(first, at + 4, context, "end", aside=-9)


def _shape(context: str, contexts: Sequence[str]) -> int:
    return (contexts.index(context) if context in contexts else len(contexts)) % len(_SHAPES)

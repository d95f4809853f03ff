"""Learning curves: pass rate over the prompt tokens of context and examples.

`plot_curves` makes an element of a page, in which every mark is a link to its trials; `draw_curves` makes a
picture with its own colours. Both are the same drawing: the monotone fit as steps with its band, and a mark
for each condition. The colour of a mark is the model, its shape is the context. Below the axis each context
is named where its tokens are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

import msgspec

from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.scales import Scale, move_apart, round_ticks
from probatio.charts.surface import PAGE, UNITS, Surface
from probatio.charts.svg import WIDTH, Panel, compose, shorten
from probatio.core.statistics.intervals import Rate

COLOURS = 6
"""Colours in the style sheet; a curve beyond them has the colour of an earlier one, and another dash."""
HEIGHT = 300.0
"""Of the plot of a picture with few curves."""
_LEFT = 55.0
"""Thousandths of the width for the shares left of the plot: two digits on a phone."""
_DIGITS = 34.0
"""Pixels for the same in a file."""
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
        f'<svg class="plot curves" height="{_whole(height, contexts):.0f}" role="group" '
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
    """Draw a picture that is high enough for every name."""
    height = max(HEIGHT, _NAME * len(curves) + _TOP + _AXIS + 20)
    surface = Surface(width - 12)
    body = tuple(_draw(surface, curves, contexts, limits, "c", height, UNITS * _DIGITS / (width - 12)))
    description = "Pass rate against tokens spent on teaching; bands are 95 % intervals over tasks."
    return compose(
        [Panel(width, _whole(height, contexts) + 4, body)], title, description, theme, heading=heading
    )


def _whole(height: float, contexts: Sequence[str]) -> float:
    return height + _ROW * len(contexts) + (4 if contexts else 0)


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
    x, y = Scale(0, most * _BEYOND, left, UNITS), Scale(0, 1, floor, _TOP)
    used = sorted({_shape(point.context, contexts) for curve in curves for point in curve.points})
    reach = _REACH if surface == PAGE else ""
    shapes = (f'<g id="{name}-{each}">{reach}{_SHAPES[each]}</g>' for each in used)
    yield f"<defs>{''.join(shapes)}</defs>"
    yield from _axes(surface, x, y, limits, floor, most)
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
    yield from _names(surface, curves, y, floor)
    yield from _rows(surface, curves, contexts, x, height, name)


def _describe_point(name: str, point: Point) -> str:
    """What a reader gets who points at it."""
    rate = point.rate
    share = "no answer" if rate.share is None else f"{100 * rate.share:.0f} % right"
    interval = f"{100 * rate.low:.0f} to {100 * rate.high:.0f} %"
    asked = f"{rate.asked:,} answer{'s' * (rate.asked != 1)} to {rate.tasks:,} task{'s' * (rate.tasks != 1)}"
    where = f"{point.context}, {point.n_shot}-shot, {point.tokens:,} tokens"
    return f"{name}: {where}: {share} ({interval}; {asked})"


def _axes(
    surface: Surface, x: Scale, y: Scale, limits: Sequence[float], floor: float, most: float
) -> Iterator[str]:
    left = x.start
    for percent in (0, 20, 40, 60, 80, 100):
        at = y.at(percent / 100)
        yield surface.line("", left, f"{at:.1f}", UNITS, f"{at:.1f}")
        yield surface.text(left - 7, at + 4, f"{percent}", "end")
    yield surface.text(left, _TOP - 4, "% right")
    for limit in limits:
        yield surface.line("limit", left, f"{y.at(limit):.1f}", UNITS, f"{y.at(limit):.1f}")
    for tokens in round_ticks(0, most, _TICKS):
        place = x.at(tokens)
        yield surface.line("", place, f"{floor:.1f}", place, f"{floor + 4:.1f}")
        yield surface.text(place, floor + 17, f"{tokens:,.0f}", "middle")
    yield surface.text(UNITS, floor + 31, "tokens of context and examples", "end")


def _steps(surface: Surface, curves: Sequence[LearningCurve], x: Scale, y: Scale) -> Iterator[str]:
    """The band of each curve and its fit: a step from each condition to the next one, the last one to the
    edge. A curve that falls has its marks only."""
    for curve in curves:
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
        dash = _DASHES[curve.number % len(_DASHES)]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        yield f'<path class="band {colour}" d="M{first} {y.at(fits[0][2]):.0f}{upper}{lower}z"/>'
        yield f'<path class="fit {colour}"{dashed} d="M{first} {y.at(fits[0][0]):.1f}{fit}"/>'


def _names(surface: Surface, curves: Sequence[LearningCurve], y: Scale, floor: float) -> Iterator[str]:
    """Write each name above the end of its curve, moved apart if curves end together."""
    drawn = [curve for curve in curves if curve.points]
    ends = [y.at(curve.points[-1].level) - 5 for curve in drawn]
    for curve, at in zip(drawn, move_apart(ends, _NAME, _TOP - 4, floor - 4), strict=True):
        yield surface.text(
            UNITS, at, shorten(curve.name, _LONGEST_NAME), "end", f"name c{curve.number % COLOURS}"
        )


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
        # Hard spaces keep the name off its mark: a share of the width plus pixels can't be written.
        if last < UNITS * 0.6:
            yield surface.text(last, at + 4, f"\u00a0\u00a0\u00a0{context}")
        else:
            yield surface.text(first, at + 4, f"{context}\u00a0\u00a0\u00a0", "end")


def _shape(context: str, contexts: Sequence[str]) -> int:
    return (contexts.index(context) if context in contexts else len(contexts)) % len(_SHAPES)

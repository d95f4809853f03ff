"""Learning curves: pass rate over the prompt tokens of context and examples; and the same rates by context and n-shot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import msgspec

from probatio.charts.marks import legend, point_mark
from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.plot import NARROW, WIDTH, Plot, amount_axis, limit_line, value_axis
from probatio.charts.scales import Scale, round_ticks, spread
from probatio.charts.svg import LETTER, Panel, box, picture, polyline, ribbon, rule, shortened, text

CURVES_HEIGHT = 380.0
_LINE = 14.0
"""From one label to the next."""
_LONGEST_NAME = 28
_LEAST = 240.0
"""Height of the curves, below which their steps could not be told apart."""


class CurvePoint(msgspec.Struct, frozen=True):
    """One condition: its rate, and the fit with its band at its place. All are shares from 0 to 1."""

    tokens: float
    context: str
    n_shot: int
    share: float
    fit: float
    low: float
    high: float


class LearningCurve(msgspec.Struct, frozen=True):
    """The conditions of one model in one dialect, by tokens."""

    name: str
    points: tuple[CurvePoint, ...]


def learning_curves(
    curves: Sequence[LearningCurve],
    contexts: Sequence[str],
    limits: Sequence[float],
    title: str,
    theme: Theme = ON_PAGE,
    heading: str = "",
    width: float = WIDTH,
) -> str:
    """The monotone fit as steps with its band, and a mark for each condition: its colour is the model, its shape the context.
    Below the axis each context is named at the stretch of tokens that it takes.

    A narrow picture has no room beside the plot, so the names of its curves stand below it.
    """
    narrow = width < NARROW
    named = _LINE * len(contexts) + 8 if contexts else 0.0
    height = max(_LEAST, CURVES_HEIGHT - named - 40 * narrow, 0 if narrow else _LINE * len(curves) + 80)
    names = [shortened(curve.name, _LONGEST_NAME) for curve in curves]
    beside = 0 if narrow else LETTER * max(map(len, names), default=0)
    plot = Plot(52, 14, width - 16 - beside, height - 40)
    most = max([10.0, *(point.tokens for curve in curves for point in curve.points)])
    x, y = plot.across(0, most * 1.02), plot.up(0, 1)
    body = list(value_axis(plot, y, [(share / 100, f"{share} %") for share in (0, 20, 40, 60, 80, 100)]))
    for limit in limits:
        body += limit_line(plot, y, limit)
        if round(100 * limit) % 20:
            body.append(text(plot.left - 6, y.at(limit) + 4, f"{100 * limit:.0f} %", anchor="end"))
    ticks = [(tokens, f"{tokens:,.0f}") for tokens in round_ticks(0, most * 1.02, max(3, int(plot.width // 70)))]
    body += amount_axis(plot, x, ticks, "prompt tokens of context and examples")
    for number, curve in enumerate(curves):
        body += _curve(curve, number, x, y)
    for number, curve in enumerate(curves):
        for point in curve.points:
            mark = point_mark(_shape(point.context, contexts), f"f{number % 6}", x.at(point.tokens), y.at(point.share))
            body.append(f"<g><title>{escape(_told(curve, point))}</title>{mark}</g>")
    if not narrow:
        body += _names(curves, names, plot, y)
    panels = [Panel(width, height, tuple(body))]
    if narrow:
        panels.append(legend([(_line(number), name) for number, name in enumerate(names)], width, plot.left))
    if contexts:
        panels.append(Panel(width, named, tuple(_stretches(curves, contexts, x, plot))))
    described = "Pass rate against tokens spent on teaching; bands hold in 95 of 100 draws of the tasks."
    return picture(panels, title, described, theme, heading=heading)


def rate_map(
    curves: Sequence[LearningCurve],
    contexts: Sequence[str],
    title: str,
    theme: Theme = ON_PAGE,
    heading: str = "",
    width: float = WIDTH,
) -> str:
    """Pass rates by context (down) and n-shot (across), a panel per model."""
    n_shots = sorted({point.n_shot for curve in curves for point in curve.points})
    left = 16 + LETTER * max(map(len, contexts), default=0)
    panels = [_rate_panel(curve, contexts, n_shots, left) for curve in curves]
    columns = max(1, min(3, int(width // panels[0].width))) if panels else 1
    described = "Passed in percent, by context and number of examples; darker is more."
    return picture(panels, title, described, theme, columns, heading)


def _curve(curve: LearningCurve, number: int, x: Scale, y: Scale) -> Iterator[str]:
    """A step lasts until the next condition; the last one until the edge."""
    upper: list[tuple[float, float]] = []
    lower: list[tuple[float, float]] = []
    fit: list[tuple[float, float]] = []
    ends = [*(point.tokens for point in curve.points[1:]), x.high]
    for point, end in zip(curve.points, ends, strict=True):
        for tokens in (point.tokens, end):
            upper.append((x.at(tokens), y.at(point.high)))
            lower.append((x.at(tokens), y.at(point.low)))
            fit.append((x.at(tokens), y.at(point.fit)))
    yield ribbon(f"area f{number % 6}", upper, lower)
    yield polyline(f"step s{number % 6}", fit, _dash(number))


def _dash(number: int) -> str:
    return f"{2 + 4 * (number % 4)} 3" if number else ""


def _line(number: int) -> str:
    """A piece of the curve's line, as the mark of a legend."""
    return polyline(f"step s{number % 6}", [(-8, 0), (8, 0)], _dash(number))


def _names(curves: Sequence[LearningCurve], names: Sequence[str], plot: Plot, y: Scale) -> Iterator[str]:
    """Each name where its curve ends, moved apart where curves end together."""
    ends = [y.at(curve.points[-1].fit) for curve in curves if curve.points]
    for number, (name, end) in enumerate(zip(names, spread(ends, _LINE, plot.top + 4, plot.bottom), strict=True)):
        yield text(plot.right + 6, end + 4, name, f"f{number % 6}")


def _stretches(curves: Sequence[LearningCurve], contexts: Sequence[str], x: Scale, plot: Plot) -> Iterator[str]:
    """Each context in a row: its mark, its name, and a line from its fewest to its most tokens."""
    for row, context in enumerate(contexts):
        tokens = [point.tokens for curve in curves for point in curve.points if point.context == context] or [0.0]
        first, last, y = x.at(min(tokens)), x.at(max(tokens)), 6 + _LINE * row
        taken = LETTER * len(context) + 12
        after = last + taken <= plot.right
        yield rule("whisker", first, y, last, y)
        yield point_mark(_shape(context, contexts), "neutral", first, y)
        if after:
            yield text(last + 8, y + 4, context)
        else:
            yield text(max(first - 8, taken), y + 4, context, anchor="end")


def _told(curve: LearningCurve, point: CurvePoint) -> str:
    """What a reader gets who points at a condition."""
    examples = f"{point.n_shot} example{'s' * (point.n_shot != 1)}"
    return f"{curve.name}: {point.context}, {examples}: {100 * point.share:.0f} % passed, {point.tokens:,.0f} tokens"


def _shape(context: str, contexts: Sequence[str]) -> int:
    return contexts.index(context) if context in contexts else len(contexts)


def _rate_panel(curve: LearningCurve, contexts: Sequence[str], n_shots: Sequence[int], left: float) -> Panel:
    wide, high, top = 46.0, 28.0, 28.0
    rates = {(point.context, point.n_shot): point.share for point in curve.points}
    body = [text(left, 16, shortened(curve.name, _LONGEST_NAME), "value")]
    for row, context in enumerate(contexts):
        y = top + high * row
        body.append(text(left - 6, y + high / 2 + 4, context, anchor="end"))
        for column, n_shot in enumerate(n_shots):
            x, share = left + wide * column, rates.get((context, n_shot))
            if share is None:
                body.append(text(x + wide / 2, y + high / 2 + 4, "–", anchor="middle"))
                continue
            shade = round(10 * share)
            body.append(box(f"shade{shade}", x + 1, y + 1, wide - 2, high - 2))
            number, ink = f"{100 * share:.0f}", "on-dark" if shade > 5 else "on-pale"
            body.append(text(x + wide / 2, y + high / 2 + 4, number, ink, anchor="middle"))
    bottom = top + high * len(contexts)
    for column, n_shot in enumerate(n_shots):
        x = left + wide * (column + 0.5)
        body += [rule("grid", x, bottom + 1, x, bottom + 4), text(x, bottom + 16, f"{n_shot}", anchor="middle")]
    body.append(text(left + wide * len(n_shots) / 2, bottom + 32, "n-shot", anchor="middle"))
    width = max(left + wide * len(n_shots), left + LETTER * min(len(curve.name), _LONGEST_NAME)) + 16
    return Panel(width, bottom + 42, tuple(body))

"""Daily series: scores day by day beside the baseline, verdicts as shapes; the evidence; the small line of the leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import msgspec

from probatio.charts.marks import status_mark
from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.plot import WIDTH, Plot, limit_line, slot_axis, value_axis
from probatio.charts.scales import Scale, decade_label, decade_ticks, slots
from probatio.charts.svg import Panel, picture, pieces, polyline, ribbon, rule, text
from probatio.records import Status

HEIGHT = 190.0
"""Of a picture with one series; a page reserves this room before the picture is loaded."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 12.0, 16.0, 24.0
_HEADING = 18.0
_SCORES = [(value, str(value)) for value in (0, 25, 50, 75, 100)]


class DayPoint(msgspec.Struct, frozen=True):
    """One day of one use case. `status` is None where it was not asked, `score` is None in a gap."""

    label: str
    score: float | None = None
    status: Status | None = None
    mean: float | None = None  # of the baseline
    low: float | None = None  # the band around it
    high: float | None = None
    border: str = ""  # what is new from this day on, such as a suite version
    barred: bool = False


class EvidencePoint(msgspec.Struct, frozen=True):
    """The evidence against a model on one day; None where there is none."""

    label: str
    value: float | None = None
    border: str = ""


class EvidenceLine(msgspec.Struct, frozen=True):
    """A value at which the evidence gets a name."""

    value: float
    name: str


def daily_series(days: Sequence[DayPoint], title: str, theme: Theme = ON_PAGE) -> str:
    described = "Daily scores, 0 to 100, with the baseline's mean and the band around it."
    return picture([daily_panel(days)], title, described, theme)


def evidence_curve(
    days: Sequence[EvidencePoint], lines: Sequence[EvidenceLine], title: str, theme: Theme = ON_PAGE
) -> str:
    described = "The evidence against 'no worse than the reference', on a logarithmic scale."
    return picture([evidence_panel(days, lines)], title, described, theme)


def daily_panel(days: Sequence[DayPoint], heading: str = "", height: float = HEIGHT) -> Panel:
    """Scores with the baseline's mean and band, verdicts as shapes, borders, and a `b` above barred days."""
    plot = _plot(heading, height)
    y, places = plot.up(0, 100), slots(len(days), plot.left, plot.right)
    body = [*_heading(heading, plot), *value_axis(plot, y, _SCORES)]
    body += slot_axis(plot, places, [day.label for day in days])
    body += _bands(days, places, y)
    body += _borders([day.border for day in days], places, plot, plot.bottom - 5)
    for piece in pieces([day.score for day in days]):
        body.append(polyline("line", ((places[number], y.at(score)) for number, score in piece)))
    for x, day in zip(places, days, strict=True):
        if day.status is not None:
            gap = day.score is None
            body.append(status_mark("GAP" if gap else day.status, x, plot.bottom - 5 if gap else y.at(day.score or 0)))
        if day.barred:
            body.append(text(x, plot.top - 4, "b", anchor="middle"))
    return Panel(WIDTH, height, tuple(body))


def evidence_panel(
    days: Sequence[EvidencePoint], lines: Sequence[EvidenceLine], heading: str = "", height: float = HEIGHT
) -> Panel:
    """The evidence on a logarithmic scale from 1, with the lines at which it gets a name."""
    plot = _plot(heading, height)
    top = max([*(10 * line.value for line in lines), *(day.value or 0 for day in days)])
    y, places = plot.up(1, top, logarithmic=True), slots(len(days), plot.left, plot.right)
    powers = decade_ticks(top, 6)
    body = [*_heading(heading, plot)]
    body += value_axis(plot, y, [(10.0**power, decade_label(power, powers[-1])) for power in powers])
    body += slot_axis(plot, places, [day.label for day in days])
    for number, line in enumerate(sorted(lines, key=lambda line: line.value)):
        body += limit_line(plot, y, line.value, line.name, below=number == 0 and len(lines) > 1)
    body += _borders([day.border for day in days], places, plot, plot.top + 9)
    for piece in pieces([day.value for day in days]):
        body.append(polyline("line", ((places[number], y.at(value)) for number, value in piece)))
        if len(piece) == 1:
            body.append(f'<circle class="dot" cx="{places[piece[0][0]]:.1f}" cy="{y.at(piece[0][1]):.1f}" r="2"/>')
    return Panel(WIDTH, height, tuple(body))


def sparkline(scores: Sequence[float | None], title: str, low: float = 0.0) -> str:
    """The last days at a glance, from `low` to 100; a gap is a gap. An element of a page, coloured by the page's own style."""
    width, height = 144, 52  # twice its size on the page: whole numbers are fine enough, and short
    y, step = Scale(low, 100, height - 6, 6), (width - 8) / max(1, len(scores) - 1)
    parts = [f'<svg class="spark" viewBox="0 0 {width} {height}" role="img"><title>{escape(title)}</title>']
    for piece in pieces(scores):
        points = " ".join(f"{4 + step * number:.0f},{y.at(score):.0f}" for number, score in piece)
        parts.append(f'<polyline points="{points}"/>')
    if scores and scores[-1] is not None:
        parts.append(f'<circle cx="{width - 4}" cy="{y.at(scores[-1]):.0f}" r="4"/>')
    return "".join(parts) + "</svg>"


def _plot(heading: str, height: float) -> Plot:
    return Plot(_LEFT, _TOP + (_HEADING if heading else 0), WIDTH - _RIGHT, height - _BOTTOM)


def _heading(heading: str, plot: Plot) -> list[str]:
    return [text(plot.left, plot.top - 14, heading, "heading")] if heading else []


def _bands(days: Sequence[DayPoint], places: Sequence[float], y: Scale) -> Iterator[str]:
    for piece in pieces([day.low for day in days]):
        upper = [(places[number], y.at(days[number].high or 0)) for number, _ in piece]
        yield ribbon("band", upper, [(places[number], y.at(low)) for number, low in piece])
    for piece in pieces([day.mean for day in days]):
        yield polyline("mean", ((places[number], y.at(mean)) for number, mean in piece))


def _borders(borders: Sequence[str], places: Sequence[float], plot: Plot, level: float) -> Iterator[str]:
    """An upright line between the last day before and the first day of what is new, with its name where few lines pass."""
    half = plot.width / len(borders) / 2 if borders else 0
    for x, name in zip(places, borders, strict=True):
        if name:
            yield rule("border", x - half, plot.top, x - half, plot.bottom)
            late = x - half > plot.left + 0.8 * plot.width
            side = -4 if late else 4
            yield text(x - half + side, level, name, "border", "end" if late else "start")

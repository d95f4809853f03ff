"""Charts as SVG, drawn here: small lines for the leaderboard, daily series, the evidence, learning curves.

Numbers alone reach the markup, but for titles and labels, which are escaped. A picture follows the reader's colour scheme by
itself; a mark's shape says what its colour says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import log10

from markupsafe import Markup

from probatio.records import ModelVerdict, Status, UseCaseVerdict
from probatio.study.findings import Curve

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 190, 44, 12, 14, 26

STYLE = """<style>
text{font:11px system-ui,sans-serif;fill:#4d5660}
.axis{stroke:#c3c9d0;stroke-width:1}.border{stroke:#6a4fb3;stroke-dasharray:5 3}.limit{stroke:#8a5a00;stroke-dasharray:4 4}
.band{fill:#2f6fb0;opacity:.16}
.mean{stroke:#2f6fb0;stroke-dasharray:3 3;fill:none}.line{stroke:#24292f;fill:none;stroke-width:1.5}
.OK{fill:#1a7f37}.SUSPICIOUS{fill:#9a6700}.COOKED{fill:#c0211d}.CALIBRATING{fill:#57606a}.GAP{fill:none;stroke:#57606a}
.s0{stroke:#2f6fb0}.s1{stroke:#b3541e}.s2{stroke:#1a7f37}.s3{stroke:#8250df}.s4{stroke:#9a6700}.s5{stroke:#bf3989}
.f0{fill:#2f6fb0}.f1{fill:#b3541e}.f2{fill:#1a7f37}.f3{fill:#8250df}.f4{fill:#9a6700}.f5{fill:#bf3989}
.area{opacity:.15}.step{fill:none;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#aab4be}.axis{stroke:#3b444d}.border{stroke:#b39df3}.limit{stroke:#e3b341}
.band{fill:#6cb6ff}.mean{stroke:#6cb6ff}.line{stroke:#e6edf3}.OK{fill:#4ac26b}.SUSPICIOUS{fill:#e3b341}.COOKED{fill:#ff7b72}
.CALIBRATING{fill:#9aa4ae}.GAP{stroke:#9aa4ae}.s0{stroke:#6cb6ff}.s1{stroke:#f0883e}.s2{stroke:#4ac26b}.s3{stroke:#d2a8ff}
.s4{stroke:#e3b341}.s5{stroke:#ff9bce}.f0{fill:#6cb6ff}.f1{fill:#f0883e}.f2{fill:#4ac26b}.f3{fill:#d2a8ff}.f4{fill:#e3b341}.f5{fill:#ff9bce}}
</style>"""

_SHAPES: dict[Status, str] = {
    "OK": '<circle class="OK" cx="{x}" cy="{y}" r="2.4"/>',
    "CALIBRATING": '<circle class="CALIBRATING" cx="{x}" cy="{y}" r="1.8"/>',
    "SUSPICIOUS": '<path class="SUSPICIOUS" d="M{x} {y}m-5 4h10l-5 -9z"/>',
    "COOKED": '<path class="COOKED" d="M{x} {y}m-4.5 -4.5h9v9h-9z"/>',
    "GAP": '<path class="GAP" d="M{x} {y}m-3 -3l6 6m0 -6l-6 6"/>',
}

Daily = Sequence[tuple[ModelVerdict, UseCaseVerdict | None]]


def sparkline(scores: Sequence[float | None], title: str, low: float = 0.0) -> Markup:
    """The last days at a glance, from `low` to 100; a gap is a gap."""
    width, height = 72, 26

    def y(score: float) -> str:
        return f"{height - 3 - (height - 6) * (max(low, score) - low) / (100 - low):.1f}"

    step = (width - 4) / max(1, len(scores) - 1)
    parts = [f'<svg class="spark" viewBox="0 0 {width} {height}" role="img"><title>{escape(title)}</title>']
    for piece in _pieces(scores):
        points = " ".join(f"{2 + step * at:.1f},{y(score)}" for at, score in piece)
        parts.append(f'<polyline points="{points}"/>')
    if scores and scores[-1] is not None:
        parts.append(f'<circle cx="{width - 2}" cy="{y(scores[-1])}" r="2"/>')
    return Markup("".join(parts) + "</svg>")


def daily_series(days: Daily, title: str) -> str:
    """Scores day by day with baseline mean and band, verdicts as shapes, borders of suite and route, barred days."""
    count = len(days)
    said = [found for _, found in days]
    places = [LEFT + (WIDTH - LEFT - RIGHT) * (at + 0.5) / max(1, count) for at in range(count)]
    body = list(
        _frame(
            [verdict.date for verdict, _ in days],
            places,
            [(value, str(value)) for value in (0, 25, 50, 75, 100)],
            _share,
        )
    )
    for run in _runs([found is not None and found.mean is not None for found in said]):
        with_mean = [(places[at], found) for at in run if (found := said[at]) is not None]
        upper = [f"{x:.1f},{_share((found.mean or 0) + (found.sd or 0)):.1f}" for x, found in with_mean]
        lower = [f"{x:.1f},{_share((found.mean or 0) - (found.sd or 0)):.1f}" for x, found in with_mean]
        body.append(f'<polygon class="band" points="{" ".join([*upper, *reversed(lower)])}"/>')
        means = " ".join(f"{x:.1f},{_share(found.mean or 0):.1f}" for x, found in with_mean)
        body.append(f'<polyline class="mean" points="{means}"/>')
    body += _borders(days, places)
    for piece in _pieces([found.score if found else None for found in said]):
        points = " ".join(f"{places[at]:.1f},{_share(score):.1f}" for at, score in piece)
        body.append(f'<polyline class="line" points="{points}"/>')
    for x, found in zip(places, said, strict=True):
        if found is None:
            continue
        y = _share(found.score) if found.score is not None else HEIGHT - BOTTOM - 5
        status: Status = "GAP" if found.score is None else found.status
        body.append(_SHAPES[status].format(x=f"{x:.1f}", y=f"{y:.1f}"))
    return _svg(title, "Daily scores, 0 to 100, with the baseline's mean and one standard deviation around it.", body)


def evidence_curve(verdicts: Sequence[ModelVerdict], suspected: float, confirmed: float, title: str) -> str:
    """The model statistic M on a logarithmic scale, with the two lines it is read against."""
    top = max([confirmed * 10, *(verdict.evidence_value or 0 for verdict in verdicts)])
    decades = log10(top)

    def height(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - log10(max(1.0, value)) / decades)

    places = [LEFT + (WIDTH - LEFT - RIGHT) * (at + 0.5) / max(1, len(verdicts)) for at in range(len(verdicts))]
    ticks = [(10.0**power, _short(power)) for power in range(0, int(decades) + 1, max(1, round(decades / 5)))]
    body = list(_frame([verdict.date for verdict in verdicts], places, ticks, height))
    for value, name, aside in ((suspected, "SUSPECTED", 11), (confirmed, "CONFIRMED", -3)):
        y = height(value)
        body.append(f'<line class="limit" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        body.append(f'<text x="{LEFT + 74}" y="{y + aside:.1f}" text-anchor="end">{name}</text>')
    for piece in _pieces([verdict.evidence_value for verdict in verdicts]):
        points = " ".join(f"{places[at]:.1f},{height(value):.1f}" for at, value in piece)
        body.append(f'<polyline class="line" points="{points}"/>')
    return _svg(title, "The evidence against 'no worse than the reference', logarithmic.", body)


def learning_curves(curves: Sequence[Curve], title: str) -> str:
    """Pass rate over prompt tokens: monotone fit as steps, its band, the rates themselves as marks of their own shape."""
    widest = max([1, *(point.tokens for curve in curves for point in curve.points)]) * 1.03
    tall = 320

    def x(tokens: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * tokens / widest

    def y(share: float) -> float:
        return TOP + (tall - TOP - BOTTOM - 14) * (1 - share)

    body = []
    for value in (0, 0.25, 0.5, 0.75, 0.8, 0.9, 1):
        kind, level = "limit" if value in (0.8, 0.9) else "axis", f"{y(value):.1f}"
        body.append(f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{level}" y2="{level}"/>')
        if value not in (0.75, 0.8):
            body.append(f'<text x="{LEFT - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{100 * value:.0f} %</text>')
    below = [
        (x(tokens), tall - 22, f"{tokens:,.0f}") for tokens in (0, widest / 4, widest / 2, widest * 0.75, widest / 1.03)
    ]
    below.append((WIDTH / 2, tall - 6, "prompt tokens of context and examples"))
    body += [f'<text x="{at:.1f}" y="{down}" text-anchor="middle">{text}</text>' for at, down, text in below]
    for number, curve in enumerate(curves):
        colour = number % 6
        upper, lower, fit = [], [], []
        for point, after in zip(curve.points, [*curve.points[1:], None], strict=True):
            end = after.tokens if after else widest
            for at in (point.tokens, end):
                upper.append(f"{x(at):.1f},{y(point.band_high):.1f}")
                lower.append(f"{x(at):.1f},{y(point.band_low):.1f}")
                fit.append(f"{x(at):.1f},{y(point.fit):.1f}")
        body.append(f'<polygon class="area f{colour}" points="{" ".join([*upper, *reversed(lower)])}"/>')
        dash = "" if not number else f' stroke-dasharray="{2 + 4 * (number % 4)} 3"'
        body.append(f'<polyline class="step s{colour}"{dash} points="{" ".join(fit)}"/>')
        for point in curve.points:
            shape = _MARKS[number % len(_MARKS)].format(x=f"{x(point.tokens):.1f}", y=f"{y(point.rate.share or 0):.1f}")
            body.append(f'<g class="f{colour}">{shape}</g>')
    described = "Pass rate against tokens spent on teaching; bands hold in 95 of 100 draws of the tasks."
    return _svg(title, described, body, tall)


_MARKS = (
    '<circle cx="{x}" cy="{y}" r="3.5"/>',
    '<path d="M{x} {y}m-4 3.5h8l-4 -7.5z"/>',
    '<path d="M{x} {y}m-3.5 -3.5h7v7h-7z"/>',
    '<path d="M{x} {y}m0 -5l4.5 5l-4.5 5l-4.5 -5z"/>',
)


def _svg(title: str, description: str, body: Sequence[str], height: int = HEIGHT) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">{STYLE}'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(body)}</svg>\n"
    )


def _short(power: int) -> str:
    """10 to the power, as short as it is read: 100, 10k, 1M."""
    return f"{10 ** (power % 3)}{('', 'k', 'M', 'G', 'T', 'P', 'E')[min(power // 3, 6)]}"


def _frame(
    dates: Sequence[str],
    places: Sequence[float],
    ticks: Sequence[tuple[float, str]],
    height: Callable[[float], float],
) -> Iterator[str]:
    for value, label in ticks:
        y = height(value)
        yield f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
    step = max(1, len(dates) // 6)
    for at in range(0, len(dates), step):
        if at + step // 2 < len(dates) or at == 0:
            yield f'<text x="{places[at]:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(dates[at][2:])}</text>'


def _borders(days: Daily, places: Sequence[float]) -> Iterator[str]:
    """Where the suite or the route changed, and barred days."""
    for at, (verdict, _) in enumerate(days):
        x = places[at]
        before = days[at - 1][0] if at else verdict
        if verdict.suite_version != before.suite_version:
            yield f'<line class="border" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
            yield f'<text x="{x + 3:.1f}" y="{TOP + 8}">suite {escape(verdict.suite_version)}</text>'
        if verdict.routing_changed and not (at and before.routing_changed):
            yield f'<line class="border" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
            yield f'<text x="{x + 3:.1f}" y="{TOP + 8}">route</text>'
        if verdict.barred:
            yield f'<text x="{x:.1f}" y="{TOP - 3}" text-anchor="middle">b</text>'


def _share(score: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(100.0, max(0.0, score)) / 100)


def _pieces(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    """The runs between gaps: places with their values."""
    piece: list[tuple[int, float]] = []
    for at, value in enumerate([*values, None]):
        if value is not None:
            piece.append((at, value))
        elif piece:
            yield piece
            piece = []


def _runs(there: Sequence[bool]) -> Iterator[list[int]]:
    for piece in _pieces([float(at) if here else None for at, here in enumerate(there)]):
        yield [at for at, _ in piece]

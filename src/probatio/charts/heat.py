"""Heat maps: pass rates as cells by context and n-shot, a panel for each model; darker is more."""

from __future__ import annotations

from collections.abc import Sequence

from probatio.charts.curves import LearningCurve
from probatio.charts.palette import ON_PAGE, Theme
from probatio.charts.svg import LETTER, WIDTH, Panel, box, compose, rule, shorten, text

_LONGEST_NAME = 30
_ROW, _TOP, _FOOT, _MEAN = 20.0, 40.0, 12.0, 50.0
_WIDEST = 46.0
_NUMBERS_FROM = 24.0
"""Pixels of a cell that has room for its number."""


def draw_rates(
    curves: Sequence[LearningCurve],
    contexts: Sequence[str],
    title: str,
    theme: Theme = ON_PAGE,
    heading: str = "",
    width: float = WIDTH,
) -> str:
    """Draw pass rates by context (down) and n-shot (across), a panel per model."""
    n_shots = sorted({point.n_shot for curve in curves for point in curve.points})
    left = 16 + LETTER * max(map(len, contexts), default=0)
    panels = [_rate_panel(curve, contexts, n_shots, left) for curve in curves]
    columns = max(1, min(3, int(width // panels[0].width))) if panels else 1
    description = "Passed in percent, by context and number of examples; darker is more."
    return compose(panels, title, description, theme, columns, heading)


def _rate_panel(curve: LearningCurve, contexts: Sequence[str], n_shots: Sequence[int], left: float) -> Panel:
    wide, high, top = _WIDEST, 28.0, 28.0
    rates = {(point.context, point.n_shot): point.rate.share or 0.0 for point in curve.points}
    body = [text(left, 16, shorten(curve.name, _LONGEST_NAME), "value")]
    for row, context in enumerate(contexts):
        y = top + high * row
        body.append(text(left - 6, y + high / 2 + 4, context, anchor="end"))
        for column, n_shot in enumerate(n_shots):
            body += _cell(left + wide * column, y, wide, high, rates.get((context, n_shot)))
    bottom = top + high * len(contexts)
    for column, n_shot in enumerate(n_shots):
        x = left + wide * (column + 0.5)
        body += [
            rule("grid", x, bottom + 1, x, bottom + 4),
            text(x, bottom + 16, f"{n_shot}", anchor="middle"),
        ]
    body.append(text(left + wide * len(n_shots) / 2, bottom + 32, "n-shot", anchor="middle"))
    width = max(left + wide * len(n_shots), left + LETTER * min(len(curve.name), _LONGEST_NAME)) + 16
    return Panel(width, bottom + 42, tuple(body))


def _cell(x: float, y: float, wide: float, high: float, share: float | None) -> list[str]:
    if share is None:
        return [text(x + wide / 2, y + high / 2 + 4, "–", anchor="middle")]
    shade = round(10 * min(1.0, max(0.0, share)))
    cell = [box(f"shade{shade}", x + 0.5, y + 0.5, wide - 1, high - 1)]
    if wide >= _NUMBERS_FROM:
        kind = "on-dark" if shade > 5 else "on-pale"
        cell.append(text(x + wide / 2, y + high / 2 + 4, f"{100 * share:.0f}", kind, "middle"))
    return cell

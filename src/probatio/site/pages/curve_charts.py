"""Learning curves as the pages show them: which are in one chart, the words for each mark, and where it
leads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from probatio.charts.curves import LearningCurve, Point, plot_curves
from probatio.learn.curves import SHARES
from probatio.learn.findings import Condition, Curve, curve_name
from probatio.site.facts.runs import StudiedRun
from probatio.site.facts.teaching import TaughtModel, condition_address

TOGETHER = 6
"""Curves in one chart; more can't be told apart."""
HEIGHT, SMALL = 320.0, 250.0


class CurveChart(NamedTuple):
    """A chart with its heading. `left_out`: curves for which there is no room."""

    heading: str
    chart: Markup
    left_out: int = 0


def run_charts(run: StudiedRun, path: str, most: int) -> list[CurveChart]:
    """All curves of a run in one chart; if there are many, a chart for each few models."""
    curves = run.study.curves
    if not curves:
        return []
    if len(curves) <= TOGETHER:
        drawn = [
            _draw(run, curve, curve_name(curve, curves), number, path) for number, curve in enumerate(curves)
        ]
        return [_chart("", drawn, curves, f"Learning curves of {run.name}", "c0", HEIGHT)]
    models = list(dict.fromkeys(curve.model for curve in curves))
    return [
        chart
        for number, model in enumerate(models[:most])
        for chart in model_charts(run, model, path, SMALL, number)
    ]


def model_charts(
    run: StudiedRun, model: str, path: str, height: float = HEIGHT, number: int = 0
) -> list[CurveChart]:
    """The curves of one model, a line for each dialect. Empty if it has no curve."""
    own = [curve for curve in run.study.curves if curve.model == model]
    drawn = [_draw(run, curve, curve.dialect, place, path) for place, curve in enumerate(own[:TOGETHER])]
    title = f"Learning curves of {model} in {run.name}"
    return [_chart(model, drawn, own, title, f"c{number}", height, len(own) - len(drawn))] if own else []


def language_charts(rows: Iterable[TaughtModel], path: str, most: int) -> list[CurveChart]:
    """A chart for each language and dialect, with its best models. A model looks the same in all of them."""
    by_dialect: dict[tuple[str, str], list[TaughtModel]] = {}
    for row in rows:
        if row.curve is not None:
            by_dialect.setdefault((row.language, row.dialect), []).append(row)
    shown = {key: each[:TOGETHER] for key, each in list(by_dialect.items())[:most]}
    models = sorted({row.model for each in shown.values() for row in each})
    numbers = {model: number for number, model in enumerate(models)}
    return [
        _chart(
            f"{language}, {dialect}",
            [_draw(row.run, row.curve, row.model, numbers[row.model], path) for row in each if row.curve],
            [row.curve for row in each if row.curve],
            f"Learning curves of {language}, dialect {dialect}",
            f"c{place}",
            SMALL,
            len(by_dialect[language, dialect]) - len(each),
        )
        for place, ((language, dialect), each) in enumerate(shown.items())
    ]


def _chart(
    heading: str,
    drawn: Sequence[LearningCurve],
    curves: Sequence[Curve],
    title: str,
    name: str,
    height: float,
    left_out: int = 0,
) -> CurveChart:
    tokens: dict[str, list[int]] = {}
    for point in (point for curve in curves for point in curve.points):
        tokens.setdefault(point.context, []).append(point.tokens)
    contexts = sorted(tokens, key=lambda context: min(tokens[context]))
    return CurveChart(
        heading, Markup(plot_curves(drawn, contexts, SHARES, title, name=name, height=height)), left_out
    )


def _draw(run: StudiedRun, curve: Curve, name: str, number: int, path: str) -> LearningCurve:
    def address(point: Point) -> str:
        whole = condition_address(run, Condition(curve.model, curve.dialect, point.context, point.n_shot))
        # As short as it can be: there may be hundreds on a page, most of them on one that stands above the
        # conditions.
        return whole.removeprefix(path) if whole.startswith(path) else "../" * path.count("/") + whole

    return LearningCurve(name, curve.points, number, address)

"""Pictures of a study's findings: which there are, and their data as the charts take it."""

from __future__ import annotations

from collections.abc import Sequence

from probatio.charts.curves import LearningCurve, draw_curves
from probatio.charts.forest import ForestRow, draw_forest
from probatio.charts.funnel import FunnelBar, ModelFunnel, draw_funnels
from probatio.charts.heat import draw_rates
from probatio.charts.palette import FIXED, ON_PAGE, Theme
from probatio.charts.svg import WIDTH
from probatio.core.statistics.intervals import Rate
from probatio.learn.compare import Comparison
from probatio.learn.curves import SHARES
from probatio.learn.findings import Curve, Funnel, Study, TriedCurves, curve_name
from probatio.learn.report.attempts import name_tried
from probatio.learn.report.comparison import shorten_names

FUNNEL_STAGES = ("asked", "A typechecks", "B runs", "C right output")


def draw_study(
    study: Study, theme: Theme = FIXED, width: float = WIDTH, *, headings: bool = True
) -> dict[str, str]:
    """The pictures that have something to show, by name, as SVG. A single condition makes no picture. A
    figure of a paper has a caption instead of a heading."""
    pictures: dict[str, str] = {}
    if study.curves:
        pictures["learning-curves"] = draw_study_curves(
            study.curves, "Learning curves", theme, CAPTIONS["learning-curves"] if headings else "", width
        )
        title = CAPTIONS["contexts"]
        pictures["contexts"] = draw_rates(
            _chart_curves(study.curves),
            _contexts(study.curves),
            title,
            theme,
            title if headings else "",
            width,
        )
    if study.tried_curves:
        title = CAPTIONS["attempts"]
        pictures["attempts"] = draw_curves(
            _chart_tried(study.tried_curves),
            _contexts([both.alone for both in study.tried_curves]),
            SHARES,
            title,
            theme,
            title if headings else "",
            width,
        )
    if pictures or len(study.funnels) > 1:
        title = CAPTIONS["funnel"]
        # The rate of a whole model has an interval; the levels before it have none.
        levels = (level for axis in study.axes if axis.name == "model" for level in axis.levels)
        rates = {level.name: level.rate for level in levels}
        charted = [_bars(one, rates.get(one.model)) for one in study.funnels if one.asked]
        pictures["funnel"] = draw_funnels(charted, title, theme, title if headings else "", width)
    return pictures


CAPTIONS = {
    "learning-curves": "Learning curves: pass rate, with 95 % bands over tasks",
    "attempts": "Documentation alone, and with what is said of wrong answers",
    "contexts": "Pass rate (%) by context and n-shot",
    "funnel": "From answer to right output, with the 95 % interval of the rate",
    "comparisons": "Differences of paired pass rates in percentage points, with 95 % intervals",
}
"""What a picture shows, by its name: its heading, or its caption in a paper."""


def draw_study_curves(
    curves: Sequence[Curve], title: str, theme: Theme = ON_PAGE, heading: str = "", width: float = WIDTH
) -> str:
    return draw_curves(_chart_curves(curves), _contexts(curves), SHARES, title, theme, heading, width)


def draw_comparisons(
    compared: Sequence[Comparison], theme: Theme = FIXED, width: float = WIDTH, *, headings: bool = True
) -> str:
    """One row per comparison: B against A. What all sides have in common is left out of their names."""
    names = shorten_names([side for one in compared for side in (one.a, one.b)])
    rows = [
        ForestRow(f"{names[one.b]} against {names[one.a]}", one.difference, one.low, one.high, one.shown)
        for one in compared
    ]
    title = CAPTIONS["comparisons"]
    return draw_forest(rows, title, "percentage points", theme, title if headings else "", width)


def _chart_curves(curves: Sequence[Curve]) -> list[LearningCurve]:
    return [
        LearningCurve(curve_name(curve, curves), curve.points, number) for number, curve in enumerate(curves)
    ]


def _chart_tried(tried: Sequence[TriedCurves]) -> list[LearningCurve]:
    models = [both.alone for both in tried]
    named = [
        (f"{curve_name(curve, models)}: {name}" if len(tried) > 1 else name, curve)
        for both in tried
        for name, curve in name_tried(both)
    ]
    return [LearningCurve(name, curve.points, number) for number, (name, curve) in enumerate(named)]


def _contexts(curves: Sequence[Curve]) -> list[str]:
    return list(dict.fromkeys(context for curve in curves for context in curve.contexts))


def _bars(one: Funnel, rate: Rate | None) -> ModelFunnel:
    counts = (one.asked, one.level_a, one.level_b, one.level_c)
    bars = [FunnelBar(stage, count, one.asked) for stage, count in zip(FUNNEL_STAGES, counts, strict=True)]
    if rate is not None and one.passed == one.level_c:
        bars[-1] = FunnelBar(FUNNEL_STAGES[-1], one.level_c, one.asked, rate.low, rate.high)
    return ModelFunnel(one.model, tuple(bars))

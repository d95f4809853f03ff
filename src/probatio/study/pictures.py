"""Pictures of a study's findings: which there are, and their data as the charts take it."""

from __future__ import annotations

from collections.abc import Sequence

from probatio.charts.forest import ForestRow, forest
from probatio.charts.funnel import Bar, FunnelBars, funnels
from probatio.charts.learning import CurvePoint, LearningCurve, learning_curves, rate_map
from probatio.charts.palette import FIXED, ON_PAGE, Theme
from probatio.charts.plot import WIDTH
from probatio.study.compare import Comparison
from probatio.study.comparison_words import short_names
from probatio.study.curves import SHARES
from probatio.study.findings import Curve, Funnel, Study, curve_name
from probatio.study.intervals import Rate

FUNNEL_STAGES = ("asked", "A typechecks", "B runs", "C right output")


def pictures_of(study: Study, theme: Theme = FIXED, width: float = WIDTH, *, headings: bool = True) -> dict[str, str]:
    """The pictures there is something to show in, by name, as SVG. A single condition makes no picture. A figure of a paper has a
    caption instead of a heading."""
    pictures: dict[str, str] = {}
    if study.curves:
        pictures["learning-curves"] = curves_picture(
            study.curves, "Learning curves", theme, CAPTIONS["learning-curves"] if headings else "", width
        )
        title = CAPTIONS["contexts"]
        pictures["contexts"] = rate_map(
            _charted(study.curves), _contexts(study.curves), title, theme, title if headings else "", width
        )
    if pictures or len(study.funnels) > 1:
        title = CAPTIONS["funnel"]
        charted = [_bars(one, _model_rate(study, one)) for one in study.funnels if one.asked]
        pictures["funnel"] = funnels(charted, title, theme, title if headings else "", width)
    return pictures


CAPTIONS = {
    "learning-curves": "Learning curves: pass rate, with 95 % bands over tasks",
    "contexts": "Pass rate (%) by context and n-shot",
    "funnel": "From answer to right output, with the 95 % interval of the rate",
    "comparisons": "Differences of paired pass rates in percentage points, with 95 % intervals",
}
"""What a picture shows, by its name: its heading, or its caption in a paper."""


def curves_picture(
    curves: Sequence[Curve], title: str, theme: Theme = ON_PAGE, heading: str = "", width: float = WIDTH
) -> str:
    return learning_curves(_charted(curves), _contexts(curves), SHARES, title, theme, heading, width)


def comparisons_picture(
    compared: Sequence[Comparison], theme: Theme = FIXED, width: float = WIDTH, *, headings: bool = True
) -> str:
    """Every comparison a row: B against A. What all sides have in common is not repeated in every name."""
    names = short_names([side for one in compared for side in (one.a, one.b)])
    rows = [
        ForestRow(f"{names[one.b]} against {names[one.a]}", one.difference, one.low, one.high, one.shown)
        for one in compared
    ]
    title = CAPTIONS["comparisons"]
    return forest(rows, title, "percentage points", theme, title if headings else "", width)


def _charted(curves: Sequence[Curve]) -> list[LearningCurve]:
    return [
        LearningCurve(
            curve_name(curve, curves),
            tuple(
                CurvePoint(
                    tokens=point.tokens,
                    context=point.context,
                    n_shot=point.n_shot,
                    share=point.rate.share or 0.0,
                    fit=point.fit,
                    low=point.band_low,
                    high=point.band_high,
                )
                for point in curve.points
            ),
        )
        for curve in curves
    ]


def _contexts(curves: Sequence[Curve]) -> list[str]:
    return list(dict.fromkeys(context for curve in curves for context in curve.contexts))


def _bars(one: Funnel, rate: Rate | None) -> FunnelBars:
    counts = (one.asked, one.level_a, one.level_b, one.level_c)
    bars = [Bar(stage, count, one.asked) for stage, count in zip(FUNNEL_STAGES, counts, strict=True)]
    if rate is not None and one.passed == one.level_c:
        bars[-1] = Bar(FUNNEL_STAGES[-1], one.level_c, one.asked, rate.low, rate.high)
    return FunnelBars(one.model, tuple(bars))


def _model_rate(study: Study, one: Funnel) -> Rate | None:
    """The rate of the whole model, which has an interval; the levels before it have none."""
    levels = (level for axis in study.axes if axis.name == "model" for level in axis.levels)
    return next((level.rate for level in levels if level.name == one.model), None)

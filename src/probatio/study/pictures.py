"""Pictures of a study's findings: which there are, and their data as the charts take it."""

from __future__ import annotations

from collections.abc import Sequence

from probatio.charts.funnel import Bar, FunnelBars, funnels
from probatio.charts.learning import CurvePoint, LearningCurve, learning_curves, rate_map
from probatio.charts.palette import FIXED, ON_PAGE, Theme
from probatio.study.curves import SHARES
from probatio.study.findings import Curve, Funnel, Study, curve_name
from probatio.study.intervals import Rate

FUNNEL_STAGES = ("asked", "A typechecks", "B runs", "C right output")


def pictures_of(study: Study) -> dict[str, str]:
    """The pictures there is something to show in, by name, as SVG in fixed colours. A single condition makes no picture."""
    pictures: dict[str, str] = {}
    if study.curves:
        heading = "Learning curves: pass rate, with 95 % bands over tasks"
        pictures["learning-curves"] = curves_picture(study.curves, "Learning curves", FIXED, heading)
        heading = "Pass rate (%) by context and n-shot"
        pictures["contexts"] = rate_map(_charted(study.curves), _contexts(study.curves), heading, FIXED, heading)
    if pictures or len(study.funnels) > 1:
        heading = "From answer to right output, with the 95 % interval of the rate"
        charted = [_bars(one, _model_rate(study, one)) for one in study.funnels if one.asked]
        pictures["funnel"] = funnels(charted, heading, FIXED, heading)
    return pictures


def curves_picture(curves: Sequence[Curve], title: str, theme: Theme = ON_PAGE, heading: str = "") -> str:
    return learning_curves(_charted(curves), _contexts(curves), SHARES, title, theme, heading)


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

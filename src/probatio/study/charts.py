"""Charts of a study's findings: one definition each, for the site and for the PNG in analysis.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt

from probatio.extras import require
from probatio.study.findings import Curve, Funnel, Study
from probatio.study.trials import in_order

PNG_SCALE = 1.5
"""Sharp on a laptop's screen, and a few dozen kilobytes in a repository."""

FUNNEL_STAGES = ("asked", "A typechecks", "B runs", "C right output")


def charts_of(study: Study) -> dict[str, alt.Chart]:
    """The charts there is something to show in, by name. A single condition makes no picture."""
    found: dict[str, alt.Chart] = {}
    if study.curves:
        found["learning-curves"] = learning_curves(study.curves)
        found["contexts"] = heat_map(study.curves)
    if found or len(study.funnels) > 1:
        found["funnel"] = funnel(study.funnels)
    return found


def learning_curves(curves: Sequence[Curve]) -> alt.Chart:
    """Pass rate over tokens of context and examples: the rates as points, the monotone fit as steps, its band around it."""
    rows = [
        {
            "model": _title(curve, curves),
            "tokens": point.tokens,
            "context": point.context,
            "n-shot": point.n_shot,
            "rate": point.rate.share,
            "fit": point.fit,
            "low": point.band_low,
            "high": point.band_high,
        }
        for curve in curves
        for point in curve.points
    ]
    contexts = in_order("context", sorted({point.context for curve in curves for point in curve.points}))
    tokens = alt.X("tokens:Q", title="prompt tokens of context and examples")
    share = alt.Scale(domain=[0, 1])
    colour = alt.Color("model:N", title="model", sort=[_title(curve, curves) for curve in curves])
    source = alt.Chart(_data(rows))
    band = source.mark_area(opacity=0.18, interpolate="step-after").encode(
        x=tokens, y=alt.Y("low:Q", scale=share, title="pass rate", axis=alt.Axis(format="%")), y2="high:Q", color=colour
    )
    fit = source.mark_line(interpolate="step-after", strokeWidth=2).encode(
        x=tokens, y=alt.Y("fit:Q", scale=share), color=colour
    )
    points = source.mark_point(filled=True, size=45).encode(
        x=tokens,
        y=alt.Y("rate:Q", scale=share),
        color=colour,
        shape=alt.Shape("context:N", title="context", sort=contexts),
        tooltip=["model:N", "context:N", "n-shot:O", alt.Tooltip("rate:Q", format=".0%"), "tokens:Q"],
    )
    marks = (
        alt.Chart(_data([{"share": 0.8}, {"share": 0.9}])).mark_rule(strokeDash=[4, 4], opacity=0.5).encode(y="share:Q")
    )
    layers: Any = alt.layer(marks, band, fit, points)
    chart: alt.Chart = layers.properties(width=560, height=320, title="Learning curves, with 95 % bands over tasks")
    return chart


def heat_map(curves: Sequence[Curve]) -> alt.Chart:
    """Pass rate by context and n-shot, a field per model."""
    rows = [
        {
            "model": _title(curve, curves),
            "context": point.context,
            "n-shot": point.n_shot,
            "rate": point.rate.share,
            "label": f"{100 * (point.rate.share or 0):.0f}",
        }
        for curve in curves
        for point in curve.points
    ]
    contexts = in_order("context", sorted({row["context"] for row in rows}))
    source = alt.Chart().encode(x=alt.X("n-shot:O"), y=alt.Y("context:N", sort=contexts))
    fields = source.mark_rect().encode(
        color=alt.Color(
            "rate:Q", scale=alt.Scale(scheme="viridis", domain=[0, 1]), legend=alt.Legend(format="%", title="passed")
        )
    )
    labels = source.mark_text().encode(
        text="label:N", color=alt.condition("datum.rate > 0.6", alt.value("black"), alt.value("white"))
    )
    layers: Any = alt.layer(fields, labels, data=_data(rows)).properties(width=150, height=130)
    facets: Any = layers.facet(
        facet=alt.Facet("model:N", title=None, sort=[_title(curve, curves) for curve in curves]), columns=3
    )
    chart: alt.Chart = facets.properties(title="Pass rate (%) by context and n-shot")
    return chart


def funnel(funnels: Sequence[Funnel]) -> alt.Chart:
    """How many answers come through each level, a field per model."""
    rows = [
        {"model": one.model, "stage": stage, "share": count / one.asked, "label": f"{count}"}
        for one in funnels
        if one.asked
        for stage, count in zip(FUNNEL_STAGES, (one.asked, one.level_a, one.level_b, one.level_c), strict=True)
    ]
    source = alt.Chart().encode(
        x=alt.X("share:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"), title="share of answers"),
        y=alt.Y("stage:N", sort=list(FUNNEL_STAGES), title=None),
    )
    bars, labels = source.mark_bar(), source.mark_text(align="left", dx=3).encode(text="label:N")
    layers: Any = alt.layer(bars, labels, data=_data(rows)).properties(width=180, height=90)
    facets: Any = layers.facet(facet=alt.Facet("model:N", title=None, sort=[one.model for one in funnels]), columns=3)
    chart: alt.Chart = facets.properties(title="From answer to right output")
    return chart


def write_png(chart: alt.Chart, target: Path) -> None:
    """The chart as a picture, drawn without a browser and without the network."""
    require("vl_convert")
    import vl_convert

    target.write_bytes(vl_convert.vegalite_to_png(chart.to_dict(), scale=PNG_SCALE))


def _title(curve: Curve, curves: Sequence[Curve]) -> str:
    """The model, and its dialect where more than one is shown."""
    return curve.model if len({other.dialect for other in curves}) == 1 else f"{curve.model} · {curve.dialect}"


def _data(rows: list[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=rows)

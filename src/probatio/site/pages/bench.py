"""The bench score: a weighted mean of public results on one scale, each with its source and date; and its
page. No verdict uses it."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from pathlib import Path

import msgspec
from markupsafe import Markup, escape

from probatio.charts.scales import Scale, round_ticks
from probatio.core.errors import UsageError
from probatio.core.yamlfile import read_yaml
from probatio.learn.statistics.blend import put_on_one_scale
from probatio.site.rendering import PageReply, PageRequest, html

BENCH_FILE = "bench.yml"
"""Figures next to the days, in a results folder that has its own, such as the demo."""


RANKED = 3
"""Parts that a rank takes: two figures of five say too little to stand beside five."""
MEAN, SPREAD = 50.0, 10.0
"""The scale of the score: the mean of the models, and one standard deviation between them."""


class Benchmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A public benchmark: its weight, and the ends of its scale as it is drawn."""

    title: str
    weight: float
    low: float = 0.0
    high: float = 100.0


class PublishedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One published result."""

    value: float
    source: str
    date: str


class BenchModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model with all its names."""

    names: tuple[str, ...]
    figures: dict[str, PublishedResult]


class Bench(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file `bench.yml`."""

    parts: dict[str, Benchmark]
    models: tuple[BenchModel, ...] = ()


class BenchPart(msgspec.Struct, frozen=True):
    part: str
    title: str
    weight: float  # of the parts there are
    value: float
    scaled: float  # on the scale of the score: how the model stands among those that have the part
    source: str
    date: str


class BenchScore(msgspec.Struct, frozen=True):
    """The blend of one model."""

    score: float  # 50 is the mean of the models of the file, 10 points are one standard deviation
    partial: bool  # a part is missing and the others carry its weight
    missing: tuple[str, ...]
    parts: tuple[BenchPart, ...]
    low: float  # where the missing parts are as bad as those of any model …
    high: float  # … and as good
    ranked: bool  # it has parts enough to stand in a row with others


def read_bench(path: Path) -> Bench:
    bench = read_yaml(path, Bench)
    for model in bench.models:
        for part, figure in model.figures.items():
            where = f"{path}: {model.names[0] if model.names else 'a model without names'}, {part}"
            if part not in bench.parts:
                raise UsageError(f"{where}: there is no such part; the parts are {', '.join(bench.parts)}.")
            if not isfinite(figure.value):
                raise UsageError(f"{where}: `value` has to be a number; it is {figure.value}.")
            if not figure.source.startswith("https://"):
                raise UsageError(f"{where}: `source` has to be the https address the figure is published at.")
    return bench


def measure_bench(bench: Bench | None, *names: str) -> BenchScore | None:
    """The blend for the model with one of these names; None if nothing is known about it."""
    wanted = {name.casefold() for name in names if name}
    matches = (
        each for each in (bench.models if bench else ()) if wanted & {name.casefold() for name in each.names}
    )
    model = next(matches, None)
    if bench is None or model is None or not model.figures:
        return None
    total = sum(bench.parts[part].weight for part in model.figures)
    scaled = _scale(bench)
    parts = tuple(
        BenchPart(
            name,
            part.title,
            part.weight / total,
            figure.value,
            scaled[name][model.names[0]],
            figure.source,
            figure.date,
        )
        for name, part in bench.parts.items()
        if (figure := model.figures.get(name)) is not None
    )
    missing = [name for name in bench.parts if name not in model.figures]
    score = sum(each.weight * each.scaled for each in parts)
    whole = total + sum(bench.parts[name].weight for name in missing)
    low, high = (
        total * score
        + sum(bench.parts[name].weight * end(scaled[name].values(), default=MEAN) for name in missing)
        for end in (min, max)
    )
    titles = tuple(bench.parts[name].title for name in missing)
    ends = min(score, low / whole), max(score, high / whole)
    return BenchScore(score, bool(missing), titles, parts, *ends, ranked=len(parts) >= RANKED)


def _scale(bench: Bench) -> dict[str, dict[str, float]]:
    """Part → model → its figure on the scale of the score."""
    return _scale_figures(
        tuple((name, part.weight) for name, part in bench.parts.items()),
        tuple(
            (name, model.names[0], model.figures[name].value)
            for model in bench.models
            for name in bench.parts
            if model.names and name in model.figures
        ),
    )


@lru_cache(maxsize=4)  # a table of thirty models asks for the same scale thirty times
def _scale_figures(
    weights: tuple[tuple[str, float], ...], figures: tuple[tuple[str, str, float], ...]
) -> dict[str, dict[str, float]]:
    by_part: dict[str, dict[str, float]] = {part: {} for part, _ in weights}
    for part, model, value in figures:
        by_part[part][model] = value
    return {
        part: {model: MEAN + SPREAD * value for model, value in of_part.items()}
        for part, of_part in put_on_one_scale(by_part, dict(weights)).items()
    }


def page(request: PageRequest) -> PageReply:
    bench = request.site.bench
    found = [(model, measure_bench(bench, *model.names)) for model in (bench.models if bench else ())]
    scores = [(model, score) for model, score in found if score is not None]
    scores.sort(key=lambda pair: (not pair[1].ranked, -pair[1].score if pair[1].ranked else 0, pair[0].names))
    strips = {name: strip(bench, name) for name in bench.parts} if bench else {}
    return html(request, "bench.html", bench=bench, scores=scores, strips=strips, least=RANKED)


def strip(bench: Bench, name: str) -> Markup:
    """Draw a part's scale with a dot for each model that has a figure."""
    part = bench.parts[name]
    place = Scale(part.low, part.high, 4, 96)  # per cent of the width: the first and the last label need room
    ticks = [
        f'<line x1="{place.at(tick):.1f}%" x2="{place.at(tick):.1f}%" y1="10" y2="18" stroke="currentColor"/>'
        f'<text x="{place.at(tick):.1f}%" y="31" font-size="11" text-anchor="middle" '
        f'fill="currentColor">{tick:,.0f}</text>'
        for tick in round_ticks(part.low, part.high, 5)
    ]
    figures = [(model.names[0], model.figures[name].value) for model in bench.models if name in model.figures]
    dots = [
        f'<circle cx="{place.at(value):.1f}%" cy="10" r="4" fill="currentColor" fill-opacity=".55">'
        f"<title>{escape(model)}: {value:,.10g}</title></circle>"
        for model, value in figures
    ]
    low, high = (
        min((value for _, value in figures), default=None),
        max((value for _, value in figures), default=None),
    )
    told = f"{len(figures)} models, from {low:,.10g} to {high:,.10g}" if figures else "no model"
    return Markup(
        f'<svg class="strip" width="100%" height="36" role="img" aria-label="{escape(part.title)}: {told}">'
        '<line x1="4%" x2="96%" y1="10" y2="10" stroke="currentColor" '
        f'stroke-opacity=".4"/>{"".join(ticks + dots)}</svg>'
    )

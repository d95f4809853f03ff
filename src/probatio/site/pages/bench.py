"""The bench score: a weighted mean of public results, each with its source and date; and its page. No verdict
uses it."""

from __future__ import annotations

from pathlib import Path

import msgspec
from markupsafe import Markup, escape

from probatio.charts.scales import Scale, round_ticks
from probatio.core.errors import UsageError
from probatio.core.yamlfile import read_yaml
from probatio.site.rendering import PageReply, PageRequest, html

BENCH_FILE = "bench.yml"
"""Figures next to the days, in a results folder that has its own, such as the demo."""


class Benchmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A public benchmark: its weight, and the figures that count as 0 and as 100."""

    title: str
    weight: float
    low: float = 0.0  # the figure that counts as 0 …
    high: float = 100.0  # … and the one that counts as 100; beyond either the line is cut


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
    scaled: float  # 0–100
    source: str
    date: str


class BenchScore(msgspec.Struct, frozen=True):
    """The blend of one model."""

    score: float
    partial: bool  # a part is missing and the others carry its weight
    missing: tuple[str, ...]
    parts: tuple[BenchPart, ...]


def read_bench(path: Path) -> Bench:
    bench = read_yaml(path, Bench)
    for model in bench.models:
        for part, figure in model.figures.items():
            where = f"{path}: {model.names[0] if model.names else 'a model without names'}, {part}"
            if part not in bench.parts:
                raise UsageError(f"{where}: there is no such part; the parts are {', '.join(bench.parts)}.")
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
    parts = tuple(
        BenchPart(
            name,
            part.title,
            part.weight / total,
            figure.value,
            scale(figure.value, part),
            figure.source,
            figure.date,
        )
        for name, part in bench.parts.items()
        if (figure := model.figures.get(name)) is not None
    )
    missing = tuple(part.title for name, part in bench.parts.items() if name not in model.figures)
    return BenchScore(sum(each.weight * each.scaled for each in parts), bool(missing), missing, parts)


def scale(value: float, part: Benchmark) -> float:
    return 100 * min(1.0, max(0.0, (value - part.low) / (part.high - part.low)))


def page(request: PageRequest) -> PageReply:
    bench = request.site.bench
    scores = [(model, measure_bench(bench, *model.names)) for model in (bench.models if bench else ())]
    scores.sort(key=lambda pair: -(pair[1].score if pair[1] else 0))
    strips = {name: strip(bench, name) for name in bench.parts} if bench else {}
    return html(request, "bench.html", bench=bench, scores=scores, strips=strips)


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

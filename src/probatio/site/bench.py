"""The bench score: a weighted mean of public results, each with its source and date; and its page. No verdict uses it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.errors import UsageError
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.yamlfile import read_yaml

BENCH_FILE = "bench.yml"
"""Figures beside the days, in a results folder that brings its own: those of the demo."""


class Benchmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A public benchmark: its share of the blend, and the figures that count as 0 and as 100."""

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
    """A model under the names it is asked by."""

    names: tuple[str, ...]
    figures: dict[str, PublishedResult]


class Bench(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`config/bench.yml`."""

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


def bench_score(bench: Bench | None, *names: str) -> BenchScore | None:
    """The blend of the model that goes by one of these names; None where nothing is known of it."""
    wanted = {name.casefold() for name in names if name}
    matches = (each for each in (bench.models if bench else ()) if wanted & {name.casefold() for name in each.names})
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
            scaled(figure.value, part),
            figure.source,
            figure.date,
        )
        for name, part in bench.parts.items()
        if (figure := model.figures.get(name)) is not None
    )
    missing = tuple(part.title for name, part in bench.parts.items() if name not in model.figures)
    return BenchScore(sum(each.weight * each.scaled for each in parts), bool(missing), missing, parts)


def scaled(value: float, part: Benchmark) -> float:
    return 100 * min(1.0, max(0.0, (value - part.low) / (part.high - part.low)))


def page(request: PageRequest) -> PageReply:
    bench = request.site.bench
    scores = [(model, bench_score(bench, *model.names)) for model in (bench.models if bench else ())]
    scores.sort(key=lambda pair: -(pair[1].score if pair[1] else 0))
    return html(request, "bench.html", bench=bench, scores=scores)

"""The bench score: weights, the line for Elo, missing parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from probatio.core.errors import UsageError
from probatio.core.shipped import BENCH as SHIPPED
from probatio.site.pages.bench import (
    Bench,
    Benchmark,
    BenchModel,
    PublishedResult,
    measure_bench,
    read_bench,
    scale,
    strip,
)


def _figure(value: float) -> PublishedResult:
    return PublishedResult(value, "https://example.org/", "2026-01-01")


BENCH = Bench(
    {"elo": Benchmark("Elo", 0.3, low=1000, high=1500), "exam": Benchmark("Exam", 0.7)},
    (
        BenchModel(("whole", "vendor/whole"), {"elo": _figure(1250), "exam": _figure(80)}),
        BenchModel(("half",), {"exam": _figure(80)}),
        BenchModel(("nothing",), {}),
    ),
)


def test_the_parts_are_blended_by_weight() -> None:
    score = measure_bench(BENCH, "WHOLE")
    assert score is not None
    assert score.score == pytest.approx(0.3 * 50 + 0.7 * 80)
    assert not score.partial


def test_a_missing_part_leaves_its_weight_to_the_others_and_shows() -> None:
    score = measure_bench(BENCH, "half")
    assert score is not None
    assert (score.score, score.partial, score.missing) == (80.0, True, ("Elo",))


def test_a_model_is_found_by_any_of_its_names_or_not_at_all() -> None:
    assert measure_bench(BENCH, "other", "vendor/whole") is not None
    assert measure_bench(BENCH, "who") is None
    assert measure_bench(BENCH, "nothing") is None
    assert measure_bench(None, "whole") is None


@pytest.mark.parametrize(("elo", "points"), [(900, 0), (1000, 0), (1250, 50), (1500, 100), (1700, 100)])
def test_elo_goes_to_points_by_a_line_that_is_cut_at_its_ends(elo: float, points: float) -> None:
    assert scale(elo, BENCH.parts["elo"]) == points


def test_our_file_has_the_published_weights_and_a_source_for_every_figure() -> None:
    bench = read_bench(SHIPPED)
    assert {name: part.weight for name, part in bench.parts.items()} == {
        "lmarena": 0.30,
        "mmlu_pro": 0.20,
        "gpqa_diamond": 0.20,
        "swe_bench_verified": 0.20,
        "aime": 0.10,
    }
    assert all(
        figure.source.startswith("https://") and figure.date
        for model in bench.models
        for figure in model.figures.values()
    )


def test_no_figure_of_our_file_lies_beyond_its_scale_and_the_ticks_are_round() -> None:
    bench = read_bench(SHIPPED)
    for model in bench.models:
        for name, figure in model.figures.items():
            assert bench.parts[name].low <= figure.value <= bench.parts[name].high, (model.names[0], name)
    drawn = strip(bench, "lmarena")
    assert re.findall(r">([\d,]+)</text>", drawn) == ["1,000", "1,200", "1,400", "1,600"]
    assert drawn.count("<circle") == sum("lmarena" in model.figures for model in bench.models) > 2
    assert "<b>" not in strip(
        Bench({"p": Benchmark("<b>", 1)}, (BenchModel(("<b>",), {"p": _figure(1)}),)), "p"
    )


def test_every_model_of_our_file_has_two_figures_at_least_and_each_figure_its_month() -> None:
    bench = read_bench(SHIPPED)
    assert all(len(model.figures) > 1 for model in bench.models)
    dates = [figure.date for model in bench.models for figure in model.figures.values()]
    assert all(re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])(-\d\d)?", date) for date in dates)
    names = [name.casefold() for model in bench.models for name in model.names]
    assert len(names) == len(set(names))
    assert max(dates) >= "2026"


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ("chess: {value: 1, source: 'https://x', date: '2026-01-01'}", "there is no such part"),
        ("exam: {value: 1, source: 'somewhere', date: '2026-01-01'}", "https address"),
    ],
)
def test_a_figure_without_part_or_source_is_refused(tmp_path: Path, figure: str, message: str) -> None:
    path = tmp_path / "bench.yml"
    path.write_text(
        f"parts: {{exam: {{title: Exam, weight: 1}}}}\nmodels:\n  - names: [a]\n    figures: {{{figure}}}\n"
    )
    with pytest.raises(UsageError, match=message):
        read_bench(path)

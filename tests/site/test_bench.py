"""The bench score: weights, one scale for all parts, missing parts."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from msgspec.structs import replace

from probatio.core.errors import UsageError
from probatio.learn.statistics.blend import blend, put_on_one_scale
from probatio.site.addresses import render
from probatio.site.pages.bench import (
    Bench,
    Benchmark,
    BenchModel,
    PublishedResult,
    measure_bench,
    read_bench,
    strip,
)
from probatio.site.shipped import BENCH as SHIPPED
from probatio.site.snapshot import Site


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
    """Two tests that agree about three models: the scores are their places, mean 50 and deviation 10."""
    models = tuple(
        BenchModel((name,), {"elo": _figure(1000 + 100 * place), "exam": _figure(40 + 10 * place)})
        for place, name in enumerate("abc")
    )
    scores = [measure_bench(Bench(BENCH.parts, models), name) for name in "abc"]
    spread = 10 * 1.5**0.5
    assert [one.score for one in scores if one] == pytest.approx([50 - spread, 50, 50 + spread])
    assert [(part.weight, part.scaled) for part in scores[2].parts if scores[2]] == [  # type: ignore[union-attr]
        (0.3, pytest.approx(50 + spread)),
        (0.7, pytest.approx(50 + spread)),
    ]


def test_a_missing_part_leaves_its_weight_to_the_others_and_a_range() -> None:
    score = measure_bench(BENCH, "half")
    assert score is not None
    assert (score.partial, score.missing, score.ranked) == (True, ("Elo",), False)
    assert score.low <= score.score <= score.high
    whole = measure_bench(BENCH, "whole")
    assert whole is not None and (whole.low, whole.high) == (whole.score, whole.score)


def test_a_part_that_only_strong_models_have_pulls_no_one_down() -> None:
    """On a fixed line it lowered everyone who had it: Elo 1486 counted as 81 beside figures around 90."""
    bench = read_bench(SHIPPED)
    having = [model for model in bench.models if "lmarena" in model.figures]
    moved = []
    for model in having:
        rest = {part: figure for part, figure in model.figures.items() if part != "lmarena"}
        bare = replace(model, figures=rest)
        models = tuple(bare if each is model else each for each in bench.models)
        with_it, without = (
            measure_bench(each, *model.names) for each in (bench, replace(bench, models=models))
        )
        assert with_it is not None and without is not None
        moved.append(with_it.score - without.score)
    assert len(having) > 2 and max(moved) > 0 > min(moved)
    assert abs(fmean(moved)) < 1


def test_scores_do_not_depend_on_how_strict_a_part_is() -> None:
    bench = read_bench(SHIPPED)
    strict = tuple(
        replace(
            model,
            figures={
                part: replace(figure, value=figure.value / 3 - 5 if part == "gpqa_diamond" else figure.value)
                for part, figure in model.figures.items()
            },
        )
        for model in bench.models
    )
    for model in bench.models:
        before, after = (measure_bench(each, *model.names) for each in (bench, replace(bench, models=strict)))
        assert before is not None and after is not None
        assert before.score == pytest.approx(after.score)


def test_two_parts_of_five_have_a_range_and_no_rank(site: Site) -> None:
    bench = read_bench(SHIPPED)
    for model in bench.models:
        score = measure_bench(bench, *model.names)
        assert score is not None and score.ranked == (len(model.figures) >= 3)
        assert score.low <= score.score <= score.high
    reply = render(site, "bench/")
    assert reply is not None
    rows = re.findall(
        r'<tr><td class="num">([^<]+)</td><th scope="row">([^<]+)</th><td class="num">([^<]+)<',
        reply.body.decode(),
    )
    assert [rank for rank, *_ in rows] == [*map(str, range(1, 13)), "–", "–"]
    assert {name: score for rank, name, score in rows if rank == "–"} == {
        "claude-opus-4.6": "–",
        "gemini-3.1-pro": "–",
    }


def test_a_missing_test_is_filled_by_the_others_as_a_plain_fit_does_it() -> None:
    """Figures made from one ability per model come back, whichever are missing and however each is scaled."""
    chance = np.random.default_rng(60)
    ability = {f"m{number}": value for number, value in enumerate(chance.normal(size=12))}
    figures = {
        test: {
            model: 20 * number + (3 + number) * value
            for model, value in ability.items()
            if chance.random() < 0.7
        }
        for number, test in enumerate("abcde")
    }
    weights = dict(zip("abcde", (0.3, 0.2, 0.2, 0.2, 0.1), strict=True))
    scaled = put_on_one_scale(figures, weights)
    found = {model: value for model in ability if (value := blend(scaled, weights, model)) is not None}
    truth = np.array([ability[model] for model in found])
    assert np.corrcoef(list(found.values()), truth)[0, 1] > 0.999
    assert (np.mean(list(found.values())), np.std(list(found.values()))) == pytest.approx((0, 1))


def test_a_model_is_found_by_any_of_its_names_or_not_at_all() -> None:
    assert measure_bench(BENCH, "other", "vendor/whole") is not None
    assert measure_bench(BENCH, "who") is None
    assert measure_bench(BENCH, "nothing") is None
    assert measure_bench(None, "whole") is None


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
        ("exam: {value: .nan, source: 'https://x', date: '2026-01-01'}", "has to be a number"),
    ],
)
def test_a_figure_without_part_or_source_is_refused(tmp_path: Path, figure: str, message: str) -> None:
    path = tmp_path / "bench.yml"
    path.write_text(
        f"parts: {{exam: {{title: Exam, weight: 1}}}}\nmodels:\n  - names: [a]\n    figures: {{{figure}}}\n"
    )
    with pytest.raises(UsageError, match=message):
        read_bench(path)


def test_each_part_is_a_column_with_source_and_date_and_a_missing_one_a_dash(site: Site) -> None:
    page = render(dataclasses.replace(site, bench=BENCH), "bench/")
    assert page is not None
    table = page.body.decode().partition('aria-label="Scores"')[2]
    heads = re.findall(r"<th scope=\"col\"[^>]*>([^<]*)", table)
    assert heads == ["Rank", "Model", "Score", "Range over missing parts", "Elo", "Exam"]
    whole, half = (
        re.findall(r"<td.*?</td>", row) for row in re.findall(r"<tr><td.*?</tr>", table, re.DOTALL)[::-1]
    )
    assert "1,250</a> <small>1 Jan 2026</small>" in whole[-2] and "80.0</a>" in whole[-1]
    assert ">–<" in half[-2] and 'href="https://example.org/"' in half[-1] and " to " in half[-3]

"""The usual noise around the level of every score: as a band in the charts, as ± beside the scores."""

from __future__ import annotations

import re

import msgspec
import pytest

from probatio.charts.days import DayPoint
from probatio.site.addresses import render
from probatio.site.facts.noise import find_noise, mean_noise, usual_noise
from probatio.site.facts.standing import find_fall
from probatio.site.pages.model_charts import in_band, model_charts
from probatio.site.snapshot import Site


def _text(site: Site, path: str) -> str:
    page = render(site, path)
    assert page is not None
    return page.body.decode()


@pytest.mark.parametrize("slug", ["demo-steady", "demo-cooked", "demo-one-use-case"])
def test_every_score_chart_has_the_band_and_no_other_chart(slug: str, site: Site) -> None:
    text = _text(site, f"models/{slug}/")
    charts = re.findall(r'<svg class="plot".*?</svg></svg>|<svg class="plot".*?</svg>.*?</svg>', text, re.S)
    banded = dict.fromkeys(("points", "chance", "seconds", "tokens", "dollars"), 0)
    for chart in charts:
        kind = re.findall(r'data-kind="(\w+)"', chart)[0]
        banded[kind] += 'class="band"' in chart
    assert banded == {"points": 11, "chance": 0, "seconds": 0, "tokens": 0, "dollars": 0}


def test_the_noise_of_a_fallen_model_is_that_before_its_fall(site: Site) -> None:
    model = site.tracked["demo-cooked"]
    before = find_noise(model, find_fall(model))
    after = {each.use_case: usual_noise(each) for each in model.last.use_cases}
    assert before.keys() == after.keys()
    chart = model_charts(site, model).use_cases["web_design"]
    assert chart.noise == before["web_design"]
    assert any((after[name] or 0) > 1.2 * before[name] for name in before), "the spread grows with a fall"


def test_the_mean_over_use_cases_is_steadier_than_each() -> None:
    assert mean_noise([4.0] * 4) == pytest.approx(2.0)
    assert mean_noise([4.0, None]) is None
    assert mean_noise([]) is None


def test_a_band_ends_where_the_points_end_and_needs_a_level() -> None:
    assert in_band(DayPoint(90, 98), 5) == msgspec.structs.replace(DayPoint(90, 98), low=93.0, high=100.0)
    assert in_band(DayPoint(90), 5) == DayPoint(90)
    assert in_band(DayPoint(90, 98), None) == DayPoint(90, 98)


def test_scores_have_their_noise_and_the_number_of_answers_beside_them(site: Site) -> None:
    text = _text(site, "models/demo-steady/")
    said = re.findall(r"± \d+\.\d usual noise; [\d,]+ answers? on 31 Mar 2026", text)
    assert len(said) == 11, "the score and ten use cases"
    day = _text(site, "models/demo-steady/2026-03-31/")
    assert len(re.findall(r'<td class="num">\d+\.\d</td><td class="num">± \d+\.\d</td><td', day)) == 10
    assert "Infinity" not in text and "nan" not in said

"""Figures for a paper: the size of a column, as SVG, PDF and PNG of the same picture."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from probatio.charts.curves import LearningCurve, Point, draw_curves
from probatio.charts.figure import DPI, SIZES, size_of, write_figure
from probatio.charts.forest import ForestRow, draw_forest
from probatio.charts.palette import FIXED
from probatio.core.errors import UsageError
from probatio.core.statistics.intervals import Rate

ROWS = [
    ForestRow("minimal against <examples-only>", 6.2, -11.5, 23.4, False),
    ForestRow("complete against minimal", 28.7, 9.6, 44.7, True),
]


@pytest.mark.parametrize("name", SIZES)
def test_a_figure_is_as_wide_as_its_place_in_every_format(tmp_path: Path, name: str) -> None:
    size = size_of(name)
    picture = draw_forest(ROWS, "t", "points", FIXED, width=size.pixels)
    for kind in ("svg", "pdf", "png"):
        write_figure(picture, tmp_path / f"f.{kind}", size)
    svg = ElementTree.fromstring((tmp_path / "f.svg").read_text(encoding="utf-8"))
    assert svg.get("width") == f"{size.millimetres:.2f}mm"
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ", (tmp_path / "f.pdf").read_bytes())
    assert box is not None
    assert float(box[1]) == pytest.approx(size.millimetres * 72 / 25.4, abs=0.5)
    (wide,) = struct.unpack(">I", (tmp_path / "f.png").read_bytes()[16:20])
    assert wide == pytest.approx(size.millimetres * DPI / 25.4, abs=2)


def test_letters_are_large_enough_to_print() -> None:
    for size in SIZES.values():
        assert 11 * size.millimetres / size.pixels * 72 / 25.4 >= 6


def test_a_narrow_picture_stays_within_its_width_and_keeps_whole_names() -> None:
    narrow, wide = (
        draw_forest(ROWS, "t", "points", FIXED, width=size.pixels)
        for size in (SIZES["column"], SIZES["page"])
    )
    for picture, width in ((narrow, 400), (wide, 720)):
        places = [float(x) for x in re.findall(r'<text[^>]* x="(-?[\d.]+)"', picture)]
        assert 0 <= min(places) <= max(places) < width
        assert "minimal against &lt;examples-only&gt;" in picture


def test_what_is_not_told_from_zero_is_drawn_open() -> None:
    picture = draw_forest(ROWS, "t", "points", FIXED)
    assert picture.count('class="mark ground open"') == 1
    assert picture.count('class="mark dot"') == 1
    assert "+6.2 [−11.5, +23.4]" in picture


def test_a_learning_curve_stays_within_its_width_and_names_its_curves() -> None:
    rate = Rate(5, 10, 10, 0.4, 0.6, False)
    points = tuple(Point("minimal", at, 100 * (1 + at), rate, 0.5, 0.4, 0.6) for at in range(3))
    curves = [LearningCurve("a-model-with-a-long-name", points), LearningCurve("b", points, 1)]
    column = draw_curves(curves, ["minimal"], (0.8,), "t", FIXED, width=400)
    page = draw_curves(curves, ["minimal"], (0.8,), "t", FIXED)
    for picture, width in ((column, 400), (page, 720)):
        assert f'viewBox="0 0 {width} ' in picture
        assert "a-model-with-a-long-name" in picture
        assert picture.count('<path class="fit') == 2
        places = [float(x) for x in re.findall(r' x[12]?="(-?[\d.]+)"', picture)]
        assert 0 <= min(places) <= max(places) <= width


def test_an_unknown_size_or_format_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no figure size `poster`"):
        size_of("poster")
    with pytest.raises(UsageError, match="svg, pdf, png"):
        write_figure(draw_forest(ROWS, "t", "points", FIXED), tmp_path / "f.gif", size_of("page"))

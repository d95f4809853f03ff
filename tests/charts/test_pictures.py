"""The charts: whole SVG, nothing but escaped text, colours for a page and for paper, a PNG that shows
something."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from probatio.charts.cells import draw_sparkline
from probatio.charts.curves import LearningCurve, Point, draw_curves
from probatio.charts.days import SCORES, DayPoint, draw_days, evidence_axis
from probatio.charts.figure import write_png
from probatio.charts.funnel import FunnelBar, ModelFunnel, draw_funnels
from probatio.charts.heat import draw_rates
from probatio.charts.palette import DARK, FIXED, LIGHT, ON_PAGE, Theme
from probatio.core.statistics.intervals import Rate

HOSTILE = "</title><script>x</script>\"'&"
CONTEXTS = ["minimal", "basic"]
LINES = [(3650.0, "SUSPECTED"), (36_500.0, "CONFIRMED")]


def _curves(count: int = 2) -> list[LearningCurve]:
    points = [
        Point(
            CONTEXTS[at % 2],
            at,
            100 * (1 + at),
            Rate(2 * at, 10, 10, 0.1 * at, 0.25 * at, False),
            0.2 * at,
            0.1 * at,
            0.25 * at,
        )
        for at in range(4)
    ]
    return [LearningCurve(f"{HOSTILE} {number}", tuple(points), number) for number in range(count)]


DATES = [f"2026-03-{day:02}" for day in range(1, 6)]
DAYS = [
    DayPoint(91, None, "CALIBRATING"),
    DayPoint(92, 90, "OK", low=85, high=95, barred=True),
    DayPoint(None, 90, "GAP", low=85, high=95),
    DayPoint(60, 90, "COOKED", border=HOSTILE, low=85, high=95),
    DayPoint(),
]


def _daily(theme: Theme) -> str:
    return draw_days(DAYS, DATES, SCORES, HOSTILE, "", theme)


def _evidence(theme: Theme) -> str:
    days = [DayPoint(), DayPoint(5.0), DayPoint(), DayPoint(1e9), DayPoint(1e14)]
    return draw_days(days, list("12345"), evidence_axis(days, LINES), HOSTILE, "", theme)


def _learning(theme: Theme) -> str:
    return draw_curves(_curves(), CONTEXTS, (0.8, 0.9), HOSTILE, theme, HOSTILE)


def _map(theme: Theme) -> str:
    return draw_rates(_curves(), CONTEXTS, HOSTILE, theme, HOSTILE)


def _funnel(theme: Theme) -> str:
    bars = (FunnelBar("asked", 40, 40), FunnelBar(HOSTILE, 20, 40, 0.4, 0.6))
    return draw_funnels([ModelFunnel(HOSTILE, bars)] * 3, HOSTILE, theme, HOSTILE)


PICTURES: tuple[Callable[[Theme], str], ...] = (_daily, _evidence, _learning, _map, _funnel)


@pytest.mark.parametrize("draw", PICTURES)
@pytest.mark.parametrize("theme", [ON_PAGE, FIXED])
def test_a_picture_is_whole_and_hostile_text_stays_text(draw: Callable[[Theme], str], theme: Theme) -> None:
    root = ElementTree.fromstring(draw(theme))
    assert not [each.tag for each in root.iter() if each.tag.endswith("}script")]
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == HOSTILE


@pytest.mark.parametrize("draw", PICTURES)
def test_everything_drawn_lies_inside_the_picture(draw: Callable[[Theme], str]) -> None:
    root = ElementTree.fromstring(draw(FIXED))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for panel in root.findall("{http://www.w3.org/2000/svg}g"):
        left, top = map(float, panel.attrib["transform"].removeprefix("translate(").removesuffix(")").split())
        for mark in panel.iter():
            assert 0 <= left + float(mark.get("x", mark.get("cx", mark.get("x2", 0)))) <= width
            assert 0 <= top + float(mark.get("y", mark.get("cy", mark.get("y2", 0)))) <= height


def test_a_page_gets_both_palettes_and_paper_only_one_on_its_own_ground() -> None:
    page, paper = _daily(ON_PAGE), _daily(FIXED)
    assert DARK.ink in page
    assert "prefers-color-scheme:dark" in page
    assert '<rect class="ground"' not in page
    assert "@media" not in paper
    assert DARK.ink not in paper
    assert f".ground{{fill:{LIGHT.ground}}}" in paper


def test_a_gap_is_drawn_as_a_gap_and_breaks_the_line() -> None:
    chart = _daily(ON_PAGE)
    assert chart.count('class="GAP"') == 1
    (line,) = re.findall(r'<path class="value" d="([^"]+)"', chart)
    assert line.count("M") == 2
    assert chart.count(">b</text>") == 1


def test_dates_below_a_picture_are_written_as_people_write_them() -> None:
    chart = _daily(ON_PAGE)
    assert ">1 Mar<" in chart and ">5 Mar<" in chart
    assert "2026-03" not in chart


def test_verdicts_differ_in_shape_and_not_in_colour_alone() -> None:
    chart = _daily(ON_PAGE)
    assert '<circle class="CALIBRATING"' in chart
    assert '<path class="COOKED"' in chart


def test_the_evidence_names_its_two_lines_and_its_powers_of_ten() -> None:
    chart = _evidence(ON_PAGE)
    assert chart.count('<line class="limit"') == 2
    assert ">SUSPECTED<" in chart
    assert ">CONFIRMED<" in chart
    assert '10<tspan dy="-4" font-size="8">12</tspan>' in chart


def test_a_learning_curve_has_a_mark_for_each_condition_and_its_name_at_its_end() -> None:
    chart = _learning(ON_PAGE)
    assert chart.count("<use ") == 2 * 4 + len(CONTEXTS)
    assert [chart.count(f'<text class="name c{number}"') for number in range(2)] == [1, 1]


def test_contexts_are_named_at_their_tokens_and_every_point_says_its_condition() -> None:
    root = ElementTree.fromstring(draw_curves(_curves(1), CONTEXTS, (0.8,), "t"))
    svg = "{http://www.w3.org/2000/svg}"
    texts = [(each.text or "").strip("\u00a0") for each in root.iter(f"{svg}text")]
    assert texts[-len(CONTEXTS) :] == CONTEXTS
    plain, dense = [each for each in root.iter(f"{svg}line") if each.get("class") == "stretch"]
    assert float(plain.attrib["x1"]) < float(dense.attrib["x1"]), "it begins at its fewest tokens"
    titles = [each.text for each in root.iter(f"{svg}title")]
    assert (
        titles[2]
        == f"{HOSTILE} 0: basic, 1-shot, 200 tokens: 20 % right (10 to 25 %; 10 answers to 10 tasks)"
    )


def test_many_curves_get_a_taller_picture_so_that_every_name_has_room() -> None:
    tall = draw_curves(_curves(40), CONTEXTS, (0.8,), "t")
    names = [
        each for each in ElementTree.fromstring(tall).iter() if (each.get("class") or "").startswith("name")
    ]
    heights = sorted(float(each.attrib["y"]) for each in names)
    assert len(heights) == 40
    assert min(after - before for before, after in pairwise(heights)) > 13


def test_a_condition_that_was_not_asked_is_a_dash_in_the_map() -> None:
    assert "–</text>" in _map(ON_PAGE)


def test_the_interval_of_a_bar_is_drawn_where_it_is_known() -> None:
    assert _funnel(ON_PAGE).count('class="whisker"') == 3 * 3


def test_a_sparkline_breaks_at_a_gap_and_has_no_style_of_its_own() -> None:
    line = draw_sparkline([90, 91, None, 92], HOSTILE, low=80)
    assert line.count("<path") == 2
    assert "<style" not in line
    assert "<script" not in line
    ElementTree.fromstring(line)


def test_pictures_without_data_are_still_pictures() -> None:
    for empty in (
        draw_days([], [], SCORES, "t", ""),
        draw_days([], [], evidence_axis([], LINES), "t", ""),
        draw_curves([], [], (), "t"),
        draw_funnels([], "t"),
    ):
        ElementTree.fromstring(empty)
    assert draw_sparkline([], "t")


@pytest.mark.slow
def test_a_png_shows_the_palette_on_white(tmp_path: Path) -> None:
    target = tmp_path / "chart.png"
    write_png(_funnel(FIXED), target)
    width, height, colours = _pixels(target.read_bytes())
    assert width == 1080
    assert height > 100
    assert colours[(255, 255, 255)] > 0.4 * width * height
    assert len(colours) > 20, "text and bars are drawn"


def _pixels(png: bytes) -> tuple[int, int, dict[tuple[int, int, int], int]]:
    """Size and colours of an 8-bit RGBA PNG, read by hand: no picture library is a dependency."""
    assert png.startswith(b"\x89PNG")
    at, data, width, height = 8, b"", 0, 0
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 6)
        data += body if kind == b"IDAT" else b""
        at += size + 12
    raw, stride, before = zlib.decompress(data), 4 * width, bytes(4 * width)
    colours: dict[tuple[int, int, int], int] = {}
    for row in range(height):
        start = row * (stride + 1)
        line = bytearray(raw[start + 1 : start + 1 + stride])
        _unfilter(raw[start], line, before)
        for x in range(0, stride, 4):
            key = (line[x], line[x + 1], line[x + 2])
            colours[key] = colours.get(key, 0) + 1
        before = bytes(line)
    return width, height, colours


def _unfilter(kind: int, line: bytearray, above: bytes) -> None:
    for x in range(len(line)):
        left, up, corner = (line[x - 4] if x >= 4 else 0), above[x], (above[x - 4] if x >= 4 else 0)
        guess = left + up - corner
        nearest = min((left, up, corner), key=lambda value: abs(guess - value))
        line[x] = (line[x] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255

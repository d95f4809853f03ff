"""Learning curves that stand in a page, and numbers with their doubt in a cell."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import probatio.site
from probatio.charts.cells import draw_range, range_scale
from probatio.charts.curves import COLOURS, LearningCurve, Point, plot_curves
from probatio.charts.palette import DARK, LIGHT
from probatio.core.statistics.intervals import Rate

HOSTILE = "</title><script>x</script>\"'&"
CONTEXTS = ("none", HOSTILE, "whole")


def _curve(name: str, number: int, shares: tuple[float, ...]) -> LearningCurve:
    marks = tuple(
        Point(CONTEXTS[at % 3], 0, 400 * at, _rate(share), share, max(0, share - 0.2), min(1, share + 0.2))
        for at, share in enumerate(shares)
    )
    return LearningCurve(name, marks, number, lambda _: HOSTILE)


def _rate(share: float) -> Rate:
    return Rate(round(10 * share), 10, 10, max(0, share - 0.2), min(1, share + 0.2), False)


def _drawn(*curves: LearningCurve) -> ElementTree.Element:
    return ElementTree.fromstring(plot_curves(curves, CONTEXTS, (0.8, 0.9), HOSTILE, name="c0", height=300))


def test_hostile_text_stays_text_and_nothing_needs_a_style_that_the_policy_forbids() -> None:
    root = _drawn(_curve(HOSTILE, 0, (0.1, 0.5, 0.9)))
    assert root.attrib["aria-label"] == HOSTILE
    assert [each.text for each in root.iter("title")] == [
        f"{HOSTILE}: none, 0-shot, 0 tokens: 10 % right (0 to 30 %; 10 answers to 10 tasks)",
        f"{HOSTILE}: {HOSTILE}, 0-shot, 400 tokens: 50 % right (30 to 70 %; 10 answers to 10 tasks)",
        f"{HOSTILE}: whole, 0-shot, 800 tokens: 90 % right (70 to 100 %; 10 answers to 10 tasks)",
    ]
    assert [each.attrib["href"] for each in root.iter("a")] == [HOSTILE] * 3
    assert not [each for each in root.iter() if each.tag in ("script", "style") or "style" in each.attrib]


def test_every_mark_has_the_shape_of_its_context_which_is_named_below_the_axis() -> None:
    root = _drawn(_curve("a", 0, (0.1, 0.5, 0.9, 0.9)), _curve("b", 1, (0.2, 0.2)))
    shapes = {each.attrib["id"] for each in root.iter("g") if "id" in each.attrib}
    used = [mark.find("use").attrib["href"] for mark in root.iter("a")]  # type: ignore[union-attr]
    assert used == ["#c0-0", "#c0-1", "#c0-2", "#c0-0", "#c0-0", "#c0-1"]
    assert shapes == {"c0-0", "c0-1", "c0-2"}
    texts = [(each.text or "").strip("\u00a0") for each in root.iter("text")]
    assert set(CONTEXTS) <= set(texts)


def test_names_of_curves_that_end_together_do_not_lie_on_each_other() -> None:
    root = _drawn(*(_curve(f"model {number}", number, (0.5, 0.9)) for number in range(5)))
    named = [each for each in root.iter("text") if each.attrib.get("class", "").startswith("name")]
    places = sorted(float(each.attrib["y"]) for each in named)
    assert len(places) == 5
    assert min(later - earlier for earlier, later in pairwise(places)) >= 14


def test_ticks_are_round_and_a_curve_without_a_mark_draws_nothing() -> None:
    root = _drawn(_curve("a", 0, (0.1, 0.5, 0.9)), LearningCurve("empty", (), 1))
    texts = [each.text for each in root.iter("text")]
    assert {"500"} <= set(texts), "of a logarithmic axis from 400 to 800"
    assert "empty" not in texts


def test_the_stylesheet_has_the_palettes_colours() -> None:
    sheet = (Path(probatio.site.__file__).parent / "assets" / "style.css").read_text()
    assert re.findall(r"\.c(\d)\{--c:var\(--line(\d)\)\}", sheet) == [
        (f"{number}",) * 2 for number in range(COLOURS)
    ]
    colours = tuple(
        colour for _, colour in sorted(re.findall(r"--line(\d):(#\w+)", sheet), key=lambda found: found[0])
    )
    assert (colours[::2], colours[1::2]) == (LIGHT.series, DARK.series)


def test_a_number_stands_in_its_doubt_and_what_is_not_reached_lies_beyond_all_that_was_tried() -> None:
    scale = range_scale(300, 7_910)
    assert scale.decades == [100.0, 1_000.0, 10_000.0]
    known = ElementTree.fromstring(draw_range(scale, 1_905, 642, 5_586, 7_910))
    (doubt,) = [each for each in known.iter("line") if each.attrib.get("class") == "doubt"]
    (dot,) = known.iter("circle")
    low, at, high = (
        float(each.rstrip("%")) for each in (doubt.attrib["x1"], dot.attrib["cx"], doubt.attrib["x2"])
    )
    assert low < at < high < 97
    beyond = ElementTree.fromstring(draw_range(scale, None, None, None, 7_910))
    (doubt,) = [each for each in beyond.iter("line") if each.attrib.get("class") == "doubt"]
    assert not list(beyond.iter("circle")) and doubt.attrib["x2"] == "100%"
    assert float(doubt.attrib["x1"].rstrip("%")) > high
    assert range_scale(0, 0).decades == [10.0, 100.0], "no tokens at all"


def test_at_most_four_bands_lie_on_each_other() -> None:
    root = _drawn(*(_curve(f"model {number}", number, (0.5, 0.9)) for number in range(6)))
    paths = [each.attrib["class"].split()[0] for each in root.iter("path") if "class" in each.attrib]
    assert (paths.count("band"), paths.count("fit")) == (4, 6)


def test_the_axis_of_tokens_is_logarithmic_and_a_condition_without_tokens_stands_at_its_beginning() -> None:
    marks = tuple(Point("none", 0, tokens, _rate(0.5), 0.5, 0.3, 0.7) for tokens in (0, 100, 1000, 10000))
    root = _drawn(LearningCurve("a", marks, 0, lambda _: "x"))
    places = [float(mark.find("use").attrib["x"].rstrip("%")) for mark in root.iter("a")]  # type: ignore[union-attr]
    first, low, middle, high = places
    assert first < low and abs((high - middle) - (middle - low)) < 0.2


def test_the_name_of_a_context_stands_on_the_side_that_has_room() -> None:
    """`none` goes from the left end over two thirds of the width: left of it is no room for its name."""
    places = (("none", 30), ("none", 800), ("whole", 5_000))
    root = _drawn(
        LearningCurve(
            "m", [Point(context, 0, tokens, _rate(0.5), 0.5, 0.3, 0.7) for context, tokens in places]
        )
    )
    ends = {"".join(each.itertext()): each.attrib.get("text-anchor") for each in root.iter("text")}
    assert (ends["none"], ends["whole"]) == (None, "end")

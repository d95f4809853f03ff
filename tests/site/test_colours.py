"""The colours with a meaning: the same on every surface, readable on their ground, and apart for colour-blind
readers."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import pytest

from probatio.charts.palette import DARK, LIGHT
from probatio.site.feed import COLOURS
from probatio.site.rendering import FOLDER

STYLE = (FOLDER / "assets" / "style.css").read_text(encoding="utf-8")
MEANING = ("ok", "suspicious", "cooked")

# What a colour is to eyes without the long or the middle cones, in linear RGB (Viénot, Brettel and Mollon
# 1999).
SIGHTS = {
    "usual": np.eye(3),
    "protanopia": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "deuteranopia": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def _scheme(dark: bool) -> dict[str, str]:
    light, _, rest = STYLE.partition("@media (prefers-color-scheme:dark){:root{")
    return dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6})", rest.partition("}}")[0] if dark else light))


def _linear(colour: str) -> np.ndarray:
    value = np.array(list(bytes.fromhex(colour[1:]))) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _lab(linear: np.ndarray) -> np.ndarray:
    xyz = TO_XYZ @ np.clip(linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def _contrast(one: str, two: str) -> float:
    high, low = sorted((float((TO_XYZ @ _linear(each))[1]) + 0.05 for each in (one, two)), reverse=True)
    return high / low


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("sight", SIGHTS)
def test_ok_is_far_from_both_alarms_for_every_eye(dark: bool, sight: str) -> None:
    scheme = _scheme(dark)
    seen = {name: _lab(SIGHTS[sight] @ _linear(scheme[name])) for name in MEANING}
    apart = {pair: float(np.linalg.norm(seen[pair[0]] - seen[pair[1]])) for pair in combinations(MEANING, 2)}
    assert min(apart["ok", "cooked"], apart["ok", "suspicious"]) > 25, apart


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_colour_is_readable_on_its_ground(dark: bool) -> None:
    scheme = _scheme(dark)
    for name in ("ink", "soft", "accent", "quiet", *MEANING):
        assert _contrast(scheme[name], scheme["ground"]) >= 4.5, name
        assert _contrast(scheme[name], scheme["raised"]) >= 4.5, name
    assert _contrast(scheme["suspicious"], scheme["suspicious-tint"]) >= 4.5
    assert _contrast("#ffffff", scheme["cooked-solid"]) >= 4.5
    assert _contrast(scheme["note-ink"], scheme["note"]) >= 4.5


def test_badge_images_have_the_colours_of_the_pages_and_carry_white_text() -> None:
    scheme = _scheme(dark=False)
    assert {COLOURS[status] for status in ("OK", "SUSPICIOUS", "COOKED")} == {
        scheme[name] for name in MEANING
    }
    assert all(_contrast("#ffffff", colour) >= 4.5 for colour in COLOURS.values())


def test_a_verdict_has_one_colour_in_charts_and_on_pages_and_no_series_has_it() -> None:
    for dark, palette in ((False, LIGHT), (True, DARK)):
        meanings = [_scheme(dark)[name] for name in MEANING]
        assert [palette.status[status] for status in ("OK", "SUSPICIOUS", "COOKED")] == meanings
        for line, meaning in product(palette.series, meanings):
            apart = np.linalg.norm(_lab(_linear(line)) - _lab(_linear(meaning)))
            assert apart > 30, (line, meaning)


@pytest.mark.parametrize("sight", SIGHTS)
def test_two_series_are_apart_for_every_eye(sight: str) -> None:
    for palette in (LIGHT, DARK):
        seen = [_lab(SIGHTS[sight] @ _linear(line)) for line in palette.series]
        assert min(float(np.linalg.norm(one - two)) for one, two in combinations(seen, 2)) > 12


def test_sizes_and_spaces_come_from_the_scales() -> None:
    """A size of letters that is not on the scale, nor relative to the text around it, would be the first of
    many."""
    rules = STYLE.partition("*{box-sizing")[2]
    assert not re.findall(r"font-size:(?!var\(--f|\.\d+em)[^;}]+", rules)
    colours = set(re.findall(r"#[0-9a-f]{3,6}\b", re.sub(r"\.(?:heat|s\d)[^}]*}", "", rules)))
    assert colours <= {"#fff", "#5c2a8c"}, "a colour without a name"

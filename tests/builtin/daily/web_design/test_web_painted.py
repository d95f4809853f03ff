"""What is not painted does not count: a page that shows nothing has nothing, whatever the trick."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import pytest

from builtin.daily.web_design.shared_tab import shared_tab
from builtin.daily.web_design.tricks import BLANK, ORDINARY
from probatio.builtin.daily.web_design.hands import NARROW, WIDE, examine
from probatio.builtin.daily.web_design.painted import Place, find_edges, is_painted, moments
from probatio.builtin.daily.web_design.snapshot import Finder, Snapshot, matches
from probatio.jail.browser import driver as browser
from probatio.jail.browser.page import OpenPage

pytestmark = pytest.mark.slow  # a real browser

BODY = (
    "<main id=x><div><h1>Plans for every notebook</h1><p>Prices exclude VAT. Cancel any time.</p>"
    "<button>Choose Plus</button><label>Full name <input></label>"
    "<svg width=90 height=20><text y=15>42 loans</text></svg></div></main>"
)
WANTED = [
    Finder(role="heading", exact="Plans for every notebook"),
    Finder(role="paragraph", text="Cancel any time."),
    Finder(role="button", name="Choose Plus"),
    Finder(role="textbox"),
    Finder(tag="main", text="42 loans"),
]


TEXTS = WANTED[:3]


class Examine(Protocol):
    def __call__(self, trick: str, size: tuple[int, int] = WIDE) -> Snapshot: ...


@pytest.fixture(scope="module")
def page_with() -> Iterator[Examine]:
    state = browser.available()
    if not state.works:
        pytest.skip(f"no browser here: {state.sentence}")
    with shared_tab() as tab:

        def snapshot(trick: str, size: tuple[int, int] = WIDE) -> Snapshot:
            async def see(page: OpenPage) -> Snapshot:
                await page.load(*size)
                return await examine(page)

            return tab.examine(f"<!doctype html><html lang=en><title>t</title><body>{BODY}{trick}", see)

        yield snapshot


FEW_BLANK = (
    "a fixed sheet",
    "flood",
    "blend: screen",
    "mask of no size",
    "transparent first line",
    "endless: out of sight",
)
FEW_ORDINARY = ("as it is", "dark", "fading in", "a gradient in the text", "in a box that scrolls")


@pytest.mark.parametrize("name", FEW_BLANK)
def test_what_is_not_painted_is_not_there(page_with: Examine, name: str) -> None:
    assert not [finder for finder in TEXTS if matches(finder, page_with(BLANK[name]))]


@pytest.mark.parametrize("name", FEW_ORDINARY)
def test_an_ordinary_page_is_there_with_all_it_has(page_with: Examine, name: str) -> None:
    seen = page_with(ORDINARY[name])
    assert all(matches(finder, seen) for finder in WANTED)


@pytest.mark.soak
@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("name", BLANK)
def test_no_trick_makes_a_blank_page_count(page_with: Examine, name: str, size: tuple[int, int]) -> None:
    seen = page_with(BLANK[name], size)
    assert [finder for finder in TEXTS if matches(finder, seen)] == []


@pytest.mark.soak
@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("name", ORDINARY)
def test_no_ordinary_page_loses_anything(page_with: Examine, name: str, size: tuple[int, int]) -> None:
    seen = page_with(ORDINARY[name], size)
    assert [finder for finder in WANTED if not matches(finder, seen)] == []


def test_a_line_needs_letters_along_its_whole_length() -> None:
    picture = np.full((20, 300, 3), 255, np.uint8)
    bare, line = picture.copy(), Place(0, "text", [(0, 0, 300, 20)])
    assert not is_painted(line, picture, find_edges(picture, bare))
    picture[5:15, 0:100:4] = 0
    assert not is_painted(line, picture, find_edges(picture, bare)), "a third of it"
    picture[5:15, ::4] = 0
    assert is_painted(line, picture, find_edges(picture, bare))


def test_a_tint_a_blur_and_a_blinking_sheet_are_no_letters() -> None:
    bare = np.full((20, 300, 3), 255, np.uint8)
    blur = np.linspace(255, 0, 300).astype(np.uint8)
    for change in (np.zeros_like(bare), bare // 2, np.broadcast_to(blur[None, :, None], bare.shape)):
        assert not find_edges(np.ascontiguousarray(change), bare).any()


def test_the_moments_of_a_look_are_those_of_the_page() -> None:
    assert moments(b"a") == moments(b"a") != moments(b"b")
    assert all(2000 <= moment <= 8000 for moment in moments(b"a"))

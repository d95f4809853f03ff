"""What of a page is painted: a picture of it as it is and one without its texts, compared.

A style sheet can take a text from sight in more ways than any list of rules has: a sheet over it, a filter, a
blend mode, a mask, a font of blanks. What all of them have in common is that the picture is the same without
the text. So whatever the survey takes for visible is looked for in pictures of the window, which is scrolled
from item to item as a reader would. The page's scripts stand still for the two pictures, so they can't tell
which is taken; a third one before that shows what the page looks like while they run. Where it is another,
only what is the same in both counts. The pictures are compared here, out of the page's reach.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from probatio.core.jsonfile import decode
from probatio.jail.browser.page import OpenPage, PageFailed
from probatio.jail.browser.picture import Pixels, read_png

P = TypeVar("P", bound=np.generic)

ITEMS = (Path(__file__).parent / "items.js").read_text(encoding="utf-8")

INK = 20
"""Steps of 255 in one channel that the eye notices. A text with the least contrast that counts as visible,
1.25, has 28."""
FEWEST = 2
"""Pixels at the edges of letters from which a stretch of a line is not bare."""
STRETCH = 3
"""A stretch is so many times as long as its line is high."""
COVERED = 0.6
"""The share of a text's stretches with letters from which it is painted; of its first line half of it."""
AROUND = 8
"""Pixels around a drawing that are looked at with it: its edge may be that of what it stands in."""
MOST_TURNS = 24
IN_VAIN = 3
"""So many items in a row that are looked for one by one and not found: the rest is not there either."""
LOOKS = 5


class Place(msgspec.Struct, frozen=True):
    """Where an item is in the window. A label is a text whose exact place in its box is not known."""

    item: int
    kind: Literal["text", "label", "drawing"]
    lines: list[tuple[int, int, int, int]]
    """Left, top, right, bottom."""


class Unpainted(msgspec.Struct, frozen=True):
    """Items that are not painted; `blank` where not one text is."""

    items: tuple[int, ...] = ()
    blank: bool = False


def moments(html: bytes) -> list[int]:
    """Milliseconds after the start of an endless animation at which it is looked at: the same for the same
    page, and not to be known while it is written."""
    digest = hashlib.sha256(html).digest()
    return [2000 + int.from_bytes(digest[2 * n : 2 * n + 2]) * 6000 // 65536 for n in range(LOOKS)]


async def find_unpainted(page: OpenPage, count: int) -> Unpainted:
    """Which of the items of the survey before are not painted. The page has to be loaded again afterwards."""
    search = Search(count)
    same = False
    while not search.done:
        places = await _show(page, turn=search.target, open=search.open)
        alive = full = await page.picture()
        async with page.silenced():
            if not same:
                await _show(page, calm=True)
                full = await page.picture()
                same = alive == full  # then it is so further down, too: a picture costs 20 ms of CPU
            await _show(page, calm=True, hide=True)
            bare = await page.picture()
            await _show(page, calm=False, hide=False)
        pixels = read_png(full)
        edges = find_edges(pixels, read_png(bare))
        if alive != full:
            edges &= ~differ(read_png(alive), pixels)
        search.compare(places, pixels, edges)
    return search.result()


async def _show(page: OpenPage, **wanted: object) -> list[Place]:
    told = await page.evaluate(ITEMS, wanted)
    try:
        return decode(told, list[Place])
    except (msgspec.DecodeError, TypeError) as error:
        raise PageFailed(f"The page could not be examined: {error}"[:200]) from error


class Search:
    """Which items were found, and where to look next."""

    def __init__(self, count: int) -> None:
        self.open = list(range(count))
        self.target: int | None = None
        """The item that is looked for by itself; None at first, when the window is taken as it is."""
        self._unpainted: list[int] = []
        self._texts = 0
        self._turns = self._in_vain = 0

    @property
    def done(self) -> bool:
        return not self.open or self._turns >= MOST_TURNS or self._in_vain >= IN_VAIN

    def result(self) -> Unpainted:
        unpainted = [*self._unpainted, *self.open]
        return Unpainted(tuple(unpainted), blank=bool(unpainted) and not self._texts)

    def compare(self, places: list[Place], full: Pixels, edges: NDArray[np.bool_]) -> None:
        """What of these places is painted, by a picture and the edges of its letters."""
        found = set()
        for place in places:
            if is_painted(place, full, edges):
                found.add(place.item)
                self._texts += place.kind != "drawing"
        self.open = [item for item in self.open if item not in found]
        if self.target is not None:
            self._in_vain = 0 if found else self._in_vain + 1
            if self.target in self.open:
                self.open.remove(self.target)
                self._unpainted.append(self.target)
        self._turns += 1
        self.target = self.open[0] if self.open else None


def differ(one: Pixels, other: Pixels) -> NDArray[np.bool_]:
    """The pixels in which two pictures differ; all of them, where the pictures have not the same size."""
    return _apart(one, other) > 0


def find_edges(full: Pixels, bare: Pixels) -> NDArray[np.bool_]:
    """Where the difference of two pictures changes sharply from column to column, as it does at the edges of
    letters. A tint, a blur and a blinking sheet have none."""
    apart = _apart(full, bare)
    edges = np.zeros(apart.shape, np.bool_)
    edges[:, 1:] = _gap(apart[:, 1:], apart[:, :-1]) >= INK
    return edges


def _apart(one: Pixels, other: Pixels) -> NDArray[np.uint8]:
    """The difference of each pixel, in the channel where it is largest."""
    if one.shape != other.shape:
        return np.full(one.shape[:2], 255, np.uint8)
    gap = _gap(one, other)
    return np.maximum(np.maximum(gap[..., 0], gap[..., 1]), gap[..., 2])  # a tenth of `max(axis=2)`


def _gap(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.maximum(one, other) - np.minimum(one, other)


def is_painted(place: Place, full: Pixels, edges: NDArray[np.bool_]) -> bool:
    if place.kind == "drawing":
        return any(_has_shape(full, line) for line in place.lines)
    if place.kind == "label":
        return any(_of(edges, line).any() for line in place.lines)
    lines = [_stretches(_of(edges, line)) for line in place.lines]
    inked = [share for line in lines for share in line]
    return bool(inked) and _mean(inked) >= COVERED and _mean(lines[0]) >= COVERED / 2


def _stretches(edges: NDArray[np.bool_]) -> list[bool]:
    """For each stretch of a line whether it has letters in it."""
    height, width = edges.shape
    if not height or not width:
        return [False]
    count = max(1, width // (STRETCH * height))
    return [bool(part.sum() >= FEWEST) for part in np.array_split(edges, count, axis=1)]


def _has_shape(full: Pixels, line: tuple[int, int, int, int]) -> bool:
    left, top, right, bottom = line
    around = (max(0, left - AROUND), max(0, top - AROUND), right + AROUND, bottom + AROUND)
    part = _of(full, around).reshape(-1, full.shape[2])
    return bool(part.size) and bool((part.max(axis=0) - part.min(axis=0)).max() >= INK)


def _of(pixels: NDArray[P], line: tuple[int, int, int, int]) -> NDArray[P]:
    left, top, right, bottom = line
    return pixels[max(0, top) : max(0, bottom), max(0, left) : max(0, right)]


def _mean(flags: list[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0

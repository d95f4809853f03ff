"""Long lists in pages: where each page begins, and the links from one to the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple


def breaks(sizes: Iterable[int], room: int, most: int) -> list[int]:
    """The number of the first entry of each page: as many as have room, `most` at most; a larger one stands alone. Where a page
    ends depends on what comes before it alone, so that an entry keeps its page while the list grows."""
    first: list[int] = []
    left = 0
    for number, size in enumerate(sizes):
        if not first or number - first[-1] == most or size > left:
            first.append(number)
            left = room
        left -= size
    return first


def page_of(first: Sequence[int], number: int) -> int:
    """The first entry of the page that an entry stands on."""
    return first[bisect_right(first, number) - 1]


class Pager(NamedTuple):
    """Where a page of a list stands among its pages, numbered from 1."""

    page: int
    pages: int

    @property
    def near(self) -> list[int | None]:
        """The pages to link to; None for those left out between two."""
        shown = sorted({1, self.pages, *range(max(1, self.page - 3), min(self.pages, self.page + 3) + 1)})
        linked: list[int | None] = []
        for number in shown:
            if linked and linked[-1] is not None and number > linked[-1] + 1:
                linked.append(None)
            linked.append(number)
        return linked


def pager(names: dict[str, str], pages: int) -> Pager | None:
    """Of the page that an address names: the first has no number in it. None where there is no such page."""
    page = int(names.get("number", 1))
    return Pager(page, pages) if 1 <= page <= max(1, pages) and (page == 1) == ("number" not in names) else None

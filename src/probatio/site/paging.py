"""Long lists in pages: where each page begins, and the links from one to the others; days in years."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from probatio.site.rendering import NoPage, PageRequest


def find_breaks(sizes: Iterable[int], room: int, most: int) -> list[int]:
    """The number of the first entry of each page. A page has at most `most` entries and `room` for their
    sizes; a larger entry is alone. Where a page ends depends only on the entries before it, so that an entry
    keeps its page while the list grows."""
    first: list[int] = []
    left = 0
    for number, size in enumerate(sizes):
        if not first or number - first[-1] == most or size > left:
            first.append(number)
            left = room
        left -= size
    return first


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


def count_pages(entries: int, most: int) -> int:
    """How many pages a list takes, with `most` entries on each. An empty list has one."""
    return max(1, -(-entries // most))


def make_pager(request: PageRequest, pages: int) -> Pager:
    """The pager of the page that an address names: the first page has no number."""
    page = int(request.names.get("number", 1))
    if not 1 <= page <= max(1, pages) or (page == 1) != ("number" not in request.names):
        raise NoPage
    return Pager(page, pages)


def years_of(dates: Iterable[str]) -> list[str]:
    """The calendar years of these days, oldest first."""
    return list(dict.fromkeys(date[:4] for date in dates))


def find_year(request: PageRequest, dates: Iterable[str]) -> tuple[str, list[str]]:
    """The year that the address names, and all years. The last one has no name in an address; without days
    it is empty."""
    years = years_of(dates)
    if "year" in request.names and request.names["year"] not in years[:-1]:
        raise NoPage
    return request.names.get("year", years[-1] if years else ""), years

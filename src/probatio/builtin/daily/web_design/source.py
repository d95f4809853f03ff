"""Figures in the source of a page: table cells and attributes as written, before any script runs."""

from __future__ import annotations

import re
from decimal import Decimal
from html.parser import HTMLParser

import msgspec

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?|[-+]?\.\d+")
_UNREAD = {"script", "style", "template", "title", "noscript"}


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One element of the source by its id: the texts of its cells, or numbers in one of its attributes."""

    id: str
    rung: int = 0
    cells: tuple[str, ...] = ()
    given: int = 0
    """So many of the cells, from the left, are in the brief and earn nothing."""
    attribute: str = ""
    skip: int = 0
    numbers: tuple[str, ...] = ()


class SourceElement(msgspec.Struct):
    """One element as it was written."""

    attributes: dict[str, str]
    cells: list[list[str]] = []


class PageSource(HTMLParser):
    """Every element that has an id; an id given twice names nothing."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.by_id: dict[str, SourceElement | None] = {}
        self._row: SourceElement | None = None
        self._cell: list[str] | None = None
        self._unread = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNREAD:
            self._unread += 1
        if self._unread:
            return
        written = SourceElement({name: value or "" for name, value in attrs})
        if tag in ("tr", "tbody", "thead", "table"):
            self._row, self._cell = (written if tag == "tr" else None), None
        if tag in ("td", "th"):
            self._cell = []
            written.cells.append(self._cell)
            if self._row is not None:
                self._row.cells.append(self._cell)
        if name := written.attributes.get("id", "").strip():
            self.by_id[name] = None if name in self.by_id else written

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _UNREAD:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNREAD:
            self._unread = max(0, self._unread - 1)
        elif tag in ("td", "th", "tr", "table"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None and not self._unread:
            self._cell.append(data)


def credit(wanted: Figures, source: PageSource | None) -> tuple[float, str]:
    """The share of figures that are right in their place, and what is wrong."""
    written = source.by_id.get(wanted.id) if source else None
    if written is None:
        return 0.0, "not in the source, or its id twice" if source else ""
    if wanted.attribute:
        right = list(wanted.numbers)
        there = _NUMBER.findall(written.attributes.get(wanted.attribute, ""))[wanted.skip :][: len(right)]
        there += [""] * (len(right) - len(there))
    else:
        right = list(wanted.cells[wanted.given :])
        texts = [" ".join("".join(cell).split()) for cell in written.cells]
        if len(texts) != len(wanted.cells):
            return 0.0, f"{len(texts)} cells, {len(wanted.cells)} asked for"
        there = texts[wanted.given :]
    wrong = [
        f"{one[:20]} for {two}" for one, two in zip(there, right, strict=True) if _value(one) != _value(two)
    ]
    return 1 - len(wrong) / len(right), ", ".join(wrong)


def _value(text: str) -> Decimal | str:
    """A cell as it is compared: a number by its value, without a sign of money, percent or thousands."""
    plain = re.sub(r"(?<=\d)[, ](?=\d{3}\b)", "", text).replace("\u2212", "-").strip(" $%.").casefold()
    plain = re.sub(r"^-\$", "-", plain)
    return Decimal(plain) if _NUMBER.fullmatch(plain) else plain

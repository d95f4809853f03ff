"""A page at one moment, and how an element is found in it: by role, name, text or id."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import msgspec

from probatio.builtin.daily.reading.folding import fold_letters

SURVEY = (Path(__file__).parent / "survey.js").read_text(encoding="utf-8")

_TYPOGRAPHIC = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "…": "..."}
)


class Element(msgspec.Struct, frozen=True):
    """One element that has a role or an id."""

    index: int
    tag: str
    id: str
    role: str
    name: str
    text: str  # only what can be seen and read
    marked: str  # the same with short signs of the style sheet, such as a $ before a price
    seen: bool
    box: tuple[float, float, float, float]  # left, top, width, height
    within: tuple[int, ...]
    states: dict[str, str]
    focus: bool
    tabindex: int
    value: str
    type: str
    labelled: bool | None  # None for what needs no label
    level: int


class TextRun(msgspec.Struct, frozen=True):
    """One run of text and its contrast."""

    text: str
    seen: bool
    counts: bool  # visible, with letters or digits, on a known ground and not disabled
    ratio: float
    need: float
    light: float  # luminance of the ground, 0–1
    cut: int


class Document(msgspec.Struct, frozen=True):
    doctype: bool
    title: str
    lang: str
    viewport: bool


class Snapshot(msgspec.Struct, frozen=True):
    """What survey.js returns."""

    elements: tuple[Element, ...]
    runs: tuple[TextRun, ...]
    stored: dict[str, str]
    overflow: int
    document: Document
    items: int = 0
    """So many texts and drawings that must show in a picture of the page."""


class Finder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an element must be to be meant; every field given must hold."""

    role: str | tuple[str, ...] = ()
    name: str | None = None
    name_has: str | None = None
    text: str | None = None
    """A part of the text that can be seen in it."""
    parts: tuple[str, ...] = ()
    """Texts that can be seen in it in this order, with anything between them: a price, then its unit."""
    exact: str | None = None
    """All of the text that can be seen in it."""
    id: str | None = None
    tag: str | None = None
    level: int | None = None
    type: str | None = None
    value: str | None = None
    tabindex: int | None = None
    state: dict[str, str] = {}
    within: Finder | None = None


def plain(text: str) -> str:
    """Text as it is compared: without spaces, case, typographic marks and invisible signs."""
    return "".join(_fold(text).split())


def matches(finder: Finder, snapshot: Snapshot) -> list[Element]:
    """The elements that fit and can be seen, in the order of the document."""
    roles = (finder.role,) if isinstance(finder.role, str) else finder.role
    around = None if finder.within is None else {one.index for one in matches(finder.within, snapshot)}
    return [
        element
        for element in snapshot.elements
        if element.seen
        and (not roles or element.role in roles)
        and (finder.name is None or plain(element.name) == plain(finder.name))
        and (finder.name_has is None or plain(finder.name_has) in plain(element.name))
        and (finder.text is None or any(plain(finder.text) in plain(text) for text in _texts(element)))
        and (not finder.parts or any(_in_turn(finder.parts).search(_fold(text)) for text in _texts(element)))
        and (finder.exact is None or any(plain(finder.exact) == plain(text) for text in _texts(element)))
        and (finder.id is None or element.id == finder.id)
        and (finder.tag is None or element.tag == finder.tag)
        and (finder.level is None or element.level == finder.level)
        and (finder.type is None or element.type == finder.type)
        and (finder.value is None or element.value == finder.value)
        and (finder.tabindex is None or element.tabindex == finder.tabindex)
        and all(element.states.get(state, "") == value for state, value in finder.state.items())
        and (around is None or not around.isdisjoint(element.within))
    ]


def _fold(text: str) -> str:
    return fold_letters(text).translate(_TYPOGRAPHIC).casefold()


@lru_cache(maxsize=512)
def _in_turn(parts: tuple[str, ...]) -> re.Pattern[str]:
    """The parts in turn; a number is no part of a longer one and may be spread over several elements."""
    patterns = []
    for part in parts:
        written = r"\s*".join(re.escape(char) for char in plain(part))
        before = r"(?<![\d.,])" if part[0].isdigit() else ""
        after = r"(?![.,]?\d)" if part[-1].isdigit() else ""
        patterns.append(before + written + after)
    return re.compile(".*?".join(patterns), re.DOTALL)


def _texts(element: Element) -> tuple[str, ...]:
    return (element.text,) if element.text == element.marked else (element.text, element.marked)


def description(finder: Finder) -> str:
    """The finder in words, for a breakdown."""
    fields = msgspec.to_builtins(finder)
    inside = fields.pop("within", None)
    words = " ".join(f"{key}={value}" for key, value in fields.items())
    return f"{words} in ({description(msgspec.convert(inside, Finder))})" if inside else words


def readable_share(snapshots: list[Snapshot]) -> tuple[float, list[TextRun]]:
    """The share of text runs with contrast AA, and those without."""
    runs = [run for snapshot in snapshots for run in snapshot.runs if run.counts]
    faint = [run for run in runs if run.ratio < run.need]
    return ((len(runs) - len(faint)) / len(runs) if runs else 0.0), faint

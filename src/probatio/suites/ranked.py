"""One document as many contexts: its sections are marked in the order in which they are to be told.

    Text before the first mark is told at every level.

    <!-- tell: 2 -->
    ## Loops
    …

    <!-- tell: 1 -->
    ## Declarations
    …

Of a file guide.md, `guide@1` is told the sections of rank 1, `guide@2` those of rank 1 and 2, and so on;
`guide` is all of it. Sections keep the places they have in the document. `guide@5-2` is level 5 without the
sections of rank 2: what they buy is measured so (learn/ablation.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.suites.rules import take_marks

MOST = 99
_MARK = re.compile(
    r"^[ \t]{0,9}<!--[ \t]{0,9}tell:(?P<rank>[^\n<>]{0,99})-->[ \t]{0,99}(?:\n|\Z)", re.MULTILINE
)
_RANK = re.compile(r"[1-9]\d?")
_LEVEL = re.compile(r"(?P<name>.+)@(?P<level>\d{1,2})(?:-(?P<without>\d{1,2}))?")
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<title>[^\n]{1,200})")


class Section(msgspec.Struct, frozen=True):
    """A part of a document; rank 0 is told always."""

    rank: int
    text: str
    rules: frozenset[str] = frozenset()  # the decisions of the language that it tells


class RankedContext(msgspec.Struct, frozen=True):
    """A document with its sections in their places."""

    sections: tuple[Section, ...]

    @property
    def ranks(self) -> list[int]:
        return sorted({section.rank for section in self.sections if section.rank})

    @property
    def ranks_in_place(self) -> list[tuple[int, int]]:
        """The rank and the length of each section, in the order of the document."""
        return [(section.rank, len(section.text)) for section in self.sections]

    def tell(self, level: int = MOST, without: int | None = None) -> list[Section]:
        """The sections up to this rank."""
        return [each for each in self.sections if each.rank <= level and each.rank != without]

    def title(self, rank: int) -> str:
        """The headings of the sections of a rank, or their first words."""
        texts = [section.text.strip() for section in self.sections if section.rank == rank]
        titles = [match["title"] if (match := _HEADING.match(text)) else text[:40] for text in texts]
        return ", ".join(" ".join(title.split()) for title in titles)


def read_ranked(text: str, known: Collection[str], path: Path) -> RankedContext | None:
    """The sections of a document, with the `known` rules they tell; None if none is marked."""
    marks = list(_MARK.finditer(text))
    if not marks:
        return None
    sections = [Section(0, *take_marks(text[: marks[0].start()], known, path))]
    for mark, end in zip(marks, [*(mark.start() for mark in marks[1:]), len(text)], strict=True):
        rank = mark["rank"].strip()
        if not _RANK.fullmatch(rank):
            line = text.count("\n", 0, mark.start()) + 1
            raise UsageError(
                f"{path}, line {line}: `tell: {rank[:40]}` is no rank; write a number from 1 to {MOST}."
            )
        sections.append(Section(int(rank), *take_marks(text[mark.end() : end], known, path)))
    return RankedContext(tuple(sections))


def name_level(name: str, rank: int, without: int | None = None) -> str:
    """`guide@5`, or `guide@5-2`."""
    return f"{name}@{rank}" + ("" if without is None else f"-{without}")


def split_level(name: str) -> tuple[str, int, int | None] | None:
    """Document, rank, and the rank left out; None for the name of a whole context."""
    match = _LEVEL.fullmatch(name)
    if match is None:
        return None
    return match["name"], int(match["level"]), int(match["without"]) if match["without"] else None


def join_sections(sections: Iterable[Section]) -> tuple[str, frozenset[str]]:
    """The text of these sections, and the rules they tell."""
    told = list(sections)
    return "".join(each.text for each in told).strip(), frozenset().union(*(each.rules for each in told))

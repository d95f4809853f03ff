"""One document as many contexts: its sections are told in the order of their ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from probatio.core.errors import UsageError
from probatio.suites.ranked import join_sections, name_level, read_ranked, split_level

TEXT = """Always.

<!-- tell: 2 -->
## Loops
loops
<!-- rule: counting -->

<!-- tell: 1 -->
Names are short.
"""


def read(text: str = TEXT) -> list[str]:
    ranked = read_ranked(text, ["counting"], Path("guide.md"))
    assert ranked is not None
    return [join_sections(ranked.tell(level))[0] for level in (0, *ranked.ranks)]


def test_every_level_tells_more_and_keeps_the_places_of_the_document() -> None:
    assert read() == [
        "Always.",
        "Always.\n\nNames are short.",
        "Always.\n\n## Loops\nloops\n\nNames are short.",
    ]


def test_a_section_is_left_out_has_a_title_and_tells_its_rules() -> None:
    ranked = read_ranked(TEXT, ["counting"], Path("guide.md"))
    assert ranked is not None
    assert join_sections(ranked.tell(2, 2)) == ("Always.\n\nNames are short.", frozenset())
    assert join_sections(ranked.tell(2))[1] == {"counting"}
    assert [ranked.title(rank) for rank in ranked.ranks] == ["Names are short.", "Loops"]


def test_a_document_without_marks_has_no_levels() -> None:
    assert read_ranked("Words <!-- a comment -->\n", [], Path("guide.md")) is None


@pytest.mark.parametrize("rank", ["0", "x", "1.5", "100", ""])
def test_a_mark_that_is_no_rank_is_named_with_its_line(rank: str) -> None:
    with pytest.raises(UsageError, match=r"guide\.md, line 2: `tell: .*a number from 1 to 99"):
        read_ranked(f"a\n<!-- tell: {rank} -->\nb\n", [], Path("guide.md"))


def test_the_name_of_a_level_is_read_back() -> None:
    assert split_level(name_level("guide", 5, 2)) == ("guide", 5, 2)
    assert split_level(name_level("guide", 5)) == ("guide", 5, None)
    assert split_level("guide") is None


def test_blanks_without_end_are_read_at_once() -> None:
    assert read_ranked(" " * 300_000 + "<!--" + " " * 300_000, [], Path("guide.md")) is None

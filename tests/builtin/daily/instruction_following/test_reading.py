"""Reading an answer: what stands round it comes off, and what is left is cut where a reader would cut it."""

from __future__ import annotations

import pytest

from probatio.builtin.daily.instruction_following.reading import Reading, sentences, words

LIST = "- boots\n- map"


@pytest.mark.parametrize(
    ("answer", "framed"),
    [
        (LIST, False),
        (f"```\n{LIST}\n```", False),
        (f"Sure! Here is the list:\n\n{LIST}", True),
        (f"Here's your list:\n{LIST}", True),
        (f"Certainly!\n\n{LIST}\n\nLet me know if you need more!", True),
        (f"{LIST}\n\n(Word count: 2)", True),
        (f"{LIST}\n\nNote: I left out the tent.\n\nI hope this helps!", True),
        (f"Here it is:\n```\n{LIST}\n```\nEnjoy the tour.", True),
        (f'"{LIST}"', False),
    ],
)
def test_chatter_and_fences_come_off_and_chatter_is_remembered(answer: str, framed: bool) -> None:
    reading = Reading(answer)
    assert reading.text == LIST
    assert reading.framed == framed


@pytest.mark.parametrize(
    "answer", ["Here we go again: said the dog.", "Sure:", "Guten Tag Frau Seidel,\n\nText."]
)
def test_an_answer_that_only_begins_like_chatter_stays_whole(answer: str) -> None:
    assert Reading(answer).text == answer
    assert not Reading(answer).framed


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("It cost 3.50 euros. Dr. Moss paid.", 2),
        ('"Stop!" he said. She went on.', 3),
        ("Wait... what?", 2),
        ("no end", 1),
        ("", 0),
        ("... !", 0),
    ],
)
def test_sentences_end_where_white_space_follows_their_mark(text: str, count: int) -> None:
    assert len(sentences(text)) == count


def test_a_hyphenated_or_apostrophed_word_is_one() -> None:
    assert words("The keeper's well-known dog, *really*") == [
        "The",
        "keeper's",
        "well-known",
        "dog",
        "really",
    ]


def test_a_table_is_read_with_or_without_outer_bars_and_what_is_beside_it_is_not_in_it() -> None:
    reading = Reading("| A | B |\n|:--|--:|\n| x | 1 |\n| y | 2 |\n\nBELOW IT.")
    assert reading.table == [["A", "B"], ["x", "1"], ["y", "2"]]
    assert reading.column(2) == ["1", "2"]
    assert reading.beside_table == ["BELOW IT."]
    assert Reading("A | B\n--|--\nx | 1").table == [["A", "B"], ["x", "1"]]


def test_bars_without_a_line_of_dashes_are_no_table() -> None:
    assert Reading("| A | B |\n| x | 1 |").table == []


def test_a_unit_that_is_not_there_is_no_unit() -> None:
    reading = Reading("one\ntwo")
    assert reading.units("lines", 2) == ["two"]
    assert reading.units("lines", -1) == ["two"]
    assert reading.units("lines", 3) == []
    assert Reading("").units("text") == []

"""Rules: full credit when kept, part of it for a near miss, none for nothing."""

from __future__ import annotations

from typing import Any

import pytest

from probatio.builtin.daily.instruction_following.reading import Reading
from probatio.builtin.daily.instruction_following.rules import KINDS, NEAR, SLIP, TextRule, near

TABLE = "| Animal | Letters |\n|---|---|\n| Wolf | 4 |\n| Cat | 3 |"


def scored(answer: str, kind: str, **arguments: Any) -> float:
    return KINDS[kind].score(TextRule("it", kind, **arguments), Reading(answer))


SCORES: list[tuple[str, dict[str, Any], str, float]] = [
    ("count", {"of": "sentences", "low": 2, "high": 2}, "One. Two.", 1),
    ("count", {"of": "lines", "low": 3, "high": 3}, "", 0),
    ("length", {"of": "items", "low": 2, "high": 2}, "- a b\n- c d", 1),
    ("length", {"of": "items", "low": 2, "high": 2}, "- a b\n- c", 0.5 + near(1, 2, 2) / 2),
    ("sentences_in", {"of": "paragraphs", "at": 2, "low": 2, "high": 2}, "Hello.\n\nOne. Two.", 1),
    ("sentences_in", {"of": "paragraphs", "at": 2, "low": 2, "high": 2}, "Hello. You.", 0),
    ("ladder", {"of": "lines", "words": ("1", "2")}, "a\nb c", 1),
    ("ladder", {"of": "lines", "words": ("1", "2")}, "a\nb c\nd\ne", 0.5),
    ("includes", {"words": ("boots", "map")}, "boots in a Map", 1),
    ("includes", {"words": ("boots", "map")}, "boots mapped", 0.5),
    ("includes", {"words": ("map",), "low": 2, "high": 2}, "map map", 1),
    ("includes", {"words": ("map",), "low": 2, "high": 2}, "map map map", near(3, 2, 2)),
    ("avoids", {"words": ("sea",)}, "a seaside walk", 1),
    ("avoids", {"words": ("sea",)}, "Sea, sea", SLIP**2),
    ("avoids", {"words": ("sea",), "of": "paragraphs", "at": 2}, "one paragraph", 0),
    ("without", {"text": "a"}, "no such letter here", 1),
    ("without", {"text": "a"}, "Anna", SLIP**2),
    ("without", {"text": "a"}, "", 0),
    ("case", {"text": "upper"}, "ALL 8 UPPER", 1),
    ("case", {"text": "lower"}, "half HALF", 0),
    ("case", {"text": "lower"}, "123", 0),
    ("starts", {"text": "Every "}, "**Every** day", 0),
    ("starts", {"text": "Every"}, "**Every** day", 1),
    ("ends", {"text": "home."}, "went home.", 1),
    ("ends", {"text": "?", "of": "lines"}, "a?\nb", 0.5),
    ("acrostic", {"text": "AB"}, "apple\nbear", 1),
    ("acrostic", {"text": "AB"}, "apple\nbear\ncat\ndog", 0.5),
    ("order", {"words": ("a1", "b2", "c3")}, "a1 b2 c3", 1),
    ("order", {"words": ("a1", "b2", "c3")}, "b2 a1 c3", 0.5),
    ("order", {"words": ("a1", "b2")}, "b2", 0),
    ("sorted", {"of": "items", "text": "ascending"}, "1. a\n2. b\n3. c", 1),
    ("sorted", {"of": "items", "text": "descending"}, "1. a\n2. b\n3. c", 0),
    ("sorted", {"of": "items", "text": "ascending"}, "1. a", 0),
    ("unique", {"of": "words"}, "one two three", 1),
    ("unique", {"of": "words"}, "one One two", SLIP),
    ("unique", {"of": "words"}, "", 0),
    ("labelled", {"text": "-"}, "- a\n- b", 1),
    ("labelled", {"text": "-"}, "- a\n* b", 0.5),
    ("labelled", {"text": "1."}, "1. a\n2. b", 1),
    ("labelled", {"text": "1."}, "1. a\n1. b", 0.5),
    ("labelled", {"text": "1.", "high": 1}, "1. a\n2. b\nTotal: 2", 1),
    ("same", {"of": "items", "words": ("a", "b")}, "- B\n- A", 1),
    ("same", {"of": "items", "words": ("a", "b")}, "- a\n- a\n- b", 0.8),
    ("table", {"words": ("Animal", "Letters"), "low": 2, "high": 2}, TABLE, 1),
    ("table", {"words": ("Animal", "Number"), "low": 2, "high": 2}, TABLE, (0.5 + 1 + 1) / 3),
    ("table", {"words": ("Animal", "Letters"), "low": 2, "high": 2}, "Animal, Letters", 0),
    ("letters_told", {"at": 2}, TABLE, 1),
    ("letters_told", {"at": 2}, TABLE.replace("4", "5"), 0.5),
    ("names_row", {"at": 2}, "| A | S |\n|---|---|\n| cat | My cat |\n| dog | My pet |", 0.5),
    ("language", {"text": "de"}, "Das Paket ist nicht bei der Post, wir bringen es zu Ihnen.", 1),
    ("language", {"text": "de"}, "The parcel is not at the post office, we will bring it to you.", 0),
    ("language", {"text": "de"}, "Paket Freitag Lager", 0),
    ("measured", {"of": "lines", "text": "letters", "low": 4, "high": 4}, "a bcd\nefg", 0.5),
    ("measured", {"text": "letter:e", "low": 3, "high": 3}, "Every tree", 0),
    ("measured", {"text": "letter:e", "low": 4, "high": 4}, "Every tree", 1),
    ("total", {"of": "lines", "text": "vowels", "low": 3, "high": 3}, "a bcd\negg\nu", 1),
    ("total", {"of": "column", "at": 1, "text": "vowels", "low": 0, "high": 3}, "no table", 0),
    ("in_steps", {"of": "lines", "text": "words", "words": ("1", "2")}, "one\ntwo words", 1),
    ("in_steps", {"of": "lines", "text": "words", "words": ("1", "2")},
     "one\ntwo words\nand more\nlines", 0.5),
    ("word_steps", {"of": "lines", "at": 1, "text": "letters", "words": ("1", "3")}, "a dog\nran", 1),
    ("word_steps", {"of": "lines", "at": 1, "text": "letters", "words": ("1", "3")}, "a frog", 0.5),
    ("spelled", {"of": "lines", "text": "ab"}, "- Apple\n- bear", 1),
    ("spelled", {"of": "lines", "text": "er", "words": ("last",)}, "apple.\nbear?", 1),
    ("spelled", {"of": "paragraph_sentences", "at": 2, "text": "po"}, "Hi.\n\nPoor Otto. On we go.", 1),
    ("ends_sorted", {"of": "items", "low": 2}, "- map\n- boots", 1),
    ("ends_sorted", {"of": "items", "low": 2}, "- boots\n- map", 0),
    ("ends_sorted", {"of": "items", "low": 2}, "- map", 0),
    ("is", {"of": "items", "at": 2, "text": "tac"}, "1. dog\n2. **tac**", 1),
    ("is", {"of": "items", "at": 2, "text": "tac"}, "1. dog\n2. cat", 0),
    ("told", {"of": "lines", "at": 1, "text": "letters", "words": ("Letters",)},
     "five words\n**Letters:** 9", 1),
    ("told", {"of": "lines", "at": 1, "text": "letters", "words": ("Letters",)},
     "five words\nLetters: 9\nLetters: 8", 0),
    ("told", {"of": "lines", "at": 1, "text": "letters", "words": ("Letters",), "low": 3},
     "five words\nLetters: 9", 0),
    ("column_told", {"at": 2, "high": 1, "text": "letters"}, TABLE, 1),
    ("column_told", {"at": 2, "high": 1, "text": "vowels"}, TABLE, 0),
    ("column_sum", {"at": 2, "low": 7, "high": 7}, TABLE, 1),
    ("column_sum", {"at": 2, "low": 7, "high": 7}, TABLE.replace("4", "four"), 0),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "arguments", "answer", "worth"), SCORES)
def test_a_rule_scores_what_it_says(kind: str, arguments: dict[str, Any], answer: str, worth: float) -> None:
    assert scored(answer, kind, **arguments) == pytest.approx(worth)


def test_every_kind_is_tried_here() -> None:
    assert {kind for kind, *_ in SCORES} == set(KINDS)


def test_a_near_miss_on_a_count_falls_with_its_distance() -> None:
    scores = [near(count, 50, 60) for count in (50, 60, 61, 65, 70, 76, 49, 40)]
    assert scores[:2] == [1.0, 1.0]
    assert NEAR > scores[2] > scores[3] > scores[4] > scores[5] == 0
    assert NEAR > scores[6] > scores[7] > 0
    assert near(0, 1, 3) == 0


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The dog is with the man and they were not at home."),
        ("fr", "Le chien est dans la maison avec les enfants et nous sommes là."),
        ("es", "El perro es de los vecinos y no está en la casa con su dueño."),
        ("it", "Il cane non è nella casa e gli uomini sono con la donna per una festa."),
    ],
)
def test_the_small_words_tell_the_languages_apart(language: str, text: str) -> None:
    assert scored(text, "language", text=language) == 1
    assert scored(text, "language", text="de") == 0

"""Measures count exactly what the prompts say they count."""

from __future__ import annotations

import pytest

from probatio.builtin.daily.instruction_following.reading import MEASURES, measure

TEXT = "Zwei Äpfel, 12 Euro."


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("words", 4),
        ("characters", 20),
        ("letters", 13),
        ("vowels", 6),
        ("capitals", 3),
        ("different letters", 10),
        ("letter values", 26 + 23 + 5 + 9 + 16 + 6 + 5 + 12 + 5 + 21 + 18 + 15),
        ("digits", 2),
        ("letter:e", 3),
    ],
)
def test_a_measure_counts_in_a_text(name: str, count: int) -> None:
    assert measure(name, TEXT) == count
    assert measure(name, "") == 0


def test_every_measure_is_tried_and_another_name_is_none() -> None:
    assert len(MEASURES) == 8
    with pytest.raises(KeyError):
        measure("syllables", TEXT)

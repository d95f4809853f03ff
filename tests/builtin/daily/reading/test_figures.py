"""Figures: one number in many spellings, and figures that no source explains."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.builtin.daily.reading.figures import figures, find_invented, words


def read(text: str) -> list[str]:
    return [word.text for word in words(text)]


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("1.2 million", ["1200000"]),
        ("1,200,000", ["1200000"]),
        ("1 200 000".replace(" ", "\u202f"), ["1200000"]),
        ("twelve hundred thousand", ["1200000"]),
        ("€1.2m", ["1200000", "euros"]),
        ("twelve", ["12"]),
        ("twenty-five", ["25"]),
        ("one hundred and twenty-five thousand", ["125000"]),
        ("two dozen", ["24"]),
        ("forty-one per cent", ["41%"]),
        ("41 percentage points", ["41%"]),
        ("**41%**", ["41%"]),
        ("49.00", ["49"]),
        ("30th of June", ["30", "june"]),
        ("June 30, 2024", ["30", "june", ",", "2024"]),
        ("2024-06-30", ["30", "june", "2024"]),
        ("30/06/2024", ["30", "june", "2024"]),
        ("Sept. 3", ["3", "september"]),
        ("2:30 p.m.", ["14:30"]),
        ("12 am", ["00:00"]),
        ("5–7 days", ["5", "to", "7", "days"]),
        ("can't", ["can", "not"]),
        ("Gdańsk’s café", ["gdansk", "cafe"]),
        ("one of them", ["one", "of", "them"]),
        ("N3", ["n3"]),
        ("he may 5 times", ["he", "5", "may", "times"]),
    ],
)
def test_one_figure_has_one_reading(written: str, canonical: list[str]) -> None:
    assert read(written) == canonical


SOURCE = (
    "On 3 March 2019 the 1,187,000 members paid 48.7% of 2,150 euros; by 14:30 twelve had left. In 1931 "
    "there were 24."
)


@pytest.mark.parametrize(
    "text",
    [
        "1.187 million members on March 3rd",
        "1.2 million members",
        "about 1.15 million members",
        "49% of 2,150",
        "nearly 50% of it",
        "twelve, or 12, left at 2:30 pm",
        "on the 3rd",
        "2019 and 1931",
        "two reasons, three of them new",
        "1. first\n2. second",
    ],
)
def test_a_figure_of_the_source_may_be_told_in_other_ways(text: str) -> None:
    assert find_invented(text, SOURCE) == []


@pytest.mark.parametrize(
    ("text", "strange"),
    [
        ("13 left", "13"),
        ("on 4 March", "4 march"),
        ("on 3 May", "3 may"),
        ("at 14:45", "14:45"),
        ("in 2020", "2020"),
        ("around 2021", "2021"),
        ("24% of them", "24%"),
        ("50% of it", "50%"),
        ("2,510 euros", "2510"),
        ("1 million members", "1000000"),
        ("fifteen left", "15"),
    ],
)
def test_a_figure_that_the_source_does_not_explain_is_invented(text: str, strange: str) -> None:
    assert [figure.text for figure in find_invented(text, SOURCE)] == [strange]


def test_a_figure_that_follows_from_the_source_can_be_listed() -> None:
    assert find_invented("86 minutes", "from 09:12 to 10:38", ["86 minutes"]) == []


@settings(deadline=None)
@given(st.text())
def test_any_text_has_a_reading(text: str) -> None:
    assert find_invented(text, text) == []
    assert all(figure.text for figure in figures(text))


@settings(deadline=None)
@given(st.integers(0, 999_999))
def test_a_number_with_and_without_its_commas_is_the_same(number: int) -> None:
    assert read(f"{number:,}") == read(str(number)) == [str(number)]

"""Values as people write them."""

from __future__ import annotations

from datetime import date

import pytest

from probatio.builtin.daily.reading.values import day, fold_text, number, overlap


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (45, 45.0), (4.5, 4.5), ("45", 45.0), ("1,234", 1234.0), ("1,234.50", 1234.5), ("1.234,50", 1234.5),
        ("1 234,50", 1234.5), ("1'234.5", 1234.5), ("12,5", 12.5), ("1.234", 1.234), ("1.234.567", 1234567.0),
        ("€ 38", 38.0), ("38 EUR", 38.0), ("12.4 %", 12.4), ("-3", -3.0), ("−3", -3.0), ("(14.65)", -14.65),
        ("1.9 million", 1900000.0), ("12k", 12000.0),
    ],
)  # fmt: skip
def test_a_number_is_read_in_any_usual_form(written: object, read: float) -> None:
    assert number(written) == read


@pytest.mark.parametrize(
    "written",
    ["10 or 12", "10-12", "12 guests", "", "twelve", True, None, [12], "1,23,4", "12 34", "1e999", 10**400],
)
def test_what_is_not_one_number_is_none(written: object) -> None:
    assert number(written) is None


@pytest.mark.parametrize(
    "written",
    ["2024-03-14", "14 March 2024", "March 14, 2024", "14th of March 2024", "14.03.2024", "14/03/2024",
    "03/14/2024",
                "2024/3/14", "Thursday, 14 March 2024", "2024-03-14T10:00:00Z"]
)  # fmt: skip
def test_a_day_is_read_in_any_form_that_means_one_day(written: object) -> None:
    assert day(written) == date(2024, 3, 14)


@pytest.mark.parametrize(
    "written", ["03/04/2024", "2024-13-01", "14 Marchember 2024", "March 2024", "", None, 20240314]
)
def test_a_day_that_could_be_two_or_is_none_is_not_guessed(written: object) -> None:
    assert day(written) is None


def test_text_is_compared_without_case_spacing_and_outer_punctuation() -> None:
    assert fold_text("  “Garden\n Room”. ") == fold_text("garden room")


def test_overlap_counts_every_word_once() -> None:
    assert overlap("lamp lamp lamp", "lamp") == 0.5
    assert overlap("", "lamp") == 0

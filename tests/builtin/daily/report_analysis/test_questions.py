"""Questions: what each kind takes for right, for near, and for a hedge."""

from __future__ import annotations

import pytest

from probatio.builtin.daily.report_analysis.questions import KINDS, Question, is_absent, is_tried, the_number

NAMES = ("Station", "Old Town", "Uplands", "Ada Novak")


@pytest.mark.parametrize(
    ("question", "answer", "worth"),
    [
        (Question("number", 2261), 2261, 1),
        (Question("number", 2261), "2,261", 1),
        (Question("number", 2261), "2.261,00 EUR", 1),
        (Question("number", 2261), "EUR 2,261 thousand", 0),
        (Question("number", 2261, scale=1000), "EUR 2,261 thousand", 1),
        (Question("number", 1.5, scale=1e6), "1.50 million", 1),
        (Question("number", 1.5, scale=1e6), "EUR 1,500,000", 1),
        (Question("number", 39), "39 people", 1),
        (Question("number", 39), "38 or 39", 0),
        (Question("number", 40), "11 + 8 + 21 = 40", 1),
        (Question("number", 28500), "28,500 (38,000 less a quarter)", 1),
        (Question("number", 35.1, tolerance=0.05), "35.08 %", 1),
        (Question("number", 35.1, tolerance=0.05), "35.2 percent", 0.5),
        (Question("number", 35.1, tolerance=0.05), "0.351", 0),
        (Question("number", 3), "-3", 0),
        (Question("number", 3), None, 0),
        (Question("number", 1), True, 0),
        (Question("amount", 1000), "1,000", 1),
        (Question("amount", 1000), "EUR 1000 in all", 1),
        (Question("amount", 1000), 1006, 0.3 * 0.8),
        (Question("amount", 1000), 985.0, 0.3 * 0.5),
        (Question("amount", 1000), 1030, 0),
        (Question("amount", 1000), 0, 0),
        (Question("amount", 1000), "990 or 1000", 0),
        (Question("amount", 1000), "about a thousand", 0),
        (Question("name", "Station"), "the Station shop", 1),
        (Question("name", "Station"), "Station (510 loaves)", 1),
        (Question("name", "Station"), "Station or Uplands", 0),
        (Question("name", "Station"), "Station, Old Town", 0),
        (Question("name", "Station"), "Stationery", 0),
        (Question("name", "Station"), ["Station"], 0),
        (Question("set", ["Station", "Uplands"]), "Uplands and Station", 1),
        (Question("set", ["Station", "Uplands"]), ["Station"], 0.5),
        (Question("set", ["Station", "Uplands"]), "Station, Uplands, Old Town", 0.5),
        (Question("set", ["Station", "Uplands"]), "Station, Old Town", 0),
        (Question("set", ["Station", "Uplands"]), "Station, Station", 0),
        (Question("ranking", ["Station", "Uplands", "Old Town"]), "Station, Uplands, Old Town", 1),
        (Question("ranking", ["Station", "Uplands", "Old Town"]), "1. Station 2. Uplands 3. Old Town", 1),
        (Question("ranking", ["Station", "Uplands", "Old Town"]), "Station > Uplands > Old Town", 1),
        (Question("ranking", ["Station", "Uplands", "Old Town"]), ["Uplands", "Station", "Old Town"], 1 / 3),
        (Question("ranking", ["Station", "Uplands", "Old Town"]), "Old Town, Uplands, Station", 0),
        (Question("ranking", ["Station", "Uplands", "Old Town"]), "Station, Uplands", 0.5 * 2 / 3),
        (Question("date", "2023-11-14"), "2023-11-14", 1),
        (Question("date", "2023-11-14"), "14 November 2023", 1),
        (Question("date", "2023-11-14"), "2023-11-14 or 2023-11-15", 0),
        (Question("date", "2023-04-03"), "03/04/2023", 0),
        (Question("yes_no", True), "Yes.", 1),
        (Question("yes_no", True), True, 1),
        (Question("yes_no", True), "yes, Benfield", 1),
        (Question("yes_no", True), "yes and no", 0),
        (Question("yes_no", True), "no", 0),
    ],
)
def test_an_answer_is_credited_by_the_kind_of_its_question(
    question: Question, answer: object, worth: float
) -> None:
    assert KINDS[question.kind](question, answer, NAMES) == pytest.approx(worth)


@pytest.mark.parametrize(
    "answer",
    ["not stated", "Not stated.", "NOT STATED", "not stated in the report", "not stated (no site chosen)"],
)
def test_the_token_is_known_however_it_is_written(answer: object) -> None:
    assert is_absent(answer, "not stated")
    assert not is_tried(answer, "not stated")


@pytest.mark.parametrize(
    "answer", ["not stated, but about 38,000", "not stated or Ada", "unknown", "12", None, 0, ["not stated"]]
)
def test_a_guess_beside_the_token_is_not_the_token(answer: object) -> None:
    assert not is_absent(answer, "not stated")


def test_an_answer_with_two_numbers_has_none() -> None:
    assert the_number("between 12 and 14") is None
    assert the_number("12 to 12") == 12
    assert the_number("about 12.5 days") == 12.5

"""Completions: the missing part, the rest of its line, or the whole program all mean the same."""

import pytest

from probatio.grading.program import complete

TEMPLATE = "varia i = 0\n___ i < 3 {\n  i += 1\n}\nscribe i\n"
WHOLE = TEMPLATE.replace("___", "dum")


@pytest.mark.parametrize(
    "answer",
    [
        "dum",
        "  dum\n",
        "dum i < 3 {",
        "dum i < 3 {\n  i += 1\n}",
        "dum i < 3 { i += 1 }\nscribe i",
        "varia i = 0\ndum",
        WHOLE,
        WHOLE.replace("  ", "\t").strip(),
    ],
)
def test_however_much_of_the_program_is_said_again_the_same_program_comes_out(answer: str) -> None:
    assert complete(TEMPLATE, answer).split() == WHOLE.split()


def test_a_whole_program_written_otherwise_is_taken_as_it_is() -> None:
    answer = "varia i = 0\ndum i < 3 {\n    i = i + 1\n}\nscribe(i)"
    assert complete(TEMPLATE, answer) == answer


def test_a_blank_left_blank_stays_blank() -> None:
    assert "___" in complete(TEMPLATE, TEMPLATE)
    assert "___" in complete(TEMPLATE, "___")


def test_an_answer_of_several_words_fills_the_blank() -> None:
    assert complete("scribe ___", "1 + 2") == "scribe 1 + 2"
    assert (
        complete("si x > 1 { scribe 1 } ___ { scribe 2 }", "sin x > 0")
        == "si x > 1 { scribe 1 } sin x > 0 { scribe 2 }"
    )


def test_one_word_that_happens_to_stand_beside_the_blank_is_still_the_answer() -> None:
    assert complete("fixum a = ___ + a2", "a") == "fixum a = a + a2"
    assert complete("scribe x, ___, x", "x") == "scribe x, x, x"


def test_several_blanks_are_filled_alike() -> None:
    assert complete("___ a = 1\n___ b = 2", "fixum") == "fixum a = 1\nfixum b = 2"


def test_a_template_that_is_nothing_but_the_blank_is_the_answer() -> None:
    assert complete("___", "scribe 1") == "scribe 1"

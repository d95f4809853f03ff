"""What is forbidden stays forbidden in look-alike letters, and ordinary text breaks no prohibition."""

from __future__ import annotations

import pytest

from builtin.daily.cases import SUITE
from probatio.builtin.daily.graders import check
from probatio.builtin.daily.instruction_following.reading import Reading, measure
from probatio.builtin.daily.instruction_following.rules import KINDS, TextRule
from probatio.builtin.daily.reading.lookalikes import LOOKALIKES
from probatio.builtin.daily.reading.passage import Passage
from probatio.builtin.daily.reading.statements import mentions

NO_E = TextRule("no letter e", "without", text="e")
NO_PHONE = TextRule("no phone", "avoids", words=("phone", "a"))

ES = {
    "seen in the issue": "℮ꬲꓰɛⲉ",
    "Cyrillic and Greek": "еЕєЄҽεΕԑ𝛆𝚬",
    "full width and mathematical": "ｅＥ𝐞𝑒𝒆𝓮𝔢𝕖𝖊𝖾𝗲𝘦𝙚𝚎ℯⅇ",
    "other scripts": "ᎬⲈⴹ𐊆𑢦",
    "phonetic and turned": "ᴇǝəɘ",
    "enclosed and flags": "ⓔⒺ🅔🅴🄴🇪⒠",
    "above and below": "ᵉₑᴱ\u0364",
    "accents and strokes": "éÈêëēẽėęềɇɆ",
    "two in one": "æŒ",
    "barred and open": "ꞓƐℇ",
}


def kept(rule: TextRule, text: str) -> float:
    return KINDS[rule.kind].score(rule, Reading(text))


@pytest.mark.parametrize(
    "letter", [pytest.param(each, id=f"U+{ord(each):04X}") for each in "".join(ES.values())]
)
def test_a_forbidden_letter_is_found_in_every_shape(letter: str) -> None:
    assert kept(NO_E, "This is a trick.") == 1
    assert kept(NO_E, f"This is a trick{letter}.") < 1
    assert kept(NO_E, f"This is {letter} trick.") < 1


@pytest.mark.parametrize(
    "hidden",
    [
        "My phon℮ rang.",
        "My ꓑhone rang.",
        "My рһоոе rang.",
        "My ｐｈｏｎｅ rang.",
        "My 𝓹𝓱𝓸𝓷𝓮 rang.",
        "My ph\u00adone rang.",
        "My ph\u200bone rang.",
        "My ph\U000e0061one rang.",
        "My ph&#111;n&#x65; rang.",
        "My ph&shy;one rang.",
        "My pho**ne** rang.",
        "My p̈ḧöṅe rang.",
        "My phonė rang.",
        "My phøne rang.",
        "My \u202eenohp\u202c rang.",
        "My \u202eenohp rang",
        "My 🇵🇭🇴🇳🇪 rang.",
        "My ⓟⓗⓞⓝⓔ rang.",
        "My ph<b></b>one rang.",
        "My Ꮲhone rang.",
        "My phonꬲ rang.",
    ],
)
def test_a_forbidden_word_is_found_however_it_is_written(hidden: str) -> None:
    assert kept(NO_PHONE, hidden) < 1
    assert mentions("phone", Passage.of(hidden))


@pytest.mark.parametrize(
    "text",
    [
        "3 × 4 = 12 and 5 ÷ 2, à la carte, 20 °C, 5 µg, π and Ω, £5, 日本, naïf, Ölfaß",
        "“so” – ‘so’ — … • ½ · ² → ✓ ☺ ® ™",
        "Мир, Ω, щит, 안녕, ありがとう",
    ],
)
def test_ordinary_text_breaks_no_prohibition(text: str) -> None:
    assert kept(NO_E, text.replace("carte", "cart")) == 1
    assert kept(NO_PHONE, text) == 1
    assert kept(TextRule("no x", "without", text="zxqj"), text) == 1
    assert kept(TextRule("no mark", "without", text="!?"), text) == 1


@pytest.mark.parametrize("digit", ["3", "３", "٣", "३", "𝟛", "③", "³", "Ⅲ"])
def test_a_forbidden_digit_is_found_in_every_script(digit: str) -> None:
    rule = TextRule("no digit", "without", text="0123456789i")
    assert kept(rule, f"Room {digit}") < 1


@pytest.mark.parametrize("stop", ["，", "‚", "،", "、", "ꓹ", "٫"])
def test_a_forbidden_comma_is_found_in_every_script(stop: str) -> None:
    assert kept(TextRule("no comma", "without", text=","), f"one{stop} two") < 1


def test_letters_are_counted_as_they_are_read() -> None:
    assert measure("letter:e", "℮ꬲꓰɛⲉ") == 5
    assert measure("letters", "th℮") == 3
    assert measure("vowels", "ꓰꓮ") == 2
    assert measure("characters", "æ") == 1


def test_a_word_said_twice_in_other_letters_is_said_twice() -> None:
    rule = TextRule("no word twice", "unique", of="words")
    assert kept(rule, "one two three") == 1
    assert kept(rule, "one two on℮") == pytest.approx(0.6)


def test_where_text_is_compared_exactly_a_look_alike_is_no_match() -> None:
    assert kept(TextRule("line", "is", of="lines", at=1, text="ember"), "emb℮r") == 0


def test_every_row_of_the_table_is_of_use() -> None:
    signs = [sign for row in LOOKALIKES.values() for sign in row]
    assert len(signs) == len(set(signs)) > 700
    assert not any(sign.isascii() for sign in signs)


@pytest.mark.parametrize("word", ["a", "an", "the", "is"])
def test_a_real_case_finds_its_forbidden_words_in_look_alikes(word: str) -> None:
    case = SUITE.cases["follow_animals"]
    turned = word.translate(str.maketrans("aehis", "ꭺ℮ꮋꭵꮪ".replace("ꭺ", "⍺")))
    table = "| Animal | Letters | Fact |\n|---|---|---|\n| zebra | 5 | zebra walks {} field slowly |\n"

    def part(fact: str) -> float:
        return next(each.score for each in check(case, table.format(fact)).parts if each.name == "no article")

    assert part(turned) < part("through")

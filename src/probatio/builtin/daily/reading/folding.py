"""Folding: a text with every letter as the eye reads it, before words are compared.

A word can be hidden from a comparison without being hidden from a reader: by a zero-width space, a soft
hyphen or an entity inside it, by a Cyrillic а for a Latin a, by full-width or mathematical letters, by marks
that overlay a letter, by letting it be written from right to left. Nothing of this is left here. Accents
stay, and so do all other signs: only letters, spaces and what is invisible are touched.

Where something is forbidden, more is read: every sign that Unicode lists as a look-alike (`LOOKALIKES`).
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

from probatio.builtin.daily.reading.lookalikes import LOOKALIKES

# Letters of other and of phonetic scripts that look like a Latin letter (after Unicode's confusables).
_LOOKALIKES = {
    "a": "аɑαᴀ", "b": "ƄЬʙ", "c": "сϲᴄⅽ", "d": "ԁɗᴅ", "e": "еҽєεᴇ", "f": "ғƒꜰϝ", "g": "ɡɢցԍ", "h": "һհʜн",
    "i": "іıɩιӏᎥɪ", "j": "јϳᴊյ", "k": "кκᴋ", "l": "ⅼʟǀ", "m": "мᴍ", "n": "ոпɴη", "o": "оοσօᴏ", "p": "рρᴘ",
    "q": "ԛզգ", "r": "гʀᴦ", "s": "ѕꜱʂ", "t": "тτᴛ", "u": "υսᴜʋц", "v": "ѵνᴠ", "w": "ԝѡᴡա", "x": "хχ",
    "y": "уүγʏყ", "z": "ᴢʐ", "A": "АΑᎪ", "B": "ВΒᏴ", "C": "СϹᏟ", "D": "Ꭰᗞ", "E": "ЕΕᎬ", "F": "Ϝᖴ",
    "G": "ԌᏀ", "H": "НΗᎻ", "I": "ІΙӀ", "J": "ЈᎫ", "K": "КΚᏦK", "L": "ᏞⅬ", "M": "МΜᎷϺ", "N": "Ν", "O": "ОΟՕ",
    "P": "РΡᏢ", "Q": "Ԛ", "R": "ᎡᏒ", "S": "ЅՏᏚ", "T": "ТΤᎢ", "U": "Սᑌ", "V": "ѴᏙ", "W": "ԜᎳ", "X": "ХΧ",
    "Y": "ҮΥ", "Z": "ΖᏃ",
}  # fmt: skip
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and marks without a glyph
_SPACES = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85"  # control characters that part words
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_REVERSED = re.compile(r"\u202e([^\n\u202c\u202d\u202e]*)")
"""What is shown from right to left, letter by letter, up to the end of that or of the line."""
_COMBINING = "COMBINING LATIN SMALL LETTER "  # a letter above another one
_TAG = re.compile(r"<!--.{0,400}?-->|</?([a-zA-Z][a-zA-Z0-9]{0,20})(?:[\s/][^<>]{0,200})?>", re.DOTALL)
_PARTS = re.compile(r"br|hr|p|div|ul|ol|li|tr|td|th|table|h[1-6]", re.IGNORECASE)  # tags that part words


class _Folds(dict[int, str | int | None]):
    """What each character becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str | int | None:
        self[code] = fold = _fold(chr(code))
        return fold


def _fold(char: str) -> str | None:
    category = unicodedata.category(char)
    if category in ("Cf", "Cs") or char in _BLANK or (category == "Cc" and char not in _SPACES):
        return None
    if category == "Zs":
        return " "
    if category == "Mn" and len(letter := unicodedata.name(char, "").removeprefix(_COMBINING)) == 1:
        return letter.lower()
    code = ord(char)
    if 0x1F150 <= code <= 0x1F169 or 0x1F170 <= code <= 0x1F189:  # letters in filled circles and squares
        return chr(ord("A") + (code - 0x1F150) % 32)
    if 0x1F1E6 <= code <= 0x1F1FF:  # letters of flags
        return chr(ord("A") + code - 0x1F1E6)
    plain = unicodedata.normalize("NFKC", char)
    if category[0] == "L" or (len(plain) == 1 and plain.isalpha()) or (category == "Nd" and plain.isascii()):
        return plain
    return char


_FOLDS = _Folds({ord(other): latin for latin, others in _LOOKALIKES.items() for other in others})


def fold_letters(text: str) -> str:
    """The text as letters that can be compared."""
    if text.isascii() and not _CONTROL.search(text):
        return text
    if "\u202e" in text:
        text = _REVERSED.sub(lambda turned: turned[1][::-1], text)
    text = unicodedata.normalize("NFC", text.translate(_FOLDS))
    return "".join(
        char for char in text if not unicodedata.combining(char) and not "\ufe00" <= char <= "\ufe0f"
    )


def fold_markdown(text: str) -> str:
    """The same for Markdown: entities become characters, and tags inside a word are removed."""
    if "<" in text:
        text = _TAG.sub(lambda tag: " " if _PARTS.fullmatch(tag[1] or "") else "", text)
    if "&" in text:
        text = html.unescape(text)
    return fold_letters(text)


_SHOWN = {sign: reading for reading, signs in LOOKALIKES.items() for sign in signs}
_EITHER = "Il"  # a bare stroke; in a word it is mostly an i
_LETTERS = str.maketrans(
    {sign: reading[0] for sign, reading in _SHOWN.items() if len(reading) == 1 or reading == _EITHER}
)


def fold_lookalikes(text: str) -> str:
    """The text, folded already, with every look-alike as the one letter or mark it is read as; for words and
    letters that are forbidden or counted."""
    return text if text.isascii() else text.translate(_LETTERS)


@lru_cache(maxsize=4096)
def readings_of(sign: str) -> frozenset[str]:
    """All letters, digits and marks that a sign may be read as, in lower case: é is an e with an accent, æ an
    a and an e, and a capital iota an i or an l."""
    shown = unicodedata.normalize("NFKD", sign)
    digits = [str(value) for each in shown if (value := unicodedata.decimal(each, None)) is not None]
    return frozenset("".join([shown, *(_SHOWN.get(each, "") for each in shown), *digits]).casefold())

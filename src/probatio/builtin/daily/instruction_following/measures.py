"""Measures: what can be counted in a piece of text, exactly. A rule names one; `letter:e` counts one letter."""

from __future__ import annotations

from collections.abc import Callable

from probatio.builtin.daily.instruction_following.reading import words

VOWELS = frozenset("aeiou")


def _letters(text: str) -> list[str]:
    return [char for char in text.casefold() if char.isalpha()]


def _place(letter: str) -> int:
    """a is 1, z is 26; letters beyond them have no place."""
    return ord(letter) - ord("a") + 1 if "a" <= letter <= "z" else 0


MEASURES: dict[str, Callable[[str], int]] = {
    "words": lambda text: len(words(text)),
    "characters": len,
    "letters": lambda text: sum(char.isalpha() for char in text),
    "vowels": lambda text: sum(letter in VOWELS for letter in _letters(text)),
    "capitals": lambda text: sum(char.isupper() for char in text),
    "different letters": lambda text: len({letter for letter in _letters(text) if _place(letter)}),
    "letter values": lambda text: sum(_place(letter) for letter in _letters(text)),
    "digits": lambda text: sum("0" <= char <= "9" for char in text),
}


def measured(name: str, text: str) -> int:
    """What `name` counts in `text`; KeyError where there is no such measure."""
    if name.startswith("letter:"):
        return text.casefold().count(name.removeprefix("letter:"))
    return MEASURES[name](text)

"""Notation: a program of characters that can't be seen, written with signs that can.

Worked by hand, with a blank shown as [S] and a line break as [N]:

    [S]a[N]      a blank, an a, a line break
    [S]
    a [N]        the same: the line break has a sign, so white space between the signs is layout
    (raw) " a "  no sign in it: as it is

Where the line break has no sign, lines are lines, and what stands between the signs counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

Signs = dict[str, str] | msgspec.UnsetType
"""A sign for every character that is shown by one."""


def read_signs(text: str, signs: Signs) -> str:
    """The program as it is run."""
    if not signs:
        return text
    characters = {sign: character for character, sign in signs.items()}
    written = sorted(characters, key=len, reverse=True)
    if not any(sign in text for sign in written):
        return text
    layout = list(signs) if "\n" in signs else []
    pattern = "|".join(map(re.escape, [*written, *layout]))
    return re.sub(pattern, lambda match: characters.get(match[0], ""), text)


def write_signs(text: str, signs: Signs) -> str:
    """The program as it is shown."""
    return (
        read_signs(text, signs).translate({ord(each): sign for each, sign in signs.items()})
        if signs
        else text
    )


def find_fault(signs: Mapping[str, str]) -> str | None:
    """Why these signs could not be read again; None if they can."""
    for character, sign in signs.items():
        if len(character) != 1 or character == "_":
            return f"{character!r} is not one character (and `_` marks a blank)"
        if not sign or any(each in sign for each in (*signs, "_", "`")):
            return f"the sign {sign!r} is empty, or has a character that is itself shown by a sign, `_` or `"
    if len(set(signs.values())) < len(signs):
        return "two characters have the same sign"
    return None

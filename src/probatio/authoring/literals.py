"""Literals of a program in any language: numbers and quoted words, found without its grammar."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping

_LITERAL = re.compile(
    r"(?P<comment>(?:#|//).*$)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?<![\w.$])(?P<number>\d+(?:\.\d+)?)(?![\w.]*\w)",
    re.MULTILINE,
)
"""A number is no part of a name, and no field of a record (`$1`). Comments, and quotes with more than a word,
are left alone."""

_NUMBER = re.compile(r"(?<![\w.$])\d+(?:\.\d+)?(?![\w.]*\w)")
_WORD = re.compile(r"[A-Za-z]{3,}")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SMALLEST = 2
"""0 and 1 stay as they are: they are rarely data, and often the start or the step of a count."""

WORDS = _words("""
    amber anchor apple arrow basket beacon birch bottle bridge bronze button candle canvas carrot castle
    cedar cherry circle clover cobalt copper coral cotton crystal daisy dragon ember falcon feather forest
    garden ginger glacier granite hammer harbor hazel hollow honey island ivory jasmine juniper kettle
    ladder lantern lemon linen maple marble meadow mirror mosaic needle nutmeg oyster paper pebble pepper
    pillow planet poplar prism quartz quiver raven ribbon river saffron sandal scarlet shadow silver spider
    spruce summit tablet temple thistle thunder timber tulip turtle valley velvet violet walnut willow
""")
"""Words to put in place of others. None is a keyword of a language."""

NUMBER_WORDS = _words("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty
""")


def count_literals(program: str) -> Counter[str]:
    """How often each literal is in a program: numbers as they are written, words without their quotes."""
    found: Counter[str] = Counter()
    for match in _LITERAL.finditer(program):
        if match["number"] and float(match["number"]) >= SMALLEST:
            found[match["number"]] += 1
        elif match["text"] and _WORD.fullmatch(match["text"][1:-1]):
            found[match["text"][1:-1]] += 1
    return found


def count_numbers(program: str) -> Counter[str]:
    """How often each number is in a program, 0 and 1 too."""
    return Counter(match["number"] for match in _LITERAL.finditer(program) if match["number"])


def exchange(program: str, by: Mapping[str, str]) -> str:
    """The program with its literals exchanged."""

    def put(match: re.Match[str]) -> str:
        if match["number"]:
            return by.get(match["number"], match[0])
        if match["text"]:
            return match[0][0] + by.get(match["text"][1:-1], match["text"][1:-1]) + match[0][-1]
        return match[0]

    return _LITERAL.sub(put, program)


def count_in_prose(text: str, literal: str) -> int:
    """How often a literal is in a text for people, or in data."""
    return len(_match_alone(literal).findall(text))


def count_quoted(text: str, word: str) -> int:
    """How often a word is in a text in quotes or backticks."""
    return len(re.findall(rf"([`\"'])(?:{re.escape(word)})\1|“{re.escape(word)}”", text))


def exchange_in_prose(text: str, by: Mapping[str, str]) -> str:
    """A text for people, or data, with the literals exchanged, all at once."""
    if not by:
        return text
    several = re.compile(
        "|".join(_match_alone(literal).pattern for literal in sorted(by, key=len, reverse=True))
    )
    return several.sub(lambda match: by[match[0]], text)


def names_in_words(text: str, literal: str) -> bool:
    """Whether a text names the number as a word: `three`, or `threes`."""
    if not literal.isdigit() or int(literal) >= len(NUMBER_WORDS):
        return False
    return re.search(rf"\b{NUMBER_WORDS[int(literal)]}(?:s|es)?\b", text, re.IGNORECASE) is not None


def choose_others(chosen: Iterable[str], taken: Iterable[str], chance: random.Random) -> dict[str, str]:
    """Another literal for each: numbers near and as long, words in the same case. All are different."""
    used = {*taken}
    others: dict[str, str] = {}
    for literal in chosen:
        for candidate in _list_candidates(literal, chance):
            if candidate not in used:
                used.add(candidate)
                others[literal] = candidate
                break
    return others


def find_numbers(data: str) -> list[str]:
    """The numbers of an input, each once, in their order."""
    return list(dict.fromkeys(number for number in _NUMBER.findall(data) if float(number) >= SMALLEST))


def _list_candidates(literal: str, chance: random.Random) -> list[str]:
    if not literal[0].isdigit():
        words = chance.sample(WORDS, len(WORDS))
        return [
            word.upper() if literal.isupper() else word.capitalize() if literal[0].isupper() else word
            for word in words
        ]
    whole, dot, fraction = literal.partition(".")
    number, width = int(whole), len(whole)
    spread = max(3, number // 3)
    near = [
        n
        for n in range(max(SMALLEST, number - spread), number + spread + 1)
        if n != number and len(str(n)) == width
    ]
    chance.shuffle(near)
    return [f"{n}{dot}{fraction}" for n in near]


def _match_alone(literal: str) -> re.Pattern[str]:
    """A pattern for the literal alone: `5`, but not the 5 of 15, 5.2 or x5."""
    after = r"(?![\w]|\.\d)" if literal[0].isdigit() else r"(?!\w)"
    before = r"(?<![\w$])(?<!\d\.)" if literal[0].isdigit() else r"(?<!\w)"
    return re.compile(f"{before}{re.escape(literal)}{after}")

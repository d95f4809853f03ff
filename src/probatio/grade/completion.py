"""Completions: the program that a template and an answer make. The answer is the missing part, or more of the program.

Worked by hand. The template is

    varia i = 0
    ___ i < 3 { i += 1 }
    scribe i

All of these mean the same: `dum` · `dum i < 3 { i += 1 }` (repeats the rest of the line) · the whole program with `dum` in
its place. What the answer repeats of the text round the blank is taken off, and the rest fills it.
"""

from __future__ import annotations

import re
from collections import Counter

from probatio.suite.language_suite import BLANK

_TOKEN = re.compile(r"\w+|[^\w\s]")


def completed(template: str, answer: str) -> str:
    """The complete program."""
    answer = answer.strip("\n")
    before, _, after = template.partition(BLANK)
    if _is_whole(template, answer):
        return answer
    if BLANK in after:  # several blanks ask for one word in several places
        return template.replace(BLANK, answer.strip())
    return before + _without_repeated(answer, before, after) + after


def _without_repeated(answer: str, before: str, after: str) -> str:
    """The answer less what it repeats of the text round the blank."""
    tokens = list(_TOKEN.finditer(answer))
    words = [token[0] for token in tokens]
    head = _overlap(_TOKEN.findall(before)[::-1], words[::-1])
    tail = _overlap(_TOKEN.findall(after), words)
    if head + tail >= len(words):
        return answer.strip()
    end = tokens[len(words) - 1 - tail].end()
    return answer[tokens[head].start() : end]


def _overlap(context: list[str], words: list[str]) -> int:
    """How many words at the end of `words` are the beginning of `context`. One alone proves nothing, unless it is all."""
    for length in range(min(len(context), len(words) - 1), 0, -1):
        if words[-length:] == context[:length] and (length >= 2 or length == len(context)):
            return length
    return 0


def _is_whole(template: str, answer: str) -> bool:
    """Whether the answer is the program again, perhaps written a little otherwise: as long, and made of the same words."""
    fixed, given = Counter(_TOKEN.findall(template.replace(BLANK, " "))), Counter(_TOKEN.findall(answer))
    if not fixed:
        return True
    lines, needed = (sum(bool(line.strip()) for line in text.splitlines()) for text in (answer, template))
    return lines > 1 and lines >= needed and (fixed & given).total() * 2 >= fixed.total()

"""Markdown around an answer: fenced blocks, and marks that enclose the whole of a text."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE_OPENS = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})")
_FENCE_LANGUAGE = re.compile(r"[ \t]*(?P<language>[\w+#.-]*)")
_WRAPPERS = (("```", "```"), ("**", "**"), ("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("«", "»"))
_QUOTES = 3
"""From here on they may be part of the answer."""


class Fenced(NamedTuple):
    """A fenced block: its language word, lower case, and what stands inside, to the letter."""

    language: str
    inside: str
    start: int
    end: int

    @property
    def body(self) -> str:
        """What stands inside, without the line breaks at its end."""
        return self.inside.rstrip("\n")


def find_fences(text: str) -> list[Fenced]:
    """The fenced blocks in order, in linear time; one that is not closed reaches to the end."""
    blocks: list[Fenced] = []
    if "```" not in text and "~~~" not in text:
        return blocks
    start = body = -1  # of the block that is open
    mark = language = ""
    at = 0
    for line in text.split("\n"):
        end = at + len(line)
        if start < 0:
            opening = _FENCE_OPENS.match(line)
            if opening and "`" not in line[opening.end() :] and end < len(text):
                word = _FENCE_LANGUAGE.match(line, opening.end())
                start, body, mark = at, end + 1, opening["mark"]
                language = word["language"].lower() if word else ""
        elif (ends := line.strip(" \t")).startswith(mark) and not ends[len(mark) :].strip("`~"):
            blocks.append(Fenced(language, text[body : max(body, at - 1)], start, end))
            start = -1
        at = end + 1
    if start >= 0:
        blocks.append(Fenced(language, text[body:], start, len(text)))
    return blocks


def unwrap(text: str, *, quotes: bool = True) -> str:
    """The text without emphasis, backticks or (`quotes`) quotation marks that enclose the whole of it."""
    text = text.strip()
    for left, right in _WRAPPERS if quotes else _WRAPPERS[:_QUOTES]:
        if len(text) > len(left) + len(right) and text.startswith(left) and text.endswith(right):
            inner = text[len(left) : -len(right)]
            if left not in inner and right not in inner:
                return unwrap(inner, quotes=quotes) if left in ("**", "`") else inner
    return text

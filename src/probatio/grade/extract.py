"""Extraction: the answer inside a response, without reasoning, chatter, fences and quotes. The raw text is kept elsewhere.

Every step looks at the response alone, never at what would have been right.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_THOUGHT_OPENS = re.compile(r"<(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_FENCE_OPENS = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})")
_FENCE_LANGUAGE = re.compile(r"[ \t]*(?P<language>[\w+#.-]*)")
_CUE = re.compile(
    r"^[ \t>#*_-]*(?:(?:the|its|final|expected|program'?s?|exact|console)\s+)*(?:output|answer|result|it prints|prints)\b"
    r"[^\n:]{0,60}:[*_ \t]*(?P<same>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_WRAPPERS = (("```", "```"), ("**", "**"), ("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("«", "»"))
_QUOTES = 3
"""From here on they may be part of the answer."""


class Fenced(NamedTuple):
    """A fenced block: its language word, lower case, and what stands inside."""

    language: str
    body: str
    start: int
    end: int


def without_reasoning(text: str) -> str:
    """The text without the model's reasoning.

    A closing tag without its opening one ends a thought whose beginning the chat template swallowed; an opening tag without
    its end means the answer was cut off before it began.
    """
    kept: list[str] = []
    at = 0
    while opening := _THOUGHT_OPENS.search(text, at):
        kept.append(text[at : opening.start()])
        closing = _THOUGHT_ENDS.search(text, opening.end())
        if closing is None:
            at = len(text)
            break
        at = closing.end()
    kept.append(text[at:])
    return _THOUGHT_ENDS.split("".join(kept))[-1].strip()


def fenced_blocks(text: str) -> list[Fenced]:
    """The fenced blocks in order; one that is never closed reaches to the end. Line by line, so that the time is linear."""
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
                told = _FENCE_LANGUAGE.match(line, opening.end())
                start, body, mark, language = at, end + 1, opening["mark"], told["language"].lower() if told else ""
        elif (ends := line.strip(" \t")).startswith(mark) and not ends[len(mark) :].strip("`~"):
            blocks.append(Fenced(language, text[body:at].rstrip("\n"), start, end))
            start = -1
        at = end + 1
    if start >= 0:
        blocks.append(Fenced(language, text[body:].rstrip("\n"), start, len(text)))
    return blocks


def unwrapped(text: str, *, quotes: bool = True) -> str:
    """The text without emphasis, backticks or (`quotes`) quotation marks that enclose the whole of it."""
    text = text.strip()
    for left, right in _WRAPPERS if quotes else _WRAPPERS[:_QUOTES]:
        if len(text) > len(left) + len(right) and text.startswith(left) and text.endswith(right):
            inner = text[len(left) : -len(right)]
            if left not in inner and right not in inner:
                return unwrapped(inner, quotes=quotes) if left in ("**", "`") else inner
    return text


def prediction(text: str) -> str:
    """The output a model predicts, without what it is wrapped in.

    What follows the last "Output:"-like line, else the last fenced block, else what stands after the last line that ends in
    a colon before a blank line ("…the output will be:"), else the whole.
    """
    text = without_reasoning(text)
    blocks = fenced_blocks(text)
    outside = [
        cue for cue in _CUE.finditer(text) if not any(block.start <= cue.start() < block.end for block in blocks)
    ]
    if outside and (output := _after_cue(text, outside[-1])):
        return unwrapped(output)
    if blocks:
        return unwrapped(blocks[-1].body)
    introduced = re.split(r":[*_]*[ \t]*\n[ \t]*\n", text)
    return unwrapped(introduced[-1])


def _after_cue(text: str, cue: re.Match[str]) -> str:
    if cue["same"].strip():
        return cue["same"].strip()
    rest = text[cue.end() :].lstrip("\n")
    blocks = fenced_blocks(rest)
    if blocks and not rest[: blocks[0].start].strip():
        return blocks[0].body
    return re.split(r"\n[ \t]*\n", rest.strip())[0]

"""The program in a response: what a model meant as its answer, without the sentences round it.

Every step looks at the response alone, never at what would have been right.
"""

from __future__ import annotations

import re
from functools import lru_cache

from probatio.grade.extract import fenced_blocks, unwrapped, without_reasoning

_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n`]*$\n?", re.MULTILINE)
_SENTENCE = re.compile(r"^[ \t]*(?:[-*>]\s+|\d+\.\s+|#+\s+|\*\*)?[A-Z][\w'’]*(?:\s+[\w'’\"`(),./-]+){2,}.*[.!?:*]?\s*$")


def program(text: str, fences: tuple[str, ...], keywords: tuple[str, ...] = ()) -> str:
    """The program in a response: the first fenced block of its language, else the first fenced block, else the code-like text.

    The first, because small models go on after their answer with questions of their own making. `keywords` begin a statement.
    """
    text = without_reasoning(text)
    blocks = fenced_blocks(text)
    for block in blocks:
        if block.language in fences:
            return block.body.strip("\n")
    code = _code(keywords)
    if blocks and not _has_code(text[: blocks[0].start], code):
        return blocks[0].body.strip("\n")
    return _code_like(_FENCE_LINE.sub("", text), code)


@lru_cache(maxsize=64)
def _code(keywords: tuple[str, ...]) -> re.Pattern[str]:
    """What a line of code has and a sentence has not."""
    words = rf"|^\s*(?:{'|'.join(map(re.escape, keywords))})\b" if keywords else ""
    return re.compile(rf"[{{}}=;]|->|^\s*[\w.]+\(.*\)\s*${words}")


def _has_code(text: str, code: re.Pattern[str]) -> bool:
    """Whether code stands outside the fences: then they enclose parts of the answer, not the answer."""
    return any(code.search(line[:500]) and not _SENTENCE.match(line[:500]) for line in text.splitlines())


def _code_like(text: str, code: re.Pattern[str]) -> str:
    """A response without fences, and without the sentences before and after the code."""
    paragraphs = re.split(r"\n[ \t]*\n", text.strip("\n"))
    while len(paragraphs) > 1 and (_is_prose(paragraphs[0], code) or paragraphs[0].rstrip().endswith(":")):
        paragraphs.pop(0)
    while len(paragraphs) > 1 and _is_prose(paragraphs[-1], code):
        paragraphs.pop()
    body = "\n\n".join(paragraphs)
    return unwrapped(body) if "\n" not in body.strip() and body.strip().startswith(("`", "**")) else body


def _is_prose(paragraph: str, code: re.Pattern[str]) -> bool:
    """Whether every line reads as a sentence and none as code."""
    return all(_SENTENCE.match(line[:500]) and not code.search(line[:500]) for line in paragraph.splitlines())

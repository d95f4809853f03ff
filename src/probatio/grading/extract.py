"""Extraction: the answer inside a response, without reasoning, chatter, fences and quotes.

Every step looks at the response alone, never at what would have been right.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from probatio.core.records import Answered, Assessment, ErrorType
from probatio.core.text.fences import find_fences, unwrap

_THOUGHT_OPENS = re.compile(r"<(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_CUE = re.compile(
    # Within a line: over line breaks, a text of nothing but "the" would be read once from each of its lines.
    r"^[ \t>#*_-]*(?:(?:the|its|final|expected|program'?s?|exact|console)[^\S\n]+)*"
    r"(?:output|answer|result|it prints|prints)\b[^\n:]{0,60}:[*_ \t]*(?P<same>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n`]*$\n?", re.MULTILINE)
_EMPTY_ROWS = re.compile(r"\A(?:\s*[^\S \t])?")
_SENTENCE = re.compile(
    r"^[ \t]*(?:[-*>]\s+|\d+\.\s+|#+\s+|\*\*)?[A-Z][\w'’]*(?:\s+[\w'’\"`(),./-]+){2,}.*[.!?:*]?\s*$"
)


def without_reasoning(text: str) -> str:
    """The text without the model's reasoning.

    A closing tag without its opening one ends a thought whose beginning the chat template swallowed; an
    opening tag without its end means the answer was cut off before it began.
    """
    return _cut_reasoning(text).strip()


def answer_text(text: str) -> str:
    """The same, with the blanks before its first line."""
    return _EMPTY_ROWS.sub("", _cut_reasoning(text).rstrip())


def _cut_reasoning(text: str) -> str:
    """The same, with the white space that stands round it."""
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
    return _THOUGHT_ENDS.split("".join(kept))[-1]


def extract_prediction(text: str) -> str:
    """The output a model predicts, without what it is wrapped in.

    What follows the last "Output:"-like line, else the last fenced block, else what stands after the last
    line that ends in a colon before a blank line ("…the output will be:"), else the whole.
    """
    return unwrap(find_output(text))


def find_output(text: str) -> str:
    """The same with the blanks before its first line, and with what encloses the whole of it."""
    text = answer_text(text)
    blocks = find_fences(text)
    starts = [block.start for block in blocks]
    outside = None
    for cue in _CUE.finditer(text):
        before = bisect_right(starts, cue.start())
        if not before or cue.start() >= blocks[before - 1].end:
            outside = cue
    if outside and (output := _after_cue(text, outside)):
        return output
    if blocks:
        return blocks[-1].body
    return re.split(r":[*_]*[ \t]*\n[ \t]*\n", text)[-1]


def _after_cue(text: str, cue: re.Match[str]) -> str:
    if cue["same"].strip():
        return cue["same"].strip()
    rest = text[cue.end() :].lstrip("\n")
    blocks = find_fences(rest)
    if blocks and not rest[: blocks[0].start].strip():
        return blocks[0].body
    return re.split(r"\n[ \t]*\n", _EMPTY_ROWS.sub("", rest.rstrip()))[0]


def extract_program(text: str, fences: tuple[str, ...], keywords: tuple[str, ...] = ()) -> str:
    """The program in a response: the first block of its language, else the first block, else bare code.

    The first, because small models go on with invented questions after their answer. `keywords` begin a
    statement. The first row of bare code keeps its indentation.
    """
    text = answer_text(text)
    blocks = find_fences(text)
    for block in blocks:
        if block.language in fences:
            return block.body.strip("\n")
    code = _code(keywords)
    if blocks and not _has_code(text[: blocks[0].start], code):
        return blocks[0].body.strip("\n")
    return _code_like(_FENCE_LINE.sub("", text), code)


def extract_whole(text: str, fences: tuple[str, ...]) -> str:
    """The response as a program, every character of it.

    A block of the language is the program, whatever stands round it, and so is the only block of a response
    that has nothing else. The line break before the closing fence belongs to the fence. Without such a block
    every word of the response is part of the program.
    """
    answer = _cut_reasoning(text)
    if answer != text:  # line breaks between a thought and the answer are the chat template's
        answer = answer.lstrip("\r\n")
    blocks = find_fences(answer)
    for block in blocks:
        if block.language in fences:
            return block.inside
    if len(blocks) == 1 and not (answer[: blocks[0].start] + answer[blocks[0].end :]).strip():
        return blocks[0].inside
    return answer


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
    first, last = 0, len(paragraphs) - 1
    while first < last and (_is_prose(paragraphs[first], code) or paragraphs[first].rstrip().endswith(":")):
        first += 1
    while first < last and _is_prose(paragraphs[last], code):
        last -= 1
    body = "\n\n".join(paragraphs[first : last + 1])
    return unwrap(body) if "\n" not in body.strip() and body.strip().startswith(("`", "**")) else body


def _is_prose(paragraph: str, code: re.Pattern[str]) -> bool:
    """Whether every line reads as a sentence and none as code."""
    return all(_SENTENCE.match(line[:500]) and not code.search(line[:500]) for line in paragraph.splitlines())


LONGEST_RESPONSE = 1_000_000
"""Characters of a response in which reasoning is looked for: 250,000 tokens, more than any model thinks."""
LONGEST_ANSWER = 50_000
"""Characters of an answer, without its reasoning: three times the longest that a suite allows (4,000 tokens
of HTML are about 16,000). Of a longer answer the beginning is graded."""


class Gradable(NamedTuple):
    """The text that is graded, and how long the response was where something was cut off."""

    text: str
    cut: int | None = None


def gradable(response: str) -> Gradable:
    """The part of a response that is graded. A response of ordinary length is graded as it is."""
    if len(response) <= LONGEST_ANSWER:
        return Gradable(response)
    answer = _cut_reasoning(response[:LONGEST_RESPONSE])
    if len(answer) > LONGEST_ANSWER:
        answer = answer.strip()
    if len(answer) <= LONGEST_ANSWER:
        return Gradable(answer, len(response) if len(response) > LONGEST_RESPONSE else None)
    return Gradable(answer[:LONGEST_ANSWER], len(response))


def cut_note(cut: int) -> str:
    return (
        f"Only the first {LONGEST_ANSWER:,} characters of the answer were graded; the response has {cut:,}."
    )


_REFUSAL = re.compile(
    r"^\W*(?:i'?m sorry|sorry|i apologi[sz]e|unfortunately)?\W*(?:but )?\W*(?:i|as an ai)\b[^.\n]{0,40}"
    r"\b(?:can'?t|cannot|can not|won'?t|will not|am unable to|'m unable to|unable to|"
    r"not able to)\b[^.\n]{0,20}"
    r"\b(?:help|assist|comply|provide|fulfil|fulfill|answer|do that|continue)\b",
    re.IGNORECASE,
)


def assess_unanswered(response: Answered, *, blank: bool = False) -> Assessment | None:
    """The assessment of a response without an answer; None if there is one to grade. `blank`: white space is
    an answer."""
    if response.response is None:
        return _nothing("api_error", response.error or "no answer came back")
    if response.finish_reason in ("content_filter", "refusal"):
        return _nothing("refusal", response.response[:200] or "the provider's filter withheld the answer")
    answer = _cut_reasoning(response.response)
    if not (answer if blank else answer.strip()):
        if response.finish_reason == "length":
            return _nothing("truncated", "the token limit was reached before an answer began")
        return _nothing("no_response", "the response is empty")
    return None


def why_wrong(response: Answered, error_type: ErrorType) -> ErrorType:
    """The label of a wrong answer: cut off or refused explains more than the error that followed."""
    if response.finish_reason == "length":
        return "truncated"
    if _REFUSAL.search(without_reasoning(response.response or "")[:200]):
        return "refusal"
    return error_type


def _nothing(error_type: ErrorType, detail: str) -> Assessment:
    return Assessment(level_a=False, level_b=False, level_c=False, error_type=error_type, error_detail=detail)

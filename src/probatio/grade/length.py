"""How much of an answer is graded. Every check begins here, before any expression sees the text."""

from __future__ import annotations

from typing import NamedTuple

from probatio.grade.extract import without_reasoning

LONGEST_RESPONSE = 1_000_000
"""Characters of a response in which the reasoning is looked for: about 250,000 tokens, more than any model thinks. Finding it
takes one pass."""
LONGEST_ANSWER = 50_000
"""Characters of an answer, without its reasoning: three times the longest that a suite allows for (4,000 tokens of HTML are about
16,000). Whoever writes on is graded by what came first."""


class Gradable(NamedTuple):
    """The text that is graded, and how long the response was where something was cut off."""

    text: str
    cut: int | None = None


def gradable(response: str) -> Gradable:
    """The part of a response that is graded. A response of ordinary length is graded as it is."""
    if len(response) <= LONGEST_ANSWER:
        return Gradable(response)
    answer = without_reasoning(response[:LONGEST_RESPONSE])
    if len(answer) <= LONGEST_ANSWER:
        return Gradable(answer, len(response) if len(response) > LONGEST_RESPONSE else None)
    return Gradable(answer[:LONGEST_ANSWER], len(response))


def cut_note(cut: int) -> str:
    return f"Only the first {LONGEST_ANSWER:,} characters of the answer were graded; the response has {cut:,}."

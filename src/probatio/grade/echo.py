"""Echo: how much of an answer is the prompt's own text, given back whole or in parts."""

from __future__ import annotations

from collections.abc import Sequence

from probatio.grade.figures import words

_MEASURES = ((6, 0.5, 0.8), (4, 0.65, 0.9))
"""Words in a row · the share of the answer in such runs that is free · the share at which nothing is left of its worth.

Good answers quote: those of the proofs have up to 0.32 of their words in runs of six, and 0.49 in runs of four. The second
measure is for a copy in which every fifth word was changed."""


def own_words(answer: str, prompt: str) -> float:
    """0–1: what an answer is worth as words of its own. 1 for one that quotes, 0 for one that mostly copies."""
    said, asked = _spoken(answer), _spoken(prompt)
    return min(min(1.0, max(0.0, (none - covered(said, asked, run)) / (none - free))) for run, free, none in _MEASURES)


def covered(said: Sequence[str], asked: Sequence[str], run: int) -> float:
    """The share of the words that stand in a run of so many which the other text has too."""
    known = {tuple(asked[at : at + run]) for at in range(len(asked) - run + 1)}
    shared = 0
    end = 0  # words up to here are counted
    for at in range(len(said) - run + 1):
        if tuple(said[at : at + run]) in known:
            shared += at + run - max(at, end)
            end = at + run
    return shared / len(said) if said else 0.0


def _spoken(text: str) -> list[str]:
    return [word.text for word in words(text) if word.text[0].isalnum()]

"""Prose answers (a summary, a letter): the claims they have to make, and the limits they have to keep to.

An answer that says nothing breaks no limit and promises nothing. Credit for that would reward empty answers.
So the credit for every limit is multiplied by how much of what was asked the answer does say
(`Prose.earned`). The prompt given back also says much of what was asked, so all credit is multiplied by how
far the words are the answer's own (`Prose.own`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from probatio.builtin.daily.reading.claims import Claim, Sighting, find_claim, in_order
from probatio.builtin.daily.reading.figures import find_invented, words
from probatio.builtin.daily.reading.passage import Passage
from probatio.builtin.daily.reading.statements import is_sentence, mentions, statements
from probatio.core.records.check_result import Part
from probatio.core.text.fences import find_fences

_LETTER = re.compile(r"\w")

LONGEST = 8_000  # characters, twice what 700 tokens hold; a longer answer earns nothing
FULL_AT = 0.75  # an answer that makes this share of the claims earns all credit for keeping to the limits
OVERRUN = 0.3  # at this much over the limit (or under the least) nothing is left of the credit for length
READ_TO = 1.25  # claims are read up to this multiple of the limit: what stands beyond it was not asked for
FEW = 2  # this many faults of one kind leave nothing of its credit
_MEASURES = ((6, 0.5, 0.8), (4, 0.65, 0.9))
"""Words in a row · the share of the answer in such runs that is free · the share at which nothing is left of
its worth.

Good answers quote: those of the proofs have up to 0.32 of their words in runs of six, and 0.49 in runs of
four. The second measure is for a copy in which every fifth word was changed."""


class WordLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many words are allowed."""

    max: int
    min: int = 0

    @property
    def read(self) -> int:
        return round(self.max * READ_TO)


class Prose(msgspec.Struct, frozen=True):
    """An answer, read for its claims."""

    text: str
    statements: Passage
    sightings: dict[str, Sighting]  # by the claim's id
    earned: float
    """0–1: how much of the credit for keeping to the limits the answer has earned by what it says."""
    own: float = 1.0
    """0–1: how far it is more than a copy of the prompt; `earned` and the claims' parts hold it already."""


def read_prose(answer: str, claims: Sequence[Claim], span: WordLimits, prompt: str = "") -> Prose:
    """The answer without fences, and what it says of each claim in other words than the prompt's."""
    text = without_fences(answer[:LONGEST])
    sentences = Passage(filter(is_sentence, statements(text, span.read)))
    sightings = {claim.id: find_claim(claim, sentences) for claim in claims}
    made = sum(sightings[claim.id].credit * claim.weight for claim in claims)
    own = own_words(text, prompt) if len(answer) <= LONGEST else 0.0
    return Prose(text, Passage.of(text), sightings, own * share_earned(made / _total(claims)), own)


def share_earned(coverage: float) -> float:
    """The share of the credit for limits that is earned by making this share of the claims."""
    return min(1.0, coverage / FULL_AT)


def without_fences(answer: str) -> str:
    """The answer without the marks of its fences; words outside of them stay."""
    for block in reversed(find_fences(answer)):
        answer = f"{answer[: block.start]}\n{block.body}\n{answer[block.end :]}"
    return answer.strip()


def claim_parts(prose: Prose, claims: Sequence[Claim], weight: float, prefix: str = "") -> list[Part]:
    """One part for each claim; together they weigh `weight`."""
    total = _total(claims)
    return [
        Part(
            f"{prefix}{claim.id}",
            prose.own * sighting.credit,
            sighting.state,
            weight * claim.weight / total,
            claim.rung,
        )
        for claim in claims
        for sighting in [prose.sightings[claim.id]]
    ]


def word_count(text: str) -> int:
    """Words as an editor counts them: what stands between spaces and holds a letter or a digit."""
    return sum(_LETTER.search(piece) is not None for piece in text.split())


def length_part(prose: Prose, span: WordLimits, weight: float) -> Part:
    """Full credit within the allowed number of words, less with every word outside of it."""
    count = word_count(prose.text)
    over = max(0.0, count / span.max - 1, 1 - count / span.min if span.min else 0.0)
    asked = f"{span.min} to {span.max}" if span.min else f"at most {span.max}"
    return Part(
        "length", prose.earned * max(0.0, 1 - over / OVERRUN), f"{count} words, {asked} asked for", weight
    )


def figures_part(prose: Prose, source: str, derived: Iterable[str], weight: float) -> Part:
    """Full credit where every figure stands in the source or is derived from it."""
    strange = [figure.text for figure in find_invented(prose.text, source, derived)]
    detail = f"not in the source: {', '.join(strange[:8])}" if strange else ""
    return Part("no invented figures", prose.earned * _credit_after(len(strange)), detail, weight)


def forbidden_part(prose: Prose, name: str, phrases: str, weight: float) -> Part:
    """Full credit where none of the phrases occurs."""
    there = mentions(phrases, prose.statements)
    detail = f"found: {', '.join(there[:8])}" if there else ""
    return Part(name, prose.earned * _credit_after(len(there)), detail, weight)


def order_part(prose: Prose, name: str, order: Iterable[str], weight: float) -> Part:
    """The share of neighbouring claims that come in the order asked for."""
    return Part(name, prose.own * in_order(prose.sightings[claim] for claim in order), "", weight)


def describe_copy(prose: Prose) -> str | None:
    """The sentence for an answer that lost credit as a copy, or by its size."""
    return "Much of the answer is the prompt's own text, or it is far too long." if prose.own < 1 else None


def own_words(answer: str, prompt: str) -> float:
    """0–1: how far the words are the answer's own. 1 for one that quotes, 0 for one that mostly copies."""
    said, asked = _list_words(answer), _list_words(prompt)
    return min(
        min(1.0, max(0.0, (none - share_in_runs(said, asked, run)) / (none - free)))
        for run, free, none in _MEASURES
    )


def share_in_runs(said: Sequence[str], asked: Sequence[str], run: int) -> float:
    """The share of the words that stand in a run of so many which the other text has too."""
    known = {tuple(asked[at : at + run]) for at in range(len(asked) - run + 1)}
    shared = 0
    end = 0  # words up to here are counted
    for at in range(len(said) - run + 1):
        if tuple(said[at : at + run]) in known:
            shared += at + run - max(at, end)
            end = at + run
    return shared / len(said) if said else 0.0


def _list_words(text: str) -> list[str]:
    return [word.text for word in words(text) if word.text[0].isalnum()]


def _credit_after(faults: int) -> float:
    return max(0.0, 1 - faults / FEW)


def _total(claims: Sequence[Claim]) -> float:
    return sum(claim.weight for claim in claims)

"""Restraint: what an answer must keep to beside saying the right things. Silence keeps to everything, so it has to be earned.

An answer that says nothing breaks no limit and promises nothing; credit for that would pay for empty answers. Every part made
here is therefore scaled by how much of what was asked the answer does say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from probatio.grade.claims import Statement, mentions
from probatio.grade.figures import invented
from probatio.grade.parts import Part

FULL_AT = 0.75  # saying this share of what was asked earns all credit for restraint
OVERRUN = 0.3  # at this much over the limit (or under the least) nothing is left of the credit for length
READ_TO = 1.25  # claims are read up to this multiple of the limit: what stands beyond it was not asked for
FEW = 2  # this many faults of one kind leave nothing of its credit


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many words are allowed."""

    max: int
    min: int = 0

    @property
    def read(self) -> int:
        return round(self.max * READ_TO)


def earned(coverage: float) -> float:
    """How much of the credit for restraint an answer has a right to that says this share of what was asked."""
    return min(1.0, coverage / FULL_AT)


def word_count(text: str) -> int:
    """Words as an editor counts them: what stands between spaces and holds a letter or a digit."""
    return len(re.findall(r"\S*\w\S*", text))


def length_part(text: str, span: Span, share: float, weight: float) -> Part:
    count = word_count(text)
    over = max(0.0, count / span.max - 1, 1 - count / span.min if span.min else 0.0)
    asked = f"{span.min} to {span.max}" if span.min else f"at most {span.max}"
    return Part("length", share * max(0.0, 1 - over / OVERRUN), f"{count} words, {asked} asked for", weight)


def figures_part(text: str, source: str, derived: Iterable[str], share: float, weight: float) -> Part:
    strange = [figure.text for figure in invented(text, source, derived)]
    detail = f"not in the source: {', '.join(strange[:8])}" if strange else ""
    return Part("no invented figures", share * _less(len(strange)), detail, weight)


def forbidden_part(name: str, phrases: str, read: Sequence[Statement], share: float, weight: float) -> Part:
    there = mentions(phrases, read)
    return Part(name, share * _less(len(there)), f"found: {', '.join(there[:8])}" if there else "", weight)


def _less(faults: int) -> float:
    return max(0.0, 1 - faults / FEW)

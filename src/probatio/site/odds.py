"""The evidence as a chance: how rarely a model that did not change gets so far within a year."""

from __future__ import annotations

from math import floor, isfinite, log10

from probatio.verdict.words import YEAR

RAREST = 10**6
"""Rarer than one in so many is told as less than that: nobody can picture one in 435,187,558,263,616."""


def one_in(evidence: float) -> int:
    """The chance is at most one in so many: the evidence over the days of a year, down to two digits; 1 says nothing."""
    if not evidence > YEAR:
        return 1
    count = evidence / YEAR if isfinite(evidence) else float(RAREST)
    if count >= RAREST:
        return RAREST
    step = 10 ** max(0, floor(log10(count)) - 1)
    return int(count // step * step)


def odds(evidence: float | None) -> str:
    """In words, for the end of a sentence."""
    if evidence is None:
        return "not known yet"
    count = one_in(evidence)
    if count < 2:
        return "nothing unusual: a model that did not change gets here, too"
    if count >= RAREST:
        return "less than a one in a million chance of a false alarm"
    return f"at most a one in {count:,} chance of a false alarm"


def short_odds(evidence: float) -> str:
    """The same as the label of an axis."""
    count = one_in(evidence)
    return "1 in a million" if count >= RAREST else f"1 in {count:,}"

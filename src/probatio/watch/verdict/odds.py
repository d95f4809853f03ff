"""The evidence as a chance: how rarely a model that did not change gets so far within a year."""

from __future__ import annotations

from math import floor, isfinite, log10

YEAR = 365
"""Chances are given for this many days."""
RAREST = 10**6
"""A smaller chance than one in this many is shown as less than that: no one can picture one in
435,187,558,263,616."""


def one_in(evidence: float) -> int:
    """The chance is at most one in this number: the evidence divided by the days of a year, to two digits. 1
    says nothing."""
    if not evidence > YEAR:
        return 1
    count = evidence / YEAR if isfinite(evidence) else float(RAREST)
    if count >= RAREST:
        return RAREST
    step = 10 ** max(0, floor(log10(count)) - 1)
    return int(count // step * step)


def describe_chance(evidence: float) -> str:
    """The chance itself: "at most a one in 110 chance"."""
    count = one_in(evidence)
    return "less than a one in a million chance" if count >= RAREST else f"at most a one in {count:,} chance"


def describe_odds(evidence: float | None) -> str:
    """In words, for the end of a sentence."""
    if evidence is None:
        return "not known yet"
    if one_in(evidence) < 2:
        return "nothing unusual: a model that did not change gets here, too"
    return f"{describe_chance(evidence)} of a false alarm"


def short_odds(evidence: float) -> str:
    """The same as the label of an axis."""
    count = one_in(evidence)
    return "1 in a million" if count >= RAREST else f"1 in {count:,}"

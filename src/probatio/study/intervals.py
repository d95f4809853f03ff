"""Intervals: how sure a rate is."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959963984540054


def wilson(passed: int, asked: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson interval of a rate: honest at 0 %, at 100 % and for few trials, where the textbook one is not."""
    if not asked:
        return 0.0, 1.0
    rate, shrink = passed / asked, 1 + z * z / asked
    centre = (rate + z * z / (2 * asked)) / shrink
    half = z / shrink * sqrt(rate * (1 - rate) / asked + z * z / (4 * asked * asked))
    return max(0.0, centre - half), min(1.0, centre + half)

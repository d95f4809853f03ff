"""Student's t and chi-squared for whole degrees of freedom, from their closed forms.

Whole degrees of freedom are all the study needs, and there the closed forms are finite sums: a run of a dozen
trials gets its intervals without loading a statistics library. The tests hold them against one.
"""

from __future__ import annotations

from functools import lru_cache
from math import atan, cos, erfc, exp, lgamma, log, pi, sin, sqrt


def t_two_sided(t: float, df: int) -> float:
    """The chance of a value as far from zero as `t` or farther, under Student's t."""
    angle = atan(abs(t) / sqrt(df))
    cosine, sine = cos(angle), sin(angle)
    term = total = cosine if df % 2 else 1.0
    for power in range(2 if df % 2 else 1, df - 1, 2):
        term *= cosine * cosine * power / (power + 1)
        total += term
    if df == 1:
        inside = 2 * angle / pi
    elif df % 2:
        inside = 2 / pi * (angle + sine * total)
    else:
        inside = sine * total
    return min(1.0, max(0.0, 1 - inside))


@lru_cache(maxsize=1024)
def t_quantile(df: int, outside: float = 0.05) -> float:
    """How far from zero Student's t stays but for `outside` of the time."""
    low, high = 0.0, 2.0
    while t_two_sided(high, df) > outside:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if t_two_sided(middle, df) > outside else (low, middle)
    return (low + high) / 2


def chi2_above(value: float, df: int) -> float:
    """The chance of a chi-squared value as large as `value` or larger."""
    if value <= 0:
        return 1.0
    half = value / 2
    total = erfc(sqrt(half)) if df % 2 else 0.0
    # The terms are e^-x x^a / gamma(a + 1), with a = 0, 1, … for an even `df` and a = 1/2, 3/2, … for an odd.
    steps = (df - 1) // 2 if df % 2 else df // 2
    start = 0.5 if df % 2 else 0.0
    total += sum(exp(-half + (start + step) * log(half) - lgamma(start + step + 1)) for step in range(steps))
    return min(1.0, total)

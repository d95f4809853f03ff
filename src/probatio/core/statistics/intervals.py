"""Intervals: how sure a rate or a difference is.

Answers to one task resemble each other, so a rate pooled over conditions is worth fewer answers than it
counts. The spread between tasks tells how many it is worth (its effective number), and an interval that holds
for few trials is taken at that number. Worked: 20 tasks asked under 10 conditions each, ten tasks always
right and ten always wrong, are 200 answers worth 19.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import erfc, sqrt
from typing import NamedTuple

import msgspec

from probatio.core.statistics.distributions import t_quantile, t_two_sided

Z95 = 1.959963984540054


class Rate(msgspec.Struct, frozen=True):
    """A pass rate with its doubt."""

    passed: int
    asked: int
    tasks: int
    low: float
    high: float
    clustered: bool  # False where each task counts once and Wilson's interval holds as it is

    @property
    def share(self) -> float | None:
        return self.passed / self.asked if self.asked else None


class PairedDifference(NamedTuple):
    """B less A as a share, with its 95 % interval and the p of the same test: the interval excludes zero
    exactly where p is below 0.05."""

    difference: float
    low: float
    high: float
    p: float

    @property
    def shown(self) -> bool:
        """Whether the interval keeps clear of zero: what power counts as a difference seen."""
        return self.low > 0 or self.high < 0


def wilson(passed: float, asked: float, z: float = Z95) -> tuple[float, float]:
    """The Wilson interval of a rate: honest at 0 %, at 100 % and for few trials, unlike the textbook's."""
    if not asked:
        return 0.0, 1.0
    rate, shrink = passed / asked, 1 + z * z / asked
    centre = (rate + z * z / (2 * asked)) / shrink
    half = z / shrink * sqrt(max(0.0, rate * (1 - rate)) / asked + z * z / (4 * asked * asked))
    return max(0.0, centre - half), min(1.0, centre + half)


def rate_of(tasks: Iterable[tuple[int, int]]) -> Rate:
    """The rate over tasks, each given as (passed, asked)."""
    counts = [(passed, asked) for passed, asked in tasks if asked]
    passed, asked = sum(count[0] for count in counts), sum(count[1] for count in counts)
    if len(counts) == asked:
        return Rate(passed, asked, len(counts), *wilson(passed, asked), clustered=False)
    worth, z = effective_trials(counts), critical(len(counts))
    return Rate(passed, asked, len(counts), *wilson(passed / asked * worth, worth, z), clustered=True)


def effective_trials(counts: Sequence[tuple[float, int]]) -> float:
    """How many independent trials the pooled rate is worth: between-task spread against that of independent
    answers.

    Where every answer passed or every answer failed the spread says nothing, and each task counts as one
    trial.
    """
    passed, asked = sum(count[0] for count in counts), sum(count[1] for count in counts)
    rate, tasks = passed / asked, len(counts)
    spread = sum((one - rate * of) ** 2 for one, of in counts)
    if tasks < 2 or passed in (0, asked):
        return float(tasks)
    variance = tasks / (tasks - 1) * spread / asked**2
    return min(float(asked), rate * (1 - rate) / variance) if variance else float(asked)


def estimate_paired_difference(tasks: Iterable[tuple[int, int, int]]) -> PairedDifference:
    """The difference of two paired rates, its interval and its p, over tasks given as (gained, lost, pairs).

    Bonett and Price's interval for paired rates (one gain, one loss and two pairs are added before the
    textbook formula), taken at the effective number of pairs, and the p of the test that it inverts.
    Identical answers on both sides so keep an interval of a width that can be defended. Worked: three of ten
    tasks lost are (1 − 4)/12 ± 2.26 · 0.172, which holds zero, p 0.18.
    """
    counts = [count for count in tasks if count[2]]
    gained, lost, pairs = (sum(count[place] for count in counts) for place in range(3))
    if not pairs:
        return PairedDifference(0.0, -1.0, 1.0, 1.0)
    difference = (gained - lost) / pairs
    worth = _effective_pairs(counts, gained, lost, pairs)
    up, down = (gained / pairs * worth + 1) / (worth + 2), (lost / pairs * worth + 1) / (worth + 2)
    error = sqrt((up + down - (up - down) ** 2) / (worth + 2))
    half = critical(len(counts)) * error
    p = _two_sided((up - down) / error, len(counts))
    return PairedDifference(difference, max(-1.0, up - down - half), min(1.0, up - down + half), p)


def _effective_pairs(counts: Sequence[tuple[int, int, int]], gained: int, lost: int, pairs: int) -> float:
    tasks, difference = len(counts), (gained - lost) / pairs
    if tasks == pairs:
        return float(pairs)
    alone = ((gained + lost) / pairs - difference**2) / pairs
    spread = sum((up - down - difference * of) ** 2 for up, down, of in counts)
    if tasks < 2 or alone == 0:
        return float(tasks)
    variance = tasks / (tasks - 1) * spread / pairs**2
    return min(float(pairs), pairs * alone / variance) if variance else float(pairs)


def _two_sided(distance: float, clusters: int) -> float:
    """The chance of a distance from zero of so many standard errors, or more; `critical` puts it at 5 %."""
    return t_two_sided(distance, clusters - 1) if clusters > 1 else erfc(abs(distance) / sqrt(2))


def critical(clusters: int) -> float:
    """The half-width of a 95 % interval in standard errors, when they are estimated from this many tasks."""
    return t_quantile(clusters - 1) if clusters > 1 else Z95

"""Is the judge still the judge? A two-sided e-detector on the daily mean shift of its calibration set.

The gate at 0.3 catches a jump. A drift of 0.2 stays under it and would cost every model five points in each
judged use case. So the shifts are also read over time, as the evidence reads a judged use case: the first
days are the reference (days beyond the gate left out), then it bets on a shift in either direction. Worked,
with the floor's sd of 0.08 and a reference of 28 days at 0: slack 2.33 · 0.08/√28 = 0.035; a lasting shift of
−0.2 gives, on the bet of 0.2, exp(31.25 · 0.165 − 3.125) = 7.6 a day, and the line at 36,500 is passed on the
sixth day.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from statistics import fmean, stdev

import msgspec

from probatio.core.records import AttributionConstants, EvidenceConstants


class JudgeDrift(msgspec.Struct, frozen=True):
    """How far the judge has drifted, up to one day."""

    shift: float | None  # of the calibration set's mean, today
    usual: float | None = None  # its mean over the reference days; None while there are too few
    value: float = 0.0  # M, over both directions
    drifted: bool = False


def judge_drifts(
    days: Iterable[tuple[float | None, bool]], evidence: EvidenceConstants, attribution: AttributionConstants
) -> Iterator[JudgeDrift]:
    """The judge's drift on each day, from (mean shift, beyond the gate) of the days so far. None: no
    calibration."""
    reference: list[float] = []
    bets = [(sign, size) for sign in (-1.0, 1.0) for size in attribution.judge_shifts]
    values = [0.0] * len(bets)
    usual = slack = sd = 0.0
    for shift, beyond in days:
        if len(reference) < evidence.reference_days:
            if shift is not None and not beyond:
                reference.append(shift)
            if len(reference) == evidence.reference_days:
                usual, spread = fmean(reference), max(stdev(reference), attribution.judge_sd_floor)
                slack = evidence.caution * spread / math.sqrt(len(reference))
                sd = max(evidence.judged_sd_factor * stdev(reference), attribution.judge_sd_floor)
            yield JudgeDrift(shift)
            continue
        if shift is not None:
            for place, (sign, size) in enumerate(bets):
                beyond_slack = sign * (shift - usual) - slack
                won = math.exp(
                    min(size * beyond_slack / sd**2 - size**2 / (2 * sd**2), math.log(evidence.day_cap))
                )
                values[place] = min((values[place] + 1) * won, CEILING)
        value = fmean(values)
        yield JudgeDrift(shift, usual, value, value >= evidence.confirmed)


CEILING = 1e12
"""Keeps the value of a judge that stays shifted finite. When its marks are back, it is trusted again after
some days."""

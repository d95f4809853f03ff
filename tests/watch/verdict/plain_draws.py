"""Section 6.2 of the verdict's text, word by word: one model, plain loops. The reference for `draws.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from probatio.watch.verdict.evidence.streams import Floats

Found = dict[str, tuple[float, float, float, float]]
"""Stream → z, D, standard error, degrees of freedom."""


def long_run(values: Floats, lag: int) -> float:
    """Newey and West's variance of departures, not centred again."""
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    total = float((filled * filled).sum())
    for back in range(1, min(lag, len(values) - 1) + 1):
        total += 2 * (1 - back / (lag + 1)) * float((filled[back:] * filled[:-back]).sum())
    return max(total, 0.0) / max(int(there.sum()) - lag - 1, 1)


def plain_proof(
    scores: Floats, use_cases: Sequence[str], rungs: Sequence[int], reference: int, lag: int
) -> Found:
    """Scores [days, cases], today last; the first `reference` days are the reference; answers are known by
    their scores."""
    days, cases = scores.shape
    prior = [min(0.25, 1 / number**2) for number in rungs]
    names = list(dict.fromkeys(use_cases))
    of_use_case = {
        name: [float(each == name) / use_cases.count(name) for each in use_cases] for name in names
    }
    streams = {f"use case {name}": weights for name, weights in of_use_case.items()}
    streams["pool"] = [
        sum(weights[case] for weights in of_use_case.values()) / len(names) for case in range(cases)
    ]
    known = scores[:reference]
    departures = known - np.nanmean(known, axis=0)
    best: Found = {}
    for window in (2, 4, 7, 14, 28, 56):
        first = days - window
        if first < 14:
            continue
        before, after = range(min(reference, first)), range(first, days)
        moved: dict[int, tuple[float, float, float, int, int, float, float]] = {}
        for case in range(cases):
            was = [scores[day, case] for day in before if not np.isnan(scores[day, case])]
            now = [scores[day, case] for day in after if not np.isnan(scores[day, case])]
            if len(was) < 14 or not now:
                continue
            shares: dict[int, float] = {}
            for values, sign in ((was, -1), (now, 1)):
                for value in values:
                    answer = round(value / 1e-6)
                    shares[answer] = shares.get(answer, 0.0) + sign / len(values)
            squares = freedom = 0.0
            for part in (before, after):
                for day in part:
                    if day - 1 not in part:
                        continue
                    step = scores[day, case] - scores[day - 1, case]
                    if abs(step) > 1e-6:  # NaN is no step
                        squares, freedom = squares + step**2 / 4, freedom + 0.5
            changed = sum(share**2 for share in shares.values())
            mean = sum(was) / len(was)
            moved[case] = (sum(now) / len(now) - mean, mean, changed, len(was), len(now), squares, freedom)
        seen = sum(moved[case][5] / prior[case] for case in moved)
        free = sum(moved[case][6] for case in moved)
        for version in (1, 2):
            if version == 1:
                of_kind, total = 12 + free, 12 + seen
            else:
                weight = {case: 1 / (one[2] * prior[case]) for case, one in moved.items() if one[2] > 1e-9}
                common = sum(weight[case] * moved[case][0] for case in weight) / sum(weight.values())
                of_kind = 3 + free + len(weight) - 1
                total = 3 + seen + sum(each * (moved[case][0] - common) ** 2 for case, each in weight.items())
            factor = total / of_kind
            for name, weights in streams.items():
                whole = sum(weights[case] for case in moved)
                if whole < 0.5:
                    continue
                share = {case: weights[case] / whole for case in moved if weights[case] > 0}
                daily = np.full(reference, np.nan)
                for day in range(reference):
                    there = [case for case in share if not np.isnan(departures[day, case])]
                    if there:
                        parts = sum(share[case] * departures[day, case] for case in there)
                        daily[day] = parts / sum(share[case] for case in there)
                apart = sum(each**2 * long_run(departures[:, case], lag) for case, each in share.items())
                rest = 1 - sum(each**2 for each in share.values())
                shared = max(0.0, long_run(daily, lag) - apart) / rest
                variance = 0.0
                for case, each in share.items():
                    _, _, changed, was_days, now_days, squares, freedom = moved[case]
                    draw = max(0.1 * prior[case], (8 * factor * prior[case] + squares) / (8 + freedom))
                    variance += each**2 * draw * changed + shared * each * (1 / was_days + 1 / now_days)
                fall = sum(each * moved[case][0] for case, each in share.items())
                level = sum(each * moved[case][1] for case, each in share.items())
                limited = min(of_kind, sum(8 + moved[case][6] for case in share))
                t = -(fall + 0.01 * level) / math.sqrt(variance)
                z = (8 * limited + 1) / (8 * limited + 3) * math.sqrt(limited * math.log(1 + t * t / limited))
                z = math.copysign(z, t)
                if name not in best or z > best[name][0]:
                    best[name] = (z, fall, math.sqrt(variance), limited)
    return best

"""The reference of the first edition, as it was: what a model was in its first scored days, with its doubt.

Taken once from the first `reference_days` scored days of a (model, route, suite version) and never again, so that a slow
decline can't drag it along. Only base samples enter.

**A case's level r** is the mean of its scores on days that follow a day on which it was not low. Two smoothings are possible
where 28 of 28 passed: r must stay under 1, or nothing could be staked. We take the smaller of the mean and (sum + ½)/(n + 1):
it only ever lowers r. Smoothing upwards (an always failing case at 0.02) would give its bets a mean above 1 while nothing
got worse.

**ρ**, the daily rate at which a low case recovers, is counted over all cases of the model: one case is low on a handful of its
28 days, and the prior's weight of 6 days would drown that. "Less 1.3 standard errors" is taken as Wilson's lower limit, which
is never negative. Worked: no low day at all leaves the prior, 0.15 of 6 days, and ρ = 0.04 (the plain formula gives
0.15 − 1.3 · 0.146 < 0, and a case that dies could never be found); 7 low days, each gone the next day, give 7.9 of 13 and
ρ = 0.43 either way. The bet needs the rate of the days it is placed on, and where short and long failures mix, a case that is
still low on its second day is likely one of the long ones: the days from the second on are counted for themselves, the overall
rate their prior, and the lower of the two is ρ.

**τ** of a stream is `caution` standard errors of its reference mean, as a share of it. The standard error is Newey and West's
(Bartlett weights up to `hac_lag` days), at least what independent yes/no cases would have: 28 days without a single failure
don't prove there is never one. Judged use cases have their sd floor in that place.

**Fewer than half of the days** leave a case or judged use case without a reference: it places no bet in this series.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from probatio.simulate.first_edition.constants import FirstEdition as EvidenceConstants
from probatio.verdict.streams import ALL, KIND, OWN, SCOPES, Bools, Floats, Ints, Streams


@dataclass(frozen=True, slots=True)
class Reference:
    """All arrays have the model as leading axis. Rows of models still in their reference phase hold NaN."""

    mean: Floats  # [m, C] of each case, 0–1
    level: Floats  # [m, scopes, C] r: what a case is expected to reach after a not-low day, less τ of the stream
    recovery: Floats  # [m] ρ
    judged_mean: Floats  # [m, J] 0–100
    judged_level: Floats  # [m, scopes, J] m₀
    judged_sd: Floats  # [m, J] s: long-run sd times the factor, floored
    stream_mean: Floats  # [m, S] 0–1
    stream_error: Floats  # [m, S] standard error of that mean
    tau: Floats  # [m, S] share of the mean
    weights: Floats  # [m, S, components] of the model statistic; they sum to 1
    reach: Ints  # [m] calendar days a previous scored day may lie back to count as yesterday
    spells: Ints  # [m] runs of low days of a case in the reference
    spell_mean: Floats  # [m] their mean length in scored days; NaN without one
    spell_longest: Ints  # [m]

    def put(self, rows: Bools, other: Reference) -> Reference:
        """This reference with `other`, which has only those rows, in place of `rows`."""
        changed = {}
        for field in fields(self):
            values = getattr(self, field.name).copy()
            values[rows] = getattr(other, field.name)
            changed[field.name] = values
        return replace(self, **changed)


def no_reference(models: int, streams: Streams, constants: EvidenceConstants) -> Reference:
    """Before any reference is frozen."""
    cases, judged = len(streams.cases), len(streams.judged)

    def unknown(*shape: int) -> Floats:
        return np.full((models, *shape), np.nan)

    return Reference(
        mean=unknown(cases),
        level=unknown(len(SCOPES), cases),
        recovery=unknown(),
        judged_mean=unknown(judged),
        judged_level=unknown(len(SCOPES), judged),
        judged_sd=unknown(judged),
        stream_mean=unknown(streams.count),
        stream_error=unknown(streams.count),
        tau=unknown(streams.count),
        weights=np.zeros((models, streams.count, len(constants.deltas) + 1)),
        reach=np.ones(models, dtype=np.int64),
        spells=np.zeros(models, dtype=np.int64),
        spell_mean=unknown(),
        spell_longest=np.zeros(models, dtype=np.int64),
    )


def reference_of(
    cases: Floats, judged: Floats, numbers: Ints, streams: Streams, constants: EvidenceConstants
) -> Reference:
    """The reference from the recorded days: cases [m, days, C] 0–1, judged [m, days, J] 0–100, day numbers [m, days]."""
    days = cases.shape[1]
    cases = np.where((~np.isnan(cases)).sum(axis=1, keepdims=True) * 2 >= days, cases, np.nan)
    judged = np.where((~np.isnan(judged)).sum(axis=1, keepdims=True) * 2 >= days, judged, np.nan)
    mean, judged_mean = _mean(cases), _mean(judged)
    reach = np.ceil(np.median(np.diff(numbers, axis=1), axis=1)).astype(np.int64)

    low = cases < (mean - constants.low)[:, None, :]
    paired = (
        ~np.isnan(cases[:, 1:]) & ~np.isnan(cases[:, :-1]) & (np.diff(numbers, axis=1) <= reach[:, None])[..., None]
    )
    level = _level(cases, low, paired)
    recovery = _recovery(low, paired, constants)
    spells, spell_mean, spell_longest = _spells(low)

    error = _standard_errors(cases, mean, judged, judged_mean, streams, constants)
    stream_mean = streams.with_pools(streams.mean_of_cases(mean), judged_mean / 100)
    tau = np.where(
        stream_mean > 0, np.minimum(1.0, constants.caution * error / np.where(stream_mean > 0, stream_mean, 1)), 1.0
    )
    tau = np.where(np.isnan(stream_mean), np.nan, tau)
    case_tau, judged_tau = _tau_of_units(tau, streams)
    long_run = np.sqrt(_long_run_variance(judged - judged_mean[:, None, :], constants.hac_lag))
    return Reference(
        mean=mean,
        level=level[:, None, :] * (1 - case_tau),
        recovery=recovery,
        judged_mean=judged_mean,
        judged_level=judged_mean[:, None, :] * (1 - judged_tau),
        judged_sd=np.maximum(constants.judged_sd_factor * long_run, constants.judged_sd_floor),
        stream_mean=stream_mean,
        stream_error=error,
        tau=tau,
        weights=_weights(stream_mean, streams, constants),
        reach=reach,
        spells=spells,
        spell_mean=spell_mean,
        spell_longest=spell_longest,
    )


def _mean(values: Floats) -> Floats:
    """Over the days (axis 1), NaN where there is none."""
    there = ~np.isnan(values)
    counts = there.sum(axis=1)
    return np.where(counts > 0, np.where(there, values, 0).sum(axis=1) / np.maximum(counts, 1), np.nan)


def _level(cases: Floats, low: Bools, paired: Bools) -> Floats:
    """[m, C] the mean after a not-low day, smoothed downwards only; NaN where no such day was seen."""
    after = paired & ~low[:, :-1]
    counts = after.sum(axis=1)
    sums = np.where(after, cases[:, 1:], 0).sum(axis=1)
    level = np.minimum(sums / np.maximum(counts, 1), (sums + 0.5) / (counts + 1))
    return np.where(counts > 0, level, np.nan)


def _recovery(low: Bools, paired: Bools, constants: EvidenceConstants) -> Floats:
    """[m] the lower estimate of the daily rate at which a low case recovers."""
    from_low = paired & low[:, :-1]
    still_low = from_low.copy()
    still_low[:, 0] = False
    still_low[:, 1:] &= from_low[:, :-1]
    weight = constants.recovery_weight

    def estimate(days: Bools, prior: Floats | float) -> tuple[Floats, Floats]:
        chances, gone = days.sum(axis=(1, 2)), (days & ~low[:, 1:]).sum(axis=(1, 2))
        rate = (weight * prior + gone) / (weight + chances)
        return rate, lower_limit(rate, weight + chances, constants.recovery_se)

    rate, recovery = estimate(from_low, constants.recovery_prior)
    _, later = estimate(still_low, rate)
    return np.where(still_low.any(axis=(1, 2)), np.minimum(recovery, later), recovery)


def lower_limit(rate: Floats, trials: Floats, errors: float) -> Floats:
    """Wilson's lower limit of a rate, so many standard errors down: between 0 and the rate."""
    square = errors * errors
    half = errors * np.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    return (rate + square / (2 * trials) - half) / (1 + square / trials)


def _spells(low: Bools) -> tuple[Ints, Floats, Ints]:
    running = np.zeros(low[:, 0].shape, dtype=np.int64)
    longest = np.zeros(len(low), dtype=np.int64)
    for day in range(low.shape[1]):
        running = np.where(low[:, day], running + 1, 0)
        longest = np.maximum(longest, running.max(axis=1, initial=0))
    began = low.copy()
    began[:, 1:] &= ~low[:, :-1]
    spells = began.sum(axis=(1, 2))
    return spells, np.where(spells > 0, low.sum(axis=(1, 2)) / np.maximum(spells, 1), np.nan), longest


def _standard_errors(
    cases: Floats, mean: Floats, judged: Floats, judged_mean: Floats, streams: Streams, constants: EvidenceConstants
) -> Floats:
    """[m, S] of each stream's reference mean, on the scale 0–1.

    Taken from what each case departs from its own mean: a missing case then moves no day.
    """
    daily = streams.with_pools(
        streams.mean_of_cases(cases - mean[:, None, :]), (judged - judged_mean[:, None, :]) / 100
    )
    days = (~np.isnan(daily)).sum(axis=1)
    least = _least_variance(cases, judged_mean, streams, constants)
    return np.asarray(np.sqrt(np.maximum(_long_run_variance(daily, constants.hac_lag), least) / np.maximum(days, 1)))


def _long_run_variance(values: Floats, lag: int) -> Floats:
    """[m, days, k] → [m, k]: Newey and West's, days without a value left out, never negative.

    Divided by n − (lag + 1), the sum of the weights: centring on the sample's own mean takes that share of the variance
    away, a seventh of it at 28 days. (Divided by n − 1, autocorrelated judged scores were falsely CONFIRMED in 4 % of
    model-years; so, in 1.5 %.)
    """
    there = ~np.isnan(values)
    counts = np.maximum(there.sum(axis=1), lag + 2)
    centred = np.where(there, values - _mean(values)[:, None, :], 0.0)
    total = (centred**2).sum(axis=1)
    for back in range(1, lag + 1):
        total += 2 * (1 - back / (lag + 1)) * (centred[:, back:] * centred[:, :-back]).sum(axis=1)
    return np.asarray(np.maximum(total, 0.0) / (counts - lag - 1))


def _least_variance(cases: Floats, judged_mean: Floats, streams: Streams, constants: EvidenceConstants) -> Floats:
    """[m, S] of one day's value, were the cases independent yes/no answers and the judge as steady as its floor."""
    there = ~np.isnan(cases)
    counts = there.sum(axis=1)
    rate = (np.where(there, cases, 0).sum(axis=1) + 0.5) / (counts + 1)
    yes_no = np.where(counts > 0, rate * (1 - rate), np.nan)
    of_mean = streams.mean_of_cases(yes_no) / streams.case_counts
    of_judge = np.where(np.isnan(judged_mean), np.nan, (constants.judged_sd_floor / 100) ** 2)
    variance = streams.with_pools(of_mean, of_judge)
    there = ~np.isnan(variance)
    for place, members in enumerate(streams.pools(), start=len(streams.use_cases)):
        variance[:, place] /= np.maximum(there[:, members].sum(axis=1), 1)
    return variance


def _tau_of_units(tau: Floats, streams: Streams) -> tuple[Floats, Floats]:
    """[m, scopes, C] and [m, scopes, J]: τ of the three streams each unit belongs to."""
    everything, deterministic, judged = range(len(streams.use_cases), streams.count)
    cases = np.empty((len(tau), len(SCOPES), len(streams.cases)))
    cases[:, OWN] = tau[:, streams.deterministic[streams.home]]
    cases[:, KIND] = tau[:, deterministic, None]
    cases[:, ALL] = tau[:, everything, None]
    use_cases = np.empty((len(tau), len(SCOPES), len(streams.judged)))
    use_cases[:, OWN] = tau[:, streams.judged]
    use_cases[:, KIND] = tau[:, judged, None]
    use_cases[:, ALL] = tau[:, everything, None]
    return cases, use_cases


def _weights(stream_mean: Floats, streams: Streams, constants: EvidenceConstants) -> Floats:
    """Half for the pools, half for the use cases, equal within each half over the components that can bet.

    A component is a δ, or the dead case; the latter exists where there are deterministic cases. A stream without a reference
    has no weight. Weights are fixed before the first bet, so the statistic's mean is bounded as each component's is.
    """
    betting = np.repeat(~np.isnan(stream_mean)[..., None], len(constants.deltas) + 1, axis=2)
    own, pools = slice(0, len(streams.use_cases)), slice(len(streams.use_cases), None)
    everything, deterministic, judged = range(len(streams.use_cases), streams.count)
    betting[:, [*streams.judged, judged], -1] = False
    betting[:, everything, -1] &= ~np.isnan(stream_mean[:, deterministic])
    weights = np.zeros(betting.shape)
    for half in (own, pools):
        counts = betting[:, half].sum(axis=(1, 2), keepdims=True)
        weights[:, half] = 0.5 * betting[:, half] / np.maximum(counts, 1)
    return weights

"""Caution: how far a stream's reference mean may be off, and how much its days scatter beyond independent
cases.

**Newey and West's long-run variance** (Bartlett weights) with a lag that grows with the reference: its days
divided by `hac_days`, at least `hac_lag`, at most `hac_most`. Divided by n − (lag + 1), the sum of the
weights: centring on the sample's own mean takes that share of the variance away, a sixth of it at 28 days.

**τ** of a stream is `caution` standard errors of its reference mean as a share of it, and at least the band:
no bet is placed against a smaller loss. The standard error is at least what independent yes/no cases would
have: 28 days without a single failure don't prove there is never one. Judged use cases have their sd floor in
that place.

**D**, the dispersion of a stream, is the long-run variance of the day's summed residuals over the sum that
independent yes/no cases would have, on the days and cases that bet. Above 1 there are days that are bad for
many cases at once; the product over cases then overstates what such a day proves, and it is raised to the
power κ = `temper`/D.
"""

from __future__ import annotations

import numpy as np

from probatio.core.records import EvidenceConstants
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, Streams


def lag_of(days: Ints, constants: EvidenceConstants) -> Ints:
    """[m] Newey and West's lag for references of so many days."""
    return np.minimum(np.maximum(days // constants.hac_days, constants.hac_lag), constants.hac_most)


def long_run_variance(values: Floats, lag: Ints) -> Floats:
    """[m, days, k] → [m, k], each model with its own lag; days without a value are left out, never
    negative."""
    there = ~np.isnan(values)
    counts = there.sum(axis=1)
    filled = np.where(there, values, 0.0)
    mean = filled.sum(axis=1) / np.maximum(counts, 1)
    centred = np.where(there, filled - mean[:, None, :], 0.0)
    total = np.einsum("mdk,mdk->mk", centred, centred)
    for back in range(1, min(int(lag.max(initial=0)), values.shape[1] - 1) + 1):
        weight = np.maximum(2 * (1 - back / (lag + 1)), 0.0)
        total += weight[:, None] * np.einsum("mdk,mdk->mk", centred[:, back:], centred[:, :-back])
    return np.asarray(np.maximum(total, 0.0) / np.maximum(counts - lag[:, None] - 1, 1))


def standard_errors(daily: Floats, least: Floats, lag: Ints) -> Floats:
    """[m, S] of each stream's reference mean, on the scale 0–1, from its daily departures [m, days, S]."""
    days = (~np.isnan(daily)).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(long_run_variance(daily, lag), least) / np.maximum(days, 1)))


def least_variance(
    cases: Floats, judged_mean: Floats, streams: Streams, constants: EvidenceConstants
) -> Floats:
    """[m, S] of one day's value, were the cases independent yes/no answers and the judge as steady as its
    floor."""
    there = ~np.isnan(cases)
    counts = there.sum(axis=1)
    rate = (np.where(there, cases, 0).sum(axis=1) + 0.5) / (counts + 1)
    # A ladder of R rungs scatters at least as R independent steps would.
    yes_no = np.where(counts > 0, rate * (1 - rate) / streams.rungs, np.nan)
    # of the cases that the model is asked: in a smaller form these are fewer than the suite has
    of_mean = streams.mean_of_cases(yes_no) / np.maximum(~np.isnan(yes_no) @ streams.membership, 1)
    of_judge = np.where(np.isnan(judged_mean), np.nan, (constants.judged_sd_floor / 100) ** 2)
    variance = streams.with_pools(of_mean, of_judge)
    there = ~np.isnan(variance)
    for place, members in enumerate(streams.pools(), start=len(streams.use_cases)):
        variance[:, place] /= np.maximum(there[:, members].sum(axis=1), 1)
    return variance


def tau_of(mean: Floats, error: Floats, streams: Streams, constants: EvidenceConstants) -> Floats:
    """[m, S] what is allowed for before a loss is bet on, as a share of the stream's mean; NaN without a
    reference."""
    doubt = np.minimum(1.0, constants.caution * error / np.where(mean > 0, mean, 1))
    tau = np.where(mean > 0, np.maximum(doubt, bands(streams, constants)), 1.0)
    return np.where(np.isnan(mean), np.nan, tau)


def bands(streams: Streams, constants: EvidenceConstants) -> Floats:
    """[S] the least τ of each stream; the pool of all has the mean of the kinds that are in it."""
    band = np.empty(streams.count)
    everything, deterministic, judged = range(len(streams.use_cases), streams.count)
    band[streams.deterministic] = band[deterministic] = constants.band_deterministic
    band[streams.judged] = band[judged] = constants.band_judged
    kinds = [
        band[place]
        for place, of in ((deterministic, streams.deterministic), (judged, streams.judged))
        if len(of)
    ]
    band[everything] = np.mean(kinds)
    return band


def dispersions(residuals: Floats, betting: Bools, level: Floats, lag: Ints, streams: Streams) -> Floats:
    """[m, S] D of each stream, from the residuals of the cases that bet [m, days, C]; 1 where no case is in
    it."""
    dispersion = np.ones((len(level), streams.count))
    if not len(streams.deterministic):
        return dispersion
    everything, deterministic, _ = range(len(streams.use_cases), streams.count)
    sums = np.where(betting, residuals, 0.0) @ streams.membership
    counts = betting @ streams.membership
    share = betting.sum(axis=1) * np.where(np.isnan(level), 0.0, level * (1 - level))
    binomial = share @ streams.membership
    sums = np.concatenate([sums, sums.sum(axis=2, keepdims=True)], axis=2)
    counts = np.concatenate([counts, counts.sum(axis=2, keepdims=True)], axis=2)
    binomial = np.concatenate([binomial, binomial.sum(axis=1, keepdims=True)], axis=1)
    days = (counts > 0).sum(axis=1)
    usual = binomial / np.maximum(days, 1)
    scatter = long_run_variance(np.where(counts > 0, sums, np.nan), lag)
    ratio = np.where((days > lag[:, None] + 1) & (usual > 0), scatter / np.where(usual > 0, usual, 1.0), 1.0)
    dispersion[:, streams.deterministic] = ratio[:, :-1]
    dispersion[:, deterministic] = dispersion[:, everything] = ratio[:, -1]
    return dispersion


def tempering(dispersion: Floats, full: Bools, constants: EvidenceConstants) -> Floats:
    """[m, S] κ of a day. At full count the cases' own scatter is smaller and that of the day is not."""
    beyond = np.maximum(dispersion, 1.0) - 1
    usual = constants.temper / np.maximum(dispersion, constants.temper)
    at_full = np.minimum(1.0, constants.temper / (1 + constants.full_factor * beyond))
    return np.where(full[:, None], at_full, usual)

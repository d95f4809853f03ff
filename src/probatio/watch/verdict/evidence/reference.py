"""The reference: what a model was on the days before, with its doubt, vectorised over models.

The first `reference_days` scored days of a (model, route, suite content); `history.py` says which days are
taken in later. `levels.py` has the cases' levels, `caution.py` the streams' τ and dispersion.

**Judged.** A use case's level is its mean less τ; its sd is the long-run sd times `judged_sd_factor`, at
least the floor. The pool of the judged is one bet on the mean departure of its use cases, with the long-run
sd of that mean: where use cases move together on a day, a product over them would count the day once for
each.

**Fewer than half of the days** leave a case or judged use case without a reference: it places no bet.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from probatio.core.records import EvidenceConstants
from probatio.watch.verdict.evidence.caution import (
    dispersions,
    lag_of,
    least_variance,
    long_run_variance,
    standard_errors,
    tau_of,
)
from probatio.watch.verdict.evidence.levels import levels_of
from probatio.watch.verdict.evidence.streams import (
    ALL,
    KIND,
    OWN,
    SCOPES,
    Floats,
    Ints,
    PerModel,
    Streams,
)


@dataclass(frozen=True, slots=True)
class Reference(PerModel):
    """Rows of models still in their reference phase hold NaN."""

    mean: Floats  # [m, C] of each case, 0–1
    level: (
        Floats  # [m, scopes, C] r: what a case is expected to reach after a not-low day, less τ of the stream
    )
    entry: Floats  # [m, C] h: chance of becoming low
    entry_at_full: Floats  # [m, C] the same on a day asked at full count
    first_recovery: Floats  # [m] ρ on the day after the first low day …
    later_recovery: Floats  # [m] … and from the second low day on
    judged_mean: Floats  # [m, J] 0–100
    judged_level: Floats  # [m, J] m₀
    judged_sd: Floats  # [m, J] s: long-run sd times the factor, floored
    pool_mean: Floats  # [m] of the judged use cases together, 0–100
    pool_level: Floats  # [m, scopes] that mean, less τ of the stream
    pool_sd: Floats  # [m] of their mean departure on a day
    stream_mean: Floats  # [m, S] 0–1
    stream_error: Floats  # [m, S] standard error of that mean
    tau: Floats  # [m, S] share of the mean
    dispersion: Floats  # [m, S] D
    weights: Floats  # [m, S, components] of the dense bets in the model statistic …
    memory_weights: Floats  # [m, D + 1] … and of the memories; together they sum to 1
    reach: Ints  # [m] calendar days a previous scored day may lie back to count as yesterday
    days: Ints  # [m] that are in it
    spell_mean: Floats  # [m] mean length of the runs of low days of a case, in scored days; NaN without one


def no_reference(models: int, streams: Streams, constants: EvidenceConstants) -> Reference:
    """Before there is any."""
    cases, judged = len(streams.cases), len(streams.judged)

    def unknown(*shape: int) -> Floats:
        return np.full((models, *shape), np.nan)

    def none() -> Ints:
        return np.zeros(models, dtype=np.int64)

    return Reference(
        mean=unknown(cases),
        level=unknown(len(SCOPES), cases),
        entry=unknown(cases),
        entry_at_full=unknown(cases),
        first_recovery=unknown(),
        later_recovery=unknown(),
        judged_mean=unknown(judged),
        judged_level=unknown(judged),
        judged_sd=unknown(judged),
        pool_mean=unknown(),
        pool_level=unknown(len(SCOPES)),
        pool_sd=unknown(),
        stream_mean=unknown(streams.count),
        stream_error=unknown(streams.count),
        tau=unknown(streams.count),
        dispersion=unknown(streams.count),
        weights=np.zeros((models, streams.count, len(constants.deltas) + 1)),
        memory_weights=np.zeros((models, len(streams.deterministic) + 1)),
        reach=none() + 1,
        days=none(),
        spell_mean=unknown(),
    )


def reference_of(
    cases: Floats,
    judged: Floats,
    numbers: Ints,
    streams: Streams,
    constants: EvidenceConstants,
    days: Ints | None = None,
    *,
    later: int = 0,
) -> Reference:
    """From the recorded days: cases [m, n, C] 0–1, judged [m, n, J] 0–100, day numbers [m, n].

    `days` [m] says how many of the n each model has; the rest of its row is NaN. All of them, if None.
    `later`: as it will be when so many more days like these are in it; only the doubt is smaller then.
    """
    if days is None:
        days = np.full(len(cases), cases.shape[1], dtype=np.int64)
    cases, judged = _enough(cases, days), _enough(judged, days)
    mean, judged_mean = mean_over_days(cases), mean_over_days(judged)
    between = np.diff(numbers, axis=1)
    reach = np.ceil(np.median(between[:, : constants.reference_days - 1], axis=1)).astype(np.int64)
    there = ~np.isnan(cases)
    low = cases < (mean - constants.low)[:, None, :]
    paired = there[:, 1:] & there[:, :-1] & (between <= reach[:, None])[..., None]
    levels = levels_of(cases, low, paired, constants)
    began = low.copy()
    began[:, 1:] &= ~low[:, :-1]
    spells, low_days = (np.count_nonzero(which, axis=(1, 2)) for which in (began, low))

    lag = lag_of(days, constants)
    # from what each case departs from its own mean: a missing case then moves no day
    departures = streams.with_pools(
        streams.mean_of_cases(cases - mean[:, None, :]), (judged - judged_mean[:, None, :]) / 100
    )
    error = standard_errors(departures, least_variance(cases, judged_mean, streams, constants), lag)
    error = error * np.sqrt(days / (days + later))[:, None]
    stream_mean = streams.with_pools(streams.mean_of_cases(mean), judged_mean / 100)
    tau = tau_of(stream_mean, error, streams, constants)
    case_tau, pool_tau = _tau_of_units(tau, streams)
    pool = streams.count - 1
    factor, floor = constants.judged_sd_factor, constants.judged_sd_floor
    judged_sd = factor * np.sqrt(long_run_variance(judged - judged_mean[:, None, :], lag))
    pool_sd = factor * 100 * np.sqrt(long_run_variance(departures[:, :, pool:], lag)[:, 0])
    judges = np.maximum((~np.isnan(judged_mean)).sum(axis=1), 1)
    residuals = cases[:, 1:] - levels.usual[:, None, :]
    return Reference(
        mean=mean,
        level=levels.level[:, None, :] * (1 - case_tau),
        entry=levels.entry,
        entry_at_full=_at_full_count(levels.entry, mean, constants),
        first_recovery=levels.first_recovery,
        later_recovery=levels.later_recovery,
        judged_mean=judged_mean,
        judged_level=judged_mean * (1 - tau[:, streams.judged]),
        judged_sd=np.maximum(judged_sd, floor),
        pool_mean=100 * stream_mean[:, pool],
        pool_level=100 * stream_mean[:, pool, None] * (1 - pool_tau),
        pool_sd=np.maximum(pool_sd, floor / np.sqrt(judges)),
        stream_mean=stream_mean,
        stream_error=error,
        tau=tau,
        dispersion=dispersions(residuals, levels.after, levels.level, lag, streams),
        weights=(weights := _weights(stream_mean, streams, constants))[0],
        memory_weights=weights[1],
        reach=reach,
        days=days,
        spell_mean=np.where(spells > 0, low_days / np.maximum(spells, 1), np.nan),
    )


def fingerprint(
    cases: Floats, judged: Floats, numbers: Ints, streams: Streams, constants: EvidenceConstants
) -> str:
    """One model's reference by content: its days ([days, …]), what is in them, and the constants that read
    them."""
    digest = hashlib.sha256(repr((streams.names, streams.cases, constants)).encode())
    for part in (cases, judged, (numbers - numbers[0]).astype(np.float64)):
        digest.update(np.ascontiguousarray(np.round(part, 9)).tobytes())
    return digest.hexdigest()


def _enough(values: Floats, days: Ints) -> Floats:
    """Without what has fewer than half of the days."""
    enough = (~np.isnan(values)).sum(axis=1) * 2 >= days[:, None]
    return values if enough.all() else np.where(enough[:, None, :], values, np.nan)


def mean_over_days(values: Floats) -> Floats:
    """The mean over the days (axis 1) that have a value; NaN if no day has one."""
    there = ~np.isnan(values)
    counts = there.sum(axis=1)
    return np.where(counts > 0, np.where(there, values, 0).sum(axis=1) / np.maximum(counts, 1), np.nan)


def _at_full_count(entry: Floats, mean: Floats, constants: EvidenceConstants) -> Floats:
    """[m, C] h on a day of k samples: a yes/no case is low from so many failures on that their share passes
    `low`. With a mean of 0.99 one of three is enough, and that comes nearly three times as often as a failure
    of one sample. Never less than h itself: where failures last all day, all samples fail together."""
    samples = round(constants.full_factor)
    needed = np.floor(samples * (1 - mean + constants.low) + 1e-9) + 1  # failures that make it low
    chance = np.zeros_like(entry)
    term = (1 - entry) ** samples
    for failures in range(samples + 1):
        chance += np.where(failures >= needed, term, 0.0)
        term = term * (samples - failures) / (failures + 1) * entry / (1 - entry)
    return np.minimum(constants.memory.entry_most, np.maximum(entry, chance))


def _tau_of_units(tau: Floats, streams: Streams) -> tuple[Floats, Floats]:
    """[m, scopes, C] and [m, scopes]: τ of the streams each case belongs to, and of those of the judged pool,
    which has no place of its own among the use cases."""
    everything, deterministic, judged = range(len(streams.use_cases), streams.count)
    cases = np.empty((len(tau), len(SCOPES), len(streams.cases)))
    cases[:, OWN] = tau[:, streams.deterministic[streams.home]]
    cases[:, KIND] = tau[:, deterministic, None]
    cases[:, ALL] = tau[:, everything, None]
    pool = np.full((len(tau), len(SCOPES)), np.nan)
    pool[:, KIND], pool[:, ALL] = tau[:, judged], tau[:, everything]
    return cases, pool


def _weights(stream_mean: Floats, streams: Streams, constants: EvidenceConstants) -> tuple[Floats, Floats]:
    """Dense [m, S, components] and memories [m, D + 1]: within the pools, and within the use cases, equal
    over all that can bet.

    A component is a δ, or the dead case; the latter exists where there are deterministic cases. What has no
    reference has no weight, and without any deterministic one the memories' part goes to the rest.
    """
    parts = constants.weights
    betting = np.repeat(~np.isnan(stream_mean)[..., None], len(constants.deltas) + 1, axis=2)
    own, pools = slice(0, len(streams.use_cases)), slice(len(streams.use_cases), None)
    everything, deterministic, judged = range(len(streams.use_cases), streams.count)
    betting[:, [*streams.judged, judged], -1] = False
    betting[:, everything, -1] &= ~np.isnan(stream_mean[:, deterministic])
    weights = np.zeros(betting.shape)
    for part, share in ((own, parts.use_cases), (pools, parts.pools)):
        counts = betting[:, part].sum(axis=(1, 2), keepdims=True)
        weights[:, part] = share * betting[:, part] / np.maximum(counts, 1)
    remembering = ~np.isnan(stream_mean[:, streams.deterministic])
    memories = np.zeros((len(stream_mean), len(streams.deterministic) + 1))
    memories[:, :-1] = (
        parts.memory_of_use_cases * remembering / np.maximum(remembering.sum(axis=1, keepdims=True), 1)
    )
    memories[:, -1] = parts.memory_of_pool * remembering.any(axis=1)
    total = weights.sum(axis=(1, 2)) + memories.sum(axis=1)
    scale = np.where(total > 0, 1 / np.where(total > 0, total, 1.0), 0.0)
    return weights * scale[:, None, None], memories * scale[:, None]

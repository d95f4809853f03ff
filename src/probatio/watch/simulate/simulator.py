"""The simulator: both layers of the verdict, the real code, over synthetic models: false alarms, and faults
detected.

`quiet_years` measures false alarms where nothing is wrong, `after_fault` which faults are detected and how
soon, `simulate_suite` both for a user's own suite. A model's first 28 days are its reference, and nothing in
them is counted; the years and faults come after. Equal seeds give equal numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np

from probatio.core.statistics.intervals import Z95, wilson
from probatio.suites.daily_suite import DailyManifest
from probatio.watch.simulate.faults import FAULTS, SimulatedFault
from probatio.watch.simulate.figures import (
    AfterFault,
    Characteristics,
    Detection,
    Measured,
    QuietYears,
    constants_digest,
)
from probatio.watch.simulate.noise import TOGETHER, Population, populations
from probatio.watch.simulate.profiles import JUDGED, PROFILES
from probatio.watch.simulate.synthetic import SuitePlan, plan_of, watch
from probatio.watch.verdict.evidence.evidence import CONFIRMED, SUSPECTED
from probatio.watch.verdict.evidence.streams import Bools, Floats
from probatio.watch.verdict.rule.model_status import COOKED, is_flagged

SETTLED = 30  # quiet days between the reference and a fault
JUDGES = 25  # models that share one judge, where the judge is what moves
YEAR = 365
LIKELY_PROFILES = ("partial", "binomial-0.9")
"""Cases that give credit in part, and yes/no cases: what an own suite is likely to have."""
TYPICAL_DROPS = ("drop-20-all", "drop-10-all")


def simulate_suite(
    manifest: DailyManifest, cases: Mapping[str, int], models: int, seed: int
) -> Characteristics:
    """What the verdict does with a suite of these use cases and so many cases of each: a healthy year, and
    typical drops."""
    return Characteristics(
        suite_version=manifest.version,
        seed=seed,
        models=models,
        days=YEAR,
        quiet=tuple(
            quiet_years(manifest, profile, "gaussian", models, YEAR, seed, cases=cases)
            for profile in LIKELY_PROFILES
        ),
        faults=tuple(
            after_fault(manifest, fault, profile, "gaussian", models, seed, cases=cases)
            for fault in TYPICAL_DROPS
            for profile in LIKELY_PROFILES
        ),
        constants=constants_digest(manifest),
        cases=dict(cases),
    )


def quiet_years(
    manifest: DailyManifest,
    profile: str,
    noise: str,
    models: int,
    days: int,
    seed: int,
    what_if: str = "",
    cases: int | Mapping[str, int] = 5,
) -> QuietYears:
    """So many models that never change, each watched for `days` after its reference."""
    plan = plan_of(manifest, cases)
    purpose = f"{f'quiet {what_if}'.strip()}/{profile}/{noise}"
    every = populations(PROFILES[profile], JUDGED[noise], plan.streams, models, seed, purpose)
    tallies = [_quiet(plan, population, days, what_if) for population in every]
    flags, judged, episodes, cooked, suspected, confirmed, times, rerun, spells = (
        np.concatenate(parts) for parts in zip(*tallies, strict=True)
    )
    year = 365 / days
    return QuietYears(
        profile=profile,
        noise=noise,
        models=models,
        days=days,
        suspicious=_mean(flags),
        suspicious_judged=_mean(judged),
        cooked=measure_share(cooked),
        cooked_episodes=_mean(episodes * year),
        suspected=measure_share(suspected),
        confirmed=measure_share(confirmed),
        confirmed_episodes=_mean(times * year),
        rerun=_mean(rerun),
        spell_mean=None if np.isnan(spells).all() else round(float(np.nanmean(spells)), 2),
    )


def _quiet(plan: SuitePlan, population: Population, days: int, what_if: str) -> tuple[Floats, ...]:
    models, reference = len(population.level), plan.manifest.evidence.reference_days
    deterministic, judged = plan.streams.deterministic, plan.streams.judged
    flag_days, flag_days_judged, episodes, times, rerun = (np.zeros(models) for _ in range(5))
    cooked, suspected, confirmed = (np.zeros(models, dtype=bool) for _ in range(3))
    was_cooked, was_confirmed = (np.zeros(models, dtype=bool) for _ in range(2))
    stream = watch(
        plan,
        population,
        reference + days,
        pooled=what_if == "pooled",
        forget_flagged=what_if == "flagged out",
    )
    spells = np.full(models, np.nan)
    for count, (day, outcome, state) in enumerate(stream):
        spells = state.worse.reference.spell_mean
        if count < reference:
            was_cooked = day.verdict.model == COOKED
            continue
        flags = is_flagged(day.verdict.status)
        for tally, kind in ((flag_days, deterministic), (flag_days_judged, judged)):
            if len(kind):  # a suite of one's own may have none of a kind
                tally += flags[:, kind].mean(axis=1)
        rerun += day.full_power.mean(axis=1)
        is_cooked, is_confirmed = day.verdict.model == COOKED, outcome.status == CONFIRMED
        episodes += is_cooked & ~was_cooked
        times += is_confirmed & ~was_confirmed
        was_cooked, was_confirmed = is_cooked, is_confirmed
        cooked |= is_cooked
        suspected |= (outcome.status == SUSPECTED) | is_confirmed
        confirmed |= is_confirmed
    return (
        flag_days / days,
        flag_days_judged / days,
        episodes,
        cooked,
        suspected,
        confirmed,
        times,
        rerun / days,
        spells,
    )


def after_fault(
    manifest: DailyManifest,
    fault: str,
    profile: str,
    noise: str,
    models: int,
    seed: int,
    cases: int | Mapping[str, int] = 5,
) -> AfterFault:
    """So many models that lose something some weeks after their reference."""
    plan, broken = plan_of(manifest, cases), FAULTS[fault]
    together = JUDGES if broken.judge else TOGETHER
    purpose = f"{fault}/{profile}/{noise}"
    every = populations(PROFILES[profile], JUDGED[noise], plan.streams, models, seed, purpose, together)
    parts = [_faulty(plan, population, broken) for population in every]
    firsts, early, cooked_on, named = (
        {key: np.concatenate([part[at][key] for part in parts]) for key in parts[0][at]} for at in range(4)
    )
    fresh = ~early["cooked"]
    soon = fresh & cooked_on["day 2"]
    return AfterFault(
        fault=fault,
        profile=profile,
        noise=noise,
        models=models,
        days=broken.watched,
        harmless=broken.harmless,
        **{key: measure_detection(firsts[key][~early[key]]) for key in firsts},
        cooked_by_day_2=measure_share(cooked_on["day 2"][fresh]),
        forgotten_by_day_10=measure_share(~cooked_on["day 10"][soon]) if soon.sum() >= 30 else None,
        named_right=measure_share(named["right"][named["any"]])
        if named["any"].sum() >= 30 and not broken.harmless
        else None,
    )


def _faulty(plan: SuitePlan, population: Population, fault: SimulatedFault) -> tuple[dict[str, Floats], ...]:
    models, begin = len(population.level), plan.manifest.evidence.reference_days + SETTLED
    firsts = {key: np.full(models, np.inf) for key in ("suspicious", "cooked", "suspected", "confirmed")}
    early = {key: np.zeros(models, dtype=bool) for key in firsts}
    cooked_on = {"day 2": np.zeros(models, dtype=bool), "day 10": np.zeros(models, dtype=bool)}
    lost = len(plan.streams.use_cases) if fault.reach is None else max(fault.reach, min(fault.dead_cases, 1))
    named = {"right": np.zeros(models, dtype=bool), "any": np.zeros(models, dtype=bool)}
    stream = watch(plan, population, begin + fault.watched, fault=fault, fault_day=begin)
    for count, (day, outcome, _) in enumerate(stream):
        reached = {  # that status, or a worse one of the same layer
            "suspicious": is_flagged(day.verdict.model),
            "cooked": day.verdict.model == COOKED,
            "suspected": (outcome.status == SUSPECTED) | (outcome.status == CONFIRMED),
            "confirmed": outcome.status == CONFIRMED,
        }
        if count == begin - 1:
            early = reached
        if count < begin:
            continue
        for key, models_there in reached.items():
            new = models_there & np.isinf(firsts[key])
            firsts[key][new] = count - begin + 1
            if key == "confirmed":
                named["any"] |= new & outcome.named.any(axis=1)
                named["right"] |= new & ~outcome.named[:, lost:].any(axis=1)
        if count < begin + 2:
            cooked_on["day 2"] |= reached["cooked"]
        if count == begin + 9:
            cooked_on["day 10"] = reached["cooked"]
    return firsts, early, cooked_on, named


def measure_share(where: Bools | Floats) -> Measured:
    count = int(np.count_nonzero(where))
    low, high = wilson(count, len(where))
    return Measured(_round(count / max(len(where), 1)), _round(low), _round(high), len(where))


def _mean(values: Floats) -> Measured:
    """The mean of one number per model. If all are 0, the upper end is that of the share of models."""
    centre = float(values.mean())
    if not values.any():
        return Measured(0.0, 0.0, _round(wilson(0, len(values))[1]), len(values))
    half = Z95 * float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else centre
    return Measured(_round(centre), _round(max(0.0, centre - half)), _round(centre + half), len(values))


def measure_detection(firsts: Floats) -> Detection:
    ordered = np.sort(firsts)

    def by(share: float) -> float | None:
        place = int(np.ceil(share * len(ordered))) - 1
        return float(ordered[place]) if len(ordered) and np.isfinite(ordered[place]) else None

    return Detection(measure_share(np.isfinite(firsts)), by(0.5), by(0.9))


def _round(value: float) -> float:
    return round(value, 5)

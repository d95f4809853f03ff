"""The simulator: both layers of the verdict, the real code, over synthetic models: false alarms, and faults detected.

`quiet_years` measures false alarms where nothing is wrong, `after_fault` which faults are detected and how soon, `rule_facts`
what the rule can't do. A model's first 28 days are its reference, and nothing in them is counted; the years and faults come
after. Equal seeds give equal numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from math import sqrt

import msgspec
import numpy as np

from probatio.simulate.faults import FAULTS, Fault
from probatio.simulate.noise import Population
from probatio.simulate.profiles import JUDGED, PROFILES
from probatio.simulate.synthetic import Plan, SyntheticDay, plan_of, watch
from probatio.study.intervals import Z95, wilson
from probatio.suite.daily_suite import DailyManifest
from probatio.verdict import rule
from probatio.verdict.evidence import CONFIRMED, SUSPECTED, EvidenceOutcome
from probatio.verdict.model_status import COOKED, flagged
from probatio.verdict.streams import Bools, Floats

TOGETHER = 500  # models in one array: more is no faster, and memory stays small
SETTLED = 30  # quiet days between the reference and a fault
JUDGES = 25  # models that share one judge, where the judge is what moves


class Measured(msgspec.Struct, frozen=True):
    """A share or a mean with its 95 % interval over models, which are independent of each other."""

    value: float
    low: float
    high: float
    models: int


class QuietYears(msgspec.Struct, frozen=True):
    """False alarms of both layers on models that never change."""

    profile: str
    noise: str
    models: int
    days: int
    suspicious: Measured  # share of use-case-days flagged, deterministic use cases
    suspicious_judged: Measured
    cooked: Measured  # share of models that were ever COOKED
    cooked_episodes: Measured  # per model-year
    suspected: Measured  # share of models that were ever SUSPECTED …
    confirmed: Measured  # … and CONFIRMED
    confirmed_episodes: Measured  # per model-year
    rerun: Measured  # share of use-case-days asked at full count
    spell_mean: float | None  # mean length of low spells in the references, scored days


class Detection(msgspec.Struct, frozen=True):
    """How many models reached a status in the days watched, and how soon: the fault's first day is day 1."""

    share: Measured
    median: float | None  # None where less than half ever reach it
    late: float | None  # 90 % of all have reached it by then


class AfterFault(msgspec.Struct, frozen=True):
    """What both layers say of a fault. Models that were at the alarm before it are left out."""

    fault: str
    profile: str
    noise: str
    models: int
    days: int
    harmless: bool
    suspicious: Detection
    cooked: Detection
    suspected: Detection
    confirmed: Detection
    cooked_by_day_2: Measured
    forgotten_by_day_10: (
        Measured | None
    )  # of those COOKED by day 2, no longer COOKED on day 10; None with fewer than 30
    named_right: Measured | None  # of those CONFIRMED with some use case named, all of these lost something; None alike


class RuleFacts(msgspec.Struct, frozen=True):
    """What the rule can't do, and what its decisions save."""

    decline_z: float  # where z of a smooth decline tends
    fresh: Measured  # false SUSPICIOUS use-case-days with 1 % flips, deterministic: the re-run alone counts …
    pooled: Measured  # … and with the triggering sample pooled in
    flagged_in: Measured  # COOKED episodes per model-year at independent 90 % cases: flagged days in the baseline …
    flagged_out: Measured  # … and left out of it


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
    tallies = [
        _quiet(plan, population, days, what_if)
        for population in _populations(plan, profile, noise, models, TOGETHER, seed, f"quiet {what_if}")
    ]
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
        cooked=share_of(cooked),
        cooked_episodes=_mean(episodes * year),
        suspected=share_of(suspected),
        confirmed=share_of(confirmed),
        confirmed_episodes=_mean(times * year),
        rerun=_mean(rerun),
        spell_mean=None if np.isnan(spells).all() else round(float(np.nanmean(spells)), 2),
    )


def _quiet(plan: Plan, population: Population, days: int, what_if: str) -> tuple[Floats, ...]:
    models, reference = len(population.level), plan.manifest.evidence.reference_days
    deterministic, judged = plan.streams.deterministic, plan.streams.judged
    flag_days, flag_days_judged, episodes, times, rerun = (np.zeros(models) for _ in range(5))
    cooked, suspected, confirmed = (np.zeros(models, dtype=bool) for _ in range(3))
    was_cooked, was_confirmed = (np.zeros(models, dtype=bool) for _ in range(2))
    stream = watch(
        plan, population, reference + days, pooled=what_if == "pooled", forget_flagged=what_if == "flagged out"
    )
    spells = np.full(models, np.nan)
    for count, (day, outcome, state) in enumerate(stream):
        spells = state.worse.reference.spell_mean
        if count < reference:
            was_cooked = day.verdict.model == COOKED
            continue
        flags = flagged(day.verdict.status)
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
    parts = [
        _faulty(plan, population, broken)
        for population in _populations(plan, profile, noise, models, together, seed, fault)
    ]
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
        **{key: detection_of(firsts[key][~early[key]]) for key in firsts},
        cooked_by_day_2=share_of(cooked_on["day 2"][fresh]),
        forgotten_by_day_10=share_of(~cooked_on["day 10"][soon]) if soon.sum() >= 30 else None,
        named_right=share_of(named["right"][named["any"]])
        if named["any"].sum() >= 30 and not broken.harmless
        else None,
    )


def _faulty(plan: Plan, population: Population, fault: Fault) -> tuple[dict[str, Floats], ...]:
    models, begin = len(population.level), plan.manifest.evidence.reference_days + SETTLED
    firsts = {key: np.full(models, np.inf) for key in ("suspicious", "cooked", "suspected", "confirmed")}
    early = {key: np.zeros(models, dtype=bool) for key in firsts}
    cooked_on = {"day 2": np.zeros(models, dtype=bool), "day 10": np.zeros(models, dtype=bool)}
    lost = len(plan.streams.use_cases) if fault.reach is None else max(fault.reach, min(fault.dead_cases, 1))
    named = {"right": np.zeros(models, dtype=bool), "any": np.zeros(models, dtype=bool)}
    stream = watch(plan, population, begin + fault.watched, fault=fault, fault_day=begin)
    for count, (day, outcome, _) in enumerate(stream):
        reached = _reached(day, outcome)
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


def _reached(day: SyntheticDay, outcome: EvidenceOutcome) -> dict[str, Bools]:
    """Which models are at each status, or a worse one of the same layer."""
    return {
        "suspicious": flagged(day.verdict.model),
        "cooked": day.verdict.model == COOKED,
        "suspected": (outcome.status == SUSPECTED) | (outcome.status == CONFIRMED),
        "confirmed": outcome.status == CONFIRMED,
    }


def rule_facts(manifest: DailyManifest, models: int, seed: int) -> RuleFacts:
    """The rule's limits, and two of its decisions taken the other way, on a year each."""

    def year(profile: str, what_if: str) -> QuietYears:
        return quiet_years(manifest, profile, "gaussian", models, 365, seed, what_if)

    return RuleFacts(
        decline_z=decline_z(manifest),
        fresh=year("flips", "").suspicious,
        pooled=year("flips", "pooled").suspicious,
        flagged_in=year("binomial-0.9", "").cooked_episodes,
        flagged_out=year("binomial-0.9", "flagged out").cooked_episodes,
    )


def decline_z(manifest: DailyManifest, points_a_day: float = 1.0, days: int = 60) -> float:
    """Where z of a smooth decline without noise ends, by the rule itself."""
    plan = plan_of(manifest)
    state = rule.start(plan.rule, 1)
    z = 0.0
    for day in range(days):
        scores = np.full((1, len(plan.gradings)), 100 - points_a_day * day)
        state, outcome = rule.step(plan.rule, state, rule.rule_day(day + 1, scores))
        z = float(outcome.z[0, 0])
    return z


def _populations(
    plan: Plan, profile: str, noise: str, models: int, together: int, seed: int, purpose: str
) -> Iterator[Population]:
    named = zlib.crc32(f"{purpose.strip()}/{profile}/{noise}".encode())
    sizes = [min(together, models - begin) for begin in range(0, models, together)]
    for size, rng in zip(sizes, np.random.default_rng([seed, named]).spawn(len(sizes)), strict=True):
        yield Population(PROFILES[profile], JUDGED[noise], plan.streams, size, rng)


def share_of(where: Bools | Floats) -> Measured:
    count = int(np.count_nonzero(where))
    low, high = wilson(count, len(where))
    return Measured(_rounded(count / max(len(where), 1)), _rounded(low), _rounded(high), len(where))


def _mean(values: Floats) -> Measured:
    """Of one number per model; where none ever differs from 0 the upper end is that of the share of models."""
    centre = float(values.mean())
    if not values.any():
        return Measured(0.0, 0.0, _rounded(wilson(0, len(values))[1]), len(values))
    half = Z95 * float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else centre
    return Measured(_rounded(centre), _rounded(max(0.0, centre - half)), _rounded(centre + half), len(values))


def detection_of(firsts: Floats) -> Detection:
    ordered = np.sort(firsts)

    def by(share: float) -> float | None:
        place = int(np.ceil(share * len(ordered))) - 1
        return float(ordered[place]) if len(ordered) and np.isfinite(ordered[place]) else None

    return Detection(share_of(np.isfinite(firsts)), by(0.5), by(0.9))


def _rounded(value: float) -> float:
    return round(value, 5)

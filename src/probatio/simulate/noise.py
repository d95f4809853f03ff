"""Synthetic models: how their scores scatter while nothing is wrong, and what can go wrong, as tables.

A `Population` is many such models at once. Every day it has a latent quality per case and judged use case (`Quality`), from
which any number of samples can be drawn: what a re-run on the same day sees is the same quality with fresh sampling noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probatio.verdict.streams import Bools, Floats, Streams

POINTS_PER_MARK = 25.0  # marks of 1–5 become scores of 0–100


@dataclass(frozen=True, slots=True)
class Profile:
    """How deterministic cases scatter."""

    title: str
    rate: float = 1.0  # a sample passes with this chance, or with partial credit scores this
    hardest: float | None = None  # the same for the last case of each use case, where it differs
    enter: float = 0.0  # daily chance that a case begins to fail, all day and every sample …
    leave: float = 1.0  # … and daily chance that this ends
    spread: float = 0.0  # partial credit: sd of one sample's score around `rate`, cases between ± 0.07 of it


PROFILES: dict[str, Profile] = {
    "flips": Profile("near-deterministic, 1 % flips", rate=0.99),
    "sticky": Profile("sticky flips, 3 days at a time", enter=0.015, leave=1 / 3),
    "weekly": Profile("failures that last a week", enter=0.015, leave=1 / 7),
    "mixed": Profile("1 % flips, and failures that last a week", rate=0.99, enter=0.003, leave=1 / 7),
    "borderline": Profile("one borderline case per use case", rate=0.99, hardest=0.5),
    "binomial-0.9": Profile("independent 90 % cases", rate=0.9),
    "binomial-0.8": Profile("independent 80 % cases", rate=0.8),
    "partial": Profile("partial credit", rate=0.9, spread=0.03),
}


@dataclass(frozen=True, slots=True)
class JudgedNoise:
    """How judged use cases scatter, in points of 0–100, and the judge's calibration set, in marks of 1–5."""

    title: str
    mean: float = 85.0
    sample_sd: float = 5.0  # of one sample, over its cases
    day_sd: float = 0.0  # of the day's quality, which no re-run removes
    carry: float = 0.0  # correlation of that with the day before
    calibration_sd: float = 0.05  # of the calibration set's daily mean shift


JUDGED: dict[str, JudgedNoise] = {
    "gaussian": JudgedNoise("Gaussian"),
    "autocorrelated": JudgedNoise("autocorrelated", sample_sd=4.0, day_sd=2.0, carry=0.6),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong, from one day on."""

    title: str
    reach: int | None = 0  # of how many use cases, the first ones; None is all
    drop: float = 0.0  # share of the score lost at once
    decline: float = 0.0  # points of 0–100 lost each day
    dead_cases: int = 0  # first cases of the first use case, at zero from now on
    judge: float = 0.0  # how much lower the judge marks, of 1–5; its calibration set shows the same
    rerouted: bool = False
    outage: int = 0  # days without any answer
    harmless: bool = False  # not caused by the model: an alarm would be false
    watched: int = 90  # days it is followed in the simulator


FAULTS: dict[str, Fault] = {
    "drop-20-all": Fault("20 % lost in all use cases", reach=None, drop=0.2),
    "drop-10-all": Fault("10 % lost in all use cases", reach=None, drop=0.1),
    "drop-20-three": Fault("20 % lost in three use cases", reach=3, drop=0.2),
    "drop-10-three": Fault("10 % lost in three use cases", reach=3, drop=0.1),
    "drop-20-one": Fault("20 % lost in one use case", reach=1, drop=0.2),
    "drop-10-one": Fault("10 % lost in one use case", reach=1, drop=0.1),
    "drop-5-one": Fault("5 % lost in one use case", reach=1, drop=0.05),
    "decline": Fault("decline of 0.3 points a day in all", reach=None, decline=0.3),
    "dead-case": Fault("one dead case", dead_cases=1, watched=300),
    "judge-shift": Fault("judge marks 0.5 lower, beyond its gate", judge=0.5, harmless=True),
    "judge-drift": Fault("judge marks 0.2 lower, under its gate", judge=0.2, harmless=True),
    "route-change": Fault("another route, 10 % lower", reach=None, drop=0.1, rerouted=True, harmless=True),
    "outage": Fault("outage of 5 days", outage=5, harmless=True),
}


@dataclass(frozen=True, slots=True)
class Quality:
    """What the models are like on one day: samples are drawn from this."""

    cases: Floats  # [m, C] chance to pass, or the score with partial credit
    judged: Floats  # [m, J] points
    answering: bool
    rerouted: bool


class Population:
    """Synthetic models with their state from day to day. Equal seeds give equal days."""

    def __init__(self, profile: Profile, noise: JudgedNoise, streams: Streams, models: int, rng: np.random.Generator):
        self.profile, self.noise, self.streams, self.rng = profile, noise, streams, rng
        shape = (models, len(streams.cases))
        self.level = np.full(shape, profile.rate)
        if profile.spread:
            self.level += rng.uniform(-0.07, 0.07, shape)
        if profile.hardest is not None:
            self.level[:, streams.starts + streams.case_counts - 1] = profile.hardest
        self.failing: Bools = rng.random(shape) < profile.enter / (profile.enter + profile.leave)
        self.drift: Floats = noise.day_sd * rng.standard_normal((models, len(streams.judged)))

    def day(self, fault: Fault | None, age: int) -> Quality:
        """The next day; `age` is 0 on the fault's first day and negative before it."""
        profile, noise, rng = self.profile, self.noise, self.rng
        if profile.enter:
            chance = rng.random(self.failing.shape)
            self.failing = np.where(self.failing, chance >= profile.leave, chance < profile.enter)
        if noise.day_sd:
            fresh = rng.standard_normal(self.drift.shape) * noise.day_sd * np.sqrt(1 - noise.carry**2)
            self.drift = noise.carry * self.drift + fresh
        cases, judged = self.level, noise.mean + self.drift
        if fault is not None and age >= 0:
            cases, judged = self._faulty(fault, age, cases, judged)
        cases = np.where(self.failing, 0.0, cases) if profile.enter else cases
        return Quality(
            cases,
            judged,
            answering=not (fault is not None and 0 <= age < fault.outage),
            rerouted=fault is not None and fault.rerouted and age >= 0,
        )

    def _faulty(self, fault: Fault, age: int, cases: Floats, judged: Floats) -> tuple[Floats, Floats]:
        hit = len(self.streams.use_cases) if fault.reach is None else fault.reach
        on_case = self.streams.deterministic[self.streams.home] < hit
        on_judged = self.streams.judged < hit
        lost = fault.decline * age
        cases = np.maximum(cases * np.where(on_case, 1 - fault.drop, 1.0) - on_case * lost / 100, 0.0)
        judged = judged * np.where(on_judged, 1 - fault.drop, 1.0) - on_judged * lost - POINTS_PER_MARK * fault.judge
        if fault.dead_cases:
            cases = cases.copy()
            cases[:, : fault.dead_cases] = 0.0
        return cases, judged

    def case_samples(self, quality: Quality, count: int, wanted: Bools | None = None) -> Floats:
        """[m, C] the mean of so many samples of each case 0–1; 0 where not `wanted`."""
        level = quality.cases if wanted is None else quality.cases[wanted]
        if self.profile.spread:
            drawn = level + self.profile.spread / np.sqrt(count) * self.rng.standard_normal(level.shape)
            drawn = np.where(level > 0, np.clip(drawn, 0.0, 1.0), 0.0)
        elif count == 1:
            drawn = (self.rng.random(level.shape) < level).astype(np.float64)
        else:
            drawn = self.rng.binomial(count, level) / count
        if wanted is None:
            return np.asarray(drawn)
        full = np.zeros(quality.cases.shape)
        full[wanted] = drawn
        return full

    def judged_samples(self, quality: Quality, count: int) -> Floats:
        """[m, J] the mean of so many samples, 0–100."""
        scatter = self.noise.sample_sd / np.sqrt(count) * self.rng.standard_normal(quality.judged.shape)
        return np.asarray(np.clip(quality.judged + scatter, 0.0, 100.0))

    def calibrations(self, fault: Fault | None, fault_day: int, days: int) -> list[float]:
        """The calibration set's mean shift on each day: one judge for the whole population."""
        shifts = self.noise.calibration_sd * self.rng.standard_normal(days)
        if fault is not None:
            shifts[max(fault_day, 0) :] -= fault.judge
        return [float(shift) for shift in shifts]

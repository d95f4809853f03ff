"""Synthetic models: a `Population` is many at once, with the noise of a profile and perhaps a fault.

Every day it has a latent quality per case and judged use case (`Quality`), from which any number of samples
can be drawn: a re-run on the same day sees the same quality with fresh sampling noise.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from probatio.watch.simulate.faults import POINTS_PER_MARK, SimulatedFault
from probatio.watch.simulate.profiles import JudgedNoise, Profile
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, Streams

WEEK, WEEKEND = 7, (5, 6)
TOGETHER = 500  # models in one array: more is no faster, and memory stays small


@dataclass(frozen=True, slots=True)
class Quality:
    """What the models are like on one day: samples are drawn from this."""

    cases: Floats  # [m, C] chance to pass, or the score with partial credit
    judged: Floats  # [m, J] points
    absent: Bools  # [m] not asked that day, or without an answer
    rerouted: bool
    other: tuple[Floats, Floats] | None  # of the second provider, where every sample may come from either
    kept: Floats | None = None  # [m, C] what the answer scores that comes back, where answers do


class Population:
    """Synthetic models with their state from day to day. Equal seeds give equal days."""

    def __init__(
        self, profile: Profile, noise: JudgedNoise, streams: Streams, models: int, rng: np.random.Generator
    ):
        self.profile, self.noise, self.streams, self.rng = profile, noise, streams, rng
        shape = (models, len(streams.cases))
        self.level = np.full(shape, profile.rate)
        if profile.spread:
            self.level += rng.uniform(-0.07, 0.07, shape)
        if profile.between is not None:
            self.level = rng.uniform(*profile.between, shape)
        if profile.beta is not None:
            self.level = rng.beta(*profile.beta, shape)
        if profile.hardest is not None and len(streams.cases):
            self.level[:, streams.starts + streams.case_counts - 1] = profile.hardest
        self.failing: Bools = rng.random(shape) < profile.enter / (profile.enter + profile.leave)
        self.drift: Floats = noise.day_sd * self._deviates((models, len(streams.judged)))
        self.shared_day: Floats = rng.standard_normal((models, 1))
        self.wandered: Floats = rng.standard_normal((models, 1))
        self.elsewhere: Bools = rng.random((models, 1)) < 0.5
        self.fixed: Floats = (rng.random(shape) < self.level).astype(np.float64)
        self.kept: Floats | None = None
        texts = (models, len(streams.judged), noise.cases)
        self.texts: Floats = np.zeros(texts)  # points of the judged answers that come back …
        self.text_codes: Ints = np.full(texts, -1, dtype=np.int64)  # … which they are …
        self.text_count: Ints = np.zeros(texts, dtype=np.int64)  # … and how many there were
        self.days = 0
        self._shares: Floats | None = None
        self._dead: Bools | None = None

    def _deviates(self, shape: tuple[int, int]) -> Floats:
        """Of sd 1, one for each judged use case or one for all."""
        columns = 1 if self.noise.shared else shape[1]
        if self.noise.tails:
            drawn = self.rng.standard_t(self.noise.tails, (shape[0], columns)) / np.sqrt(
                self.noise.tails / (self.noise.tails - 2)
            )
        else:
            drawn = self.rng.standard_normal((shape[0], columns))
        return np.asarray(np.broadcast_to(drawn, shape))

    def day(self, fault: SimulatedFault | None, age: int) -> Quality:
        """The next day; `age` is 0 on the fault's first day and negative before it."""
        profile, noise, rng = self.profile, self.noise, self.rng
        if profile.enter:
            chance = rng.random(self.failing.shape)
            self.failing = np.where(self.failing, chance >= profile.leave, chance < profile.enter)
        if noise.day_sd:
            fresh = self._deviates(self.drift.shape) * noise.day_sd * np.sqrt(1 - noise.carry**2)
            self.drift = noise.carry * self.drift + fresh
        cases, judged = self._healthy(self.level, noise.mean + self.drift)
        if fault is not None and age >= 0 and (fault.lasts is None or age < fault.lasts):
            cases, judged = self._faulty(fault, age, cases, judged)
        cases = np.where(self.failing, 0.0, cases) if profile.enter else cases
        other = None
        if profile.second == "sample":
            other = cases * (1 - profile.second_loss), judged - profile.second_points
        absent = np.full(len(cases), fault is not None and 0 <= age < fault.outage)
        if profile.missing:
            absent |= rng.random(len(cases)) < profile.missing
        if profile.keeps:
            self._draw_again(cases, judged, begins=self.days == 0 or (fault is not None and age == 0))
        self.days += 1
        rerouted = fault is not None and fault.rerouted and age >= 0
        return Quality(cases, judged, absent, rerouted, other, self.kept)

    def _draw_again(self, cases: Floats, judged: Floats, *, begins: bool) -> None:
        """Some of the answers that come back are others from today on; all of them where it `begins`."""
        profile, rng = self.profile, self.rng
        together = (rng.random((len(cases), 1)) < profile.again_together) | begins
        fresh = self._climb(cases)
        again = together | (rng.random(cases.shape) < profile.again)
        self.kept = fresh if self.kept is None else np.where(again, fresh, self.kept)
        if self.noise.cases:
            redrawn = together[..., None] | (rng.random(self.texts.shape) < profile.again)
            points, codes = self._write(judged)
            self.texts = np.where(redrawn, points, self.texts)
            self.text_codes = np.where(redrawn, codes, self.text_codes)
            self.text_count = self.text_count + redrawn

    def _climb(self, level: Floats) -> Floats:
        """A fresh sample of ladders at these levels: the rung it reaches."""
        steps = self.profile.rungs
        reached = level + self.profile.spread * self.rng.standard_normal(level.shape)
        return np.where(level > 0, np.clip(np.round(steps * reached), 0, steps) / steps, 0.0)

    def _write(self, judged: Floats) -> tuple[Floats, Ints]:
        """A fresh text of every judged case: its points, and its number."""
        noise = self.noise
        points = judged[..., None] + noise.text_sd * self.rng.standard_normal(self.texts.shape)
        return points, self.text_count

    def known_answers(self, cases: Floats) -> Ints:
        """[m, C] which answer each base sample is: 0, 1, 2 …, or −1 where texts are not known."""
        if self.profile.rungs:
            return np.round(cases * self.profile.rungs).astype(np.int64)
        return cases.astype(np.int64) if self.profile.same_text else np.full(cases.shape, -1)

    def judged_answers(self, quality: Quality, count: int) -> tuple[Floats, Ints]:
        """[m, J · cases · count] marks 0–100 of that many samples of each judged case, and which texts they
        are."""
        marks, codes = [], []
        for _ in range(count):
            kept = self.rng.random(self.texts.shape) < self.profile.keeps
            points, fresh = self._write(quality.judged)
            points = np.where(kept, self.texts, points) + self.noise.mark_sd * self.rng.standard_normal(
                points.shape
            )
            marks.append(np.clip(points, 0.0, 100.0))
            codes.append(np.where(kept, self.text_codes, fresh))
            self.text_count = self.text_count + ~kept
        shape = (len(quality.judged), -1)
        return np.stack(marks, axis=-1).reshape(shape), np.stack(codes, axis=-1).reshape(shape)

    def _healthy(self, cases: Floats, judged: Floats) -> tuple[Floats, Floats]:
        """What a healthy model's days share: good and bad days, weekends, another provider, slow wander."""
        profile, rng, models = self.profile, self.rng, len(self.level)
        if profile.redraw:
            again = rng.random((models, 1)) < profile.redraw
            self.fixed = np.where(again, rng.random(cases.shape) < self.level, self.fixed).astype(np.float64)
            cases = self.fixed
        if profile.day_sd:
            fresh = rng.standard_normal((models, 1)) * np.sqrt(1 - profile.day_carry**2)
            self.shared_day = profile.day_carry * self.shared_day + fresh
            odds = cases / (1 - cases) * np.exp(profile.day_sd * self.shared_day)
            cases = odds / (1 + odds)
        if profile.weekend_loss and self.days % WEEK in WEEKEND:
            cases, judged = cases * (1 - profile.weekend_loss), judged - profile.weekend_points
        if profile.second in ("day", "spell"):
            chance = 0.5 if profile.second == "day" else profile.second_change
            self.elsewhere = self.elsewhere ^ (rng.random((models, 1)) < chance)
            cases = np.where(self.elsewhere, cases * (1 - profile.second_loss), cases)
            judged = np.where(self.elsewhere, judged - profile.second_points, judged)
        if profile.incidents:
            hit = rng.random((models, 1)) < profile.incidents
            cases = np.where(hit, cases * (1 - profile.incident_loss), cases)
            judged = np.where(hit, judged * (1 - profile.incident_loss), judged)
        if profile.wander:
            keep = 1 - 1 / profile.wander_days
            self.wandered = keep * self.wandered + np.sqrt(1 - keep**2) * rng.standard_normal((models, 1))
            cases = np.clip(cases + profile.wander / 100 * self.wandered, 0.0, 1.0)
            judged = judged + profile.wander * self.wandered
        return cases, judged

    def _faulty(
        self, fault: SimulatedFault, age: int, cases: Floats, judged: Floats
    ) -> tuple[Floats, Floats]:
        hit = len(self.streams.use_cases) if fault.reach is None else fault.reach
        on_case = self.streams.deterministic[self.streams.home] < hit
        on_judged = self.streams.judged < hit
        lost = min(fault.points + fault.decline * age, fault.most)
        share: Floats | float = 1.0
        if fault.uneven:
            if self._shares is None:
                drawn = self.rng.gamma(0.5, size=self.level.shape)
                self._shares = drawn / drawn.mean(axis=1, keepdims=True)
            share = self._shares
        cases = np.maximum(cases * np.where(on_case, 1 - fault.drop, 1.0) - on_case * share * lost / 100, 0.0)
        judged = (
            judged * np.where(on_judged, 1 - fault.drop, 1.0)
            - on_judged * lost
            - POINTS_PER_MARK * fault.judge
        )
        if fault.dead_cases:
            cases = cases.copy()
            cases[:, : fault.dead_cases] = 0.0
        if fault.dead_share:
            if self._dead is None:
                order = self.rng.random(self.level.shape).argsort(axis=1).argsort(axis=1)
                self._dead = order < round(fault.dead_share * self.level.shape[1])
            cases = np.where(self._dead, 0.0, cases)
        return cases, judged

    def case_samples(self, quality: Quality, count: int, wanted: Bools | None = None) -> Floats:
        """[m, C] the mean of `count` samples of each case, 0–1; 0 if not `wanted`."""
        level = quality.cases if wanted is None else quality.cases[wanted]
        if quality.other is not None:
            there = quality.other[0] if wanted is None else quality.other[0][wanted]
            drawn = np.zeros(level.shape)
            for _ in range(count):  # every sample from either provider
                mixed = np.where(self.rng.random(level.shape) < 0.5, there, level)
                drawn += self.rng.random(level.shape) < mixed
            drawn /= max(count, 1)
        elif self.profile.rungs:
            drawn = np.zeros(level.shape)
            for _ in range(count):  # every sample reaches a rung
                reached = self._climb(level)
                if quality.kept is not None:
                    kept = quality.kept if wanted is None else quality.kept[wanted]
                    reached = np.where(self.rng.random(level.shape) < self.profile.keeps, kept, reached)
                drawn += reached
            drawn /= max(count, 1)
        elif self.profile.spread:
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

    def draw_judged(self, quality: Quality, count: int) -> Floats:
        """[m, J] the mean of `count` samples, 0–100."""
        centre = quality.judged
        if quality.other is not None:
            centre = centre + (quality.other[1] - centre) * (
                self.rng.binomial(count, 0.5, centre.shape) / count
            )
        scatter = self.noise.sample_sd / np.sqrt(count) * self.rng.standard_normal(centre.shape)
        return np.asarray(np.clip(centre + scatter, 0.0, 100.0))

    def calibrations(self, fault: SimulatedFault | None, fault_day: int, days: int) -> list[float]:
        """The calibration set's mean shift on each day: one judge for the whole population."""
        shifts = self.noise.calibration_sd * self.rng.standard_normal(days)
        if fault is not None:
            shifts[max(fault_day, 0) :] -= fault.judge
        return [float(shift) for shift in shifts]


def populations(
    profile: Profile,
    noise: JudgedNoise,
    streams: Streams,
    models: int,
    seed: int,
    purpose: str,
    together: int = TOGETHER,
) -> Iterator[Population]:
    """So many models, `together` at a time. The purpose is a part of the seed of the saved figures: not to be
    renamed."""
    sizes = [min(together, models - begin) for begin in range(0, models, together)]
    rngs = np.random.default_rng([seed, zlib.crc32(purpose.encode())]).spawn(len(sizes))
    for size, rng in zip(sizes, rngs, strict=True):
        yield Population(profile, noise, streams, size, rng)

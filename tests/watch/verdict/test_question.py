"""The question and its proof: what confirms a fall where answers repeat, where they don't, and where none are
known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from evidence_alone import delay, false_confirmed

from probatio.suites.daily_suite import read_manifest
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.answered_days import NONE, Units, units_of
from probatio.watch.verdict.evidence.evidence import (
    STATUSES,
    DayAnswers,
    EvidenceDay,
    EvidenceOutcome,
    EvidenceState,
)
from probatio.watch.verdict.evidence.question import allows_full
from probatio.watch.verdict.evidence.streams import Floats, Streams, streams_of

MANIFEST = read_manifest()
CONSTANTS = MANIFEST.evidence
LADDERS = {name: [f"{name}{number}" for number in range(5)] for name in "abcde"}
RUNGS = 14
NOW = 60
"""The day on which something happens."""


class Suite:
    """25 ladders, and two judged use cases of five cases and three samples where `judged`. Every case has an
    answer that comes back until it is drawn again."""

    def __init__(self, models: int, *, judged: bool = False, rungs: int = RUNGS, seed: int = 3) -> None:
        names: dict[str, list[str] | None] = dict(LADDERS)
        self.judged_cases = {name: [f"{name}{n}" for n in range(5)] for name in "xy"} if judged else {}
        names |= dict.fromkeys(self.judged_cases)
        cases = [case for each in LADDERS.values() for case in each]
        self.streams: Streams = streams_of(names, dict.fromkeys(cases, rungs))
        self.units: Units = units_of(self.streams, CONSTANTS, self.judged_cases, dict.fromkeys("xy", 3))
        self.chance = np.random.default_rng(seed)
        self.models, self.rungs = models, rungs
        self.level = self.chance.uniform(0.3, 0.9, (models, 25))
        self.kept = self.climb(0.0)
        self.texts = self.chance.normal(85, 5, (models, 10))
        self.text_codes = np.zeros((models, 10), dtype=np.int64)

    def climb(self, lower: float) -> Floats:
        reached = np.clip(self.level - lower + 0.05 * self.chance.normal(size=self.level.shape), 0, 1)
        return np.asarray(np.round(reached * self.rungs) / self.rungs)

    def start(self) -> EvidenceState:
        return evidence.start(self.models, self.streams, CONSTANTS, self.units)

    def day(self, number: int, *, lower: float = 0.0, again: float = 0.0, points: float = 0.0) -> EvidenceDay:
        """`again`: chance that a kept answer is drawn anew, `lower` than before; `points`: all judged texts
        are new, and so much lower."""
        self.kept = np.where(self.chance.random(self.kept.shape) < again, self.climb(lower), self.kept)
        if points:
            self.texts = self.chance.normal(85 - points, 5, self.texts.shape)
            self.text_codes = self.text_codes + 1
        judged, scores = np.empty((self.models, 0)), self.kept
        codes = np.round(self.kept * self.rungs).astype(np.int64)
        if self.judged_cases:
            marks = self.texts[..., None] + self.chance.normal(0, 1, (*self.texts.shape, 3))
            judged = marks.reshape(self.models, 2, -1).mean(axis=2)
            scores = np.concatenate([self.kept, marks.reshape(self.models, -1) / 100], axis=1)
            codes = np.concatenate([codes, np.repeat(self.text_codes, 3, axis=1)], axis=1)
        answers = DayAnswers(scores, codes, np.full(self.models, np.nan))
        return EvidenceDay(number, self.kept, judged, answers=answers)

    def live(
        self, days: int, change: Callable[[int], EvidenceDay] | None = None
    ) -> Iterator[tuple[int, EvidenceState, EvidenceOutcome]]:
        state = self.start()
        for number in range(days):
            day = change(number) if change and number >= NOW else self.day(number, again=0.03)
            state, outcome = evidence.step(state, day)
            yield number, state, outcome


def first_confirmed(lives: Iterator[tuple[int, EvidenceState, EvidenceOutcome]], models: int) -> Floats:
    first = np.full(models, np.inf)
    for number, _, outcome in lives:
        first[(outcome.status == evidence.CONFIRMED) & np.isinf(first)] = number - NOW + 1
    return first


@pytest.mark.parametrize("rungs", [RUNGS, 1])
def test_a_new_series_begins_with_nothing(rungs: int) -> None:
    """Ladders, and yes/no cases without texts; one model of three begins again, as after a new route, other
    suite content or accept."""
    suite = Suite(3, rungs=rungs)
    state = suite.start()
    for number in range(100):
        day = suite.day(number, again=0.5)
        if rungs == 1 and day.answers is not None:
            day = replace(day, answers=replace(day.answers, codes=np.full((3, 25), NONE)))
        day = replace(day, restart=np.array([False, number == 80, False]))
        state, outcome = evidence.step(state, day)
        if number == 80:
            assert outcome.reference_days[1] == 1
    assert STATUSES[outcome.status[1]] == "CALIBRATING"
    assert outcome.reference_days.tolist()[1] == 20
    assert state.question.provable.any(axis=1).tolist() == [rungs == RUNGS, False, rungs == RUNGS]


@pytest.mark.slow
def test_answers_that_repeat_prove_nothing_by_repeating() -> None:
    """The bets alone, as the second edition had them, call many of these healthy years proven."""
    suite, opened = Suite(40), np.zeros(40, dtype=bool)
    for _, state, outcome in suite.live(300):
        opened |= state.question.line_on > 0
        assert not (outcome.status == evidence.CONFIRMED).any()
    assert opened.mean() > 0.2


def test_a_fall_of_ten_points_is_proven_within_days_though_answers_repeat() -> None:
    suite = Suite(20)

    def fallen(number: int) -> EvidenceDay:
        return suite.day(number, lower=0.1, again=1.0 if number == NOW else 0.03)

    first = first_confirmed(suite.live(NOW + 10, fallen), 20)
    assert (first >= 1).all()
    assert (first <= 7).mean() >= 0.9


def test_a_day_at_full_count_adds_nothing_to_the_proof() -> None:
    """`cases` is a mean of three samples then; the proof and the ladder bet read the base sample."""
    suite, other = Suite(4), Suite(4)
    state = plain = suite.start()
    for number in range(NOW):
        day, same = suite.day(number, again=0.03), other.day(number, again=0.03)
        low = replace(day, cases=day.cases * 0.9, full=np.ones(4, dtype=bool)) if number > 40 else day
        state, _ = evidence.step(state, low)
        plain, _ = evidence.step(plain, same)
    np.testing.assert_array_equal(state.history.means.days, plain.history.means.days)
    np.testing.assert_array_equal(state.history.base.days, plain.history.base.days)
    ladder, unchanged = state.bets.ladder, plain.bets.ladder
    assert ladder is not None and unchanged is not None
    np.testing.assert_allclose(ladder.value(), unchanged.value())


def test_a_fall_in_judged_use_cases_alone_is_proven_by_their_texts() -> None:
    suite = Suite(10, judged=True)

    def fallen(number: int) -> EvidenceDay:
        return suite.day(number, again=0.03, points=25.0 if number == NOW else 0.0)

    first = first_confirmed(suite.live(NOW + 8, fallen), 10)
    assert (first <= 4).all()


def test_without_texts_beside_ladders_judged_use_cases_are_confirmed_by_their_own_bets() -> None:
    suite = Suite(10, judged=True)

    def without_texts(day: EvidenceDay) -> EvidenceDay:
        assert day.answers is not None
        judged = suite.units.judged[suite.units.home]
        return replace(day, answers=replace(day.answers, codes=np.where(judged, NONE, day.answers.codes)))

    state, first = suite.start(), np.full(10, np.inf)
    for number in range(NOW + 12):
        points = 25.0 if number == NOW else 0.0
        state, outcome = evidence.step(state, without_texts(suite.day(number, again=0.03, points=points)))
        first[(outcome.status == evidence.CONFIRMED) & np.isinf(first)] = number - NOW + 1
    use_cases = len(suite.streams.use_cases)
    assert not state.question.silent[:, :5].any()
    assert state.question.silent[:, suite.streams.judged].all() and use_cases == 7
    assert (first <= 8).all()


def test_yes_no_texts_that_never_repeat_are_draws_every_day() -> None:
    """No proof is asked for of them: the bets alone decide."""
    suite, same = Suite(2, rungs=1), Suite(2, rungs=1)
    fresh, repeated = suite.start(), same.start()
    for number in range(30):
        day, again = suite.day(number, again=1.0), same.day(number, again=1.0)
        assert day.answers is not None
        new = np.full((2, 25), number)
        fresh, _ = evidence.step(fresh, replace(day, answers=replace(day.answers, codes=new)))
        repeated, _ = evidence.step(repeated, again)
    assert fresh.question.silent.all()
    assert not repeated.question.silent.all()


def test_a_lasting_loss_that_can_not_be_proven_is_told_from_its_28th_day_on() -> None:
    """All answers were drawn anew once, four points lower, and stay so: the bets never rest, and nothing is
    proven."""
    suite = Suite(30, seed=8)

    def fallen(number: int) -> EvidenceDay:
        return suite.day(number, lower=0.04, again=1.0 if number == NOW else 0.0)

    told, proven, doubtful = (np.zeros(30, dtype=bool) for _ in range(3))
    for _, state, outcome in suite.live(NOW + 70, fallen):
        proven |= outcome.status == evidence.CONFIRMED
        open_for = state.history.scored - state.question.doubted
        is_open = state.question.is_open(state.history.scored, CONSTANTS.draws)
        doubtful |= is_open & (open_for > 40)
        assert not (outcome.lower & (outcome.status == evidence.CONFIRMED)).any()
        assert (open_for[outcome.lower & ~told] >= 28).all()
        told |= outcome.lower
    assert (doubtful & ~proven).sum() >= 8
    assert told[doubtful & ~proven].mean() > 0.8


def test_full_count_is_asked_seldom_where_further_samples_repeat_the_answers() -> None:
    suite = Suite(2)
    state = suite.start()
    for number in range(NOW):
        state, _ = evidence.step(state, suite.day(number, again=0.03))
    asked = []
    for number in range(NOW, NOW + 25):
        state = replace(state, before=np.full(2, 5000.0))  # much is won: every day would be asked
        full = evidence.asks_full(state)
        asked.append(full.tolist())
        day = suite.day(number)
        assert day.answers is not None
        others = np.where(full, [0.05, 0.5], np.nan)  # the first model's further samples repeat its answers
        state, _ = evidence.step(state, replace(day, full=full, answers=replace(day.answers, others=others)))
    assert [sum(each) for each in zip(*asked, strict=True)] == [3, 25]
    assert allows_full(state.question, CONSTANTS.draws).tolist() == [False, True]


@pytest.mark.slow
def test_healthy_models_whose_answers_repeat_are_not_proven_and_not_asked_three_times_a_day() -> None:
    figures = false_confirmed(MANIFEST, "frozen-.069", 50, 365, 12, whole_suite=False)
    assert figures.confirmed.value <= 0.02
    assert figures.full_days <= 32


@pytest.mark.slow
@pytest.mark.parametrize(
    ("profile", "fall", "day"),
    [("fresh-.041", "fall-3", 14), ("fresh-.069", "fall-5", 8), ("frozen-.069", "fall-10", 4)],
)
def test_falls_are_confirmed_in_time(profile: str, fall: str, day: int) -> None:
    """−3 on fresh ladders was never seen by the second edition."""
    median = delay(MANIFEST, profile, fall, 40, 5).confirmed.median
    assert median is not None and median <= day


def test_a_rise_needs_its_proof_too() -> None:
    suite = Suite(12)

    def risen(number: int) -> EvidenceDay:
        return suite.day(number, lower=-0.1, again=1.0 if number == NOW else 0.0)

    better = np.zeros(12, dtype=bool)
    for number, _, outcome in suite.live(NOW + 40, risen):
        assert number >= NOW or not outcome.improvement.any()
        better |= outcome.improvement
    assert better.mean() > 0.5

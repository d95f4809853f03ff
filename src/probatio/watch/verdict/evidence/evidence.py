"""The evidence: a betting e-detector with a memory, as a fold over days: `state, outcome = step(state, day)`.

    streams = streams_of({"math": ["m1", "m2"], "writing": None})
    state = start(models=3, streams=streams, constants=constants.evidence)
    state, outcome = step(state, EvidenceDay(number=date.toordinal(), cases=[models, C], judged=[models, J]))

`cases` are base scores 0–1 of the deterministic cases in the order of `streams.cases`, `judged` the day's
base scores 0–100 of the judged (and hybrid) use cases in the order of `streams.judged`, less the judge's
shift; `fold.evidence_day` makes both from a recorded day. NaN places no bet. `restart` marks models whose
series begins with this day (new route, new suite content). Models may begin on different days: a row of NaN
is a day that was not run.

`betting.py` and `memory.py` have the bets, and why M reaches its line by chance in at most 1 % of years.

**More samples when it matters.** `asks_full` says of tomorrow, from what is known today, which models are
asked at full count; the evidence then reads the mean of all samples (`full` in the day). While CONFIRMED
there is nothing left to prove.

**The question.** M at its line, with some of it there the day before, opens a question (`question.py`), and
CONFIRMED needs its proof by draws (`draws.py`): at temperature 0 the same answers come back every day. Where
the proof falls just short the status is LOWER. Streams of which no proof can be asked are confirmed by their
own M.

CONFIRMED holds until RECOVERED: the last 7 scored days since are, on average, no more than τ below the
reference, in the pool of all and in every stream whose own M passed the suspicion line. (To require it of
each single day would take a healthy model weeks; to require it of the pool alone would call one dead case
recovered.) Then all M are 0. SUSPECTED is of today, nothing is held.

Improvement: the same detector on the mirrored scores, 1 − x and 100 − S, with their own reference and the
proof of a rise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from probatio.core.records import Evidence, EvidenceConstants
from probatio.watch.verdict.evidence import history as kept_days
from probatio.watch.verdict.evidence.answered_days import NONE, Units, units_of
from probatio.watch.verdict.evidence.caution import lag_of
from probatio.watch.verdict.evidence.detector import (
    Detector,
    bet,
    new_detector,
    statistic,
    statistic_of,
    stream_values,
)
from probatio.watch.verdict.evidence.history import History, no_history
from probatio.watch.verdict.evidence.ladders import Bets, bet_on_fall, new_bets, refer_ladders
from probatio.watch.verdict.evidence.question import (
    Question,
    allows_full,
    ask,
    count_full,
    follow,
    new_question,
    refer_question,
)
from probatio.watch.verdict.evidence.reference import reference_of
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, PerModel, Streams

EDITION = 3
"""Of the evidence that this code is; what an earlier one said stands in the records alone."""
STATUSES: tuple[Evidence, ...] = ("CALIBRATING", "QUIET", "SUSPECTED", "CONFIRMED", "RECOVERED", "LOWER")
CALIBRATING, QUIET, SUSPECTED, CONFIRMED, RECOVERED, LOWER = range(6)
"""Codes in `EvidenceOutcome.status`."""

NEVER = -(10**6)
TOGETHER = 64  # references computed at once: their days then stay in the processor's cache


@dataclass(frozen=True, slots=True)
class DayAnswers:
    """The base samples of a day, in the order of `Units`."""

    scores: Floats  # [m, P] 0–1; judged ones less the judge's shift
    codes: Ints  # [m, P] which answer of the case it is: 0, 1, 2 … as they first came; NONE if unknown
    others: Floats  # [m] share of further samples at full count that were other answers; NaN if unknown


@dataclass(frozen=True, slots=True)
class EvidenceDay:
    """One day of all models; NaN places no bet."""

    number: int  # ordinal of the UTC date
    cases: Floats  # [m, C] 0–1
    judged: Floats  # [m, J] 0–100, less the judge's shift
    restart: Bools | None = None  # [m] a new series begins with this day
    full: Bools | None = (
        None  # [m] means of all samples of a day asked at full count, as `asks_full` had it the day before
    )
    answers: DayAnswers | None = None  # None: no answer is known, and no proof is asked for


@dataclass(frozen=True, slots=True)
class EvidenceState(PerModel):
    streams: Streams
    constants: EvidenceConstants
    history: History
    scored_on: Ints  # [m, C] last day each case had a score
    bets: Bets
    better: Detector | None  # None where improvements are not wanted
    before: Floats  # [m] M after the last bet
    confirmed: Bools  # [m] and not recovered since
    passed: Bools  # [m, S] streams whose own M passed the suspicion line in this episode
    recent: Floats  # [m, S, recovery days] distance from the reference mean, last scored days since CONFIRMED
    recovered_on: Ints  # [m]
    units: Units
    question: Question

    @property
    def worse(self) -> Detector:
        """The bets on single cases, with their reference."""
        return self.bets.cases

    @property
    def seen(self) -> Ints:
        """[m] days of the reference, or of its beginning so far."""
        days = self.worse.reference.days
        return np.where(days > 0, days, np.minimum(self.history.scored, self.constants.reference_days))

    @property
    def ready(self) -> Bools:
        """[m] there is a reference to bet against."""
        return np.asarray(self.worse.reference.days > 0)


@dataclass(frozen=True, slots=True)
class EvidenceOutcome:
    """What the evidence says of one day."""

    status: NDArray[np.int8]  # [m] index into STATUSES
    value: Floats  # [m] the model statistic M; NaN while calibrating
    stream_value: Floats  # [m, S] each stream's own M, use cases first; NaN where it has no reference
    named: Bools  # [m, U] use cases whose own M passed the suspicion line in this episode
    improvement: Bools  # [m] the mirrored detector is at its confirmation line
    reference_days: Ints  # [m]
    bet: Bools  # [m] a bet was placed today
    z: Floats  # [m] the proof by draws; NaN where none was asked for
    lower: Bools  # [m] lower than the reference for long, and never proven


def start(
    models: int,
    streams: Streams,
    constants: EvidenceConstants,
    units: Units | None = None,
    *,
    improvement: bool = True,
) -> EvidenceState:
    """Before the first day. `units`: the cases as the proof by draws weighs them, where judged ones are
    known."""
    units = units or units_of(streams, constants)
    return EvidenceState(
        streams=streams,
        constants=constants,
        history=no_history(models, (len(streams.cases), len(streams.judged)), units, constants),
        scored_on=np.full((models, len(streams.cases)), NEVER, dtype=np.int64),
        bets=new_bets(models, streams, constants),
        better=new_detector(models, streams, constants) if improvement else None,
        before=np.zeros(models),
        confirmed=np.zeros(models, dtype=bool),
        passed=np.zeros((models, streams.count), dtype=bool),
        recent=np.full((models, streams.count, constants.recovered_days), np.nan),
        recovered_on=np.full(models, NEVER, dtype=np.int64),
        units=units,
        question=new_question(models, units, constants),
    )


def asks_full(state: EvidenceState) -> Bools:
    """[m] which models are asked at full count on the next day: M is well above what chance gives it, one a
    day, and further samples can show more."""
    return np.asarray(_wants_full(state) & allows_full(state.question, state.constants.draws))


def _wants_full(state: EvidenceState) -> Bools:
    threshold = state.constants.full_from + state.worse.memory.bets
    return np.asarray(state.ready & ~state.confirmed & (state.before >= threshold))


def step(state: EvidenceState, day: EvidenceDay) -> tuple[EvidenceState, EvidenceOutcome]:
    """One day further. Days come in order; a day that was not run is simply not there."""
    if day.restart is not None and day.restart.any():
        state = _restart(state, day.restart)
    streams, constants, before = state.streams, state.constants, state.before
    scored: Bools = np.asarray(~(np.isnan(day.cases).all(axis=1) & np.isnan(day.judged).all(axis=1)))
    betting = scored & state.ready
    full: Bools = np.zeros(len(day.cases), dtype=bool) if day.full is None else day.full
    answers = day.answers or _no_answers(state, len(day.cases))
    base = _base_cases(state, day, answers, full)

    fresh = state.scored_on >= day.number - state.worse.reference.reach[:, None]
    bets = bet_on_fall(streams, constants, state.bets, day.cases, base, day.judged, betting, fresh, full)
    better = state.better and bet(
        streams, constants, state.better, 1 - day.cases, 100 - day.judged, betting, fresh, full
    )
    wanted = _wants_full(state)
    state = replace(
        state,
        bets=bets,
        better=better,
        before=np.where(betting, bets.value(), before),
        scored_on=np.where(np.isnan(day.cases), state.scored_on, day.number),
        history=kept_days.record_answers(
            state.history, day.number, base, answers.scores, answers.codes, state.units
        ),
        question=count_full(state.question, wanted, full, answers.others, constants.draws),
    )
    rises = _rises(state) & betting
    z, up = _ask(state, betting, rises)
    state, back = _episode(state, day, betting, before, z)
    state = _record(state, day, scored)
    return state, _outcome(state, day, betting, back, z, rises & _is_proven(state, up))


def _no_answers(state: EvidenceState, models: int) -> DayAnswers:
    shape = (models, len(state.units.home))
    return DayAnswers(np.full(shape, np.nan), np.full(shape, NONE, dtype=np.int64), np.full(models, np.nan))


def _base_cases(state: EvidenceState, day: EvidenceDay, answers: DayAnswers, full: Bools) -> Floats:
    """[m, C] what the base samples of each case scored; without answers the day's scores, unless they are of
    more samples."""
    units, cases = state.units, len(state.streams.cases)
    if not cases:
        return day.cases
    there = answers.codes != NONE
    counts = np.add.reduceat(there, units.starts, axis=1, dtype=np.float64)[:, :cases]
    sums = np.add.reduceat(np.where(there, answers.scores, 0.0), units.starts, axis=1)[:, :cases]
    unknown = np.where(full[:, None], np.nan, day.cases)
    return np.where(counts > 0, sums / np.maximum(counts, 1), unknown)


def _rises(state: EvidenceState) -> Bools:
    """[m] the bets on a rise are at the line."""
    if state.better is None:
        return np.zeros(len(state.before), dtype=bool)
    return np.asarray(statistic(state.better) >= state.constants.confirmed)


def _ask(state: EvidenceState, betting: Bools, rises: Bools) -> tuple[Floats, Floats]:
    """z of each stream [m, S], of models in doubt, for a fall and for a rise."""
    constants, question = state.constants, state.question
    in_doubt = (state.before >= constants.suspected) | rises
    in_doubt |= question.is_open(state.history.scored + betting, constants.draws)
    asked = betting & ~state.confirmed & in_doubt & question.provable.any(axis=1)
    lag = lag_of(state.worse.reference.days, constants)
    return ask(question, state.history, asked, state.units, constants, lag)


def _is_proven(state: EvidenceState, z: Floats) -> Bools:
    """[m] by draws in some stream, or no stream can be asked."""
    proven = np.nan_to_num(z, nan=-np.inf) >= state.constants.draws.confirmed
    return np.asarray((proven | state.question.silent.all(axis=1, keepdims=True)).any(axis=1))


def _restart(state: EvidenceState, restart: Bools) -> EvidenceState:
    """These models at the beginning of a series."""
    new = start(
        int(restart.sum()),
        state.streams,
        state.constants,
        state.units,
        improvement=state.better is not None,
    )
    history = kept_days.restart(state.history, restart, state.constants)
    return replace(state.put(restart, new), history=history)


def _record(state: EvidenceState, day: EvidenceDay, scored: Bools) -> EvidenceState:
    """Keep the day for the reference. A model with enough new days gets a new reference for tomorrow."""
    question, constants = state.question, state.constants
    is_open = question.is_open(state.history.scored + scored, constants.draws)
    history, grown = kept_days.record_day(
        state.history,
        day.number,
        day.cases,
        day.judged,
        scored,
        state.confirmed,
        constants,
        np.where(is_open, question.doubted, np.iinfo(np.int64).max),
    )
    state = replace(state, history=history)
    rows = np.flatnonzero(grown)
    for begin in range(0, len(rows), TOGETHER):
        state = _update_references(state, rows[begin : begin + TOGETHER])
    return state


def _update_references(state: EvidenceState, rows: Ints) -> EvidenceState:
    streams, constants = state.streams, state.constants
    cases, judged, base, numbers, days = kept_days.reference_days(state.history, rows, constants)
    first = state.worse.reference.days[rows] == 0

    def detector(old: Detector, scores: Floats, marks: Floats) -> Detector:
        reference = reference_of(scores, marks, numbers, streams, constants, days)
        where = np.zeros(len(old.streams), dtype=bool)
        where[rows] = True
        low_days = old.low_days
        if first.any():
            low_days = low_days.copy()
            low_days[rows[first]] = _low_at_the_end(scores[first], reference.mean[first] - constants.low)
        return replace(old, reference=old.reference.put(where, reference), low_days=low_days)

    ladder = state.bets.ladder
    if ladder is not None:
        ladder = refer_ladders(ladder, rows, cases, base, streams, numbers, days)
    lag = lag_of(days, constants)
    return replace(
        state,
        bets=Bets(detector(state.worse, cases, judged), ladder),
        better=state.better and detector(state.better, 1 - cases, 100 - judged),
        question=refer_question(state.question, state.history, rows, state.units, constants, lag),
    )


def _low_at_the_end(cases: Floats, border: Floats) -> Ints:
    """[m, C] for how many scored days, up to the last one, each case has been low."""
    low_days = np.zeros(border.shape, dtype=np.int64)
    for day in range(cases.shape[1]):
        today = cases[:, day]
        low_days = np.where(np.isnan(today), low_days, np.where(today < border, low_days + 1, 0))
    return low_days


def _episode(
    state: EvidenceState, day: EvidenceDay, betting: Bools, before: Floats, z: Floats
) -> tuple[EvidenceState, Bools]:
    """CONFIRMED is held until the recovery days are within τ; then every M starts from nothing."""
    constants, reference, draws = state.constants, state.worse.reference, state.constants.draws
    streams, pool, scored = state.streams, len(state.streams.use_cases), state.history.scored + betting
    today = streams.with_pools(
        streams.mean_of_cases(day.cases - reference.mean), (day.judged - reference.judged_mean) / 100
    )
    line = betting & (state.before >= constants.confirmed) & (before >= constants.confirmed_after)
    silent = state.question.silent
    part = np.where(silent.all(axis=1), state.before, statistic_of(streams, state.worse, silent))
    alone = np.where(betting, part, state.question.alone)
    by_bets = (alone >= constants.confirmed) & (state.question.alone >= constants.confirmed_after)
    question = follow(
        replace(state.question, alone=alone),
        scored,
        line & ~state.confirmed,
        betting,
        today[:, pool],
        reference.stream_mean[:, pool],
        reference.tau[:, pool],
        state.confirmed,
        draws,
    )
    strength = np.nan_to_num(z, nan=-np.inf)
    proven = (strength >= draws.confirmed).any(axis=1) | by_bets
    open_before = state.confirmed
    confirmed = open_before | (betting & question.is_open(scored, draws) & proven)
    in_episode = confirmed | (state.before >= constants.suspected)
    suspected = (stream_values(streams, state.worse) >= constants.suspected) | (strength >= draws.confirmed)
    state = replace(
        state,
        question=replace(question, lower=question.lower & ~confirmed),
        confirmed=confirmed,
        passed=(state.passed & in_episode[:, None]) | suspected,
    )
    waiting = open_before & betting
    if not waiting.any():
        return state, np.zeros_like(confirmed)

    shifted = np.concatenate([state.recent[..., 1:], today[..., None]], axis=2)
    recent = np.where((waiting[:, None] & ~np.isnan(today))[..., None], shifted, state.recent)
    within = recent.mean(axis=2) >= -reference.tau * reference.stream_mean
    required = state.passed.copy()
    required[:, pool] = True
    back = waiting & (within | ~required).all(axis=1)
    if not back.any():
        return replace(state, recent=recent), back
    return replace(
        state,
        bets=state.bets.clear(back),
        before=np.where(back, 0.0, state.before),
        confirmed=confirmed & ~back,
        passed=state.passed & ~back[:, None],
        recent=np.where(back[:, None, None], np.nan, recent),
        recovered_on=np.where(back, day.number, state.recovered_on),
        question=state.question.clear(back),
    ), back


def _outcome(
    state: EvidenceState, day: EvidenceDay, betting: Bools, back: Bools, z: Floats, improvement: Bools
) -> EvidenceOutcome:
    constants, question = state.constants, state.question
    calibrating, value = ~state.ready, state.before
    lately = day.number - state.recovered_on < constants.recovered_days
    strongest = np.fmax.reduce(z, axis=1)
    doubtful = np.nan_to_num(strongest, nan=-np.inf) >= constants.draws.suspected
    by_bets = question.silent.all(axis=1) | (question.alone >= constants.suspected)
    suspected = (value >= constants.suspected) & (doubtful | by_bets)
    is_lower = question.is_open(state.history.scored, constants.draws) & doubtful
    status = np.select(
        [calibrating, state.confirmed, is_lower, suspected, back | lately],
        [CALIBRATING, CONFIRMED, LOWER, SUSPECTED, RECOVERED],
        QUIET,
    )
    return EvidenceOutcome(
        status=status.astype(np.int8),
        value=np.where(calibrating, np.nan, value),
        stream_value=np.where(calibrating[:, None], np.nan, stream_values(state.streams, state.worse)),
        named=state.passed[:, : len(state.streams.use_cases)],
        improvement=improvement & ~calibrating,
        reference_days=state.seen,
        bet=betting,
        z=strongest,
        lower=question.lower & ~calibrating,
    )

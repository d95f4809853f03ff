"""The evidence: a betting e-detector with a memory, as a fold over days: `state, outcome = step(state, day)`.

    streams = streams_of({"math": ["m1", "m2"], "writing": None})
    state = start(models=3, streams=streams, constants=constants.evidence)
    state, outcome = step(state, EvidenceDay(number=date.toordinal(), cases=[models, C], judged=[models, J]))

`cases` are base scores 0–1 of the deterministic cases in the order of `streams.cases`, `judged` the day's
base scores 0–100 of the judged (and hybrid) use cases in the order of `streams.judged`, less the judge's
shift; `fold.evidence_day` makes both from a recorded day. NaN places no bet. `restart` marks models whose
series begins with this day (new route, new suite content). Models may begin on different days: a row of NaN
is a day that was not run.

`betting.py` and `memory.py` have the bets, and why a false CONFIRMED has a chance of at most 1 % a year.

**More samples when it matters.** `asks_full` says of tomorrow, from what is known today, which models are
asked at full count; the evidence then reads the mean of all samples (`full` in the day). While CONFIRMED
there is nothing left to prove.

CONFIRMED needs M at its line with some of it there the day before, and holds until RECOVERED: the last 7
scored days since are, on average, no more than τ below the reference, in the pool of all and in every stream
whose own M passed the suspicion line. (To require it of each single day would take a healthy model weeks; to
require it of the pool alone would call one dead case recovered.) Then all M are 0. SUSPECTED is M today,
nothing is held.

Improvement: the same detector on the mirrored scores, 1 − x and 100 − S, with their own reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from edition_2 import history as kept_days
from edition_2.constants import EvidenceConstants
from edition_2.detector import Detector, bet, new_detector, statistic, stream_values
from edition_2.history import History, no_history
from edition_2.memory import case_values
from edition_2.reference import reference_of
from edition_2.streams import Bools, Floats, Ints, Streams
from probatio.core.records import Evidence

Number = TypeVar("Number", bound=np.generic)

STATUSES: tuple[Evidence, ...] = ("CALIBRATING", "QUIET", "SUSPECTED", "CONFIRMED", "RECOVERED")
CALIBRATING, QUIET, SUSPECTED, CONFIRMED, RECOVERED = range(5)
"""Codes in `EvidenceOutcome.status`."""

NEVER = -(10**6)
TOGETHER = 64  # references computed at once: their days then stay in the processor's cache


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


@dataclass(frozen=True, slots=True)
class EvidenceState:
    streams: Streams
    constants: EvidenceConstants
    history: History
    scored_on: Ints  # [m, C] last day each case had a score
    worse: Detector
    better: Detector | None  # None where improvements are not wanted
    before: Floats  # [m] M after the last bet
    confirmed: Bools  # [m] and not recovered since
    passed: Bools  # [m, S] streams whose own M passed the suspicion line in this episode
    # [m, S, recovery days] distance from the reference mean on the last scored days since CONFIRMED
    recent: Floats
    recovered_on: Ints  # [m]

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


def start(
    models: int, streams: Streams, constants: EvidenceConstants, *, improvement: bool = True
) -> EvidenceState:
    """Before the first day."""
    return EvidenceState(
        streams=streams,
        constants=constants,
        history=no_history(models, constants),
        scored_on=np.full((models, len(streams.cases)), NEVER, dtype=np.int64),
        worse=new_detector(models, streams, constants),
        better=new_detector(models, streams, constants) if improvement else None,
        before=np.zeros(models),
        confirmed=np.zeros(models, dtype=bool),
        passed=np.zeros((models, streams.count), dtype=bool),
        recent=np.full((models, streams.count, constants.recovered_days), np.nan),
        recovered_on=np.full(models, NEVER, dtype=np.int64),
    )


def asks_full(state: EvidenceState) -> Bools:
    """[m] which models the next day is asked of at full count: M is well above the one a day it has by
    chance."""
    threshold = state.constants.full_from + state.worse.memory.bets
    return np.asarray(state.ready & ~state.confirmed & (state.before >= threshold))


def fallen_cases(state: EvidenceState) -> Floats:
    """[m, C] how much says that each case fell and stayed low; the largest are the cases to name after
    CONFIRMED."""
    return case_values(state.worse.memory)


def step(state: EvidenceState, day: EvidenceDay) -> tuple[EvidenceState, EvidenceOutcome]:
    """One day further. Days come in order; a day that was not run is simply not there."""
    if day.restart is not None and day.restart.any():
        state = _restarted(state, day.restart)
    streams, constants = state.streams, state.constants
    scored: Bools = np.asarray(~(np.isnan(day.cases).all(axis=1) & np.isnan(day.judged).all(axis=1)))
    betting = scored & state.ready
    full: Bools = np.zeros(len(day.cases), dtype=bool) if day.full is None else day.full

    fresh = state.scored_on >= day.number - state.worse.reference.reach[:, None]
    worse = bet(streams, constants, state.worse, day.cases, day.judged, betting, fresh, full)
    better = state.better and bet(
        streams, constants, state.better, 1 - day.cases, 100 - day.judged, betting, fresh, full
    )
    before = state.before
    state = replace(
        state,
        worse=worse,
        better=better,
        before=np.where(betting, statistic(worse), before),
        scored_on=np.where(np.isnan(day.cases), state.scored_on, day.number),
    )
    state, back = _episode(state, day, betting, before)
    state = _recorded(state, day, scored)
    return state, _outcome(state, day, betting, back)


def _restarted(state: EvidenceState, restart: Bools) -> EvidenceState:
    """These models at the beginning of a series."""
    new = start(int(restart.sum()), state.streams, state.constants, improvement=state.better is not None)
    return replace(
        state,
        history=kept_days.restarted(state.history, restart, state.constants),
        scored_on=_put(state.scored_on, restart, new.scored_on),
        worse=state.worse.put(restart, new.worse),
        better=state.better and new.better and state.better.put(restart, new.better),
        before=_put(state.before, restart, new.before),
        confirmed=_put(state.confirmed, restart, new.confirmed),
        passed=_put(state.passed, restart, new.passed),
        recent=_put(state.recent, restart, new.recent),
        recovered_on=_put(state.recovered_on, restart, new.recovered_on),
    )


def _put(old: NDArray[Number], rows: Bools, fresh: NDArray[Number]) -> NDArray[Number]:
    values = old.copy()
    values[rows] = fresh
    return values


def _recorded(state: EvidenceState, day: EvidenceDay, scored: Bools) -> EvidenceState:
    """The day kept for the reference; whoever has enough new days gets one for tomorrow."""
    history, grown = kept_days.recorded(
        state.history, day.number, day.cases, day.judged, scored, state.confirmed, state.constants
    )
    state = replace(state, history=history)
    rows = np.flatnonzero(grown)
    for begin in range(0, len(rows), TOGETHER):
        state = _referenced(state, rows[begin : begin + TOGETHER])
    return state


def _referenced(state: EvidenceState, rows: Ints) -> EvidenceState:
    cases, judged, numbers, days = kept_days.reference_days(state.history, rows, state.constants)
    first = state.worse.reference.days[rows] == 0

    def detector(old: Detector, scores: Floats, marks: Floats) -> Detector:
        reference = reference_of(scores, marks, numbers, state.streams, state.constants, days)
        where = np.zeros(len(old.streams), dtype=bool)
        where[rows] = True
        low_days = old.low_days
        if first.any():
            low_days = low_days.copy()
            low_days[rows[first]] = _low_at_the_end(
                scores[first], reference.mean[first] - state.constants.low
            )
        return replace(old, reference=old.reference.put(where, reference), low_days=low_days)

    return replace(
        state,
        worse=detector(state.worse, cases, judged),
        better=state.better and detector(state.better, 1 - cases, 100 - judged),
    )


def _low_at_the_end(cases: Floats, border: Floats) -> Ints:
    """[m, C] for how many scored days, up to the last one, each case has been low."""
    low_days = np.zeros(border.shape, dtype=np.int64)
    for day in range(cases.shape[1]):
        today = cases[:, day]
        low_days = np.where(np.isnan(today), low_days, np.where(today < border, low_days + 1, 0))
    return low_days


def _episode(
    state: EvidenceState, day: EvidenceDay, betting: Bools, before: Floats
) -> tuple[EvidenceState, Bools]:
    """CONFIRMED is held until the recovery days are within τ; then every M starts from nothing."""
    constants, reference = state.constants, state.worse.reference
    value = state.before
    suspected = stream_values(state.streams, state.worse) >= constants.suspected
    open_before = state.confirmed
    proven = (value >= constants.confirmed) & (before >= constants.confirmed_after)
    confirmed = open_before | (betting & proven)
    in_episode = confirmed | (value >= constants.suspected)
    state = replace(state, confirmed=confirmed, passed=(state.passed & in_episode[:, None]) | suspected)
    waiting = open_before & betting
    if not waiting.any():
        return state, np.zeros_like(confirmed)

    today = state.streams.with_pools(
        state.streams.mean_of_cases(day.cases - reference.mean), (day.judged - reference.judged_mean) / 100
    )
    shifted = np.concatenate([state.recent[..., 1:], today[..., None]], axis=2)
    recent = np.where((waiting[:, None] & ~np.isnan(today))[..., None], shifted, state.recent)
    within = recent.mean(axis=2) >= -reference.tau * reference.stream_mean
    required = state.passed.copy()
    required[:, len(state.streams.use_cases)] = True
    back = waiting & (within | ~required).all(axis=1)
    if not back.any():
        return replace(state, recent=recent), back
    return replace(
        state,
        worse=state.worse.cleared(back),
        before=np.where(back, 0.0, state.before),
        confirmed=confirmed & ~back,
        passed=state.passed & ~back[:, None],
        recent=np.where(back[:, None, None], np.nan, recent),
        recovered_on=np.where(back, day.number, state.recovered_on),
    ), back


def _outcome(state: EvidenceState, day: EvidenceDay, betting: Bools, back: Bools) -> EvidenceOutcome:
    constants = state.constants
    calibrating = ~state.ready
    value = state.before
    lately = day.number - state.recovered_on < constants.recovered_days
    status = np.select(
        [calibrating, state.confirmed, value >= constants.suspected, back | lately],
        [CALIBRATING, CONFIRMED, SUSPECTED, RECOVERED],
        QUIET,
    )
    improvement = (
        np.zeros_like(calibrating) if state.better is None else statistic(state.better) >= constants.confirmed
    )
    return EvidenceOutcome(
        status=status.astype(np.int8),
        value=np.where(calibrating, np.nan, value),
        stream_value=np.where(calibrating[:, None], np.nan, stream_values(state.streams, state.worse)),
        named=state.passed[:, : len(state.streams.use_cases)],
        improvement=improvement & ~calibrating,
        reference_days=state.seen,
        bet=betting,
    )

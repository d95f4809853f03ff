"""The evidence: a betting e-detector against a frozen reference, as a fold over days: `state, outcome = step(state, day)`.

    state = start(models=3, streams=streams_of({"math": ["m1", "m2"], "writing": None}), constants=constants.evidence)
    state, outcome = step(state, EvidenceDay(number=date.toordinal(), cases=[models, C], judged=[models, J]))

`cases` are base scores 0–1 of the deterministic cases in the order of `streams.cases`, `judged` the day's base scores 0–100 of
the judged (and hybrid) use cases in the order of `streams.judged`; `fold.evidence_day` makes both from a recorded day. NaN
places no bet. `restart` marks models whose series begins with this day (new route, new suite version). Models may begin on
different days: a row of NaN is a day that was not run.

`betting.py` has the bets, and why a false CONFIRMED has a chance of at most 1 % a year.

CONFIRMED holds until RECOVERED: the last 7 scored days since are, on average, no more than τ below the reference, in the pool of
all and in every stream whose own M passed the suspicion line. (To require it of each single day would take a healthy model weeks;
to require it of the pool alone would call one dead case recovered.) Then all M are 0. SUSPECTED is M today, nothing is held.

Improvement: the same detector on the mirrored scores, 1 − x and 100 − S, with their own reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from probatio.records import Evidence, EvidenceConstants
from probatio.verdict.betting import Detector, bet, statistic, stream_values
from probatio.verdict.reference import no_reference, reference_of
from probatio.verdict.streams import Bools, Floats, Ints, Streams

Number = TypeVar("Number", bound=np.generic)

STATUSES: tuple[Evidence, ...] = ("CALIBRATING", "QUIET", "SUSPECTED", "CONFIRMED", "RECOVERED")
CALIBRATING, QUIET, SUSPECTED, CONFIRMED, RECOVERED = range(5)
"""Codes in `EvidenceOutcome.status`."""

NEVER = -(10**6)


@dataclass(frozen=True, slots=True)
class EvidenceDay:
    """One day of all models, base samples only; NaN places no bet."""

    number: int  # ordinal of the UTC date
    cases: Floats  # [m, C] 0–1
    judged: Floats  # [m, J] 0–100
    restart: Bools | None = None  # [m] a new series begins with this day


@dataclass(frozen=True, slots=True)
class EvidenceState:
    streams: Streams
    constants: EvidenceConstants
    seen: Ints  # [m] scored days of the series so far, at most the reference's
    days_cases: Floats  # [m, days, C] the reference's days
    days_judged: Floats  # [m, days, J]
    days_number: Ints  # [m, days]
    scored_on: Ints  # [m, C] last day each case had a score
    worse: Detector
    better: Detector | None  # None where improvements are not wanted
    confirmed: Bools  # [m] and not recovered since
    passed: Bools  # [m, S] streams whose own M passed the suspicion line in this episode
    recent: Floats  # [m, S, recovery days] distance from the reference mean on the last scored days since CONFIRMED
    recovered_on: Ints  # [m]


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


def start(models: int, streams: Streams, constants: EvidenceConstants, *, improvement: bool = True) -> EvidenceState:
    """Before the first day."""
    days, cases = constants.reference_days, len(streams.cases)

    def detector() -> Detector:
        return Detector(
            no_reference(models, streams, constants),
            np.zeros((models, cases), dtype=bool),
            np.zeros((models, streams.count, len(constants.deltas) + 1)),
        )

    return EvidenceState(
        streams=streams,
        constants=constants,
        seen=np.zeros(models, dtype=np.int64),
        days_cases=np.full((models, days, cases), np.nan),
        days_judged=np.full((models, days, len(streams.judged)), np.nan),
        days_number=np.zeros((models, days), dtype=np.int64),
        scored_on=np.full((models, cases), NEVER, dtype=np.int64),
        worse=detector(),
        better=detector() if improvement else None,
        confirmed=np.zeros(models, dtype=bool),
        passed=np.zeros((models, streams.count), dtype=bool),
        recent=np.full((models, streams.count, constants.recovered_days), np.nan),
        recovered_on=np.full(models, NEVER, dtype=np.int64),
    )


def step(state: EvidenceState, day: EvidenceDay) -> tuple[EvidenceState, EvidenceOutcome]:
    """One day further. Days come in order; a day that was not run is simply not there."""
    if day.restart is not None and day.restart.any():
        state = _restarted(state, day.restart)
    constants = state.constants
    scored = ~(np.isnan(day.cases).all(axis=1) & np.isnan(day.judged).all(axis=1))
    betting = scored & (state.seen == constants.reference_days)

    fresh = state.scored_on >= day.number - state.worse.reference.reach[:, None]
    worse = bet(state.streams, constants, state.worse, day.cases, day.judged, betting, fresh)
    better = state.better and bet(
        state.streams, constants, state.better, 1 - day.cases, 100 - day.judged, betting, fresh
    )
    state = replace(
        state,
        worse=worse,
        better=better,
        scored_on=np.where(np.isnan(day.cases), state.scored_on, day.number),
    )
    state = _recorded(state, day, scored & ~betting)
    state, back = _episode(state, day, betting)
    return state, _outcome(state, day, betting, back)


def _restarted(state: EvidenceState, restart: Bools) -> EvidenceState:
    """These models at the beginning of a series."""
    new = start(int(restart.sum()), state.streams, state.constants, improvement=state.better is not None)

    def detector(old: Detector, fresh: Detector) -> Detector:
        reference = old.reference.put(restart, fresh.reference)
        return Detector(reference, _put(old.low, restart, fresh.low), _put(old.streams, restart, fresh.streams))

    return replace(
        state,
        seen=_put(state.seen, restart, new.seen),
        days_cases=_put(state.days_cases, restart, new.days_cases),
        days_judged=_put(state.days_judged, restart, new.days_judged),
        days_number=_put(state.days_number, restart, new.days_number),
        scored_on=_put(state.scored_on, restart, new.scored_on),
        worse=detector(state.worse, new.worse),
        better=state.better and new.better and detector(state.better, new.better),
        confirmed=_put(state.confirmed, restart, new.confirmed),
        passed=_put(state.passed, restart, new.passed),
        recent=_put(state.recent, restart, new.recent),
        recovered_on=_put(state.recovered_on, restart, new.recovered_on),
    )


def _put(old: NDArray[Number], rows: Bools, fresh: NDArray[Number]) -> NDArray[Number]:
    values = old.copy()
    values[rows] = fresh
    return values


def _recorded(state: EvidenceState, day: EvidenceDay, rows: Bools) -> EvidenceState:
    """The day kept for the reference of the models in that phase; whoever has all its days now gets it frozen."""
    if not rows.any():
        return state
    at, slot = np.flatnonzero(rows), state.seen[rows]
    cases, judged, numbers = state.days_cases.copy(), state.days_judged.copy(), state.days_number.copy()
    cases[at, slot], judged[at, slot], numbers[at, slot] = day.cases[rows], day.judged[rows], day.number
    seen = state.seen + rows
    state = replace(state, seen=seen, days_cases=cases, days_judged=judged, days_number=numbers)
    full = rows & (seen == state.constants.reference_days)
    if not full.any():
        return state
    frozen = cases[full], judged[full], numbers[full]
    return replace(
        state,
        worse=_frozen(state, state.worse, full, *frozen),
        better=state.better and _frozen(state, state.better, full, 1 - frozen[0], 100 - frozen[1], frozen[2]),
    )


def _frozen(
    state: EvidenceState, detector: Detector, rows: Bools, cases: Floats, judged: Floats, numbers: Ints
) -> Detector:
    reference = reference_of(cases, judged, numbers, state.streams, state.constants)
    low = detector.low.copy()
    last = np.take_along_axis(
        cases, (cases.shape[1] - 1 - np.argmax(~np.isnan(cases)[:, ::-1], axis=1))[:, None], axis=1
    )
    low[rows] = last[:, 0] < reference.mean - state.constants.low
    return replace(detector, reference=detector.reference.put(rows, reference), low=low)


def _episode(state: EvidenceState, day: EvidenceDay, betting: Bools) -> tuple[EvidenceState, Bools]:
    """CONFIRMED is held until the recovery days are within τ; then every M starts from nothing."""
    constants, reference = state.constants, state.worse.reference
    value = statistic(state.worse)
    suspected = stream_values(state.worse) >= constants.suspected
    open_before = state.confirmed
    confirmed = open_before | (betting & (value >= constants.confirmed))
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
    cleared = np.where(back[:, None, None], 0.0, state.worse.streams)
    return replace(
        state,
        worse=replace(state.worse, streams=cleared),
        confirmed=confirmed & ~back,
        passed=state.passed & ~back[:, None],
        recent=np.where(back[:, None, None], np.nan, recent),
        recovered_on=np.where(back, day.number, state.recovered_on),
    ), back


def _outcome(state: EvidenceState, day: EvidenceDay, betting: Bools, back: Bools) -> EvidenceOutcome:
    constants = state.constants
    calibrating = state.seen < constants.reference_days
    value = statistic(state.worse)
    lately = day.number - state.recovered_on < constants.recovered_days
    status = np.select(
        [calibrating, state.confirmed, value >= constants.suspected, back | lately],
        [CALIBRATING, CONFIRMED, SUSPECTED, RECOVERED],
        QUIET,
    )
    improvement = np.zeros_like(calibrating) if state.better is None else statistic(state.better) >= constants.confirmed
    return EvidenceOutcome(
        status=status.astype(np.int8),
        value=np.where(calibrating, np.nan, value),
        stream_value=np.where(calibrating[:, None], np.nan, stream_values(state.worse)),
        named=state.passed[:, : len(state.streams.use_cases)],
        improvement=improvement & ~calibrating,
        reference_days=state.seen,
        bet=betting,
    )

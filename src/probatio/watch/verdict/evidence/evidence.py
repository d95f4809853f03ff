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

**Second edition**: CONFIRMED needs M at its line with some of it there the day before.

**Third edition**, where `start` is given the constants of a proof (no suite has them yet): such a day opens a
question for `question_days` scored days, and CONFIRMED needs the proof by draws (`draws.py`) while it is
open, since at temperature 0 the same answers come back every day. Where the proof falls just short the status
is LOWER. A question that closes without a proof while scores are lower leaves the note `lower`. Where no
stream could be proven even by a total loss (a few yes/no cases, or answers without texts) M alone decides.

CONFIRMED holds until RECOVERED: the last 7 scored days since are, on average, no more than τ below the
reference, in the pool of all and in every stream
whose own M passed the suspicion line. (To require it of each single day would take a healthy model weeks; to
require it of the pool alone would call one dead case recovered.) Then all M are 0. SUSPECTED is M today,
nothing is held.

Improvement: the same detector on the mirrored scores, 1 − x and 100 − S, with their own reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from probatio.core.records import DrawsConstants, Evidence, EvidenceConstants, ProofConstants
from probatio.watch.verdict.evidence import history as kept_days
from probatio.watch.verdict.evidence.caution import lag_of
from probatio.watch.verdict.evidence.detector import Detector, bet, new_detector, statistic, stream_values
from probatio.watch.verdict.evidence.draws import NONE, codes_of, prove, units_of
from probatio.watch.verdict.evidence.history import History, no_history
from probatio.watch.verdict.evidence.ladders import (
    LadderBet,
    bet_on_ladders,
    new_ladder_bet,
    refer_ladders,
)
from probatio.watch.verdict.evidence.reference import mean_over_days as reference_mean
from probatio.watch.verdict.evidence.reference import reference_of
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, PerModel, Streams

STATUSES: tuple[Evidence, ...] = ("CALIBRATING", "QUIET", "SUSPECTED", "CONFIRMED", "RECOVERED", "LOWER")
CALIBRATING, QUIET, SUSPECTED, CONFIRMED, RECOVERED, LOWER = range(6)
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
    base: Floats | None = None  # [m, C] scores of the base samples; `cases`, if None
    codes: Ints | None = None
    """[m, C] which answer each base sample is: equal codes, the same answer. If None, ladders are known by
    their scores, and yes/no cases have no part in the proof."""


@dataclass(frozen=True, slots=True)
class EvidenceState(PerModel):
    streams: Streams
    constants: EvidenceConstants
    history: History
    scored_on: Ints  # [m, C] last day each case had a score
    worse: Detector
    better: Detector | None  # None where improvements are not wanted
    before: Floats  # [m] M after the last bet
    confirmed: Bools  # [m] and not recovered since
    passed: Bools  # [m, S] streams whose own M passed the suspicion line in this episode
    recent: Floats  # [m, S, recovery days] distance from the reference mean, last scored days since CONFIRMED
    recovered_on: Ints  # [m]
    proof: ProofConstants | None  # of the third edition; None: the second
    ladder: LadderBet | None  # None where no use case has ladders only, and in the second edition
    provable: Bools  # [m, streams of the proof] a total loss could be proven
    line_on: Ints  # [m] scored days of the series on the last day that opened a question …
    doubted: Ints  # [m] … and before the first such day of the open question
    lately: Floats  # [m, recovery days] distance of the pool of all from its reference mean
    lower: Bools  # [m] a question closed without a proof, and scores are still lower

    @property
    def open(self) -> Bools:
        """[m] a question is open."""
        if self.proof is None:
            return np.zeros(len(self.line_on), dtype=bool)
        return np.asarray(self.history.scored - self.line_on < self.proof.draws.question_days)

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
    lower: Bools  # [m] lower than the reference, and never proven


def start(
    models: int,
    streams: Streams,
    constants: EvidenceConstants,
    *,
    improvement: bool = True,
    proof: ProofConstants | None = None,
) -> EvidenceState:
    """Before the first day. `proof`: the constants of the third edition; the second, if None."""
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
        proof=proof,
        ladder=None if proof is None else new_ladder_bet(models, streams, constants, proof.ladder),
        provable=np.zeros((models, len(streams.deterministic) + 1), dtype=bool),
        line_on=np.full(models, NEVER, dtype=np.int64),
        doubted=np.full(models, NEVER, dtype=np.int64),
        lately=np.full((models, constants.recovered_days), np.nan),
        lower=np.zeros(models, dtype=bool),
    )


def asks_full(state: EvidenceState) -> Bools:
    """[m] which models are asked at full count on the next day: M is well above what chance gives it, one a
    day."""
    threshold = state.constants.full_from + state.worse.memory.bets
    return np.asarray(state.ready & ~state.confirmed & (state.before >= threshold))


def step(state: EvidenceState, day: EvidenceDay) -> tuple[EvidenceState, EvidenceOutcome]:
    """One day further. Days come in order; a day that was not run is simply not there."""
    if day.restart is not None and day.restart.any():
        state = _restart(state, day.restart)
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
    value, ladder = statistic(worse), state.ladder
    if ladder is not None:
        ladder = bet_on_ladders(ladder, ladder.read(_ladder_scores(state, day.cases)), betting, full)
        value = (value + ladder.value()) / 2
    state = replace(
        state,
        worse=worse,
        better=better,
        ladder=ladder,
        before=np.where(betting, value, before),
        scored_on=np.where(np.isnan(day.cases), state.scored_on, day.number),
    )
    z = np.full(len(day.cases), np.nan)
    if state.proof is not None:
        state, z = _question(state, state.proof, day, scored, betting, before)
    state, back = _episode(state, day, betting, before, z)
    state = _record(state, day, scored)
    return state, _outcome(state, day, betting, back, z)


def _ladder_scores(state: EvidenceState, cases: Floats) -> Floats:
    """[m, D] the score 0–100 of each deterministic use case; a missing case counts with its usual score."""
    mean, streams = state.worse.reference.mean, state.streams
    return 100 * (streams.mean_of_cases(cases - mean) + streams.mean_of_cases(mean))


def _question(
    state: EvidenceState,
    proof: ProofConstants,
    day: EvidenceDay,
    scored: Bools,
    betting: Bools,
    before: Floats,
) -> tuple[EvidenceState, Floats]:
    """Open, keep or close the question, and z of the models that are asked for a proof today [m]."""
    constants, draws = state.constants, proof.draws
    base = day.cases if day.base is None else np.where(np.isnan(day.cases), np.nan, day.base)
    codes = _known_by_score(state.streams, base, proof) if day.codes is None else day.codes
    base = np.where(codes == NONE, np.nan, base)
    count = state.history.scored + scored
    was_open = state.open
    line = betting & (state.before >= constants.confirmed) & (before >= constants.confirmed_after)
    state = replace(
        state,
        history=kept_days.record_answers(state.history, base, codes),
        line_on=np.where(line, count, state.line_on),
        doubted=np.where(line & ~was_open, state.history.scored, state.doubted),
    )
    is_open = count - state.line_on < draws.question_days
    asked = betting & ~state.confirmed & state.provable.any(axis=1)
    asked &= (state.before >= constants.suspected) | is_open
    z = np.full(len(base), np.nan)
    own = np.zeros_like(state.passed)
    units = units_of(state.streams)
    rows = np.flatnonzero(asked)
    for begin in range(0, len(rows), TOGETHER):
        part = rows[begin : begin + TOGETHER]
        found = prove(
            *kept_days.series_days(state.history, day.number, part, constants),
            units,
            draws,
            lag_of(state.worse.reference.days[part], constants),
        )
        strength = found.z - np.where(units.own, draws.use_case_margin, 0.0)
        strength = np.where(state.provable[part], strength, np.nan)
        z[part] = np.fmax.reduce(strength, axis=1)
        own[np.ix_(part, state.streams.deterministic)] = strength[:, :-1] >= draws.confirmed
    closed = was_open & ~is_open & ~state.confirmed
    return replace(_note_lower(state, day, betting, closed, draws.band), passed=state.passed | own), z


def _known_by_score(streams: Streams, base: Floats, proof: ProofConstants) -> Ints:
    return np.where(streams.rungs >= proof.ladder.rungs, codes_of(base), NONE)


def _note_lower(
    state: EvidenceState, day: EvidenceDay, betting: Bools, closed: Bools, band: float
) -> EvidenceState:
    """Keep the last days' distance from the reference, and the note of a question that closed unproven."""
    reference, pool = state.worse.reference, len(state.streams.use_cases)
    today = state.streams.with_pools(
        state.streams.mean_of_cases(day.cases - reference.mean), (day.judged - reference.judged_mean) / 100
    )[:, pool]
    shifted = np.concatenate([state.lately[:, 1:], today[:, None]], axis=1)
    lately = np.where((betting & ~np.isnan(today))[:, None], shifted, state.lately)
    distance, level = lately.mean(axis=1), reference.stream_mean[:, pool]
    lower = state.lower | (closed & (distance < -band * level))
    well = distance >= -reference.tau[:, pool] * level
    return replace(state, lately=lately, lower=lower & ~well)


def _restart(state: EvidenceState, restart: Bools) -> EvidenceState:
    """These models at the beginning of a series."""
    new = start(
        int(restart.sum()),
        state.streams,
        state.constants,
        improvement=state.better is not None,
        proof=state.proof,
    )
    history = kept_days.restart(state.history, restart, state.constants)
    return replace(state.put(restart, new), history=history)


def _record(state: EvidenceState, day: EvidenceDay, scored: Bools) -> EvidenceState:
    """Keep the day for the reference. A model with enough new days gets a new reference for tomorrow."""
    history, grown = kept_days.record_day(
        state.history,
        day.number,
        day.cases,
        day.judged,
        scored,
        state.confirmed,
        state.constants,
        None if state.proof is None else np.where(state.open, state.doubted, np.iinfo(np.int64).max),
    )
    state = replace(state, history=history)
    rows = np.flatnonzero(grown)
    for begin in range(0, len(rows), TOGETHER):
        state = _update_references(state, rows[begin : begin + TOGETHER])
    return state


def _update_references(state: EvidenceState, rows: Ints) -> EvidenceState:
    cases, judged, numbers, days = kept_days.reference_days(state.history, rows, state.constants)
    first = state.worse.reference.days[rows] == 0

    def detector(old: Detector, scores: Floats, marks: Floats) -> Detector:
        reference = reference_of(
            scores, marks, numbers, state.streams, state.constants, days, by_rungs=state.proof is not None
        )
        where = np.zeros(len(old.streams), dtype=bool)
        where[rows] = True
        low_days = old.low_days
        if first.any():
            low_days = low_days.copy()
            low_days[rows[first]] = _low_at_the_end(
                scores[first], reference.mean[first] - state.constants.low
            )
        return replace(old, reference=old.reference.put(where, reference), low_days=low_days)

    ladder = state.ladder
    if ladder is not None:
        with_mean = state.streams.mean_of_cases(mean := reference_mean(cases))
        scores = 100 * (state.streams.mean_of_cases(cases - mean[:, None]) + with_mean[:, None])
        ladder = refer_ladders(ladder, rows, ladder.read(scores), numbers, days)
    state = replace(
        state,
        worse=detector(state.worse, cases, judged),
        better=state.better and detector(state.better, 1 - cases, 100 - judged),
        ladder=ladder,
    )
    return state if state.proof is None else _find_provable(state, state.proof.draws, rows)


def _find_provable(state: EvidenceState, draws: DrawsConstants, rows: Ints) -> EvidenceState:
    """Which streams of the proof a total loss could prove, after this reference [m, S]."""
    constants = state.constants
    units = units_of(state.streams)
    scores, codes, numbers, member = kept_days.series_days(
        state.history, int(state.history.numbers[-1]), rows, constants
    )
    if not scores.shape[1]:  # no answer is known: nothing can be proven by draws
        return state
    lost = max(draws.windows)
    after = numbers[:, -1:] + np.arange(1, lost + 1)
    known = (codes != NONE).any(axis=1)[:, None, :]
    zeros = np.where(np.broadcast_to(known, (len(rows), lost, codes.shape[2])), 0.0, np.nan)
    # A total loss is an answer of its own, unless the reference has seen it.
    zero = np.where(np.isnan(zeros), NONE, codes_of(np.nan_to_num(zeros)))
    found = prove(
        np.concatenate([scores, zeros], axis=1),
        np.concatenate([codes, zero], axis=1),
        np.concatenate([numbers, after], axis=1),
        np.concatenate([member, np.zeros((len(rows), lost), dtype=bool)], axis=1),
        units,
        draws,
        lag_of(state.worse.reference.days[rows], constants),
    )
    line = draws.confirmed + np.where(units.own, draws.use_case_margin, 0.0)
    provable = state.provable.copy()
    provable[rows] = np.nan_to_num(found.z, nan=-np.inf) >= line
    return replace(state, provable=provable)


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
    constants, reference = state.constants, state.worse.reference
    value = state.before
    suspected = stream_values(state.streams, state.worse) >= constants.suspected
    open_before = state.confirmed
    proven = (value >= constants.confirmed) & (before >= constants.confirmed_after)
    if state.proof is not None:
        draws = state.proof.draws
        silent = ~state.provable.any(axis=1)  # nothing could be proven: M alone decides
        is_open = state.history.scored + 1 - state.line_on < draws.question_days
        proven = (proven & silent) | (is_open & (z >= draws.confirmed))
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
        worse=state.worse.clear(back),
        before=np.where(back, 0.0, state.before),
        confirmed=confirmed & ~back,
        passed=state.passed & ~back[:, None],
        recent=np.where(back[:, None, None], np.nan, recent),
        recovered_on=np.where(back, day.number, state.recovered_on),
        ladder=state.ladder and replace(state.ladder, detector=state.ladder.detector.clear(back)),
        line_on=np.where(back, NEVER, state.line_on),
    ), back


def _outcome(
    state: EvidenceState, day: EvidenceDay, betting: Bools, back: Bools, z: Floats
) -> EvidenceOutcome:
    constants = state.constants
    calibrating = ~state.ready
    value = state.before
    lately = day.number - state.recovered_on < constants.recovered_days
    suspected, is_lower = value >= constants.suspected, np.zeros_like(calibrating)
    if state.proof is not None:
        doubtful = z >= state.proof.draws.suspected
        suspected &= doubtful | ~state.provable.any(axis=1)
        is_lower = state.open & doubtful
    status = np.select(
        [calibrating, state.confirmed, is_lower, suspected, back | lately],
        [CALIBRATING, CONFIRMED, LOWER, SUSPECTED, RECOVERED],
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
        z=z,
        lower=state.lower & ~calibrating,
    )

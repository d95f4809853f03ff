"""The published rule, one day at a time: `state, outcome = step(rule, state, day)`.

Everything is an array whose leading axis is the model, [models, use_cases] or [models]. One call serves a
recorded day of three models and a made-up day of two thousand:

    rule = baseline.rule_for(manifest.rule, ["deterministic", "hybrid", …])      one grading per use case
    state = start(rule, models=3)
    state, outcome = step(rule, state, rule_day(date.toordinal(), score=…))

Before a day is scored, `expect(rule, state, day)` is the baseline of that day, and `sampling.py` says from it
what is asked at full count; `step` uses the same baseline and the same test. `RuleDay.score` is the score
that counts: the re-run's, where there was one. `baseline.py` has the arithmetic, `model_status.py` the
model's status, `fold.py` the fold over recorded days.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from probatio.watch.verdict.rule.baseline import Baseline, Bools, Floats, Ints, Rule, baseline, compare
from probatio.watch.verdict.rule.model_status import (
    CALIBRATING,
    COOKED,
    GAP,
    NEVER,
    OK,
    SUSPICIOUS,
    Codes,
    ModelStatuses,
    compose,
    no_statuses,
)

T = TypeVar("T", bound=np.generic)

UNKNOWN = -1  # a route that is not known

FIRED = ("suspicious z", "suspicious drop", "cooked z", "cooked drop", "collapse")
"""Names of the tests; test i is bit i of `RuleOutcome.fired`."""
HELD = (None, "barred", "routing", "asked late")
"""Why a status was held, by the code in `RuleOutcome.held`."""


COLLAPSE_DAYS = 3
"""A collapse is reported after this many days, before the baseline is complete. It sets no status, but it is
alerted."""


@dataclass(frozen=True, slots=True)
class RuleDay:
    """What the rule reads of one day, for all models. Only `day` and `score` are needed; `rule_day` has the
    defaults."""

    day: int  # ordinal of the UTC date
    score: Floats  # [models, use_cases], 0–100; NaN is a gap
    full_power: Bools  # [models, use_cases]: the score comes from the full sample count
    barred: Bools  # [models, use_cases]: the judge had shifted; of no effect on deterministic use cases
    route: Ints  # [models]: a code for who served most samples, UNKNOWN where no provider is named
    mixed: Bools  # [models]: samples came from elsewhere, too: the day belongs to no route
    version: int  # a code for the suite version
    late: Bools  # [models]: asked on another date: shown, but part of no baseline, series or status
    accepted: (
        Bools  # [models]: a series begins with this day: a new level was accepted, or its form is another
    )


def rule_day(
    day: int,
    score: npt.ArrayLike,
    *,
    full_power: npt.ArrayLike = True,
    barred: npt.ArrayLike = False,
    route: npt.ArrayLike = UNKNOWN,
    mixed: npt.ArrayLike = False,
    version: int = 0,
) -> RuleDay:
    """A day with these scores and neutral defaults for the rest; scalars are broadcast."""
    scores = np.asarray(score, dtype=float)
    models = scores.shape[:1]
    return RuleDay(
        day,
        scores,
        np.broadcast_to(np.asarray(full_power, dtype=bool), scores.shape),
        np.broadcast_to(np.asarray(barred, dtype=bool), scores.shape),
        np.broadcast_to(np.asarray(route, dtype=np.int64), models),
        np.broadcast_to(np.asarray(mixed, dtype=bool), models),
        version,
        late=np.zeros(models, dtype=bool),
        accepted=np.zeros(models, dtype=bool),
    )


@dataclass(frozen=True, slots=True)
class RuleState:
    """What the rule knows after a day. The window is a ring: the slot of a day is its ordinal modulo the
    window."""

    version: int | None
    when: Ints  # [window]: the day in each slot
    scores: Floats  # [window, models, use_cases]: NaN for a gap, a barred day or one asked late
    counted: Bools  # [window, models, use_cases]: in the baseline
    routes: Ints  # [window, models]: UNKNOWN where mixed or not named
    home: Ints  # [models]: the route of the present series
    newcomer: Ints  # [models]: another route that has served since …
    newcomer_since: Ints  # [models]: … this day …
    newcomer_days: Ints  # [models]: … on so many days
    status: Codes  # [models, use_cases]: the last one that was not a gap
    since: Ints  # [models, use_cases]: first day of it
    seen: Ints  # [models, use_cases]: last scored day
    gap_since: Ints  # [models, use_cases]: NEVER while there is no gap
    cooked_on: Ints  # [models, use_cases]: last judged day, if it was at cooked level
    recovered_on: Ints  # [models, use_cases]
    models: ModelStatuses


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What the rule says of one day: arrays are [models, use_cases] unless said otherwise."""

    day: int
    status: Codes  # index into STATUSES
    score: Floats
    expected: Baseline
    z: Floats
    drop: Floats
    fired: npt.NDArray[np.uint8]  # bits, see FIRED; nothing fires on a held day
    cooked_level: Bools
    held: Codes  # index into HELD
    recovered: Bools
    improved: Bools
    collapsed: (
        Bools  # lost what the collapse test asks, at full count; also against the first days of a baseline
    )
    since: Ints
    routing_changed: Bools  # [models]: not the series' own route
    new_series: Bools  # [models]: by a new route that stayed, an accepted level, or another form
    model: Codes  # [models]
    model_since: Ints  # [models]
    model_recovered: Bools  # [models]


def start(rule: Rule, models: int) -> RuleState:
    """Before the first day."""
    window, shape = rule.constants.baseline_days, (models, len(rule.judged))

    def never(shape: tuple[int, ...]) -> Ints:
        return np.full(shape, NEVER, dtype=np.int64)

    return RuleState(
        version=None,
        when=never((window,)),
        scores=np.full((window, *shape), np.nan),
        counted=np.zeros((window, *shape), dtype=bool),
        routes=np.full((window, models), UNKNOWN, dtype=np.int64),
        home=np.full(models, UNKNOWN, dtype=np.int64),
        newcomer=np.full(models, UNKNOWN, dtype=np.int64),
        newcomer_since=never((models,)),
        newcomer_days=np.zeros(models, dtype=np.int64),
        status=np.full(shape, CALIBRATING, dtype=np.int8),
        since=never(shape),
        seen=never(shape),
        gap_since=never(shape),
        cooked_on=never(shape),
        recovered_on=never(shape),
        models=no_statuses(models),
    )


def expect(rule: Rule, state: RuleState, day: int, version: int | None = None) -> Baseline:
    """The baseline of `day`: the days before it, of the same suite version."""
    inside = (state.when < day) & (state.when >= day - rule.constants.baseline_days)
    if version is not None and version != state.version:
        inside = np.zeros_like(inside)
    return baseline(state.scores, state.counted & inside[:, None, None], rule.sd_floor)


def step(rule: Rule, state: RuleState, now: RuleDay) -> tuple[RuleState, RuleOutcome]:
    """One day further. Days come in order; a day that was not run is simply not there."""
    if now.version != state.version:
        state = replace(start(rule, len(now.score)), version=now.version)
    scored = ~np.isnan(now.score)
    late = now.late[:, None]
    state, away, moved = _routes(rule, state, now, np.any(scored, axis=1) & ~now.late)
    if now.accepted.any():
        state = _restart(state, now.accepted, np.zeros_like(state.counted))
    expected = expect(rule, state, now.day)
    barred = scored & now.barred & rule.judged
    held = np.where(scored & away[:, None], 2, np.where(barred, 1, 0))
    held = np.where(scored & late, 3, held).astype(np.int8)
    live = scored & (held == 0)
    tested = live & (expected.days >= rule.constants.baseline_min)
    z, drop = compare(now.score, expected)

    met = np.stack(
        [
            z <= rule.suspicious_z,
            drop >= rule.suspicious_drop,
            z <= rule.cooked_z,
            drop >= rule.cooked_drop,
            (drop >= rule.collapse) & now.full_power,
        ]
    )
    met &= tested
    cooked_level = met[2] | met[3]
    again = cooked_level & (now.day - state.cooked_on <= rule.constants.consecutive_within)
    judged = np.where(met[4] | again, COOKED, np.where(met.any(axis=0), SUSPICIOUS, OK))
    status = np.where(tested, judged, np.where(live, CALIBRATING, state.status)).astype(np.int8)

    back = tested & (status == OK) & ((state.status == SUSPICIOUS) | (state.status == COOKED))
    recovered_on = np.where(back, now.day, state.recovered_on)
    since = np.where(scored & ((status != state.status) | (state.since == NEVER)), now.day, state.since)
    gap_since = np.where(scored, NEVER, np.where(state.gap_since == NEVER, now.day, state.gap_since))
    models = compose(rule.constants, state.models, now.day, status, scored, state.seen)
    slot = now.day % rule.constants.baseline_days
    after = replace(
        state,
        when=_put(state.when, slot, now.day),
        scores=_put(state.scores, slot, np.where(barred | late, np.nan, now.score)),
        counted=_put(state.counted, slot, live),
        routes=_put(state.routes, slot, np.where(now.mixed | now.late, UNKNOWN, now.route)),
        status=status,
        since=since,
        seen=np.where(scored, now.day, state.seen),
        gap_since=gap_since,
        cooked_on=np.where(cooked_level, now.day, np.where(live, NEVER, state.cooked_on)),
        recovered_on=recovered_on,
        models=models,
    )
    fired = np.packbits(met, axis=0, bitorder="little")[0]
    return after, RuleOutcome(
        day=now.day,
        status=np.where(scored, status, GAP).astype(np.int8),
        score=now.score,
        expected=expected,
        z=z,
        drop=drop,
        fired=fired,
        cooked_level=cooked_level,
        held=held,
        recovered=scored & (status == OK) & (now.day - recovered_on < rule.constants.recovered_days),
        improved=tested & (z >= rule.constants.improved_z),
        collapsed=live & (expected.days >= COLLAPSE_DAYS) & (drop >= rule.collapse) & now.full_power,
        since=np.where(scored, since, gap_since),
        routing_changed=away,
        new_series=moved | now.accepted,
        model=models.shown,
        model_since=models.shown_since,
        model_recovered=models.recovered,
    )


def _routes(rule: Rule, state: RuleState, now: RuleDay, asked: Bools) -> tuple[RuleState, Bools, Bools]:
    """Which models are away from the route of their series today, and whose new route has stayed long enough
    for a new series.

    A day of another route counts only if the whole day came from there. A mixed day neither counts nor breaks
    the row; a day of the old route breaks it. The new series' baseline starts with the days that made it.
    """
    mixed = now.mixed & asked
    named = asked & (now.route != UNKNOWN) & ~mixed
    home = np.where(named & (state.home == UNKNOWN), now.route, state.home)
    elsewhere = named & (now.route != home)
    same = elsewhere & (now.route == state.newcomer)
    newcomer = np.where(elsewhere, now.route, np.where(named, UNKNOWN, state.newcomer))
    since = np.where(elsewhere & ~same, now.day, state.newcomer_since)
    days = np.where(elsewhere, np.where(same, state.newcomer_days, 0) + 1, state.newcomer_days)
    moved = elsewhere & (days >= rule.constants.new_route_days)
    state = replace(
        state,
        home=np.where(moved, now.route, home),
        newcomer=np.where(moved, UNKNOWN, newcomer),
        newcomer_since=since,
        newcomer_days=np.where(moved, 0, days),
    )
    if moved.any():
        of_route = (state.when[:, None] >= since) & (state.routes == now.route)
        state = _restart(state, moved, of_route[:, :, None] & ~np.isnan(state.scores))
    return state, (elsewhere & ~moved) | mixed, moved


def _restart(state: RuleState, which: Bools, counted: Bools) -> RuleState:
    """These models at the start of a series, with a baseline of what is `counted`."""
    cell = which[:, None]
    return replace(
        state,
        counted=np.where(which[None, :, None], counted, state.counted),
        status=np.where(cell, np.int8(CALIBRATING), state.status),
        since=np.where(cell, NEVER, state.since),
        seen=np.where(cell, NEVER, state.seen),
        cooked_on=np.where(cell, NEVER, state.cooked_on),
        recovered_on=np.where(cell, NEVER, state.recovered_on),
        models=state.models.restart(which),
    )


def _put(ring: npt.NDArray[T], slot: int, value: npt.ArrayLike) -> npt.NDArray[T]:
    copy = ring.copy()
    copy[slot] = value
    return copy

"""From use cases to the model: COOKED, SUSPICIOUS, CALIBRATING, GAP or OK, vectorised over models."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from probatio.core.records import RuleConstants, Status

STATUSES: tuple[Status, ...] = ("OK", "SUSPICIOUS", "COOKED", "CALIBRATING", "GAP")
OK, SUSPICIOUS, COOKED, CALIBRATING, GAP = range(5)
"""Codes of the statuses in arrays; OK < SUSPICIOUS < COOKED is the order from good to bad."""

NEVER = -(10**6)
"""A day before every day."""

Codes = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class ModelStatuses:
    """The models' own statuses after a day: arrays are [models]."""

    status: Codes  # the last one that was not a gap
    since: npt.NDArray[np.int64]
    recovered_on: npt.NDArray[np.int64]
    gap_since: npt.NDArray[np.int64]
    shown: Codes  # of the day, gaps included
    shown_since: npt.NDArray[np.int64]
    recovered: npt.NDArray[np.bool_]

    def restart(self, which: npt.NDArray[np.bool_]) -> ModelStatuses:
        """The same with these models at the start of a series."""
        return replace(
            self,
            status=np.where(which, np.int8(CALIBRATING), self.status),
            since=np.where(which, NEVER, self.since),
            recovered_on=np.where(which, NEVER, self.recovered_on),
        )


def no_statuses(models: int) -> ModelStatuses:
    """Before the first day."""
    never = np.full(models, NEVER, dtype=np.int64)
    calibrating = np.full(models, CALIBRATING, dtype=np.int8)
    return ModelStatuses(calibrating, never, never, never, calibrating, never, np.zeros(models, dtype=bool))


def is_flagged(status: Codes) -> npt.NDArray[np.bool_]:
    """Where a status is SUSPICIOUS or COOKED."""
    return np.asarray((status == SUSPICIOUS) | (status == COOKED))


def compose(
    rule: RuleConstants,
    before: ModelStatuses,
    day: int,
    status: Codes,
    scored: npt.NDArray[np.bool_],
    seen: npt.NDArray[np.int64],
) -> ModelStatuses:
    """The models' statuses after a day. `status`: each use case's last one, today's if `scored`.

    A use case without a score today counts with its last status while two days count as consecutive, and only
    to keep the model's status: an outage must not make a model COOKED and must not clear it.
    """
    known = (scored | (seen != NEVER)).sum(axis=1)
    now = compose_day(rule, status, scored, known)
    lately = scored | (day - seen <= rule.consecutive_within)
    kept = np.minimum(_badness(compose_day(rule, status, lately, known)), _badness(before.status))
    asked = scored.any(axis=1)
    now = np.where(asked & (kept > _badness(now)), kept, now).astype(np.int8)
    last = np.where(asked, now, before.status).astype(np.int8)
    since = np.where(asked & ((now != before.status) | (before.since == NEVER)), day, before.since)
    back = asked & (now == OK) & (_badness(before.status) > OK)
    recovered_on = np.where(back, day, before.recovered_on)
    gap_since = np.where(asked, NEVER, np.where(before.gap_since == NEVER, day, before.gap_since))
    return ModelStatuses(
        last,
        since,
        recovered_on,
        gap_since,
        np.where(asked, now, GAP).astype(np.int8),
        np.where(asked, since, gap_since),
        asked & (now == OK) & (day - recovered_on < rule.recovered_days),
    )


def compose_day(
    rule: RuleConstants, status: Codes, counts: npt.NDArray[np.bool_], known: npt.NDArray[np.int64]
) -> Codes:
    """The published composition, over the use cases that count. A suite with few use cases would never be
    COOKED, so no more are required than `known`: those that were ever scored in this series."""
    enough = np.minimum(rule.cooked_use_cases, np.maximum(known, 1))
    beside = np.minimum(rule.suspicious_beside, np.maximum(known - 1, 0))
    cooked = (counts & (status == COOKED)).sum(axis=1)
    suspicious = (counts & (status == SUSPICIOUS)).sum(axis=1)
    based = (counts & (status != CALIBRATING)).any(axis=1)
    is_cooked = (cooked >= enough) | ((cooked >= 1) & (suspicious >= beside))
    is_suspicious = cooked + suspicious >= 1
    statuses = np.select([is_cooked, is_suspicious, ~based], [COOKED, SUSPICIOUS, CALIBRATING], OK)
    return statuses.astype(np.int8)


def _badness(status: Codes) -> Codes:
    """SUSPICIOUS and COOKED as they are, everything else as OK: the order of badness."""
    return np.where(status <= COOKED, status, np.int8(OK)).astype(np.int8)

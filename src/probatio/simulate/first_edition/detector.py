"""The first edition over days: its reference of 28 days, its bets, and the first day on which each model is CONFIRMED.

What came after CONFIRMED (RECOVERED, the named use cases, improvements) is left out: only the first alarm is compared.
"""

from __future__ import annotations

import numpy as np

from probatio.simulate.first_edition.betting import Detector, bet, statistic
from probatio.simulate.first_edition.constants import FirstEdition
from probatio.simulate.first_edition.reference import no_reference, reference_of
from probatio.verdict.evidence import EvidenceDay
from probatio.verdict.streams import Bools, Floats, Ints, Streams

NEVER = -(10**6)


class FirstEditionWatch:
    """The days so far of all models. Base samples only, judged scores as they were marked."""

    def __init__(self, models: int, streams: Streams) -> None:
        self._streams, self._constants = streams, FirstEdition()
        days = self._constants.reference_days
        self._cases = np.full((models, days, len(streams.cases)), np.nan)
        self._judged = np.full((models, days, len(streams.judged)), np.nan)
        self._numbers = np.zeros((models, days), dtype=np.int64)
        self._seen: Ints = np.zeros(models, dtype=np.int64)
        self._scored_on: Ints = np.full((models, len(streams.cases)), NEVER, dtype=np.int64)
        self._detector = Detector(
            no_reference(models, streams, self._constants),
            np.zeros((models, len(streams.cases)), dtype=bool),
            np.zeros((models, streams.count, len(self._constants.deltas) + 1)),
        )

    def step(self, day: EvidenceDay) -> Bools:
        """[m] which models are at the line of CONFIRMED today."""
        constants = self._constants
        if day.restart is not None and day.restart.any():
            self._restart(day.restart)
        scored = ~(np.isnan(day.cases).all(axis=1) & np.isnan(day.judged).all(axis=1))
        betting = scored & (self._seen == constants.reference_days)
        fresh = self._scored_on >= day.number - self._detector.reference.reach[:, None]
        self._detector = bet(self._streams, constants, self._detector, day.cases, day.judged, betting, fresh)
        self._scored_on = np.where(np.isnan(day.cases), self._scored_on, day.number)
        self._record(day, scored & ~betting)
        value: Floats = statistic(self._detector)
        return np.asarray(betting & (value >= constants.confirmed))

    def _restart(self, rows: Bools) -> None:
        new = FirstEditionWatch(int(rows.sum()), self._streams)
        self._cases[rows], self._judged[rows], self._numbers[rows] = new._cases, new._judged, new._numbers
        self._seen[rows], self._scored_on[rows] = 0, NEVER
        old = self._detector
        low, won = old.low.copy(), old.streams.copy()
        low[rows], won[rows] = False, 0.0
        self._detector = Detector(old.reference.put(rows, new._detector.reference), low, won)

    def _record(self, day: EvidenceDay, rows: Bools) -> None:
        if not rows.any():
            return
        at, slot = np.flatnonzero(rows), self._seen[rows]
        self._cases[at, slot], self._judged[at, slot], self._numbers[at, slot] = (
            day.cases[rows],
            day.judged[rows],
            day.number,
        )
        self._seen = self._seen + rows
        full = rows & (self._seen == self._constants.reference_days)
        if not full.any():
            return
        cases = self._cases[full]
        reference = reference_of(cases, self._judged[full], self._numbers[full], self._streams, self._constants)
        last = cases.shape[1] - 1 - np.argmax(~np.isnan(cases)[:, ::-1], axis=1)
        low = self._detector.low.copy()
        low[full] = np.take_along_axis(cases, last[:, None], axis=1)[:, 0] < reference.mean - self._constants.low
        self._detector = Detector(self._detector.reference.put(full, reference), low, self._detector.streams)

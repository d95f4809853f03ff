"""One direction of the evidence: dense bets and memory against one reference, day by day, and the model
statistic M."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from probatio.core.records import EvidenceConstants
from probatio.watch.verdict.evidence.betting import CEILING, day_evidence
from probatio.watch.verdict.evidence.caution import tempering
from probatio.watch.verdict.evidence.memory import Memory, memory_values, no_memory, remember
from probatio.watch.verdict.evidence.reference import Reference, no_reference
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, PerModel, Streams


@dataclass(frozen=True, slots=True)
class Detector(PerModel):
    """Worse or better: its reference, and what its bets have won so far."""

    reference: Reference
    low_days: Ints  # [m, C] scored days the case has been low, up to the last one; 0: it was not low
    streams: Floats  # [m, S, components] M of the dense bets
    memory: Memory

    @property
    def low(self) -> Bools:
        return np.asarray(self.low_days > 0)

    def clear(self, rows: Bools) -> Detector:
        """Every M of these models starts from nothing."""
        streams = np.where(rows[:, None, None], 0.0, self.streams)
        return replace(self, streams=streams, memory=self.memory.clear(rows))


def new_detector(
    models: int, streams: Streams, constants: EvidenceConstants, window: int | None = None
) -> Detector:
    """Before its reference. `window` shortens the memory, where fewer days than its own will ever be bet."""
    return Detector(
        no_reference(models, streams, constants),
        np.zeros((models, len(streams.cases)), dtype=np.int64),
        np.zeros((models, streams.count, len(constants.deltas) + 1)),
        no_memory(models, streams, constants, window),
    )


def bet(
    streams: Streams,
    constants: EvidenceConstants,
    detector: Detector,
    cases: Floats,
    judged: Floats,
    betting: Bools,
    fresh: Bools,
    full: Bools,
) -> Detector:
    """Every M after the day, and which cases are low now. `full` [m]: asked at full count, decided before the
    day."""
    if betting.all():
        return _bet(streams, constants, detector, cases, judged, fresh, full)
    if not betting.any():
        return detector
    some = _bet(
        streams,
        constants,
        detector.rows(betting),
        cases[betting],
        judged[betting],
        fresh[betting],
        full[betting],
    )
    low_days, won = detector.low_days.copy(), detector.streams.copy()
    low_days[betting], won[betting] = some.low_days, some.streams
    return Detector(detector.reference, low_days, won, detector.memory.put(betting, some.memory))


def _bet(
    streams: Streams,
    constants: EvidenceConstants,
    detector: Detector,
    cases: Floats,
    judged: Floats,
    fresh: Bools,
    full: Bools,
) -> Detector:
    reference, was_low = detector.reference, detector.low
    power = tempering(reference.dispersion, full, constants)
    evidence, there = day_evidence(streams, constants, reference, was_low, cases, judged, fresh, power)
    grown = np.minimum((detector.streams + 1) * np.minimum(evidence, constants.day_cap), CEILING)
    of_memory = power[:, [*streams.deterministic, len(streams.use_cases) + 1]]
    memory = remember(
        streams, constants, reference, detector.memory, detector.low_days, cases, fresh, full, of_memory
    )
    low = cases < reference.mean - constants.low
    low_days = np.where(np.isnan(cases), detector.low_days, np.where(low, detector.low_days + 1, 0))
    return Detector(reference, low_days, np.where(there[..., None], grown, detector.streams), memory)


def statistic(detector: Detector) -> Floats:
    """[m] the model statistic M, as the reference's weights say."""
    reference = detector.reference
    dense = (reference.weights * detector.streams).sum(axis=(1, 2))
    return np.asarray(dense + (reference.memory_weights * memory_values(detector.memory)).sum(axis=1))


def stream_values(streams: Streams, detector: Detector) -> Floats:
    """[m, S] each stream's own M: its components and its memory, weighted as in the statistic; NaN without a
    reference. The pool of all has no memory."""
    total, won = _weigh(streams, detector)
    return np.where(total > 0, won / np.where(total > 0, total, 1.0), np.nan)


def statistic_of(streams: Streams, detector: Detector, which: Bools) -> Floats:
    """[m] the part of the model statistic that these streams [m, S] bring."""
    _, won = _weigh(streams, detector)
    return np.asarray(np.where(which, won, 0.0).sum(axis=1))


def _weigh(streams: Streams, detector: Detector) -> tuple[Floats, Floats]:
    """[m, S] the weight of each stream in the statistic, and its share of it."""
    weights = detector.reference.weights
    total, won = weights.sum(axis=2), (weights * detector.streams).sum(axis=2)
    places = [*streams.deterministic, len(streams.use_cases) + 1]
    of_memory = detector.reference.memory_weights
    total[:, places] += of_memory
    won[:, places] += of_memory * memory_values(detector.memory)
    return total, won

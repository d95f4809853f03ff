"""The ladder bet: use cases whose cases are all ladders, each read as one score, bet on as judged ones are.

A ladder's score has as many steps as rungs, and the floor made for yes/no cases would hide a lasting loss of
three points. So every such use case is also read as one score of 0–100 by a second detector: the Gaussian
bets of the judged part with constants of its own. A mean of two e-processes is one, so the bound stays.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from probatio.core.records import EvidenceConstants, LadderConstants, StatisticWeights
from probatio.watch.verdict.evidence.detector import Detector, bet, new_detector, statistic
from probatio.watch.verdict.evidence.reference import reference_of
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints, PerModel, Streams, streams_of

_WEIGHTS = StatisticWeights(pools=0.5, use_cases=0.5, memory_of_pool=0.0, memory_of_use_cases=0.0)


@dataclass(frozen=True, slots=True)
class LadderBet(PerModel):
    """The second detector, with the use cases it reads as its judged ones."""

    streams: Streams
    constants: EvidenceConstants
    places: tuple[int, ...]  # [L] among the deterministic use cases
    detector: Detector

    def read(self, scores: Floats) -> Floats:
        """[m, D] scores of the deterministic use cases → [m, L] those it bets on."""
        return np.asarray(scores[..., list(self.places)])

    def value(self) -> Floats:
        """[m] M of the ladder bet."""
        return statistic(self.detector)


def new_ladder_bet(
    models: int, streams: Streams, constants: EvidenceConstants, ladder: LadderConstants
) -> LadderBet | None:
    """Before its reference. None where no use case has ladders only."""
    places = streams.ladders(ladder.rungs)
    if not len(places):
        return None
    names = [streams.use_cases[streams.deterministic[place]] for place in places]
    own = msgspec.structs.replace(
        constants,
        judged_sd_floor=ladder.sd_floor,
        band_judged=ladder.band,
        weights=_WEIGHTS,
    )
    of_ladders = streams_of(dict.fromkeys(names))
    return LadderBet(of_ladders, own, tuple(places.tolist()), new_detector(models, of_ladders, own))


def bet_on_ladders(ladder: LadderBet, scores: Floats, betting: Bools, full: Bools) -> LadderBet:
    """One day further; `scores` [m, L]."""
    none = np.empty((len(scores), 0))
    after = bet(
        ladder.streams, ladder.constants, ladder.detector, none, scores, betting, none.astype(bool), full
    )
    return LadderBet(ladder.streams, ladder.constants, ladder.places, after)


def refer_ladders(ladder: LadderBet, rows: Ints, scores: Floats, numbers: Ints, days: Ints) -> LadderBet:
    """With a new reference of these models; `scores` [rows, n, L]."""
    none = np.empty((*scores.shape[:2], 0))
    reference = reference_of(none, scores, numbers, ladder.streams, ladder.constants, days)
    where = np.zeros(len(ladder.detector.streams), dtype=bool)
    where[rows] = True
    detector = Detector(
        ladder.detector.reference.put(where, reference),
        ladder.detector.low_days,
        ladder.detector.streams,
        ladder.detector.memory,
    )
    return LadderBet(ladder.streams, ladder.constants, ladder.places, detector)

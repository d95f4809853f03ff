"""The ladder bet: use cases whose cases are all ladders, each read as one score, bet on as judged ones are;
and all bets on a fall together.

A ladder's score has as many steps as rungs, and the floor made for yes/no cases would hide a lasting loss of
three points. So every such use case is also read as one score of 0–100 by a second detector: the Gaussian
bets of the judged part with constants of its own. A mean of two e-processes is one, so the bound stays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np

from probatio.core.records import EvidenceConstants, StatisticWeights
from probatio.watch.verdict.evidence.detector import Detector, bet, new_detector, statistic
from probatio.watch.verdict.evidence.reference import mean_over_days, reference_of
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


def new_ladder_bet(models: int, streams: Streams, constants: EvidenceConstants) -> LadderBet | None:
    """Before its reference. None where no use case has ladders only."""
    ladder = constants.ladder
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


@dataclass(frozen=True, slots=True)
class Bets(PerModel):
    """All bets on a fall: on single cases, and on use cases of ladders as a whole."""

    cases: Detector
    ladder: LadderBet | None  # None where no use case has ladders only

    def value(self) -> Floats:
        """[m] M: the mean of both."""
        value = statistic(self.cases)
        return value if self.ladder is None else (value + self.ladder.value()) / 2

    def clear(self, rows: Bools) -> Bets:
        """Every M of these models starts from nothing."""
        ladder = self.ladder and replace(self.ladder, detector=self.ladder.detector.clear(rows))
        return Bets(self.cases.clear(rows), ladder)


def new_bets(models: int, streams: Streams, constants: EvidenceConstants, window: int | None = None) -> Bets:
    """Before their reference."""
    cases = new_detector(models, streams, constants, window)
    return Bets(cases, new_ladder_bet(models, streams, constants))


def bet_on_fall(
    streams: Streams,
    constants: EvidenceConstants,
    bets: Bets,
    cases: Floats,
    base: Floats,
    judged: Floats,
    betting: Bools,
    fresh: Bools,
    full: Bools,
) -> Bets:
    """One day further; `base` [m, C] are scores of the base samples alone: a ladder that is asked again gives
    the same answer."""
    after = bet(streams, constants, bets.cases, cases, judged, betting, fresh, full)
    ladder = bets.ladder
    if ladder is not None:
        scores = _score_use_cases(streams, base, bets.cases.reference.mean)
        none, never = np.empty((len(scores), 0)), np.zeros(len(scores), dtype=bool)
        won = bet(
            ladder.streams,
            ladder.constants,
            ladder.detector,
            none,
            ladder.read(scores),
            betting,
            none.astype(bool),
            never,
        )
        ladder = replace(ladder, detector=won)
    return Bets(after, ladder)


def refer_ladders(
    ladder: LadderBet,
    rows: Ints,
    cases: Floats,
    base: Floats,
    streams: Streams,
    numbers: Ints,
    days: Ints,
    later: int = 0,
) -> LadderBet:
    """With a new reference of these models from its days: `cases` and `base` [rows, n, C]."""
    scores = _score_use_cases(streams, base, mean_over_days(cases)[:, None])
    none = np.empty((*cases.shape[:2], 0))
    read = ladder.read(scores)
    reference = reference_of(none, read, numbers, ladder.streams, ladder.constants, days, later=later)
    where = np.zeros(len(ladder.detector.streams), dtype=bool)
    where[rows] = True
    detector = replace(ladder.detector, reference=ladder.detector.reference.put(where, reference))
    return replace(ladder, detector=detector)


def _score_use_cases(streams: Streams, base: Floats, mean: Floats) -> Floats:
    """[…, D] scores 0–100 of the deterministic use cases; a missing case counts with its usual score."""
    return 100 * (streams.mean_of_cases(base - mean) + streams.mean_of_cases(mean))

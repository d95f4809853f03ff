"""The constants of the verdict, as a daily suite's manifest gives them."""

from __future__ import annotations

import msgspec

from probatio.core.records.day import Grading


class RuleLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test of the rule: fires at or below `z`, or at or above `drop`."""

    z: float
    drop: float


class Thresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rule's numbers for one kind of grading."""

    sd_floor: float
    suspicious: RuleLimits
    cooked: RuleLimits
    collapse: float


class RuleConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    baseline_days: int
    baseline_min: int
    deterministic: Thresholds
    judged: Thresholds
    consecutive_within: int
    cooked_use_cases: int
    suspicious_beside: int
    new_route_days: int
    recovered_days: int
    improved_z: float

    def thresholds(self, grading: Grading) -> Thresholds:
        return self.deterministic if grading == "deterministic" else self.judged


class MemoryConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of the memory, which asks for each of the last days whether some cases fell on it and stayed low."""

    days: int = 40  # supposed change days kept
    stake: float = 0.98  # of a case's wealth, on each of its days
    shares: tuple[float, ...] = (0.6, 0.2, 0.06)  # of the cases that fell
    growth: float = 1e4  # at most, from one day to the next
    entry_weight: float = 20.0  # days' weight of the common rate at which cases become low …
    entry_factor: float = 2.0  # … and the factor on the rate
    entry_most: float = 0.95
    later_recovery: float = 0.4  # prior of the recovery rate from the second low day on
    unseen_recovery: float = 0.05  # where no case was ever low
    least_recovery: float = 0.02


class StatisticWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of the parts of the model statistic; they sum to 1."""

    pools: float = 0.35
    use_cases: float = 0.35
    memory_of_pool: float = 0.15
    memory_of_use_cases: float = 0.15


class LadderConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of the bet on the scores of use cases whose cases are all ladders."""

    rungs: int = 5  # a case with fewer is no ladder
    sd_floor: float = 1.0  # of one use case, in points; of a pool of J use cases this / √J
    band: float = 0.01


class DrawsConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of the proof by draws: could a new draw of the same answers have been so low?"""

    windows: tuple[int, ...] = (2, 4, 7, 14, 28, 56)  # last scored days, against the reference before them
    least_days: int = 14  # of a case in the reference
    prior_weight: float = 12.0  # of one rung as the spread of a draw …
    spread_weight: float = 3.0  # … and where the cases that moved tell of it, too
    own_weight: float = 8.0  # of the common spread, against a case's own
    least_share: float = 0.1  # of the prior, at least
    judged_sd: float = 0.05  # of a draw of a judged case, in place of one rung
    band: float = 0.01  # no proof of a smaller loss
    suspected: float = 3.0  # z
    confirmed: float = 3.8
    use_case_margin: float = 0.3  # by which a use case alone must pass the line
    question_days: int = 28  # scored days for which a question stays open
    fresh_share: float = 0.95  # of the last answers new: their days are draws
    full_every: int = 10  # where answers repeat, full count is asked once in so many days that want it …
    other_share: float = 0.2  # … unless so many of the further samples were other answers the last time


class EvidenceConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table of the evidence's constants. A suite names what it has otherwise."""

    edition: int = 2  # of the evidence; records older than the field are of the second
    reference_days: int = 28
    deltas: tuple[float, ...] = (0.05, 0.1, 0.2, 0.4, 0.8)
    low: float = 0.25
    caution: float = 2.33
    hac_lag: int = 3
    recovery_prior: float = 0.15
    recovery_weight: float = 6.0
    recovery_se: float = 1.3
    dead_share: float = 0.1
    judged_sd_factor: float = 1.5
    judged_sd_floor: float = 2.0
    day_cap: float = 500.0
    suspected: float = 3650.0
    confirmed: float = 36500.0
    recovered_days: int = 7
    route_window: int = 3
    fleet_models: int = 3
    fleet_vendors: int = 2
    detectable_days: int = 14
    detectable_probability: float = 0.8
    reference_every: int = 7  # scored days after which the reference takes in …
    reference_lag: int = 14  # … all days older than so many scored days …
    reference_most: int = 400  # … up to so many
    hac_days: int = 7  # the lag is the reference's days divided by this, at least `hac_lag` …
    hac_most: int = 14  # … and at most this
    least_failures: float = 0.25  # a case fails at least this often in its days and one more
    band_deterministic: float = 0.01  # no bet against a smaller loss
    band_judged: float = 0.015
    temper: float = 1.25
    """Times what independent cases would scatter. Where they scatter more, the day's evidence is tempered."""
    confirmed_after: float = 365.0  # M on the day before, at least
    full_from: float = 20.0  # M above one for each day bet, from which the next day is asked at full count
    full_factor: float = 3.0  # samples at full count for each base sample
    memory: MemoryConstants = MemoryConstants()
    weights: StatisticWeights = StatisticWeights()
    ladder: LadderConstants = LadderConstants()
    draws: DrawsConstants = DrawsConstants()


SINCE_EDITION_3 = ("edition", "ladder", "draws")
"""Constants of the evidence that came with its third edition. They are in no suite's fingerprint, so that a
series goes on under a new edition; each record says under which one it was judged."""


class AttributionConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    judge_shifts: tuple[float, ...]
    judge_sd_floor: float
    fleet_chance: float
    error_share: float
    truncated_share: float
    latency_factor: float
    tokens_factor: float
    jump_mads: float


class Constants(msgspec.Struct, frozen=True):
    """Every number a verdict depends on; the ledger keeps them with it."""

    rule: RuleConstants
    evidence: EvidenceConstants
    attribution: AttributionConstants
    rungs: tuple[tuple[str, int], ...] = ()  # case → rungs, of the cases that are ladders

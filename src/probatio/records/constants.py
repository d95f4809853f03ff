"""The constants of the verdict, as a daily suite's manifest gives them."""

from __future__ import annotations

import msgspec

from probatio.records.day import Grading


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test of the rule: fires at or below `z`, or at or above `drop`."""

    z: float
    drop: float


class Thresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rule's numbers for one kind of grading."""

    sd_floor: float
    suspicious: Limits
    cooked: Limits
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


class EvidenceConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reference_days: int
    deltas: tuple[float, ...]
    low: float
    caution: float
    hac_lag: int
    recovery_prior: float
    recovery_weight: float
    recovery_se: float
    dead_share: float
    judged_sd_factor: float
    judged_sd_floor: float
    day_cap: float
    suspected: float
    confirmed: float
    recovered_days: int
    route_window: int
    fleet_models: int
    fleet_vendors: int
    detectable_days: int
    detectable_probability: float


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
    """Every number a verdict depends on; the ledger keeps them beside it."""

    rule: RuleConstants
    evidence: EvidenceConstants
    attribution: AttributionConstants
